// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http.c - POST requests with libcurl, which is loaded at run time, when it is needed
 */
/* The macros that check types in a call do not know calls through pointers */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/http.h"
#include "base/clock.h"
#include "base/library.h"
#include "base/message.h"
#include "base/version.h"

#define MAX_SECRET	(1u << 20)	/* bytes of a certificate, a key or a token */
#define MAX_ANSWER	(1u << 20)	/* bytes that are read of an answer */

#define CURL_CALLS(CALL)		\
	CALL(curl_global_init)		\
	CALL(curl_easy_init)		\
	CALL(curl_easy_setopt)		\
	CALL(curl_easy_perform)		\
	CALL(curl_easy_getinfo)		\
	CALL(curl_easy_strerror)	\
	CALL(curl_easy_reset)		\
	CALL(curl_easy_cleanup)		\
	CALL(curl_slist_append)		\
	CALL(curl_slist_free_all)

/* Functions of libcurl, under their own names */
struct library {
#define CALL(name) __typeof__(name) *name;
	CURL_CALLS(CALL)
#undef CALL
};

static const struct library_call calls[] = {
#define CALL(name) { #name, offsetof(struct library, name) },
	CURL_CALLS(CALL)
#undef CALL
};

struct secret {
	char *bytes;
	size_t len;
};

/**
 * struct http - the connection is kept from one request to the next
 * @answered:	bytes of the present answer
 */
struct http {
	struct library lib;
	CURL *curl;
	const struct agent_config *c;
	struct secret bearer, ca, cert, key;
	size_t answered;
};

static bool load(struct library *lib)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", NULL };

	return library_load(names, calls, sizeof(calls) / sizeof(calls[0]), lib,
			    "to send profiles, install libcurl (Debian: libcurl4)");
}

/* Return: whether the file was read, or none was named */
static bool read_secret(const char *path, struct secret *to)
{
	FILE *in = path ? fopen(path, "re") : NULL;

	if (!path)
		return true;
	to->bytes = in ? malloc(MAX_SECRET) : NULL;
	if (to->bytes)
		to->len = fread(to->bytes, 1, MAX_SECRET - 1, in);
	if (!to->len)
		complain("%s cannot be read: %s", path, in && to->bytes ? "it is empty" : strerror(errno));
	else
		to->bytes[to->len] = 0;
	if (in)
		fclose(in);
	return to->len;
}

int http_open(const struct agent_config *c, struct http **out)
{
	struct http *h = calloc(1, sizeof(*h));

	*out = h;
	if (!h || !load(&h->lib))
		return -1;
	h->c = c;
	if (h->lib.curl_global_init(CURL_GLOBAL_DEFAULT))
		return -1;
	h->curl = h->lib.curl_easy_init();
	if (!h->curl || !read_secret(c->bearer_file, &h->bearer) || !read_secret(c->ca_file, &h->ca) ||
	    !read_secret(c->cert_file, &h->cert) || !read_secret(c->key_file, &h->key))
		return -1;
	if (h->bearer.bytes)
		h->bearer.bytes[strcspn(h->bearer.bytes, "\r\n")] = 0;
	return 0;
}

/* The text of an answer is not needed.  An endless one ends the request */
static size_t take_answer(char *bytes, size_t size, size_t nr, void *ctx)
{
	struct http *h = ctx;

	(void)bytes;
	h->answered += size * nr;
	return h->answered > MAX_ANSWER ? 0 : size * nr;
}

static struct curl_slist *add_header(struct http *h, struct curl_slist *list, const char *name, const char *value)
{
	struct curl_slist *longer = NULL;
	char *line;

	if (!value)
		return list;
	if (asprintf(&line, "%s: %s", name, value) >= 0) {
		longer = h->lib.curl_slist_append(list, line);
		free(line);
	}
	return longer ? longer : list;
}

static struct curl_slist *make_headers(struct http *h, const struct http_request *r)
{
	struct curl_slist *list = NULL;
	char *bearer = NULL;

