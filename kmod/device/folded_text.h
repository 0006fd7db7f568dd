/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded_text.h - folded text, for a target with nothing but a shell and cat
 *
 * One line for each entry, as flamegraph.pl takes it: "comm;frame;...;frame N", outermost frame first, N
 * samples. Kernel frames have names. User frames have file and offset, because symbols of files are
 * read in user space.
 *
 * At the end, a remark for each mapped file, with which the tool finds the file in a copy of the root:
 * "# file: /bin/sh size=700 mtime_ns=1600000000000000000 build-id=ab12". Readers of folded stacks skip it:
 * no number ends it.
 */
#ifndef KF_FOLDED_TEXT_H
#define KF_FOLDED_TEXT_H

#include <linux/types.h>

struct kf_records;
struct kf_stream;
struct kf_table;
struct kf_text;

int kf_text_create(struct kf_text **out, struct kf_records *records, size_t size);
void kf_text_destroy(struct kf_text *text);
void kf_text_fill(struct kf_text *text, const struct kf_table *t, struct kf_stream *st);

#endif
