// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.cc - code made of templates, much of it inlined; -DSEED makes each library another
 */
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace work {

template <int N> struct key {
	long part[N % 5 + 1];

	bool operator<(const key &other) const
	{
		return std::lexicographical_compare(part, part + N % 5 + 1, other.part,
						    other.part + N % 5 + 1);
	}
};

template <int N> inline long mix(long a)
{
	return (a ^ (a >> (N % 13 + 1))) * (N * 2 + 1);
}

template <int N> long one(long seed, const std::string &text)
{
	std::map<key<N>, std::string> texts;
	std::vector<long> order;

	for (long i = 0; i < (seed & 1023); i++) {
		key<N> k;

		for (auto &part : k.part)
			part = mix<N>(seed + i);
		texts[k] += text;
		order.push_back(mix<N + 1>(i));
	}
	std::sort(order.begin(), order.end(),
		  [](long a, long b) { return mix<N>(a) < mix<N>(b); });
	for (auto &e : texts)
		order.push_back(static_cast<long>(e.second.size()) + e.first.part[0]);
	return std::accumulate(order.begin(), order.end(), seed);
}

template <int N, int LEFT> long all(long seed, const std::string &text)
{
	if constexpr (LEFT > 0)
		return one<N>(seed, text) + all<N + 1, LEFT - 1>(seed, text);
	return 0;
}

} // namespace work

extern "C" long run(long seed)
{
	return work::all<SEED * 100, 20>(seed, "x");
}
