/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.h - the subcommands that main() dispatches to, one function each
 *
 * argv[0] is "kflame NAME", for messages of argp.  Return: the exit status.
 */
#ifndef KFLAME_CMD_COMMANDS_H
#define KFLAME_CMD_COMMANDS_H

int cmd_record(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_summary(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_fold(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_recorder(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif
