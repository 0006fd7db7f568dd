/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - private to sandbox.c and server.c: requests of the tool to the fork server
 *
 * A request is one message on a SOCK_SEQPACKET socket, which is descriptor 3 of the fork server.  After
 * SANDBOX_START, the new sandbox replies with the error number 0, and the socket adds the sandbox's process
 * id.  If no sandbox starts, the fork server replies with a negative errno.
 */
#ifndef KFLAME_SANDBOX_REQUEST_H
#define KFLAME_SANDBOX_REQUEST_H

#include "sandbox/sandbox.h"

#define SANDBOX_SERVER	"kflame-sandbox"	/* argv[0] of the fork server */
#define SANDBOX_CONTROL	3			/* its socket */

enum {
	SANDBOX_START,	/* descriptors: answer; question if .len is not 0; those of struct sandbox_input */
	SANDBOX_END,	/* no reply */
};

/** struct sandbox_request - a message */
struct sandbox_request {
	uint32_t what;			/* SANDBOX_* */
	uint32_t job;
	char work[16];			/* NUL terminated */
	struct sandbox_limits limits;
	struct rights as;
	uint64_t len;			/* bytes of the question */
};

#endif
