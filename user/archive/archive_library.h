/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_library.h - loads libarchive at run time, when it is needed
 *
 * libarchive depends on compressors, XML and 30 MB of Unicode tables. A small machine that only records
 * does not need it installed, and other commands do not load it.
 */
#ifndef KFLAME_ARCHIVE_ARCHIVE_LIBRARY_H
#define KFLAME_ARCHIVE_ARCHIVE_LIBRARY_H

#include <archive.h>
#include <archive_entry.h>

#define ARCHIVE_CALLS(CALL)					\
	CALL(archive_write_new)					\
	CALL(archive_write_set_format_pax)			\
	CALL(archive_write_add_filter_none)			\
	CALL(archive_write_add_filter_gzip)			\
	CALL(archive_write_add_filter_xz)			\
	CALL(archive_write_add_filter_zstd)			\
	CALL(archive_write_set_bytes_in_last_block)		\
	CALL(archive_write_open)				\
	CALL(archive_write_header)				\
	CALL(archive_write_data)				\
	CALL(archive_write_finish_entry)			\
	CALL(archive_write_close)				\
	CALL(archive_write_free)				\
	CALL(archive_error_string)				\
	CALL(archive_entry_new)					\
	CALL(archive_entry_free)				\
	CALL(archive_entry_set_pathname)			\
	CALL(archive_entry_set_filetype)			\
	CALL(archive_entry_set_perm)				\
	CALL(archive_entry_set_size)				\
	CALL(archive_entry_set_mtime)				\
	CALL(archive_entry_set_uid)				\
	CALL(archive_entry_set_gid)

/** struct archive_library - functions of libarchive, under their own names */
struct archive_library {
#define CALL(name) __typeof__(name) *name;
	ARCHIVE_CALLS(CALL)
#undef CALL
};

/** archive_library() - Return: the library; NULL if it is not installed, after an error message */
const struct archive_library *archive_library(void);

#endif
