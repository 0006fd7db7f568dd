// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quiz.c - a sample as an exercise
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "explain/quiz.h"

#define SCHEMA		"kflame-quiz-1"
#define QUESTIONS	(3 * QUIZ_FRAMES + 4)
#define MISTAKES	3
#define BLANK		"____"

/* An answer that students give by mistake, and what helps */
struct mistake {
	uint64_t answer;
	const char *hint;
};

struct question {
	char text[160];
	uint64_t answer;
	bool decimal;
	struct mistake mistakes[MISTAKES];
};

struct questions {
	struct question all[QUESTIONS];
	size_t nr;
};

/* ---------------------------------------------------------------- questions */

static uint64_t swapped(uint64_t value)
{
	return __builtin_bswap64(value);
}

static struct question *add(struct questions *q, uint64_t answer)
{
	struct question *to = &q->all[q->nr++];

	*to = (struct question){ .answer = answer };
	return to;
}

static void ask_cfa(struct questions *q, const struct explained_frame *f, size_t i)
{
	struct question *to = add(q, f->cfa);

	snprintf(to->text, sizeof(to->text), "canonical frame address (CFA) of #%zu", i);
	to->mistakes[0] = (struct mistake){ f->sp, "that is the stack pointer: the rule adds an offset to it" };
	to->mistakes[1] = (struct mistake){ f->cfa - 8, "that is 8 too low: the CFA is above the return address, not at it" };
	to->mistakes[2] = (struct mistake){ f->fp, "that is the frame pointer: the rule says which register it begins at, and what it adds" };
}

static void ask_at(struct questions *q, const struct explained_frame *f, size_t i)
{
	struct question *to = add(q, f->ra_at);

	snprintf(to->text, sizeof(to->text), "address of the word with the return address of #%zu", i);
	to->mistakes[0] = (struct mistake){ f->cfa, "that is the CFA: the rule says how far below it the word is" };
	to->mistakes[1] = (struct mistake){ f->ra, "that is the word: its address is asked for" };
	to->mistakes[2] = (struct mistake){ f->fp, "that is the frame pointer. The caller's frame pointer is saved there, and the return address above it" };
}

static void ask_ra(struct questions *q, const struct explained_frame *f, size_t i)
{
	struct question *to = add(q, f->ra);

	snprintf(to->text, sizeof(to->text), "return address of #%zu", i);
	to->mistakes[0] = (struct mistake){ f->ra_at, "that is the address of the word: the word itself is asked for" };
	to->mistakes[1] = (struct mistake){ swapped(f->ra), "its bytes are in the wrong order: the word is shown as a number already" };
	to->mistakes[2] = (struct mistake){ f->ra - 1, "that is what is looked up for a name. The return address is one higher" };
}

static bool has_step(const struct explained_frame *f)
{
	return f->cfa && f->ra_at && !f->is_last && f->rule.cfa != KFLAME_CFA_SIGNAL;
}

static void ask_table(struct questions *q, const struct kflame_rec_explain *t)
{
	struct question *to = add(q, t->hash & (t->buckets - 1));

	snprintf(to->text, sizeof(to->text), "bucket at which the search for hash 0x%08" PRIx32 " begins, of %" PRIu32 " buckets",
		 t->hash, t->buckets);
	to->decimal = true;
	to->mistakes[0] = (struct mistake){ t->hash, "that is the hash: take it modulo the number of buckets" };
	to = add(q, t->samples_before + 1);
	snprintf(to->text, sizeof(to->text), "samples of the entry after this one, if there were %" PRIu64 " before",
		 (uint64_t)t->samples_before);
	to->decimal = true;
	to->mistakes[0] = (struct mistake){ t->samples_before, "that is the count before: a sample adds one" };
}

static void ask_name(struct questions *q, const struct explained_place *p)
{
	struct question *to;

	if (!p->path)
		return;
	to = add(q, p->file_offset);
	snprintf(to->text, sizeof(to->text),
		 "file offset of address 0x%" PRIx64 ", in the mapping 0x%" PRIx64 "-0x%" PRIx64 " from offset 0x%" PRIx64,
		 p->address, p->start, p->end, p->offset);
	to->mistakes[0] = (struct mistake){ p->address - p->start, "add the offset from which the file is mapped" };
	if (!p->in_file || !p->function)
		return;
	to = add(q, p->into);
	snprintf(to->text, sizeof(to->text), "bytes from the symbol at 0x%" PRIx64 " to address 0x%" PRIx64 " in the file",
		 p->in_file - p->into, p->in_file);
	to->mistakes[0] = (struct mistake){ p->in_file, "that is the address in the file: subtract the symbol's" };
}

