// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_command_line.c - the help of each command fits a screen, its man page has each option,
 * and bash completes all of them
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TOP		TEST_DIR "/../.."
#define SCREEN_LINES	24
#define SCREEN_COLUMNS	80
#define MAX_COMMANDS	32

static char *commands[MAX_COMMANDS];
static size_t nr_commands;

/* What a shell prints that runs @line.  Return: to be freed */
static char *output_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *output_of(const char *format, ...)
{
	char line[4096], *text = NULL;
	size_t size, len;
	char part[4096];
	va_list args;
	FILE *in, *out;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	in = popen(line, "r");
	assert_non_null(in);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	while ((len = fread(part, 1, sizeof(part), in)))
		fwrite(part, 1, len, out);
	fclose(out);
	if (pclose(in))
		fail_msg("%s", line);
	return text;
}

static char *next_line(char **rest)
{
	char *line;

	do {
		line = strsep(rest, "\n");
	} while (line && !*line);
	return line;
}

static int list_commands(void **state)
{
	char *list = output_of(KFLAME_TOOL " --list-commands"), *rest = list, *line;

	*state = list;
	while ((line = next_line(&rest)) && nr_commands < MAX_COMMANDS) {
		line[strcspn(line, "\t")] = 0;
		commands[nr_commands++] = line;
	}
	return nr_commands < 10 || nr_commands == MAX_COMMANDS;
}

static int forget_commands(void **state)
{
	free(*state);
	return 0;
}

static void help_fits_a_screen(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_commands; i++) {
		char *text = output_of(KFLAME_TOOL " %s --help", commands[i]), *rest = text, *line;
		char more[64];
		size_t lines = 0;

		snprintf(more, sizeof(more), "\nMore: man kflame-%s\n", commands[i]);
		assert_non_null(strstr(text, more));
		while ((line = strsep(&rest, "\n")) && (*line || rest)) {
			lines++;
			if (strlen(line) > SCREEN_COLUMNS)
				fail_msg("kflame %s --help: too wide: %s", commands[i], line);
		}
		if (lines > SCREEN_LINES)
			fail_msg("kflame %s --help has %zu lines: make an option that few need OPTION_HIDDEN",
				 commands[i], lines);
		free(text);
	}
}

/* The spellings of the options of a command, a line each, sorted; argp's own are in kflame(1) */
static char *options_of(const char *command)
{
	return output_of(KFLAME_TOOL " %s --list-options | cut -f1 | grep -e . | "
			 "grep -vxe --help -e '-?' -e --usage | LC_ALL=C sort -u",
			 command);
}

/* The options in the tags of its man page, which are the lines after .TP and .TQ */
static char *tags_of(const char *command)
{
	return output_of("grep -A1 -e '^\\.T[PQ]' " TOP "/man/kflame-%s.1 | sed 's/\\\\-/-/g' | "
			 "grep -oE '(^|[ \"])--?[a-zA-Z][a-z-]*' | tr -d ' \"' | LC_ALL=C sort -u",
			 command);
}

static void man_pages_have_every_option_and_no_other(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_commands; i++) {
		char *options = options_of(commands[i]), *tags = tags_of(commands[i]);

		if (strcmp(options, tags))
			fail_msg("kflame %s --list-options:\n%s\ntags in man/kflame-%s.1:\n%s",
				 commands[i], options, commands[i], tags);
		free(options);
		free(tags);
	}
}

