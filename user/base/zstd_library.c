// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zstd_library.c - compress and decompress with libzstd, which is loaded at run time, when it is needed
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/library.h"
#include "base/zstd_library.h"

#define WINDOW_LOG	23		/* 8 MiB */
#define MOST_RATIO	1024u
#define MOST_EXTRA	(64ull << 20)

#define ZSTD_CALLS(CALL)			\
	CALL(ZSTD_compressBound)		\
	CALL(ZSTD_createCCtx)			\
	CALL(ZSTD_freeCCtx)			\
	CALL(ZSTD_CCtx_setParameter)		\
	CALL(ZSTD_compress2)			\
	CALL(ZSTD_isError)			\
	CALL(ZSTD_createDCtx)			\
	CALL(ZSTD_freeDCtx)			\
	CALL(ZSTD_DCtx_setParameter)		\
	CALL(ZSTD_DStreamOutSize)		\
	CALL(ZSTD_decompressStream)

/* Functions of libzstd, under their own names */
struct library {
#define CALL(name) __typeof__(name) *name;
	ZSTD_CALLS(CALL)
#undef CALL
};

static const struct library_call calls[] = {
#define CALL(name) { #name, offsetof(struct library, name) },
	ZSTD_CALLS(CALL)
#undef CALL
};

struct unzstd {
	ZSTD_DCtx *context;
	unsigned char *room;
	size_t room_bytes;
	uint64_t in, out;
};

static const struct library *get_library(void)
{
	static const char *const names[] = { "libzstd.so.1", NULL };
	static struct library lib;
	static bool loaded;

	if (!loaded)
		loaded = library_load(names, calls, sizeof(calls) / sizeof(calls[0]), &lib,
				      "install libzstd 1.4 or newer (Debian: libzstd1)");
	return loaded ? &lib : NULL;
}

bool zstd_is_magic(const void *bytes, size_t len)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

	return len >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

int zstd_pack(const void *bytes, size_t len, int level, void **out, size_t *out_len)
{
	const struct library *lib = get_library();
	size_t room, n = 0;
	ZSTD_CCtx *context;
	int err = 0;

	*out = NULL;
	if (!lib)
		return -ENOSYS;
	room = lib->ZSTD_compressBound(len);
	*out = malloc(room);
	context = lib->ZSTD_createCCtx();
	if (!*out || !context)
		err = -ENOMEM;
	if (!err && (lib->ZSTD_isError(lib->ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) ||
		     lib->ZSTD_isError(lib->ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)) ||
		     lib->ZSTD_isError(lib->ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 20))))
		err = -EIO;
	if (!err) {
		n = lib->ZSTD_compress2(context, *out, room, bytes, len);
		if (lib->ZSTD_isError(n))
			err = -EIO;
	}
	lib->ZSTD_freeCCtx(context);
	if (err) {
		free(*out);
		*out = NULL;
	}
	*out_len = err ? 0 : n;
	return err;
}

int unzstd_begin(struct unzstd **out)
{
	const struct library *lib = get_library();
	struct unzstd *z;

	*out = NULL;
	if (!lib)
		return -ENOSYS;
	z = calloc(1, sizeof(*z));
	if (!z)
		return -ENOMEM;
	z->room_bytes = lib->ZSTD_DStreamOutSize();
	z->room = malloc(z->room_bytes);
	z->context = lib->ZSTD_createDCtx();
	if (!z->room || !z->context ||
	    lib->ZSTD_isError(lib->ZSTD_DCtx_setParameter(z->context, ZSTD_d_windowLogMax, WINDOW_LOG))) {
		unzstd_end(z);
		return -ENOMEM;
	}
	*out = z;
	return 0;
}

int unzstd_put(struct unzstd *z, const void *bytes, size_t len, unzstd_fn *fn, void *ctx)
{
	const struct library *lib = get_library();
	ZSTD_inBuffer in = { .src = bytes, .size = len };

	z->in += len;
	for (;;) {
		ZSTD_outBuffer out = { .dst = z->room, .size = z->room_bytes };
		size_t left = lib->ZSTD_decompressStream(z->context, &out, &in);
		int err;

		if (lib->ZSTD_isError(left))
			return -EBADMSG;
		z->out += out.pos;
		if (z->out > MOST_EXTRA + z->in * MOST_RATIO)
			return -E2BIG;
		err = out.pos ? fn(ctx, z->room, out.pos) : 0;
		if (err)
			return err;
		/* A full buffer: the library may hold back more */
		if (in.pos == in.size && out.pos < out.size)
			return 0;
	}
}

void unzstd_end(struct unzstd *z)
{
	if (!z)
		return;
	if (z->context)
		get_library()->ZSTD_freeDCtx(z->context);
	free(z->room);
	free(z);
}
