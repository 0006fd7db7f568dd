/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof_fields.h - the numbers of the fields of pprof's messages, as far as kflame writes them
 *
 * Numbers and meaning are those of google/pprof, proto/profile.proto.  A "text" is an index into the string
 * table; 0 is "".  Ids of mappings, locations and functions begin at 1.
 */
#ifndef KFLAME_CONVERT_PPROF_FIELDS_H
#define KFLAME_CONVERT_PPROF_FIELDS_H

/* The message of a file; the others are inside it */
enum pprof_profile_field {
	PPROF_PROFILE_SAMPLE_TYPE = 1,		/* ValueType, repeated: of each value of a sample */
	PPROF_PROFILE_SAMPLE = 2,		/* repeated */
	PPROF_PROFILE_MAPPING = 3,		/* repeated */
	PPROF_PROFILE_LOCATION = 4,		/* repeated */
	PPROF_PROFILE_FUNCTION = 5,		/* repeated */
	PPROF_PROFILE_STRING_TABLE = 6,		/* string, repeated */
	PPROF_PROFILE_TIME_NANOS = 9,		/* when the recording began, since 1970 */
	PPROF_PROFILE_DURATION_NANOS = 10,
	PPROF_PROFILE_PERIOD_TYPE = 11,		/* ValueType: the unit of the period */
	PPROF_PROFILE_PERIOD = 12,		/* between two samples */
	PPROF_PROFILE_COMMENT = 13,		/* text, repeated */
	PPROF_PROFILE_DEFAULT_SAMPLE_TYPE = 14,	/* text: the type of the value to show first */
};

enum pprof_value_type_field {
	PPROF_VALUE_TYPE_TYPE = 1,		/* text */
	PPROF_VALUE_TYPE_UNIT = 2,		/* text */
};

enum pprof_sample_field {
	PPROF_SAMPLE_LOCATION_ID = 1,		/* repeated: innermost first */
	PPROF_SAMPLE_VALUE = 2,			/* repeated */
	PPROF_SAMPLE_LABEL = 3,			/* repeated */
};

/* A label has a text or a number */
enum pprof_label_field {
	PPROF_LABEL_KEY = 1,			/* text */
	PPROF_LABEL_STR = 2,			/* text */
	PPROF_LABEL_NUM = 3,
};

enum pprof_mapping_field {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_MEMORY_START = 2,
	PPROF_MAPPING_MEMORY_LIMIT = 3,
	PPROF_MAPPING_FILE_OFFSET = 4,
	PPROF_MAPPING_FILENAME = 5,		/* text */
	PPROF_MAPPING_BUILD_ID = 6,		/* text, hexadecimal */
	PPROF_MAPPING_HAS_FUNCTIONS = 7,	/* bool: names are complete */
	PPROF_MAPPING_HAS_FILENAMES = 8,
	PPROF_MAPPING_HAS_LINE_NUMBERS = 9,
	PPROF_MAPPING_HAS_INLINE_FRAMES = 10,
};

enum pprof_location_field {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING_ID = 2,
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4,		/* repeated: inlined functions first, innermost first */
};

enum pprof_line_field {
	PPROF_LINE_FUNCTION_ID = 1,
	PPROF_LINE_LINE = 2,
};

enum pprof_function_field {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,		/* text, as shown */
	PPROF_FUNCTION_SYSTEM_NAME = 3,		/* text, as in the symbol table */
	PPROF_FUNCTION_FILENAME = 4,		/* text: the source file */
};

#endif
