// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_page.c - writes the viewer's document
 *
 * The order matters: the style, the first picture and the script come first, so that a browser draws while it
 * still reads the data behind them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "html/html_assets.h"
#include "html/page_parts.h"
#include "html/squeeze.h"

/* Write 'sha256-...' of an element's text */
static int put_hash(FILE *out, const char *text)
{
	uint8_t digest[SHA256_SIZE];
	struct blob b = { 0 };
	int err;

	sha256(text, strlen(text), digest);
	blob_bytes(&b, digest, sizeof(digest));
	fputs("'sha256-", out);
	err = blob_write(out, &b, false);
	putc('\'', out);
	blob_exit(&b);
	return err;
}

/* The code of the viewer, as it is in the document */
struct code {
	char *boot;
	char *js;
	char *css;
};

static int put_head(FILE *out, const struct code *code)
{
	int err;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ", out);
	err = put_hash(out, code->boot);
	putc(' ', out);
	if (!err)
		err = put_hash(out, code->js);
	fputs("; style-src ", out);
	if (!err)
		err = put_hash(out, code->css);
	fputs("; worker-src blob:; img-src blob: data:; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n"
	      "<title>kflame</title>\n<style>", out);
	fputs(code->css, out);
	fputs("</style>\n</head>\n<body>\n"
	      "<noscript>This page shows a profile with scripts, which are switched off here.</noscript>\n", out);
	return err;
}

/* Write a blob as the text of an element that browsers do not run or show */
static int put_data(FILE *out, const char *id, struct blob *b, bool deflates)
{
	int err;

	fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\">", id);
	err = blob_write(out, b, deflates);
	fputs("</script>\n", out);
	blob_exit(b);
	return err;
}

static int put_chunks(FILE *out, const struct view_page *page)
{
	struct blob b = { 0 };
	char id[32];
	int err = 0;

	for (size_t i = 0; i < page_nr_chunks(page) && !err; i++) {
		snprintf(id, sizeof(id), "times%zu", i);
		page_chunk(&b, page, i);
		err = put_data(out, id, &b, true);
	}
	return err;
}

static int put_page(FILE *out, const struct view_page *page, const struct code *code)
{
	struct blob b = { 0 };
	int err = put_head(out, code);

	if (!err)
		err = page_first(&b, page);
	if (err) {
		blob_exit(&b);
		return err;
	}
	err = put_data(out, "first", &b, false);
	if (!err) {
		blob_bytes(&b, code->js, strlen(code->js));
		err = put_data(out, "code", &b, true);
	}
	fputs("<script>", out);
	fputs(code->boot, out);
	fputs("</script>\n", out);
	if (!err) {
		page_meta(&b, page);
		err = put_data(out, "meta", &b, true);
	}
	if (!err) {
		page_paths(&b, page);
		err = put_data(out, "paths", &b, true);
	}
	if (!err && page->source) {
		page_source(&b, page);
		err = put_data(out, "source", &b, true);
	}
	if (!err)
		err = put_chunks(out, page);
	fputs("</body>\n</html>\n", out);
	return err;
}

int view_page_write(FILE *out, const struct view_page *page)
{
	struct code code = { squeeze(view_boot), squeeze(view_js), squeeze(view_css) };
	int err = code.boot && code.js && code.css ? put_page(out, page, &code) : -ENOMEM;

	free(code.boot);
	free(code.js);
	free(code.css);
	return err;
}
