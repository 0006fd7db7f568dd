/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sha256.h - SHA-256 of FIPS 180-4
 */
#ifndef KFLAME_BASE_SHA256_H
#define KFLAME_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE	32

/** sha256() - computes the digest of @len bytes; @digest: out */
void sha256(const void *data, size_t len, uint8_t digest[SHA256_SIZE]);

#endif
