/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * otlp.h - writes a profile as a request of OTLP profiles
 *
 * The encoding is that of opentelemetry-proto 1.11.0, package opentelemetry.proto.profiles.v1development.  Its status is
 * Alpha, and each of the versions before changed it: another version needs another encoder.
 */
#ifndef KFLAME_AGENT_OTLP_H
#define KFLAME_AGENT_OTLP_H

#include "convert/protobuf.h"
#include "convert/source.h"

/**
 * otlp_encode() - writes an ExportProfilesServiceRequest
 * @id:		of the profile
 * @out:	out: the message; the caller frees .bytes, also after an error
 *
 * One resource with the host and its labels has one Profile: CPU time in nanoseconds.  Thread, process and control group
 * are attributes of each sample.
 *
 * Return: 0; -ENODATA for a profile without samples; or another negative errno.
 */
int otlp_encode(struct source *s, const char *id, struct protobuf *out);

#endif
