// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * config.c - the configuration file of the agent: lines of "key = value"
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/config.h"
#include "agent/send_status.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/input.h"
#include "base/message.h"

#define MAX_LABELS	64
#define NS_PER_DAY	(86400 * NS_PER_S)

enum type { TEXT, NUMBER, TIME, BYTES, BOOL, RATE };

/* A key with one value.  Numbers are limited to @min..@max, in the unit of the member */
struct key {
	const char *name;
	enum type type;
	size_t at;
	uint64_t min, max;
};

#define AT(member) offsetof(struct agent_config, member)

static const struct key keys[] = {
	{ "rate", RATE, AT(period_ns), 1, 1000 },
	{ "interval", TIME, AT(interval_ns), NS_PER_S, 3600 * NS_PER_S },
	{ "budget", NUMBER, AT(budget_permille), 0, 1000 },
	{ "idle", BOOL, AT(idle), 0, 0 },
	{ "device", TEXT, AT(device), 0, 0 },
	{ "host", TEXT, AT(host), 0, 0 },
	{ "compress", NUMBER, AT(level), 0, 19 },
	{ "spool", TEXT, AT(spool), 0, 0 },
	{ "spool-bytes", BYTES, AT(spool_bytes), 1 << 16, 1ull << 50 },
	{ "spool-age", TIME, AT(spool_ns), NS_PER_S, 3650 * NS_PER_DAY },
	{ "off-file", TEXT, AT(off_file), 0, 0 },
	{ "metrics", TEXT, AT(metrics), 0, 0 },
	{ "processes-memory", BYTES, AT(processes_bytes), 1 << 16, 1ull << 32 },
	{ "names-memory", BYTES, AT(names_bytes), 1 << 16, 1ull << 32 },
	{ "user", TEXT, AT(user), 0, 0 },
	{ "tenant", TEXT, AT(tenant), 0, 0 },
	{ "bearer-file", TEXT, AT(bearer_file), 0, 0 },
	{ "ca-file", TEXT, AT(ca_file), 0, 0 },
	{ "cert-file", TEXT, AT(cert_file), 0, 0 },
	{ "key-file", TEXT, AT(key_file), 0, 0 },
	{ "retry-most", TIME, AT(retry_ns), NS_PER_S, NS_PER_DAY },
	{ "timeout", TIME, AT(timeout_ns), NS_PER_S, 600 * NS_PER_S },
};

/* Where a setting comes from, for messages */
struct source {
	const char *name;
	unsigned int line;	/* 0: the command line */
	bool wrong;
};

static void refuse(struct source *s, const char *text, const char *why)
{
	s->wrong = true;
	if (s->line)
		complain("%s, line %u: '%s' %s", s->name, s->line, text, why);
	else
		complain("%s '%s' %s", s->name, text, why);
}

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{ "s", NS_PER_S }, { "m", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S }, { "d", NS_PER_DAY }, { "", NS_PER_S }, { NULL, 0 },
}, sizes[] = {
	{ "K", 1ull << 10 }, { "M", 1ull << 20 }, { "G", 1ull << 30 }, { "", 1 }, { NULL, 0 },
}, plain[] = {
	{ "", 1 }, { NULL, 0 },
};

/* Return: whether the text is a whole number with a unit of the list */
static bool parse_number(const char *text, const struct unit *units, uint64_t *value)
{
	char *end;
	unsigned long long n;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return false;
	for (; units->name; units++)
		if (!strcmp(end, units->name))
			return !__builtin_mul_overflow(n, units->factor, value);
	return false;
}

static int set_text(char **to, const char *text)
{
	free(*to);
	*to = *text ? strdup(text) : NULL;
	return *text && !*to ? -ENOMEM : 0;
}

static void set_bool(struct source *s, bool *to, const char *text)
{
	*to = !strcmp(text, "yes");
	if (!*to && strcmp(text, "no"))
		refuse(s, text, "is not yes or no");
}

static int set_key(struct agent_config *c, const struct key *k, const char *text, struct source *s)
{
	static const struct unit *const units[] = {
		[NUMBER] = plain, [TIME] = times, [BYTES] = sizes, [RATE] = plain, [BOOL] = plain,
	};
	void *to = (char *)c + k->at;
	uint64_t value;

	if (k->type == TEXT)
		return set_text(to, text);
	if (k->type == BOOL) {
		set_bool(s, to, text);
		return 0;
	}
	if (!parse_number(text, units[k->type], &value) || value < k->min || value > k->max) {
		refuse(s, text, k->type == TIME ? "is no time in range, such as 30s, 5m, 12h or 7d" :
			k->type == BYTES ? "is no size in range, such as 64M or 1G" : "is no number in range");
		return 0;
	}
	if (k->type == RATE)
		*(uint64_t *)to = (NS_PER_S + value / 2) / value;
	else if (k->type == NUMBER)
		*(uint32_t *)to = (uint32_t)value;
	else
		*(uint64_t *)to = value;
	return 0;
}

