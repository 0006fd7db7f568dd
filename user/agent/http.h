/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h - POST requests with libcurl, which is loaded at run time, when it is needed
 */
#ifndef KFLAME_AGENT_HTTP_H
#define KFLAME_AGENT_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "agent/config.h"
#include "agent/send_status.h"

struct http;

/**
 * http_open() - loads libcurl, and reads token, certificates and key
 * @out:	out: to be freed with http_close()
 *
 * Call it while the process may still read these files.
 * Return: 0; -1 after a message.
 */
int http_open(const struct agent_config *c, struct http **out);

/** struct http_request - @path: is appended to @url */
struct http_request {
	const char *url;
	const char *path;
	const char *type;
	const char *encoding;	/* NULL: none */
	const char *id;		/* of the profile: the header X-Kflame-Profile */
	const void *body;
	size_t len;
};

/**
 * http_post() - sends a request, and waits for the answer
 * @retry_s:	out: seconds of the header Retry-After; 0 if there is none
 * @why:	out: a short text, such as "HTTP 500"
 */
enum send_result http_post(struct http *h, const struct http_request *r, uint64_t *retry_s, char *why, size_t size);

/** http_close() - frees it; does nothing for NULL */
void http_close(struct http *h);

#endif
