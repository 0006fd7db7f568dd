// SPDX-License-Identifier: GPL-2.0-or-later
/* plain.c - functions without frame pointers: push, a large frame, an early return */
extern int use(void *data);

static int sink;

__attribute__((noipa)) static int saves(int a, int b, int c, int d)
{
	int sum = use(&sink) + a;

	sum += use(&sink) * b;
	sum += use(&sink) * c;
	return sum + use(&sink) * d;
}

__attribute__((noipa)) static int large(int a)
{
	char buffer[3000];

	buffer[a] = 1;
	return use(buffer) + buffer[a];
}

__attribute__((noipa)) int use(void *data)
{
	__asm__ volatile("" : : "r"(data) : "memory");
	return sink;
}

__attribute__((noipa)) static int early(int a)
{
	if (use(&sink) > a)
		return 1;
	return saves(a, 2, 3, 4) + large(a);
}

int main(int argc, char **argv)
{
	(void)argv;
	return early(argc) + saves(argc, 1, 2, 3) + large(argc);
}
