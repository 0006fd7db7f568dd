/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * brief.h - names without their template arguments
 */
#ifndef KFLAME_VIEWS_BRIEF_H
#define KFLAME_VIEWS_BRIEF_H

/**
 * brief_name() - "std::map<...>::find(int)" of "std::map<int, std::string>::find(int)"
 *
 * Of C++ and Rust, for labels that are too narrow; flame.js does the same.  Short arguments stay,
 * and a name stays as it is where arguments do not end.
 *
 * Return: the name, to be freed; NULL where nothing is left out, or without memory.
 */
char *brief_name(const char *name);

#endif