/* An option tells the words of its argument in its help: the parser takes each, and no other */
static void words_of_the_help_are_those_of_the_parser(void **state)
{
	unsigned int known = 0;

	(void)state;
	for (size_t i = 0; i < nr_commands; i++) {
		char *list = output_of(KFLAME_TOOL " %s --list-options | grep -e '^--.*	.*	.*	'",
				       commands[i]);
		char *rest = list, *line;

		while ((line = next_line(&rest))) {
			const char *option = strsep(&line, "\t"), *argument = strsep(&line, "\t");
			char *words = strsep(&line, "\t"), *word;
			size_t before;
			char *said;

			if (!*words)
				continue;
			assert_true(*argument);
			known++;
			said = output_of("%s %s %s=no-such-word 2>&1 | head -n 1", KFLAME_TOOL,
					 commands[i], option);
			assert_non_null(strstr(said, "no-such-word"));
			before = (size_t)(strstr(said, "no-such-word") - said);
			while ((word = strsep(&words, " "))) {
				/* A part of a word: no more can be said without the rest. */
				if (word[strlen(word) - 1] == ':')
					continue;
				char *taken = output_of("%s %s %s=%s -i /nonexistent 2>&1 </dev/null | head -n 1",
							KFLAME_TOOL, commands[i], option, word);

				/* What is said of a word that is taken is not what is said of others */
				if (!strncmp(taken, said, before) &&
				    !strncmp(taken + before, word, strlen(word)))
					fail_msg("kflame %s %s=%s: %s", commands[i], option, word, taken);
				free(taken);
			}
			free(said);
		}
		free(list);
	}
	assert_true(known >= 10);
}

/* What bash offers for the words behind @tool, a line each, sorted */
static char *bash_offers_of(const char *tool, const char *words)
{
	return output_of("bash -c '. " TOP "/scripts/completion/kflame.bash; compopt() { :; }; "
			 "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _kflame; "
			 "printf \"%%s\\n\" \"${COMPREPLY[@]}\"' bash %s %s | LC_ALL=C sort",
			 tool, words);
}

static char *bash_offers(const char *words)
{
	return bash_offers_of(KFLAME_TOOL, words);
}

/* What _kflame passes to zsh's _arguments, sorted; nothing where there is no zsh */
static char *zsh_offers(const char *command)
{
	return output_of("! command -v zsh >/dev/null || zsh -fc '_call_program() { shift; \"$@\" }; "
			 "_arguments() { print -l -- ${${(M)@:#-?*\\[*}%%%%[\\[=]*} }; "
			 "words=(\"$@\"); CURRENT=$#; . " TOP "/scripts/completion/_kflame' "
			 "zsh " KFLAME_TOOL " %s - | grep -vxe -s -e -S | LC_ALL=C sort -u; true", command);
}

static void shells_offer_every_option(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_commands; i++) {
		char *all = output_of(KFLAME_TOOL " %s --list-options | cut -f1 | grep -e . | LC_ALL=C sort -u",
				      commands[i]);
		char *zsh = zsh_offers(commands[i]), words[64], *bash;

		snprintf(words, sizeof(words), "%s - | sed s/=$//", commands[i]);
		bash = bash_offers(words);
		assert_true(*all);
		assert_string_equal(bash, all);
		if (*zsh)
			assert_string_equal(zsh, all);
		else if (!i)
			print_message("# no zsh here: its completion was not tried\n");
		free(all);
		free(bash);
		free(zsh);
	}
}

/* A shell puts names there that other users chose: kflame report * */
static void errors_quote_arguments_without_control_characters(void **state)
{
	static const char *const arguments[] = { "--fr\\033[31mx", "-F\\033[31mx", "\\033[31mx\\303\\204\\377" };

	(void)state;
	for (size_t c = 0; c < nr_commands; c++)
		for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
			char *text = output_of(KFLAME_TOOL " %s \"$(printf -- '%s')\" </dev/null 2>&1; true",
					       commands[c], arguments[i]);

			assert_true(*text);
			for (const char *at = text; *at; at++)
				assert_true((unsigned char)*at >= ' ' || *at == '\n');
			assert_null(strchr(text, '\377'));
			free(text);
		}
}