	if (h->bearer.bytes && asprintf(&bearer, "Bearer %s", h->bearer.bytes) < 0)
		bearer = NULL;
	list = add_header(h, list, "Content-Type", r->type);
	list = add_header(h, list, "Content-Encoding", r->encoding);
	list = add_header(h, list, "X-Kflame-Profile", r->id);
	list = add_header(h, list, "X-Scope-OrgID", h->c->tenant);
	list = add_header(h, list, "Authorization", bearer);
	/* Do not wait for "100 Continue" */
	list = h->lib.curl_slist_append(list, "Expect:");
	free(bearer);
	return list;
}

static void set_blob(struct http *h, CURLoption option, struct secret *s)
{
	struct curl_blob blob = { .data = s->bytes, .len = s->len, .flags = CURL_BLOB_COPY };

	if (s->bytes)
		h->lib.curl_easy_setopt(h->curl, option, &blob);
}

static void set_up(struct http *h, const struct http_request *r, const char *url, struct curl_slist *headers)
{
	const struct library *l = &h->lib;
	const long ms = (long)(h->c->timeout_ns / 1000000);

	l->curl_easy_reset(h->curl);
	l->curl_easy_setopt(h->curl, CURLOPT_URL, url);
	l->curl_easy_setopt(h->curl, CURLOPT_USERAGENT, kflame_version);
	l->curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	l->curl_easy_setopt(h->curl, CURLOPT_TIMEOUT_MS, ms);
	l->curl_easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT_MS, ms);
	l->curl_easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->len);
	l->curl_easy_setopt(h->curl, CURLOPT_POSTFIELDS, r->body);
	l->curl_easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers);
	l->curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, take_answer);
	l->curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, h);
	set_blob(h, CURLOPT_CAINFO_BLOB, &h->ca);
	set_blob(h, CURLOPT_SSLCERT_BLOB, &h->cert);
	set_blob(h, CURLOPT_SSLKEY_BLOB, &h->key);
}

static enum send_result judge(long code)
{
	if (code / 100 == 2)
		return SEND_OK;
	switch (code) {
	case 429:
	case 503:
		return SEND_THROTTLED;
	case 413:
		return SEND_TOO_LARGE;
	case 401:
	case 403:
		return SEND_DENIED;
	case 408:
		return SEND_TIMEOUT;
	default:
		return code / 100 == 4 ? SEND_REFUSED : SEND_FAILED;
	}
}

enum send_result http_post(struct http *h, const struct http_request *r, uint64_t *retry_s, char *why, size_t size)
{
	size_t len = strlen(r->url);
	struct curl_slist *headers;
	curl_off_t retry = 0;
	long code = 0;
	CURLcode err;
	char *url;

	*retry_s = 0;
	while (len && r->url[len - 1] == '/')
		len--;
	if (asprintf(&url, "%.*s%s", (int)len, r->url, r->path) < 0) {
		snprintf(why, size, "there is not enough memory");
		return SEND_UNREADABLE;
	}
	headers = make_headers(h, r);
	h->answered = 0;
	set_up(h, r, url, headers);
	err = h->lib.curl_easy_perform(h->curl);
	h->lib.curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &code);
	h->lib.curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &retry);
	h->lib.curl_slist_free_all(headers);
	free(url);
	if (retry > 0)
		*retry_s = (uint64_t)retry;
	/* Once the server has said that it has the profile, the rest of the answer does not matter */
	if (err && code / 100 != 2) {
		snprintf(why, size, "%s", h->lib.curl_easy_strerror(err));
		return err == CURLE_OPERATION_TIMEDOUT ? SEND_TIMEOUT : SEND_UNREACHABLE;
	}
	snprintf(why, size, "HTTP %ld", code);
	return judge(code);
}

static void free_secret(struct secret *s)
{
	if (s->bytes)
		explicit_bzero(s->bytes, s->len);
	free(s->bytes);
}

void http_close(struct http *h)
{
	if (!h)
		return;
	if (h->curl)
		h->lib.curl_easy_cleanup(h->curl);
	free_secret(&h->bearer);
	free_secret(&h->ca);
	free_secret(&h->cert);
	free_secret(&h->key);
	free(h);
}
