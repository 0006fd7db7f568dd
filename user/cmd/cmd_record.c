// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_record.c - kflame record
 */
#include "cmd/commands.h"
#include "cmd/record_command_line.h"
#include "record/presets.h"
#include "record/recorder.h"

int cmd_record(int argc, char **argv)
{
	struct record_options o;
	int status = 1;

	if (!record_options_parse(&o, argc, argv)) {
		preset_leave_out_missing(&o);
		status = recorder_run(&o, NULL);
	}
	record_options_exit(&o);
	return status;
}