static void bash_completes(void **state)
{
	static const struct {
		const char *words, *offers;
	} table[] = {
		{ "fl", "flame\n" },
		{ "help inf", "info\n" },
		{ "flame --excl", "--exclude=\n" },
		{ "flame --rever", "--reverse\n" },
		{ "flame --root c", "cgroup\ncontainer\ncpu\n" },
		{ "flame --root = c", "cgroup\ncontainer\ncpu\n" },
		{ "flame --root =", "cgroup\ncontainer\ncpu\nevent\nhost\nlabel\npid\nrun\nstate\ntid\nwaker\n" },
		{ "flame --colors gr", "grey\n" },
		{ "report --by function,cp", "function,cpu\n" },
		{ "convert --to sp", "speedscope\n" },
		{ "report --callers --percent", "--percent-limit=\n" },
		{ "fold -i " TOP "/man/kflame-fo", TOP "/man/kflame-fold.1\n" },
		{ "diff " TOP "/man/kflame-fo", TOP "/man/kflame-fold.1\n" },
		{ "flame --symbols " TOP "/tests/un", TOP "/tests/unit\n" },
		{ "record -- bas", NULL },
		{ "flame --no-such-optio", "\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *offers = bash_offers(table[i].words);

		if (table[i].offers ? strcmp(offers, table[i].offers) : !strstr(offers, "bash\n"))
			fail_msg("kflame %s: bash offers %s", table[i].words, offers);
		free(offers);
	}
}

/* Bash splits words at colons, and offers only what comes behind the last one. */
static void bash_completes_events(void **state)
{
	static const struct {
		const char *words, *offers;
	} table[] = {
		{ "record -e ''", "cpu-clock\nkprobe:\npage-faults\nsyscall:\ntracepoint:\nuprobe:\n" },
		{ "record -e kp", "kprobe:\n" },
		{ "record --event = tr", "tracepoint:\n" },
		{ "record -e cpu-clock,kp", "cpu-clock,kprobe:\n" },
		{ "record -e kprobe :", "do_one\nvfs_read\nvfs_write\n" },
		{ "record -e kprobe : vfs", "vfs_read\nvfs_write\n" },
		{ "record -a --event = kprobe : vfs_r", "vfs_read\n" },
		{ "record --event kprobe : none", "\n" },
		{ "record -e cpu-clock,kprobe : vfs_r", "vfs_read\n" },
		{ "record -e kprobe : vfs_read,kprobe : vfs_w", "vfs_write\n" },
		{ "record -e kprobe : vfs_read,cpu", "vfs_read,cpu-clock\n" },
		{ "record -e tracepoint :", "sched:sched_switch\n" },
		{ "record -e tracepoint : sched : sched_s", "sched_switch\n" },
		{ "record -e tracepoint : sched :", "sched_switch\n" },
		{ "record -e kprobe : vfs_read --per-t", "--per-thread\n" },
	};
	static const char make[] =
		"d=$(mktemp -d /tmp/kflame-test-XXXXXX) && mkdir -p $d/proc $d/sys/kernel/tracing/events/sched/sched_switch && "
		"printf '%%s\\n' '1 T _stext' '2 T vfs_read' '3 t vfs_write' '4 t do_one' '5 T _etext' >$d/proc/kallsyms && "
		"printf '#!/bin/sh\\n[ \"$1\" != list ] || set -- \"$@\" --root '$d'\\nexec " KFLAME_TOOL " \"$@\"\\n' >$d/kflame && "
		"chmod +x $d/kflame && printf %%s $d";
	char *dir = output_of(make), tool[128];

	(void)state;
	snprintf(tool, sizeof(tool), "%s/kflame", dir);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *offers = bash_offers_of(tool, table[i].words);

		if (strcmp(offers, table[i].offers))
			fail_msg("kflame %s: bash offers %s", table[i].words, offers);
		free(offers);
	}
	free(output_of("rm -rf %s", dir));
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_fits_a_screen),
		cmocka_unit_test(man_pages_have_every_option_and_no_other),
		cmocka_unit_test(words_of_the_help_are_those_of_the_parser),
		cmocka_unit_test(shells_offer_every_option),
		cmocka_unit_test(errors_quote_arguments_without_control_characters),
		cmocka_unit_test(bash_completes),
		cmocka_unit_test(bash_completes_events),
	};

	return cmocka_run_group_tests_name("command line", tests, list_commands, forget_commands);
}
