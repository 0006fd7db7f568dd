// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * push.c - sends one profile to one target
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/otlp.h"
#include "agent/push.h"
#include "agent/send_labels.h"
#include "agent/spool.h"
#include "base/base64.h"
#include "base/gzip.h"
#include "base/hash.h"
#include "convert/formats.h"
#include "convert/source.h"

static const struct {
	const char *name;
} results[SEND_RESULTS] = {
	[SEND_OK] = { "ok" }, [SEND_UNREACHABLE] = { "unreachable" }, [SEND_TIMEOUT] = { "timeout" },
	[SEND_THROTTLED] = { "throttled" }, [SEND_TOO_LARGE] = { "too_large" }, [SEND_DENIED] = { "denied" },
	[SEND_REFUSED] = { "refused" }, [SEND_FAILED] = { "failed" }, [SEND_UNREADABLE] = { "unreadable" },
};

const char *send_result_name(enum send_result result)
{
	return results[result].name;
}

/* A body on its way to a server */
struct body {
	char *bytes;
	size_t len;
};

/* -------------------------------------------------------------- Pyroscope */

/* Return: the text, to be freed; NULL without memory */
static char *encode_base64(const void *in, size_t len)
{
	char *text = NULL;
	size_t text_len;
	struct base64 e = { .out = open_memstream(&text, &text_len) };

	if (!e.out)
		return NULL;
	base64_put(&e, in, len);
	base64_end(&e);
	if (!fclose(e.out))
		return text;
	free(text);
	return NULL;
}

/* The id as a UUID: the same profile always has the same one */
static void make_uuid(const char *id, char uuid[37])
{
	const uint64_t a = hash_bytes(1, id, strlen(id)), b = hash_bytes(2, id, strlen(id));

	snprintf(uuid, 37, "%08x-%04x-8%03x-%04x-%012llx", (unsigned int)(a >> 32), (unsigned int)(a >> 16 & 0xffff),
		 (unsigned int)(a & 0xfff), (unsigned int)(0x8000 | (b >> 48 & 0x3fff)),
		 (unsigned long long)(b & 0xffffffffffffull));
}

static void add_label(struct json_object *labels, const char *name, size_t name_len, const char *value)
{
	struct json_object *label = json_object_new_object();

	json_object_object_add(label, "name", json_object_new_string_len(name, (int)name_len));
	json_object_object_add(label, "value", json_object_new_string(value));
	json_object_array_add(labels, label);
}

/* Pyroscope calls the service service_name */
static struct json_object *make_labels(const struct profile *p)
{
	const char *host = profile_host(p, "host");
	struct json_object *labels = json_object_new_array();
	struct send_label label;

	add_label(labels, "__name__", 8, "process_cpu");
	add_label(labels, "service_name", 12, send_labels_service(p));
	if (host)
		add_label(labels, "host", 4, host);
	for (size_t at = 0; send_labels_next(p, &at, &label);)
		if (!host || !send_label_is(&label, "host"))
			add_label(labels, label.name, label.name_len, label.value);
	return labels;
}

/* {"series": [{"labels": [...], "samples": [{"ID": UUID, "rawProfile": base64}]}]} */
static int make_push(struct source *s, const char *id, const struct body *pprof, struct body *out)
{
	struct json_object *request = json_object_new_object(), *series = json_object_new_array();
	struct json_object *one = json_object_new_object(), *samples = json_object_new_array();
	struct json_object *sample = json_object_new_object();
	char *raw = encode_base64(pprof->bytes, pprof->len), uuid[37];
	const char *text;

	make_uuid(id, uuid);
	json_object_object_add(sample, "ID", json_object_new_string(uuid));
	json_object_object_add(sample, "rawProfile", json_object_new_string(raw ? raw : ""));
	json_object_array_add(samples, sample);
	json_object_object_add(one, "labels", make_labels(s->profile));
	json_object_object_add(one, "samples", samples);
	json_object_array_add(series, one);
	json_object_object_add(request, "series", series);
	text = raw ? json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
	out->bytes = text ? strdup(text) : NULL;
	out->len = out->bytes ? strlen(out->bytes) : 0;
	json_object_put(request);
	free(raw);
	return out->bytes ? 0 : -ENOMEM;
}

static int make_pprof(struct source *s, struct body *out)
{
	FILE *file = open_memstream(&out->bytes, &out->len);
	int err;

	if (!file)
		return -ENOMEM;
	err = convert_pprof(file, s, TREE_NS);
	return fclose(file) && !err ? -ENOMEM : err;
}

