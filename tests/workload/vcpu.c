// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpu - a virtual machine of one page, whose only CPU runs a loop
 *
 * usage: vcpu SECONDS
 *
 * Nearly all samples of it hit a CPU that is in guest mode. Exit status 77: no KVM here.
 */
#include "work.h"

#define NO_KVM 77

#if defined(__x86_64__)

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static volatile sig_atomic_t is_over;

/* Again and again: the first signal may come before the CPU runs, and does not end that run */
static void end(int signal)
{
	(void)signal;
	is_over = 1;
	alarm(1);
}

/* A machine whose memory ends at PAGE and begins with @code. Return: its descriptor */
static int make_machine(int kvm, const void *code, size_t size)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {
		.memory_size = PAGE, .userspace_addr = (uintptr_t)page,
	};
	int machine = ioctl(kvm, KVM_CREATE_VM, 0UL);

	if (page == MAP_FAILED || machine < 0)
		err(1, "cannot make a machine");
	memcpy(page, code, size);
	if (ioctl(machine, KVM_SET_USER_MEMORY_REGION, &region))
		err(1, "cannot give the machine its memory");
	return machine;
}

/* A CPU in real mode, at address 0. Return: its descriptor */
static int make_cpu(int machine)
{
	struct kvm_regs regs = { .rflags = 2 };
	struct kvm_sregs sregs;
	int cpu = ioctl(machine, KVM_CREATE_VCPU, 0UL);

	if (cpu < 0 || ioctl(cpu, KVM_GET_SREGS, &sregs))
		err(1, "cannot make a CPU");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(cpu, KVM_SET_SREGS, &sregs) || ioctl(cpu, KVM_SET_REGS, &regs))
		err(1, "cannot set the CPU's registers");
	return cpu;
}

WORK_FUNCTION static void run_vcpu(int cpu)
{
	while (!is_over)
		if (ioctl(cpu, KVM_RUN, 0UL) == 0 || errno != EINTR)
			err(1, "the CPU left its loop");
}

int main(int argc, char **argv)
{
	static const unsigned char loop[] = { 0xeb, 0xfe }; /* jmp to itself */
	struct sigaction action = { .sa_handler = end };
	int kvm;

	if (argc != 2) {
		fprintf(stderr, "usage: vcpu SECONDS\n");
		return 2;
	}
	kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (kvm < 0)
		return NO_KVM;
	sigaction(SIGALRM, &action, NULL);
	alarm((unsigned int)work_number(argv[1], "SECONDS"));
	run_vcpu(make_cpu(make_machine(kvm, loop, sizeof(loop))));
	return 0;
}

#else

int main(void)
{
	return NO_KVM;
}

#endif
