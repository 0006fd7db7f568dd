/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distro_package.h - which package of this machine a file is from
 */
#ifndef KFLAME_SYMBOLS_DISTRO_PACKAGE_H
#define KFLAME_SYMBOLS_DISTRO_PACKAGE_H

/**
 * package_with_symbols() - what to install to have the symbols of a file
 * @path:	absolute
 *
 * Asks dpkg-query(1), then rpm(8), where they are.
 *
 * Return: "libfoo1-dbgsym" or "libfoo-debuginfo", to be freed; NULL where nobody knows.
 */
char *package_with_symbols(const char *path);

#endif
