// SPDX-License-Identifier: GPL-2.0-only
/*
 * labelled.c - functions and tracepoints whose hits have labels, see source/labelled.h
 */
#include <linux/binfmts.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/signal.h>
#include <linux/string.h>

#include "source/fault_label.h"
#include "source/file_label.h"
#include "source/labelled.h"
#include "source/socket_label.h"
#include "store/labels.h"

/* @text: ends with a NUL. Context: as kf_labelled.label. Return: as kf_labels_intern(); 0 if it is empty */
u32 kf_text_label(struct kf_labels *labels, const char *text)
{
	const struct kf_label label = {
		.kind = KFLAME_LABEL_TEXT, .text = text, .len = min_t(u32, strlen(text), KF_LABEL_LEN),
	};

	return label.len ? kf_labels_intern(labels, &label) : 0;
}

/* The program as it was named in execve(2): of a script the script */
static u32 program_label(struct kf_labels *labels, unsigned long arg)
{
	const struct linux_binprm *program = (const void *)arg;

	return kf_text_label(labels, program->filename);
}

static const char *const signals[] = {
	[SIGHUP] = "SIGHUP", [SIGINT] = "SIGINT", [SIGQUIT] = "SIGQUIT", [SIGILL] = "SIGILL",
	[SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT", [SIGBUS] = "SIGBUS", [SIGFPE] = "SIGFPE",
	[SIGKILL] = "SIGKILL", [SIGUSR1] = "SIGUSR1", [SIGSEGV] = "SIGSEGV", [SIGUSR2] = "SIGUSR2",
	[SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",
	[SIGSTKFLT] = "SIGSTKFLT", [SIGCHLD] = "SIGCHLD", [SIGCONT] = "SIGCONT",
	[SIGSTOP] = "SIGSTOP", [SIGTSTP] = "SIGTSTP", [SIGTTIN] = "SIGTTIN", [SIGTTOU] = "SIGTTOU",
	[SIGURG] = "SIGURG", [SIGXCPU] = "SIGXCPU", [SIGXFSZ] = "SIGXFSZ",
	[SIGVTALRM] = "SIGVTALRM", [SIGPROF] = "SIGPROF", [SIGWINCH] = "SIGWINCH",
	[SIGIO] = "SIGIO", [SIGPWR] = "SIGPWR", [SIGSYS] = "SIGSYS",
};

static u32 signal_label(struct kf_labels *labels, unsigned long arg)
{
	const u32 signal = arg;
	char text[24];

	if (signal < ARRAY_SIZE(signals) && signals[signal])
		return kf_text_label(labels, signals[signal]);
	snprintf(text, sizeof(text), "signal %u", signal);
	return kf_text_label(labels, text);
}

static const struct kf_labelled labelled[] = {
	{ "vfs_read", 0, kf_file_label },
	{ "vfs_write", 0, kf_file_label },
	{ "vfs_fsync_range", 0, kf_file_label },
	{ KF_FAULT_FUNCTION, 0, kf_mapping_label, kf_fault_called, kf_fault_returned },
	{ "sched:sched_process_exec", 2, program_label },
	{ "signal:signal_generate", 0, signal_label },
	{ "tcp_sendmsg", 0, kf_socket_label },
	{ "tcp_recvmsg", 0, kf_socket_label },
	{ "udp_sendmsg", 0, kf_socket_label },
	{ "udp_recvmsg", 0, kf_socket_label },
	{ "tcp:tcp_retransmit_skb", 0, kf_socket_label },
};

/* Return: NULL if hits of that name have no labels */
const struct kf_labelled *kf_labelled(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(labelled); i++)
		if (!strcmp(labelled[i].name, name))
			return &labelled[i];
	return NULL;
}

bool kf_is_labelled(const char *name)
{
	return kf_labelled(name);
}
