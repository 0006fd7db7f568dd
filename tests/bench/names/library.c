// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.c - plain functions that inline others; -DSEED makes each library another
 */
#define INLINED static inline __attribute__((always_inline))

INLINED long mix(long a, long b)
{
	for (int i = 0; i < 4; i++) {
		a ^= b >> 3;
		b += a * (7 + SEED);
	}
	return a + b;
}

INLINED long sum(const long *v, int nr, long s)
{
	for (int i = 0; i < nr; i++)
		s = v[i] & 1 ? mix(s, v[i]) : s + v[i] / (s | 1);
	return s;
}

INLINED long choose(long *v, int nr, long s, int n)
{
	for (int i = 0; i < nr; i++) {
		switch (v[i] % 7) {
		case 0:
			s += mix(s, n);
			break;
		case 1:
			s -= mix(v[i], s) * n;
			break;
		case 2:
			s ^= sum(v, i, s);
			break;
		case 3:
			v[i] = s % (n + 1);
			break;
		case 4:
			s = mix(mix(s, v[i]), v[i] * n);
			break;
		default:
			s += n;
		}
	}
	return s;
}

#define ONE(n) \
	long function_##n(long *v, int nr, long s) \
	{ \
		long t = choose(v, nr, sum(v, nr, s + n * SEED), n); \
		return t + sum(v, nr / 2, t); \
	}
#define TEN(n) \
	ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) \
	ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)

TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11)