static void make_questions(struct questions *q, const struct explanation *x)
{
	q->nr = 0;
	for (size_t i = 0; i < x->nr_frames && i < QUIZ_FRAMES; i++) {
		const struct explained_frame *f = &x->frames[i];

		if (!has_step(f))
			continue;
		ask_cfa(q, f, i);
		ask_at(q, f, i);
		ask_ra(q, f, i);
	}
	ask_table(q, &x->table);
	if (x->nr_frames)
		ask_name(q, &x->frames[0].place);
}

/* ---------------------------------------------------------------------- quiz */

static void put_words(FILE *out, const struct explanation *x)
{
	size_t nr = 1;

	for (size_t i = 0; i < x->nr_frames && i < QUIZ_FRAMES; i++)
		if (has_step(&x->frames[i]) && x->frames[i].cfa > x->sp)
			nr = (x->frames[i].cfa - x->sp) / 8 + 2;
	fputs("Words of the stack, from the stack pointer on\n", out);
	for (size_t i = 0; i < nr && i < x->nr_words && i < QUIZ_WORDS; i++)
		fprintf(out, "  %016" PRIx64 "  %016" PRIx64 "\n", x->sp + 8 * i, x->words[i]);
}

static void put_rules(FILE *out, const struct explanation *x)
{
	char text[STEP_TEXT];

	fputs("\nRules\n", out);
	for (size_t i = 0; i < x->nr_frames && i < QUIZ_FRAMES; i++) {
		const struct explained_frame *f = &x->frames[i];

		fprintf(out, "  #%zu ", i);
		text_put(out, f->place.function ? f->place.function : "(no name)");
		fprintf(out, ": %s\n", explain_step(text, x, f));
	}
}

void quiz_write(FILE *out, const struct explanation *x)
{
	struct questions q;

	make_questions(&q, x);
	fputs("A sample of ", out);
	text_put(out, (const char *)x->sample.comm);
	fputs(": replace each " BLANK " with a number, hexadecimal with 0x\n\nRegisters of user mode\n", out);
	explain_registers(out, x);
	put_words(out, x);
	put_rules(out, x);
	fputs("\nQuestions\n", out);
	for (size_t i = 0; i < q.nr; i++)
		fprintf(out, "%zu. %s = " BLANK "\n", i + 1, q.all[i].text);
}

/* A number as a student may write it. 64 bits do not fit in a number of JSON for all readers */
static void put_number(char *text, size_t size, uint64_t value, bool decimal)
{
	snprintf(text, size, decimal ? "%" PRIu64 : "0x%" PRIx64, value);
}

static struct json_object *key_of(struct json *j, const struct question *q)
{
	struct json_object *o = json_object_new_object(), *mistakes = json_object_new_array();
	char text[24];

	put_number(text, sizeof(text), q->answer, q->decimal);
	json_add_text(j, o, "question", q->text);
	json_add_text(j, o, "answer", text);
	for (size_t i = 0; mistakes && i < MISTAKES; i++) {
		struct json_object *m;

		if (!q->mistakes[i].hint || q->mistakes[i].answer == q->answer)
			continue;
		m = json_object_new_object();
		put_number(text, sizeof(text), q->mistakes[i].answer, q->decimal);
		json_add_text(j, m, "answer", text);
		json_add_text(j, m, "hint", q->mistakes[i].hint);
		json_object_array_add(mistakes, m);
	}
	json_add(j, o, "mistakes", mistakes);
	return o;
}

int quiz_write_key(FILE *out, const struct explanation *x)
{
	struct questions q;
	struct json j;

	make_questions(&q, x);
	json_begin(&j, out);
	json_member(&j, "schema", json_object_new_string(SCHEMA));
	json_list(&j, "key");
	for (size_t i = 0; i < q.nr; i++)
		json_row(&j, key_of(&j, &q.all[i]));
	json_list_end(&j);
	return json_end(&j);
}