static int make_pyroscope(struct source *s, const char *id, struct body *out)
{
	struct body pprof = { NULL, 0 };
	int err = make_pprof(s, &pprof);

	if (!err)
		err = make_push(s, id, &pprof, out);
	free(pprof.bytes);
	return err;
}

/* ------------------------------------------------------------------- OTLP */

static int compress_body(const struct protobuf *m, struct body *out)
{
	FILE *file = open_memstream(&out->bytes, &out->len);
	struct gzip gzip;
	int err = file ? gzip_begin(&gzip, file) : -ENOMEM;

	if (!err) {
		gzip_put(&gzip, m->bytes, m->len);
		gzip_end(&gzip);
	}
	if (file && fclose(file))
		err = -ENOMEM;
	return err;
}

static int make_otlp(struct source *s, const char *id, struct body *out)
{
	struct protobuf m = { .bytes = NULL };
	int err = otlp_encode(s, id, &m);

	if (!err)
		err = compress_body(&m, out);
	free(m.bytes);
	return err;
}

/* ------------------------------------------------------------------- HTTP */

static bool has_samples(const struct profile *p)
{
	return p->samples;
}

static enum send_result post(const struct push *p, const struct send_target *target, struct source *s, uint64_t *retry_s,
			     char *why, size_t size)
{
	const bool otlp = target->kind == SEND_OTLP;
	struct http_request request = {
		.url = target->where, .id = p->id,
		.path = otlp ? "/v1development/profiles" : "/push.v1.PusherService/Push",
		.type = otlp ? "application/x-protobuf" : "application/json",
		.encoding = otlp ? "gzip" : NULL,
	};
	struct body body = { NULL, 0 };
	enum send_result result;
	int err = otlp ? make_otlp(s, p->id, &body) : make_pyroscope(s, p->id, &body);

	if (err) {
		snprintf(why, size, "it cannot be converted: %s", strerror(-err));
		free(body.bytes);
		return SEND_UNREADABLE;
	}
	request.body = body.bytes;
	request.len = body.len;
	result = http_post(p->http, &request, retry_s, why, size);
	free(body.bytes);
	return result;
}

static enum send_result push_http(const struct push *p, const struct send_target *target, uint64_t *retry_s, char *why,
				  size_t size)
{
	struct source_options o = { .kind = SOURCE_PROFILE };
	enum send_result result = SEND_OK;
	struct source s;
	char *path;

	if (asprintf(&path, "%s/%s", p->spool, p->name) < 0)
		path = NULL;
	o.path = path;
	if (!path || source_open(&s, &o)) {
		snprintf(why, size, "it cannot be read");
		free(path);
		return SEND_UNREADABLE;
	}
	if (has_samples(s.profile))
		result = post(p, target, &s, retry_s, why, size);
	source_close(&s);
	free(path);
	return result;
}

/* -------------------------------------------------------------- directory */

static int copy_bytes(int from, int to)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		for (ssize_t done = 0, w; done < n; done += w) {
			w = write(to, bytes + done, (size_t)(n - done));
			if (w < 0)
				return -errno;
		}
	return n < 0 ? -errno : 0;
}

/* A file that is there already is the same profile */
static int copy_file(const struct push *p, const char *where)
{
	int dir = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC), from = -1, to = -1, err = 0;
	char part[SPOOL_NAME + 32];

	snprintf(part, sizeof(part), ".part-%s", p->name);
	if (dir < 0)
		return -errno;
	if (!faccessat(dir, p->name, F_OK, 0)) {
		close(dir);
		return 0;
	}
	from = openat(p->dir, p->name, O_RDONLY | O_CLOEXEC);
	if (from >= 0)
		to = openat(dir, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
	err = to < 0 ? -errno : copy_bytes(from, to);
	if (!err && fsync(to) && errno != EINVAL)
		err = -errno;
	if (to >= 0 && close(to) && !err)
		err = -errno;
	if (!err && renameat(dir, part, dir, p->name))
		err = -errno;
	if (err && to >= 0)
		unlinkat(dir, part, 0);
	if (from >= 0)
		close(from);
	close(dir);
	return err;
}

enum send_result push_profile(const struct push *p, const struct send_target *target, uint64_t *retry_s, char *why,
			      size_t size)
{
	int err;

	*retry_s = 0;
	*why = 0;
	if (target->kind != SEND_DIRECTORY)
		return push_http(p, target, retry_s, why, size);
	err = copy_file(p, target->where);
	if (err)
		snprintf(why, size, "%s", strerror(-err));
	return !err ? SEND_OK : err == -EACCES || err == -EPERM || err == -EROFS ? SEND_DENIED : SEND_FAILED;
}