static bool is_label_name(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

static int add_label(struct agent_config *c, const char *name, const char *value, struct source *s)
{
	struct agent_label label;

	if (!is_label_name(name)) {
		refuse(s, name, "is no name of a label: use letters, digits and _");
		return 0;
	}
	for (size_t i = 0; i < c->nr_labels; i++)
		if (!strcmp(c->labels[i].name, name))
			return set_text(&c->labels[i].value, *value ? value : " ");
	if (c->nr_labels == MAX_LABELS) {
		refuse(s, name, "is one label too many");
		return 0;
	}
	if (grow(&c->labels, c->nr_labels, &c->cap_labels, sizeof(*c->labels)))
		return -ENOMEM;
	label = (struct agent_label){ strdup(name), strdup(value) };
	c->labels[c->nr_labels++] = label;
	return label.name && label.value ? 0 : -ENOMEM;
}

/* "pyroscope http://host:4040" */
static int add_target(struct agent_config *c, const char *text, struct source *s)
{
	static const char *const kinds[] = {
		[SEND_PYROSCOPE] = "pyroscope", [SEND_OTLP] = "otlp", [SEND_DIRECTORY] = "directory",
	};
	size_t len = strcspn(text, " \t");
	const char *where = text + len + strspn(text + len, " \t");
	unsigned int kind = 0;

	while (kind < 3 && (strlen(kinds[kind]) != len || strncmp(kinds[kind], text, len)))
		kind++;
	if (kind == 3 || !*where) {
		refuse(s, text, "is no target: write 'pyroscope URL', 'otlp URL' or 'directory PATH'");
		return 0;
	}
	if (c->nr_targets == SEND_TARGETS) {
		refuse(s, text, "is one target too many");
		return 0;
	}
	if (grow(&c->targets, c->nr_targets, &c->cap_targets, sizeof(*c->targets)))
		return -ENOMEM;
	c->targets[c->nr_targets] = (struct send_target){ kind, strdup(where) };
	return c->targets[c->nr_targets++].where ? 0 : -ENOMEM;
}

static int set(struct agent_config *c, const char *name, const char *value, struct source *s)
{
	if (!strncmp(name, "label.", 6))
		return add_label(c, name + 6, value, s);
	if (!strcmp(name, "send"))
		return add_target(c, value, s);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i].name, name))
			return set_key(c, &keys[i], value, s);
	refuse(s, name, "is no setting: man kflame-agent lists all of them");
	return 0;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = 0;
	return text;
}

static int set_line(struct agent_config *c, char *line, struct source *s)
{
	char *name = trim(line), *equals;

	if (!*name || *name == '#')
		return 0;
	equals = strchr(name, '=');
	if (!equals) {
		refuse(s, name, "is no line of the form 'key = value'");
		return 0;
	}
	*equals = 0;
	return set(c, trim(name), trim(equals + 1), s);
}

static int read_file(struct agent_config *c, const char *path, struct source *s)
{
	size_t cap = 0;
	char *line = NULL;
	FILE *in = input_stream(s->name);
	int err = 0;

	if (!in && !path && errno == ENOENT)
		return 0;
	if (!in) {
		complain("%s cannot be read: %s", s->name, strerror(errno));
		s->wrong = true;
		return 0;
	}
	while (!err && getline(&line, &cap, in) >= 0) {
		s->line++;
		err = set_line(c, line, s);
	}
	free(line);
	fclose(in);
	return err;
}

static int set_defaults(struct agent_config *c)
{
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) || !host[0])
		strcpy(host, "localhost");
	*c = (struct agent_config){
		.period_ns = (NS_PER_S + 19 / 2) / 19, .interval_ns = 60 * NS_PER_S, .budget_permille = 10,
		.idle = true, .level = 3, .spool_bytes = 1ull << 30, .spool_ns = 7 * NS_PER_DAY,
		.processes_bytes = 8 << 20, .names_bytes = 8 << 20,
		.retry_ns = 300 * NS_PER_S, .timeout_ns = 30 * NS_PER_S,
	};
	c->host = strdup(host);
	c->device = strdup("/dev/kflame");
	c->spool = strdup("/var/lib/kflame/spool");
	c->off_file = strdup("/etc/kflame/agent.off");
	c->metrics = strdup("/run/kflame/agent.prom");
	return c->host && c->device && c->spool && c->off_file && c->metrics ? 0 : -ENOMEM;
}

/* What no reader of a name or of a label may have to expect */
static void check_host(struct agent_config *c)
{
	for (char *at = c->host; at && *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '.' && *at != '_')
			*at = '-';
}

static void check_whole(const struct agent_config *c, struct source *s)
{
	if (!c->spool || !c->host || !c->device || !c->off_file)
		refuse(s, "spool, host, device or off-file", "must not be empty");
	if (!c->cert_file != !c->key_file)
		refuse(s, "cert-file and key-file", "must both be there");
}

int agent_config_read(const char *path, char *const *more, size_t nr, struct agent_config *c)
{
	struct source file = { .name = path ? path : AGENT_CONFIG }, line = { .name = "-o" };
	int err = set_defaults(c);

	if (!err)
		err = read_file(c, path, &file);
	for (size_t i = 0; !err && i < nr; i++) {
		char *copy = strdup(more[i]);

		err = copy ? set_line(c, copy, &line) : -ENOMEM;
		free(copy);
	}
	if (err) {
		complain("there is not enough memory to read the configuration");
		return -1;
	}
	check_host(c);
	check_whole(c, &line);
	return file.wrong || line.wrong ? -1 : 0;
}

void agent_config_exit(struct agent_config *c)
{
	char **const texts[] = {
		&c->device, &c->host, &c->spool, &c->off_file, &c->metrics, &c->user, &c->tenant, &c->bearer_file,
		&c->ca_file, &c->cert_file, &c->key_file,
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(*texts[i]);
	for (size_t i = 0; i < c->nr_labels; i++) {
		free(c->labels[i].name);
		free(c->labels[i].value);
	}
	for (size_t i = 0; i < c->nr_targets; i++)
		free(c->targets[i].where);
	free(c->labels);
	free(c->targets);
	memset(c, 0, sizeof(*c));
}