/* -------------------------------------------------------------------- marking */

static const char *text_of(struct json_object *o, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(o, key, &value) && json_object_is_type(value, json_type_string) ?
	       json_object_get_string(value) : NULL;
}

static bool list_of(struct json_object *o, const char *key, struct json_object **list)
{
	return json_object_object_get_ex(o, key, list) && json_object_is_type(*list, json_type_array);
}

/* Return: what follows the white space, on the same line */
static const char *skip_space(const char *text)
{
	while (isspace((unsigned char)*text) && *text != '\n')
		text++;
	return text;
}

/* Reads the number on a line. Zeroes in front do not make it octal */
static bool number_of(const char *text, uint64_t *value)
{
	char *end;

	text = skip_space(text);
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, text[0] == '0' && (text[1] | ' ') == 'x' ? 16 : 10);
	text = skip_space(end);
	return !errno && (!*text || *text == '\n');
}

static bool is_blank(const char *given)
{
	given = skip_space(given);
	return !*given || *given == '\n' || !strncmp(given, BLANK, strlen(BLANK));
}

/* Finds the line that begins with the question's number. Return: what follows its last "=", NULL */
static const char *answer_to(const char *quiz, size_t number)
{
	char begin[24];
	size_t len = (size_t)snprintf(begin, sizeof(begin), "%zu. ", number);

	for (const char *line = quiz; line; line = strchr(line, '\n')) {
		const char *at, *end;

		line += *line == '\n';
		if (strncmp(line, begin, len))
			continue;
		end = strchrnul(line, '\n');
		at = memrchr(line, '=', (size_t)(end - line));
		return at ? at + 1 : NULL;
	}
	return NULL;
}

static const char *hint_for(struct json_object *row, uint64_t value)
{
	struct json_object *mistakes;
	uint64_t wrong;

	if (!list_of(row, "mistakes", &mistakes))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(mistakes); i++) {
		struct json_object *m = json_object_array_get_idx(mistakes, i);
		const char *answer = text_of(m, "answer");

		if (answer && number_of(answer, &wrong) && wrong == value)
			return text_of(m, "hint");
	}
	return NULL;
}

/* Return: whether the row is a question of a key */
static bool is_question(struct json_object *row)
{
	const char *answer = text_of(row, "answer");
	uint64_t number;

	return text_of(row, "question") && answer && number_of(answer, &number);
}

static void mark(FILE *out, const char *quiz, struct json_object *row, size_t number, struct quiz_marks *marks)
{
	const char *given = answer_to(quiz, number), *hint;
	uint64_t answer, value;

	number_of(text_of(row, "answer"), &answer);
	marks->all++;
	fprintf(out, "%2zu. ", number);
	if (!given || is_blank(given)) {
		fputs("no answer: ", out);
	} else if (!number_of(given, &value)) {
		fputs("not a number (hexadecimal begins with 0x): ", out);
	} else if (value == answer) {
		marks->right++;
		fputs("right: ", out);
	} else {
		hint = hint_for(row, value);
		fputs("wrong", out);
		if (hint) {
			fputs(" (", out);
			text_put(out, hint);
			fputc(')', out);
		}
		fputs(": ", out);
	}
	text_put(out, text_of(row, "question"));
	fputc('\n', out);
}

int quiz_check(FILE *out, const char *quiz, const char *key, struct quiz_marks *marks)
{
	struct json_object *root = json_tokener_parse(key), *list;
	const char *schema = json_object_is_type(root, json_type_object) ? text_of(root, "schema") : NULL;
	size_t nr = 0;
	int err = 0;

	*marks = (struct quiz_marks){ 0 };
	if (schema && !strcmp(schema, SCHEMA) && list_of(root, "key", &list))
		nr = json_object_array_length(list);
	/* Nobody passes a quiz without questions */
	if (!nr)
		err = -EINVAL;
	for (size_t i = 0; !err && i < nr; i++)
		if (!is_question(json_object_array_get_idx(list, i)))
			err = -EINVAL;
	for (size_t i = 0; !err && i < nr; i++)
		mark(out, quiz, json_object_array_get_idx(list, i), i + 1, marks);
	if (!err)
		fprintf(out, "%u of %u\n", marks->right, marks->all);
	json_object_put(root);
	return err;
}
