/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kflame-layout.h - the layout of the interface, as it was published
 *
 * Asserted in the module, in the tool, and for 32-bit callers: all must agree with
 * these numbers. They never change; a field that is added gets a line at its end,
 * and the structure's size with it.
 */
#ifndef _UAPI_KFLAME_LAYOUT_H
#define _UAPI_KFLAME_LAYOUT_H

#ifdef __KERNEL__
#include <linux/stddef.h>
#else
#include <stddef.h>
#endif

#include "kflame.h"

#define KFLAME_SIZE(type, bytes) \
	_Static_assert(sizeof(struct kflame_##type) == (bytes), "size of " #type)
#define KFLAME_AT(type, field, offset) \
	_Static_assert(offsetof(struct kflame_##type, field) == (offset), \
		       "offset of " #type "." #field)

KFLAME_SIZE(info, 112);
KFLAME_AT(info, size, 0);
KFLAME_AT(info, abi, 4);
KFLAME_AT(info, features, 8);
KFLAME_AT(info, resolution_ns, 16);
KFLAME_AT(info, min_period_ns, 24);
KFLAME_AT(info, max_period_ns, 32);
KFLAME_AT(info, memory_cap, 40);
KFLAME_AT(info, memory_used, 48);
KFLAME_AT(info, max_kdepth, 56);
KFLAME_AT(info, max_udepth, 60);
KFLAME_AT(info, cpu_limit, 64);
KFLAME_AT(info, nr_running, 68);
KFLAME_AT(info, version, 72);
KFLAME_AT(info, events, 104);

KFLAME_SIZE(config, 144);
KFLAME_AT(config, size, 0);
KFLAME_AT(config, kway, 4);
KFLAME_AT(config, flags, 8);
KFLAME_AT(config, period_ns, 16);
KFLAME_AT(config, entries, 24);
KFLAME_AT(config, kdepth, 28);
KFLAME_AT(config, udepth, 32);
KFLAME_AT(config, budget_permille, 36);
KFLAME_AT(config, nr_pids, 40);
KFLAME_AT(config, nr_tids, 44);
KFLAME_AT(config, nr_cpus, 48);
KFLAME_AT(config, reserved, 52);
KFLAME_AT(config, pids, 56);
KFLAME_AT(config, tids, 64);
KFLAME_AT(config, cpus, 72);
KFLAME_AT(config, memory, 80);
KFLAME_AT(config, nr_cgroups, 88);
KFLAME_AT(config, pad, 92);
KFLAME_AT(config, cgroups, 96);
KFLAME_AT(config, uway, 104);
KFLAME_AT(config, dump, 108);
KFLAME_AT(config, dump_bytes, 112);
KFLAME_AT(config, ring_bytes, 116);
KFLAME_AT(config, table_bytes, 120);
KFLAME_AT(config, nr_events, 128);
KFLAME_AT(config, pad2, 132);
KFLAME_AT(config, events, 136);

KFLAME_SIZE(operand, 48);
KFLAME_AT(operand, kind, 0);
KFLAME_AT(operand, arg, 4);
KFLAME_AT(operand, bytes, 8);
KFLAME_AT(operand, is_signed, 12);
KFLAME_AT(operand, field, 16);

KFLAME_SIZE(condition, 64);
KFLAME_AT(condition, operand, 0);
KFLAME_AT(condition, op, 48);
KFLAME_AT(condition, pad, 52);
KFLAME_AT(condition, value, 56);

KFLAME_SIZE(event, 160);
KFLAME_AT(event, size, 0);
KFLAME_AT(event, kind, 4);
KFLAME_AT(event, flags, 8);
KFLAME_AT(event, min, 16);
KFLAME_AT(event, max, 24);
KFLAME_AT(event, name, 32);
KFLAME_AT(event, name_len, 40);
KFLAME_AT(event, weight, 44);
KFLAME_AT(event, fd, 48);
KFLAME_AT(event, pad, 52);
KFLAME_AT(event, offset, 56);
KFLAME_AT(event, operand, 64);
KFLAME_AT(event, conditions, 112);
KFLAME_AT(event, nr_conditions, 120);
KFLAME_AT(event, nr_functions, 124);
KFLAME_AT(event, functions, 128);
KFLAME_AT(event, functions_len, 136);
KFLAME_AT(event, pad2, 140);
KFLAME_AT(event, addresses, 144);
KFLAME_AT(event, errors, 152);

KFLAME_SIZE(cpu, 360);
KFLAME_AT(cpu, cpu, 0);
KFLAME_AT(cpu, flags, 4);
KFLAME_AT(cpu, samples, 8);
KFLAME_AT(cpu, counted, 16);
KFLAME_AT(cpu, missed, 24);
KFLAME_AT(cpu, weight_ns, 32);
KFLAME_AT(cpu, counted_ns, 40);
KFLAME_AT(cpu, active_ns, 48);
KFLAME_AT(cpu, head_ns, 56);
KFLAME_AT(cpu, tail_ns, 64);
KFLAME_AT(cpu, period_ns, 72);
KFLAME_AT(cpu, stretches, 80);
KFLAME_AT(cpu, handler_ns, 88);
KFLAME_AT(cpu, handler_max_ns, 96);
KFLAME_AT(cpu, lost, 104);
KFLAME_AT(cpu, lost_ns, 232);

KFLAME_SIZE(stats, 632);
KFLAME_AT(stats, size, 0);
KFLAME_AT(stats, cpu, 4);
KFLAME_AT(stats, books, 8);
KFLAME_AT(stats, count, 368);
KFLAME_AT(stats, event, 624);
KFLAME_AT(stats, pad, 628);

KFLAME_SIZE(run, 16);
KFLAME_AT(run, size, 0);
KFLAME_AT(run, flags, 4);
KFLAME_AT(run, time_ns, 8);

KFLAME_SIZE(ksym, 272);
KFLAME_AT(ksym, size, 0);
KFLAME_AT(ksym, pad, 4);
KFLAME_AT(ksym, address, 8);
KFLAME_AT(ksym, name, 16);

KFLAME_SIZE(file, 24);
KFLAME_AT(file, size, 0);
KFLAME_AT(file, flags, 4);
KFLAME_AT(file, id, 8);
KFLAME_AT(file, fd, 16);
KFLAME_AT(file, pad, 20);

KFLAME_SIZE(file_header, 32);
KFLAME_AT(file_header, magic, 0);
KFLAME_AT(file_header, version, 8);
KFLAME_AT(file_header, endian, 12);
KFLAME_AT(file_header, header_size, 16);
KFLAME_AT(file_header, pad, 20);
KFLAME_AT(file_header, required, 24);

KFLAME_SIZE(rec, 8);
KFLAME_AT(rec, type, 0);
KFLAME_AT(rec, size, 4);

KFLAME_SIZE(rec_session, 216);
KFLAME_AT(rec_session, rec, 0);
KFLAME_AT(rec_session, abi, 8);
KFLAME_AT(rec_session, kway, 12);
KFLAME_AT(rec_session, flags, 16);
KFLAME_AT(rec_session, asked_period_ns, 24);
KFLAME_AT(rec_session, period_ns, 32);
KFLAME_AT(rec_session, resolution_ns, 40);
KFLAME_AT(rec_session, start_ns, 48);
KFLAME_AT(rec_session, start_realtime_ns, 56);
KFLAME_AT(rec_session, entries, 64);
KFLAME_AT(rec_session, kdepth, 68);
KFLAME_AT(rec_session, udepth, 72);
KFLAME_AT(rec_session, budget_permille, 76);
KFLAME_AT(rec_session, nr_cpus, 80);
KFLAME_AT(rec_session, page_size, 84);
KFLAME_AT(rec_session, release, 88);
KFLAME_AT(rec_session, machine, 160);
KFLAME_AT(rec_session, version, 176);
KFLAME_AT(rec_session, events, 208);

KFLAME_SIZE(rec_event, 184);
KFLAME_AT(rec_event, rec, 0);
KFLAME_AT(rec_event, id, 8);
KFLAME_AT(rec_event, kind, 12);
KFLAME_AT(rec_event, unit, 16);
KFLAME_AT(rec_event, arg, 20);
KFLAME_AT(rec_event, name, 24);
KFLAME_AT(rec_event, full_name, 56);

KFLAME_SIZE(rec_aspace, 72);
KFLAME_AT(rec_aspace, rec, 0);
KFLAME_AT(rec_aspace, id, 8);
KFLAME_AT(rec_aspace, start_time_ns, 16);
KFLAME_AT(rec_aspace, tgid, 24);
KFLAME_AT(rec_aspace, ns_tgid, 28);
KFLAME_AT(rec_aspace, pidns_inode, 32);
KFLAME_AT(rec_aspace, exec_id, 36);
KFLAME_AT(rec_aspace, cgroup_id, 40);
KFLAME_AT(rec_aspace, state, 48);
KFLAME_AT(rec_aspace, owner, 52);
KFLAME_AT(rec_aspace, comm, 56);

KFLAME_SIZE(rec_mapping, 56);
KFLAME_AT(rec_mapping, rec, 0);
KFLAME_AT(rec_mapping, aspace, 8);
KFLAME_AT(rec_mapping, start, 16);
KFLAME_AT(rec_mapping, end, 24);
KFLAME_AT(rec_mapping, offset, 32);
KFLAME_AT(rec_mapping, file, 40);
KFLAME_AT(rec_mapping, flags, 48);
KFLAME_AT(rec_mapping, pad, 52);

KFLAME_SIZE(rec_file, 80);
KFLAME_AT(rec_file, rec, 0);
KFLAME_AT(rec_file, id, 8);
KFLAME_AT(rec_file, inode, 16);
KFLAME_AT(rec_file, bytes, 24);
KFLAME_AT(rec_file, mtime_ns, 32);
KFLAME_AT(rec_file, dev_major, 40);
KFLAME_AT(rec_file, dev_minor, 44);
KFLAME_AT(rec_file, generation, 48);
KFLAME_AT(rec_file, build_id_len, 52);
KFLAME_AT(rec_file, build_id, 56);
KFLAME_AT(rec_file, path_len, 76);
KFLAME_AT(rec_file, path, 80);

KFLAME_SIZE(rec_stack, 32);
KFLAME_AT(rec_stack, rec, 0);
KFLAME_AT(rec_stack, id, 8);
KFLAME_AT(rec_stack, kind, 16);
KFLAME_AT(rec_stack, end, 20);
KFLAME_AT(rec_stack, candidate, 24);
KFLAME_AT(rec_stack, nr, 28);
KFLAME_AT(rec_stack, ip, 32);

KFLAME_SIZE(rec_label, 32);
KFLAME_AT(rec_label, rec, 0);
KFLAME_AT(rec_label, id, 8);
KFLAME_AT(rec_label, kind, 12);
KFLAME_AT(rec_label, dev_major, 16);
KFLAME_AT(rec_label, dev_minor, 20);
KFLAME_AT(rec_label, root_len, 24);
KFLAME_AT(rec_label, text_len, 28);
KFLAME_AT(rec_label, text, 32);

KFLAME_SIZE(like, 16);
KFLAME_AT(like, ip, 0);
KFLAME_AT(like, number, 8);
KFLAME_AT(like, like, 12);

KFLAME_SIZE(rec_likes, 24);
KFLAME_AT(rec_likes, rec, 0);
KFLAME_AT(rec_likes, stacks, 8);
KFLAME_AT(rec_likes, nr, 16);
KFLAME_AT(rec_likes, pad, 20);
KFLAME_AT(rec_likes, like, 24);

KFLAME_SIZE(counted, 24);
KFLAME_AT(counted, weight_ns, 0);
KFLAME_AT(counted, kstack, 8);
KFLAME_AT(counted, ustack, 12);
KFLAME_AT(counted, samples, 16);
KFLAME_AT(counted, late_ns, 20);

KFLAME_SIZE(rec_counts, 64);
KFLAME_AT(rec_counts, rec, 0);
KFLAME_AT(rec_counts, aspace, 8);
KFLAME_AT(rec_counts, stacks, 16);
KFLAME_AT(rec_counts, cpu, 24);
KFLAME_AT(rec_counts, context, 28);
KFLAME_AT(rec_counts, tgid, 32);
KFLAME_AT(rec_counts, tid, 36);
KFLAME_AT(rec_counts, comm, 40);
KFLAME_AT(rec_counts, nr, 56);
KFLAME_AT(rec_counts, first, 60);
KFLAME_AT(rec_counts, count, 64);

KFLAME_SIZE(event_count, 32);
KFLAME_AT(event_count, weight, 0);
KFLAME_AT(event_count, samples, 8);
KFLAME_AT(event_count, kstack, 16);
KFLAME_AT(event_count, ustack, 24);

KFLAME_SIZE(rec_event_counts, 64);
KFLAME_AT(rec_event_counts, rec, 0);
KFLAME_AT(rec_event_counts, aspace, 8);
KFLAME_AT(rec_event_counts, first, 16);
KFLAME_AT(rec_event_counts, cpu, 24);
KFLAME_AT(rec_event_counts, context, 28);
KFLAME_AT(rec_event_counts, tgid, 32);
KFLAME_AT(rec_event_counts, tid, 36);
KFLAME_AT(rec_event_counts, comm, 40);
KFLAME_AT(rec_event_counts, event, 56);
KFLAME_AT(rec_event_counts, nr, 60);
KFLAME_AT(rec_event_counts, count, 64);

KFLAME_SIZE(rec_waker, 72);
KFLAME_AT(rec_waker, rec, 0);
KFLAME_AT(rec_waker, id, 8);
KFLAME_AT(rec_waker, aspace, 16);
KFLAME_AT(rec_waker, kstack, 24);
KFLAME_AT(rec_waker, ustack, 32);
KFLAME_AT(rec_waker, cpu, 40);
KFLAME_AT(rec_waker, context, 44);
KFLAME_AT(rec_waker, tgid, 48);
KFLAME_AT(rec_waker, tid, 52);
KFLAME_AT(rec_waker, comm, 56);

KFLAME_SIZE(wake_count, 40);
KFLAME_AT(wake_count, of, 0);
KFLAME_AT(wake_count, waker, 32);

KFLAME_SIZE(rec_wake_counts, 64);
KFLAME_AT(rec_wake_counts, rec, 0);
KFLAME_AT(rec_wake_counts, aspace, 8);
KFLAME_AT(rec_wake_counts, first, 16);
KFLAME_AT(rec_wake_counts, cpu, 24);
KFLAME_AT(rec_wake_counts, context, 28);
KFLAME_AT(rec_wake_counts, tgid, 32);
KFLAME_AT(rec_wake_counts, tid, 36);
KFLAME_AT(rec_wake_counts, comm, 40);
KFLAME_AT(rec_wake_counts, event, 56);
KFLAME_AT(rec_wake_counts, nr, 60);
KFLAME_AT(rec_wake_counts, count, 64);

KFLAME_SIZE(rec_count, 88);
KFLAME_AT(rec_count, rec, 0);
KFLAME_AT(rec_count, aspace, 8);
KFLAME_AT(rec_count, kstack, 16);
KFLAME_AT(rec_count, ustack, 24);
KFLAME_AT(rec_count, samples, 32);
KFLAME_AT(rec_count, weight_ns, 40);
KFLAME_AT(rec_count, late_ns, 48);
KFLAME_AT(rec_count, cpu, 56);
KFLAME_AT(rec_count, context, 60);
KFLAME_AT(rec_count, tgid, 64);
KFLAME_AT(rec_count, tid, 68);
KFLAME_AT(rec_count, comm, 72);
KFLAME_AT(rec_count, id, 88);

KFLAME_SIZE(sample, 32);
KFLAME_AT(sample, time_ns, 0);
KFLAME_AT(sample, weight_ns, 8);
KFLAME_AT(sample, late_ns, 16);
KFLAME_AT(sample, count, 24);
KFLAME_AT(sample, pad, 28);

KFLAME_SIZE(rec_sample, 24);
KFLAME_AT(rec_sample, rec, 0);
KFLAME_AT(rec_sample, counts, 8);
KFLAME_AT(rec_sample, cpu, 16);
KFLAME_AT(rec_sample, nr, 20);
KFLAME_AT(rec_sample, sample, 24);

KFLAME_SIZE(rec_cpu, 368);
KFLAME_AT(rec_cpu, rec, 0);
KFLAME_AT(rec_cpu, books, 8);

KFLAME_SIZE(rec_event_cpu, 376);
KFLAME_AT(rec_event_cpu, rec, 0);
KFLAME_AT(rec_event_cpu, event, 8);
KFLAME_AT(rec_event_cpu, pad, 12);
KFLAME_AT(rec_event_cpu, books, 16);

KFLAME_SIZE(bucket, 16);
KFLAME_AT(bucket, count, 0);
KFLAME_AT(bucket, bucket, 8);
KFLAME_AT(bucket, pad, 12);

KFLAME_SIZE(rec_event_histogram, 40);
KFLAME_AT(rec_event_histogram, rec, 0);
KFLAME_AT(rec_event_histogram, event, 8);
KFLAME_AT(rec_event_histogram, group, 12);
KFLAME_AT(rec_event_histogram, cpu, 16);
KFLAME_AT(rec_event_histogram, nr, 20);
KFLAME_AT(rec_event_histogram, weight, 24);
KFLAME_AT(rec_event_histogram, longest, 32);
KFLAME_AT(rec_event_histogram, bucket, 40);

KFLAME_SIZE(rec_stats, 272);
KFLAME_AT(rec_stats, rec, 0);
KFLAME_AT(rec_stats, stop_ns, 8);
KFLAME_AT(rec_stats, count, 16);

KFLAME_SIZE(rec_ksym, 32);
KFLAME_AT(rec_ksym, rec, 0);
KFLAME_AT(rec_ksym, start, 8);
KFLAME_AT(rec_ksym, end, 16);
KFLAME_AT(rec_ksym, name_len, 24);
KFLAME_AT(rec_ksym, pad, 28);
KFLAME_AT(rec_ksym, name, 32);

KFLAME_SIZE(rec_usym, 40);
KFLAME_AT(rec_usym, rec, 0);
KFLAME_AT(rec_usym, file, 8);
KFLAME_AT(rec_usym, start, 16);
KFLAME_AT(rec_usym, end, 24);
KFLAME_AT(rec_usym, name_len, 32);
KFLAME_AT(rec_usym, pad, 36);
KFLAME_AT(rec_usym, name, 40);

KFLAME_SIZE(rec_jsym, 40);
KFLAME_AT(rec_jsym, rec, 0);
KFLAME_AT(rec_jsym, aspace, 8);
KFLAME_AT(rec_jsym, start, 16);
KFLAME_AT(rec_jsym, end, 24);
KFLAME_AT(rec_jsym, name_len, 32);
KFLAME_AT(rec_jsym, pad, 36);
KFLAME_AT(rec_jsym, name, 40);

KFLAME_SIZE(rec_leaf, 32);
KFLAME_AT(rec_leaf, rec, 0);
KFLAME_AT(rec_leaf, file, 8);
KFLAME_AT(rec_leaf, offset, 16);
KFLAME_AT(rec_leaf, keep, 24);
KFLAME_AT(rec_leaf, pad, 28);

KFLAME_SIZE(rec_named, 24);
KFLAME_AT(rec_named, rec, 0);
KFLAME_AT(rec_named, file, 8);
KFLAME_AT(rec_named, state, 16);
KFLAME_AT(rec_named, flags, 20);

KFLAME_SIZE(rec_cgroup, 24);
KFLAME_AT(rec_cgroup, rec, 0);
KFLAME_AT(rec_cgroup, id, 8);
KFLAME_AT(rec_cgroup, path_len, 16);
KFLAME_AT(rec_cgroup, pad, 20);
KFLAME_AT(rec_cgroup, path, 24);
KFLAME_SIZE(rec_text, 16);
KFLAME_AT(rec_text, rec, 0);
KFLAME_AT(rec_text, id, 8);
KFLAME_AT(rec_text, text_len, 12);
KFLAME_AT(rec_text, text, 16);

KFLAME_SIZE(source_level, 16);
KFLAME_AT(source_level, function, 0);
KFLAME_AT(source_level, source, 4);
KFLAME_AT(source_level, line, 8);
KFLAME_AT(source_level, pad, 12);

KFLAME_SIZE(rec_source, 32);
KFLAME_AT(rec_source, rec, 0);
KFLAME_AT(rec_source, file, 8);
KFLAME_AT(rec_source, offset, 16);
KFLAME_AT(rec_source, nr, 24);
KFLAME_AT(rec_source, pad, 28);
KFLAME_AT(rec_source, level, 32);

KFLAME_SIZE(rec_host, 16);
KFLAME_AT(rec_host, rec, 0);
KFLAME_AT(rec_host, text_len, 8);
KFLAME_AT(rec_host, pad, 12);
KFLAME_AT(rec_host, text, 16);

KFLAME_SIZE(rec_end, 16);
KFLAME_AT(rec_end, rec, 0);
KFLAME_AT(rec_end, records, 8);

KFLAME_SIZE(number, 24);
KFLAME_AT(number, size, 0);
KFLAME_AT(number, pad, 4);
KFLAME_AT(number, address, 8);
KFLAME_AT(number, id, 16);

KFLAME_SIZE(rec_unwind, 48);
KFLAME_AT(rec_unwind, rec, 0);
KFLAME_AT(rec_unwind, file, 8);
KFLAME_AT(rec_unwind, flags, 16);
KFLAME_AT(rec_unwind, nr_rows, 20);
KFLAME_AT(rec_unwind, nr_rules, 24);
KFLAME_AT(rec_unwind, error, 28);
KFLAME_AT(rec_unwind, bytes, 32);
KFLAME_AT(rec_unwind, time_ns, 40);

KFLAME_SIZE(rec_origin, 16);
KFLAME_AT(rec_origin, rec, 0);
KFLAME_AT(rec_origin, id, 8);
KFLAME_AT(rec_origin, text_len, 12);
KFLAME_AT(rec_origin, text, 16);

KFLAME_SIZE(rule, 24);
KFLAME_AT(rule, cfa, 0);
KFLAME_AT(rule, fp, 1);
KFLAME_AT(rule, ra, 2);
KFLAME_AT(rule, reg, 3);
KFLAME_AT(rule, cfa_offset, 4);
KFLAME_AT(rule, cfa_add, 8);
KFLAME_AT(rule, fp_offset, 12);
KFLAME_AT(rule, ra_offset, 16);
KFLAME_AT(rule, base_offset, 20);

KFLAME_SIZE(table, 64);
KFLAME_AT(table, size, 0);
KFLAME_AT(table, flags, 4);
KFLAME_AT(table, file, 8);
KFLAME_AT(table, same_as, 16);
KFLAME_AT(table, nr_pages, 24);
KFLAME_AT(table, nr_rows, 28);
KFLAME_AT(table, nr_rules, 32);
KFLAME_AT(table, pad, 36);
KFLAME_AT(table, pages, 40);
KFLAME_AT(table, rows, 48);
KFLAME_AT(table, rules, 56);

KFLAME_SIZE(ring, 24);
KFLAME_AT(ring, head, 0);
KFLAME_AT(ring, tail, 8);
KFLAME_AT(ring, dropped, 16);

KFLAME_SIZE(rec_ustack, 104);
KFLAME_AT(rec_ustack, rec, 0);
KFLAME_AT(rec_ustack, aspace, 8);
KFLAME_AT(rec_ustack, time_ns, 16);
KFLAME_AT(rec_ustack, weight_ns, 24);
KFLAME_AT(rec_ustack, late_ns, 32);
KFLAME_AT(rec_ustack, cpu, 40);
KFLAME_AT(rec_ustack, context, 44);
KFLAME_AT(rec_ustack, tgid, 48);
KFLAME_AT(rec_ustack, tid, 52);
KFLAME_AT(rec_ustack, comm, 56);
KFLAME_AT(rec_ustack, kend, 72);
KFLAME_AT(rec_ustack, nr_kernel, 76);
KFLAME_AT(rec_ustack, uend, 80);
KFLAME_AT(rec_ustack, nr_user, 84);
KFLAME_AT(rec_ustack, nr_regs, 88);
KFLAME_AT(rec_ustack, flags, 92);
KFLAME_AT(rec_ustack, copied, 96);
KFLAME_AT(rec_ustack, event, 100);
KFLAME_AT(rec_ustack, data, 104);

KFLAME_SIZE(step, 56);
KFLAME_AT(step, ip, 0);
KFLAME_AT(step, sp, 8);
KFLAME_AT(step, fp, 16);
KFLAME_AT(step, rule, 24);
KFLAME_AT(step, how, 48);
KFLAME_AT(step, flags, 52);

KFLAME_SIZE(rec_explain, 104);
KFLAME_AT(rec_explain, rec, 0);
KFLAME_AT(rec_explain, due_ns, 8);
KFLAME_AT(rec_explain, period_ns, 16);
KFLAME_AT(rec_explain, samples_before, 24);
KFLAME_AT(rec_explain, weight_before, 32);
KFLAME_AT(rec_explain, samples, 40);
KFLAME_AT(rec_explain, weight, 48);
KFLAME_AT(rec_explain, seed, 56);
KFLAME_AT(rec_explain, hash, 60);
KFLAME_AT(rec_explain, buckets, 64);
KFLAME_AT(rec_explain, bucket, 68);
KFLAME_AT(rec_explain, probes, 72);
KFLAME_AT(rec_explain, entry, 76);
KFLAME_AT(rec_explain, nr_entries, 80);
KFLAME_AT(rec_explain, kstack, 84);
KFLAME_AT(rec_explain, ustack, 88);
KFLAME_AT(rec_explain, kwalk, 92);
KFLAME_AT(rec_explain, nr_steps, 96);
KFLAME_AT(rec_explain, pad, 100);
KFLAME_AT(rec_explain, step, 104);

KFLAME_SIZE(recorder, 176);
KFLAME_AT(recorder, size, 0);
KFLAME_AT(recorder, op, 4);
KFLAME_AT(recorder, span_ns, 8);
KFLAME_AT(recorder, period_ns, 16);
KFLAME_AT(recorder, epochs, 24);
KFLAME_AT(recorder, entries, 28);
KFLAME_AT(recorder, late_ns, 32);
KFLAME_AT(recorder, softirq_ns, 40);
KFLAME_AT(recorder, least_memory, 48);
KFLAME_AT(recorder, triggers, 56);
KFLAME_AT(recorder, state, 60);
KFLAME_AT(recorder, cause, 64);
KFLAME_AT(recorder, pad, 68);
KFLAME_AT(recorder, memory, 72);
KFLAME_AT(recorder, frozen_ns, 80);
KFLAME_AT(recorder, freeze_ns, 88);
KFLAME_AT(recorder, detail, 96);
KFLAME_AT(recorder, samples, 104);
KFLAME_AT(recorder, counted, 112);
KFLAME_AT(recorder, lost, 120);
KFLAME_AT(recorder, kept, 128);
KFLAME_AT(recorder, expired, 136);
KFLAME_AT(recorder, kept_ns, 144);
KFLAME_AT(recorder, expired_ns, 152);
KFLAME_AT(recorder, runq_ns, 160);
KFLAME_AT(recorder, most_blocked, 168);
KFLAME_AT(recorder, pad2, 172);

KFLAME_SIZE(code_range, 16);
KFLAME_AT(code_range, start, 0);
KFLAME_AT(code_range, end, 8);

KFLAME_SIZE(interpreter, 264);
KFLAME_AT(interpreter, size, 0);
KFLAME_AT(interpreter, flags, 4);
KFLAME_AT(interpreter, file, 8);
KFLAME_AT(interpreter, kind, 16);
KFLAME_AT(interpreter, version, 20);
KFLAME_AT(interpreter, state, 24);
KFLAME_AT(interpreter, nr_loops, 32);
KFLAME_AT(interpreter, nr_at, 36);
KFLAME_AT(interpreter, loop, 40);
KFLAME_AT(interpreter, at, 104);

KFLAME_SIZE(rec_function, 32);
KFLAME_AT(rec_function, rec, 0);
KFLAME_AT(rec_function, id, 8);
KFLAME_AT(rec_function, kind, 12);
KFLAME_AT(rec_function, line, 16);
KFLAME_AT(rec_function, name_len, 20);
KFLAME_AT(rec_function, text_len, 24);
KFLAME_AT(rec_function, pad, 28);
KFLAME_AT(rec_function, text, 32);

_Static_assert(KFLAME_IOC_INFO == 0xf700, "KFLAME_IOC_INFO");
_Static_assert(KFLAME_IOC_CONFIGURE == 0xf701, "KFLAME_IOC_CONFIGURE");
_Static_assert(KFLAME_IOC_START == 0xf702, "KFLAME_IOC_START");
_Static_assert(KFLAME_IOC_STOP == 0xf703, "KFLAME_IOC_STOP");
_Static_assert(KFLAME_IOC_STATS == 0xf704, "KFLAME_IOC_STATS");
_Static_assert(KFLAME_IOC_KSYM == 0xf705, "KFLAME_IOC_KSYM");
_Static_assert(KFLAME_IOC_FILE == 0xf706, "KFLAME_IOC_FILE");
_Static_assert(KFLAME_IOC_TABLE == 0xf707, "KFLAME_IOC_TABLE");
_Static_assert(KFLAME_IOC_NUMBER == 0xf708, "KFLAME_IOC_NUMBER");
_Static_assert(KFLAME_IOC_CGROUP == 0xf709, "KFLAME_IOC_CGROUP");
_Static_assert(KFLAME_IOC_RECORDER == 0xf70a, "KFLAME_IOC_RECORDER");
_Static_assert(KFLAME_IOC_INTERPRETER == 0xf70b, "KFLAME_IOC_INTERPRETER");

#undef KFLAME_SIZE
#undef KFLAME_AT

#endif /* _UAPI_KFLAME_LAYOUT_H */
