/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distro_package.h - finds the distribution package with the symbols of a file
 */
#ifndef KFLAME_SYMBOLS_DISTRO_PACKAGE_H
#define KFLAME_SYMBOLS_DISTRO_PACKAGE_H

/**
 * package_with_symbols() - the package to install for the symbols of a file
 * @path:	absolute path of the file
 *
 * Runs dpkg-query(1), then rpm(8), if they are installed.
 *
 * Return: "libfoo1-dbgsym" or "libfoo-debuginfo", to be freed; NULL if no package has the file.
 */
char *package_with_symbols(const char *path);

#endif
