/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brief.h - shortens names by their template arguments
 */
#ifndef KFLAME_VIEWS_BRIEF_H
#define KFLAME_VIEWS_BRIEF_H

/**
 * brief_name() - makes "std::map<...>::find(int)" of "std::map<int, std::string>::find(int)"
 *
 * For names of C++ and Rust in labels that are too narrow.  flame.js does the same in the browser.  Short
 * arguments stay. A name whose brackets do not match stays as it is.
 *
 * Return: the short name, to be freed; NULL if nothing can be left out, or memory is short.
 */
char *brief_name(const char *name);

#endif
