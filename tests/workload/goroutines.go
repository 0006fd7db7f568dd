// SPDX-License-Identifier: GPL-2.0-or-later

// goroutines - work of Go programs: computing, sorting, maps and strings, and with them the collector,
// which runs on other stacks
//
// usage: goroutines SECONDS
//
// The callers are main.main.func1() and one of the four.
package main

import (
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:noinline
func compute(n int) float64 {
	sum := 0.0
	for i := 0; i < n; i++ {
		sum += math.Sqrt(float64(i)) * float64(i%7)
	}
	return sum
}

//go:noinline
func sortWork() int {
	all := make([]int, 3000)
	for i := range all {
		all[i] = (i * 7919) % 3001
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all[5]
}

//go:noinline
func mapWork() int {
	all := map[string]int{}
	sum := 0
	for i := 0; i < 3000; i++ {
		all[fmt.Sprint("k", i%500)] = i
	}
	for _, value := range all {
		sum += value
	}
	return sum
}

//go:noinline
func stringWork() int {
	return strings.Count(strings.Repeat("abc", 3000), "bc")
}

func main() {
	seconds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	var group sync.WaitGroup
	for i := 0; i < 2; i++ {
		group.Add(1)
		go func() {
			sum := 0.0
			for time.Now().Before(end) {
				sum += compute(20000) + float64(sortWork()+mapWork()+stringWork())
			}
			group.Done()
		}()
	}
	group.Wait()
}
