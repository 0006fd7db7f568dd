// SPDX-License-Identifier: GPL-2.0-or-later
//! deep_rs - recursion of 100 and 301 frames through a closure and a generic function
//!
//! usage: deep_rs SECONDS	(at least one round)
//!
//! Built with --cfg record it prints which calls it made, as record.c does for C.
#![no_main]

use std::hint::black_box;
use std::time::{Duration, Instant};

#[cfg(record)]
mod record {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    thread_local! {
        static INSIDE: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
        static CALLS: RefCell<BTreeSet<(&'static str, &'static str)>> =
            const { RefCell::new(BTreeSet::new()) };
    }

    pub struct Level;

    pub fn enter(name: &'static str) -> Level {
        INSIDE.with_borrow_mut(|inside| {
            let caller = inside.last().copied().unwrap_or("@");
            CALLS.with_borrow_mut(|calls| calls.insert((caller, name)));
            inside.push(name);
        });
        Level
    }

    impl Drop for Level {
        fn drop(&mut self) {
            INSIDE.with_borrow_mut(|inside| inside.pop());
        }
    }

    pub fn print() {
        CALLS.with_borrow(|calls| {
            for (caller, callee) in calls {
                println!("edge {caller} call {callee}");
            }
        });
    }
}

macro_rules! enter {
    ($name:literal) => {
        #[cfg(record)]
        let _level = record::enter($name);
    };
}

pub struct Steps<'a> {
    next: &'a dyn Fn(&Steps, u32, u64) -> u64,
}

#[inline(always)]
fn spin(mut x: u64, rounds: u32) -> u64 {
    for _ in 0..rounds {
        x = black_box(x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    }
    x
}

#[inline(never)]
#[no_mangle]
pub fn rs_bottom(x: u64) -> u64 {
    enter!("rs_bottom");
    spin(x, 5000)
}

//> rs_big -> rs_bottom
//> rs_big -> deep_rs::rs_run::{closure}
//> rs_big uses
#[inline(never)]
#[no_mangle]
pub fn rs_big(steps: &Steps, left: u32, x: u64) -> u64 {
    enter!("rs_big");
    let mut block = [0u8; 1600];
    black_box(&mut block)[(x % 1600) as usize] = spin(x, 20) as u8;
    let y = if left > 0 { (steps.next)(steps, left - 1, x) } else { rs_bottom(x) };
    y.wrapping_add(black_box(&block)[(y % 1600) as usize] as u64)
}

//> deep_rs::rs_generic -> rs_big
#[inline(never)]
pub fn rs_generic<F: Fn(u64) -> u64>(steps: &Steps, left: u32, x: u64, f: F) -> u64 {
    enter!("deep_rs::rs_generic");
    f(rs_big(steps, left - 1, f(x)))
}

// The closure's captured number keeps it from being a plain function
//> deep_rs::rs_run::{closure} -> deep_rs::rs_generic
//> deep_rs::rs_run -> rs_100
//> deep_rs::rs_run -> rs_301
#[inline(never)]
pub fn rs_run(x: u64) -> u64 {
    enter!("deep_rs::rs_run");
    let key = black_box(x | 1);
    let next = move |steps: &Steps, left: u32, x: u64| {
        enter!("deep_rs::rs_run::{closure}");
        black_box(rs_generic(steps, left - 1, x, |y| y.wrapping_mul(key)))
    };
    let steps = Steps { next: &next };
    rs_100(black_box(&steps), x) ^ rs_301(black_box(&steps), x)
}

//> rs_100 -> rs_big
//> depth rs_100 100 rs_bottom
#[inline(never)]
#[no_mangle]
pub fn rs_100(steps: &Steps, x: u64) -> u64 {
    enter!("rs_100");
    black_box(rs_big(steps, 99, x))
}

//> rs_301 -> rs_big
//> depth rs_301 301 rs_bottom
#[inline(never)]
#[no_mangle]
pub fn rs_301(steps: &Steps, x: u64) -> u64 {
    enter!("rs_301");
    black_box(rs_big(steps, 300, x))
}

//> rs_loop -> deep_rs::rs_run
//> rs_loop uses
#[inline(never)]
#[no_mangle]
pub fn rs_loop(seconds: f64) -> u64 {
    enter!("rs_loop");
    let (begin, mut x) = (Instant::now(), 1);
    loop {
        x = rs_run(x);
        if begin.elapsed() >= Duration::from_secs_f64(seconds) {
            return x;
        }
    }
}

//> rs_seconds uses
/// # Safety
/// The arguments are those of main().
#[inline(never)]
#[no_mangle]
pub unsafe fn rs_seconds(argc: i32, argv: *const *const std::ffi::c_char) -> f64 {
    enter!("rs_seconds");
    if argc != 2 {
        return 0.0;
    }
    let text = unsafe { std::ffi::CStr::from_ptr(*argv.add(1)) };
    text.to_str().ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

//> @ -> main
//> main -> rs_seconds
//> main -> rs_loop
/// # Safety
/// Called by the C library, as main() is.
#[no_mangle]
pub unsafe extern "C" fn main(argc: i32, argv: *const *const std::ffi::c_char) -> i32 {
    {
        enter!("main");
        black_box(rs_loop(unsafe { rs_seconds(argc, argv) }));
    }
    #[cfg(record)]
    record::print();
    0
}
