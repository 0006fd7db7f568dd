/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quiz.h - a sample as an exercise: the results are left blank, and are marked later
 *
 * The quiz is a text with registers, words and rules, and questions such as
 *
 *	3. return address of #0 = ____
 *
 * The student writes a number in place of the blank. The key is another file, which the teacher may keep. It
 * has the answers, and answers that students give by mistake, each with a hint.
 */
#ifndef KFLAME_EXPLAIN_QUIZ_H
#define KFLAME_EXPLAIN_QUIZ_H

#include "explain/explanation.h"

#define QUIZ_FRAMES	4	/* with questions */
#define QUIZ_WORDS	96	/* of the stack that are shown */

/** quiz_write() - writes the quiz */
void quiz_write(FILE *out, const struct explanation *x);

/** quiz_write_key() - writes the key, as JSON.  Return: 0 or -ENOMEM */
int quiz_write_key(FILE *out, const struct explanation *x);

/** struct quiz_marks - the result of quiz_check() */
struct quiz_marks {
	unsigned int right, all;
};

/**
 * quiz_check() - marks a quiz: a line for each question, with the reason if the answer is wrong
 * @quiz:	the text with the student's answers
 * @key:	from quiz_write_key()
 *
 * Return: 0; -EINVAL if @key is no key, or its answers are not of this version; -ENOMEM.
 */
int quiz_check(FILE *out, const char *quiz, const char *key, struct quiz_marks *marks);

#endif
