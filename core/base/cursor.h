/* Reading text from left to right: whole files, lines, words, numbers.  All readers of files use it. */
#ifndef IBSCOPE_CURSOR_H
#define IBSCOPE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct err;
struct text;
struct progress;

/* Limits for a file that never ends (/dev/zero): bytes of a line; lines of a keymap or guid2lid file. */
#define LINE_BYTES_MOST 1000000
#define LINES_MOST 1000000

/* The content of a file; `name` is for messages.  Not NUL-terminated. */
struct input {
	const char *name, *data;
	size_t size;
	struct progress *progress; /* of the reading; may be NULL */
};

#define FILE_MIB 4096 /* the most that is read from one file */

/* Reads a whole file (or pipe) into a new buffer.  Returns -1 and sets *e when it cannot be read, or when p
 * (may be NULL) cancelled the wait. */
int read_file(const char *path, struct progress *p, char **data, size_t *size, struct err *e);
/* The same with a limit in MiB.  A larger file is refused. */
int read_path(const char *path, size_t mib, struct progress *p, char **data, size_t *size, struct err *e);
/* Replaces the content of t by the next line, with its line end.  Returns 1, 0 at the end, or -1 and *e. */
int read_text_line(FILE *f, const char *name, struct text *t, struct err *e);
/* Skips the rest of a line that was too long.  Returns false when its end is not within SKIP_BYTES_MOST. */
#define SKIP_BYTES_MOST (64 << 20)
bool skip_text_line(FILE *f);
/* Reads an open file from its present position, as read_path() does.  The file stays open. */
int read_at_most(FILE *f, const char *name, size_t mib, char **data, size_t *size, struct err *e);

/* Text still to be read: [p, end). */
struct cursor {
	const char *p, *end;
};

/* Lines of a text, without their line ends (LF, CR LF, CR CR LF). */
struct lines {
	const char *p, *end;
	unsigned no; /* number of the last line given, from 1 */
	/* May be NULL.  Once it is cancelled, no more lines are given, and the caller drops what it has
	 * read. */
	struct progress *progress;
};

struct lines lines_of(const struct input *in);
bool lines_next(struct lines *l, struct cursor *line);

/* For a format of "%.*s". */
#define CUR_ARGS(c) (int)((c).end - (c).p), (c).p

static inline bool cur_empty(const struct cursor *c)
{
	return c->p >= c->end;
}

static inline size_t cur_len(struct cursor c)
{
	return (size_t)(c.end - c.p);
}

struct cursor cur_text(const char *s);	    /* all of a string; NULL: empty */
struct cursor cur_trimmed(struct cursor c); /* without white space at both ends */

/* These functions change nothing.  Only cur_same() is case-sensitive. */
bool cur_same(struct cursor a, struct cursor b);
bool cur_is(struct cursor c, const char *word);
bool cur_begins(struct cursor c, const char *word);
bool cur_says(struct cursor line);				/* it has text and is not a comment (#) */
const char *cur_find(const struct cursor *c, const char *text); /* first occurrence, or NULL */
const char *cur_find_last(const struct cursor *c, char ch);	/* last occurrence, or NULL */

/* These functions take what they find at the beginning of c, after white space.  c stays unchanged when they
 * find nothing. */
void cur_blanks(struct cursor *c);		   /* white space */
bool cur_char(struct cursor *c, char ch);	   /* white space, then `ch` */
bool cur_word(struct cursor *c, const char *word); /* the same for a word; letters may follow it */
/* White space, then a number (base 10 or 16; 0: 0x = 16, else 10); too large ones become UINT64_MAX. */
bool cur_number(struct cursor *c, unsigned base, uint64_t *v);
/* The same where nothing follows it.  *v stays when there is no such number. */
bool cur_is_number(struct cursor c, unsigned base, uint64_t *v);
bool cur_in_brackets(struct cursor *c, uint64_t *v);	  /* "[12]" with a decimal number */
bool cur_quoted(struct cursor *c, struct cursor *inside); /* "..." up to the first closing quote */
bool cur_behind(struct cursor *c, const char *text);	  /* everything up to and including a text */
struct cursor cur_token(struct cursor *c);		  /* the next word, up to a blank; empty at the end */
struct cursor cur_part(struct cursor *c, char between);	  /* up to a byte, which is taken too; or all */
/* Takes a field of a table's row, quoted or not, and its separator.  After the last field row->p is NULL. */
struct cursor cur_csv(struct cursor *row, char between);

/* A new string, at most max bytes.  Unprintable bytes become blanks, as in infiniband-diags and OpenSM. */
char *clean_text(const char *s, size_t len, size_t max);
char *cur_clean(struct cursor c, size_t max);

/* The first bytes of unexpected text for messages, cleaned and shortened; returns buf. */
const char *excerpt(struct cursor c, char *buf, size_t size);

#endif
