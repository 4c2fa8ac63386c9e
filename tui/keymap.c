/* Keymaps: where they are found, how they are read, and keys found in them. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/builtin.h"
#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "tui/keymap.h"

/* Reads keymaps and finds keys in them. */

/* Names of keys. If a key has several, the first is shown. */
static const char *const names[] = {"Up",     "Down",	"Left",	  "Right",     "Home",	"End",	  "PgUp",
				    "PgDn",   "Ins",	"Del",	  "Backspace", "S-Tab", "Enter",  "Tab",
				    "Esc",    "Space",	"Hash",	  "Comma",     "Minus", "PageUp", "PageDown",
				    "Insert", "Delete", "Return", "Escape",    "BS"};
static const keycode named[] = {K_UP,	K_DOWN, K_LEFT,	 K_RIGHT,     K_HOME,	  K_END,   K_PGUP,
				K_PGDN, K_INS,	K_DEL,	 K_BACKSPACE, K_STAB,	  K_ENTER, K_TAB,
				K_ESC,	' ',	'#',	 ',',	      '-',	  K_PGUP,  K_PGDN,
				K_INS,	K_DEL,	K_ENTER, K_ESC,	      K_BACKSPACE};
static_assert(ARRAY_LEN(names) == ARRAY_LEN(named), "each name has its key");

/* Is the word exactly one UTF-8 character? */
static bool one_char(const char *w, size_t len, keycode *key)
{
	static const struct {
		unsigned char from, bits, bytes;
	} begins[] = {{0xf0, 0x07, 4}, {0xe0, 0x0f, 3}, {0xc2, 0x1f, 2}};
	unsigned char c = (unsigned char)w[0];
	size_t need = c < 0x80;
	keycode k = c;

	for (size_t i = 0; i < ARRAY_LEN(begins) && !need; i++)
		if (c >= begins[i].from) {
			need = begins[i].bytes;
			k = c & begins[i].bits;
		}
	if (!need || len != need || c < 0x20 || c == 0x7f)
		return false;
	for (size_t i = 1; i < need; i++) {
		if (((unsigned char)w[i] & 0xc0) != 0x80)
			return false;
		k = k << 6 | ((unsigned char)w[i] & 0x3f);
	}
	*key = k;
	return k < 0x110000;
}

static bool control_key(const char *w, size_t len, keycode *key)
{
	keycode k;

	if (!key_parse(w, len, &k) || KEY_IS_SPECIAL(k) || (k & KEYF_META))
		return false;
	k = (keycode)toupper((int)(k < 0x80 ? k : 0));
	if (k == ' ')
		k = '@';
	if (k < '@' || k > '_' || k == '[')
		return false; /* C-[ is Esc */
	*key = K_CTRL(k);
	return true;
}

bool key_parse(const char *word, size_t len, keycode *key)
{
	unsigned n = 0;

	if (!len)
		return false;
	if (one_char(word, len, key))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strlen(names[i]) == len && !strncasecmp(names[i], word, len)) {
			*key = named[i];
			return true;
		}
	}
	if (len > 2 && word[1] == '-' && (word[0] == 'C' || word[0] == 'c'))
		return control_key(word + 2, len - 2, key);
	if (len > 2 && word[1] == '-' && (word[0] == 'M' || word[0] == 'm')) {
		if (!key_parse(word + 2, len - 2, key) || (*key & KEYF_META))
			return false;
		*key |= KEYF_META;
		return true;
	}
	if (len < 2 || len > 3 || (word[0] != 'F' && word[0] != 'f'))
		return false;
	for (size_t i = 1; i < len; i++) {
		if (!isdigit((unsigned char)word[i]))
			return false;
		n = n * 10 + (unsigned)(word[i] - '0');
	}
	*key = K_F1 + n - 1;
	return n >= 1 && n <= 12;
}

unsigned keys_parse(const char *word, keycode *key)
{
	unsigned n = 0;

	while (*word) {
		size_t len = strcspn(word, ",");

		if (n == KEY_SEQ || !key_parse(word, len, &key[n]))
			return 0;
		n++;
		word += len;
		if (*word && !*++word)
			return 0;
	}
	return n;
}

const char *key_text(keycode key, char *buf, size_t size)
{
	const char *meta = key & KEYF_META ? "M-" : "";
	keycode k = key & ~KEYF_META;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (named[i] == k && k != '-' && k != ',' && k != '#') {
			snprintf(buf, size, "%s%s", meta, names[i]);
			return buf;
		}
	}
	if (k >= K_F1 && k <= K_F12)
		snprintf(buf, size, "%sF%u", meta, k - K_F1 + 1);
	else if (k < ' ')
		snprintf(buf, size, "%sC-%c", meta, k ? tolower((int)k + '@') : '@');
	else {
		char u[5] = {0};

		if (k < 0x80) {
			u[0] = (char)k;
		} else if (k < 0x800) {
			u[0] = (char)(0xc0 | k >> 6);
			u[1] = (char)(0x80 | (k & 0x3f));
		} else if (k < 0x10000) {
			u[0] = (char)(0xe0 | k >> 12);
			u[1] = (char)(0x80 | (k >> 6 & 0x3f));
			u[2] = (char)(0x80 | (k & 0x3f));
		} else {
			u[0] = (char)(0xf0 | k >> 18);
			u[1] = (char)(0x80 | (k >> 12 & 0x3f));
			u[2] = (char)(0x80 | (k >> 6 & 0x3f));
			u[3] = (char)(0x80 | (k & 0x3f));
		}
		snprintf(buf, size, "%s%s", meta, u);
	}
	return buf;
}

const char *keys_text(const keycode *key, unsigned n, char *buf, size_t size)
{
	char one[24];
	size_t len = 0;

	if (size)
		buf[0] = 0;
	for (unsigned i = 0; i < n && len + 1 < size; i++) {
		key_text(key[i], one, sizeof(one));
		len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? " " : "", one);
	}
	return buf;
}

static void binding_clear(struct binding *b)
{
	FREE_EACH(b->map, b->does, b->task);
}

void keymap_clear(struct keymap *km)
{
	for (size_t i = 0; i < km->n; i++)
		binding_clear(&km->b[i]);
	FREE_EACH(km->b, km->name);
	memset(km, 0, sizeof(*km));
}

/* The binding of just these keys in a map; NULL: none. */
static struct binding *keymap_exact(const struct keymap *km, const char *map, const keycode *key, unsigned n)
{
	for (size_t i = 0; i < km->n; i++) {
		struct binding *b = &km->b[i];

		if (b->n == n && !strcmp(b->map, map) && !memcmp(b->key, key, n * sizeof(*key)))
			return b;
	}
	return NULL;
}

static void unbind(struct keymap *km, const char *map, const keycode *key, unsigned n)
{
	struct binding *b = keymap_exact(km, map, key, n);

	if (!b)
		return;
	binding_clear(b);
	memmove(b, b + 1, (size_t)(km->b + km->n - b - 1) * sizeof(*b));
	km->n--;
}

struct keymap_reader {
	struct keymap *km;
	const struct keymap_check *check;
	struct text *errors;
	const char *file;
	unsigned line, depth;
	unsigned *files; /* files read so far, including included ones */
	unsigned nth;	 /* of the keymap's files this is */
	char task[64];	 /* of the following lines; "" = none in this file yet */
};

PRINTF_LIKE(2, 3) static void complain(const struct keymap_reader *r, const char *fmt, ...)
{
	AUTO_TEXT struct text t = {0};
	va_list ap;

	text_add(&t, "%s:%u: ", r->file, r->line);
	va_start(ap, fmt);
	text_addv(&t, fmt, ap);
	va_end(ap);
	text_putc(&t, '\n');
	const char *told = strstr(text_str(r->errors), t.s);
	if (!told || (told != r->errors->s && told[-1] != '\n')) /* once, even if a file is read twice */
		text_add(r->errors, "%s", t.s);
}

/* Cuts off the next word. NULL at the end of the line. */
static char *keymap_next_word(char **line)
{
	char *w = *line + strspn(*line, " \t");
	size_t len = strcspn(w, " \t");

	if (!len)
		return NULL;
	*line = w + len;
	if (**line)
		*(*line)++ = 0;
	*line += strspn(*line, " \t");
	return w;
}

/* Reads `[MAP] KEY` at the start of the rest of a line. */
static bool keymap_read_key(struct keymap_reader *r, char **line, const char **map, keycode *key, unsigned *n)
{
	char *w = keymap_next_word(line);

	*map = "all";
	if (w && (!strcmp(w, "all") || !strcmp(w, "repl") || r->check->pane(w))) {
		*map = w;
		w = keymap_next_word(line);
	} else if (w && w[1] && !keys_parse(w, key)) {
		complain(r,
			 "found \"%s\", expected a pane, all, repl or a key such as x, C-x, M-x, F5 or Enter",
			 w);
		return false;
	}
	if (!w) {
		complain(r, "the key is missing, expected one such as x, C-x, M-x, F5, Enter or C-x,o");
		return false;
	}
	*n = keys_parse(w, key);
	if (!*n)
		complain(r, "found \"%s\", expected a key such as x, C-x, M-x, F5, Enter or C-x,o", w);
	return *n > 0;
}

/* Finds a binding of the same map that would hide this one, or be hidden, since one begins with the other. */
static const struct binding *in_the_way(const struct keymap *km, const char *map, const keycode *key,
					unsigned n)
{
	for (size_t i = 0; i < km->n; i++) {
		const struct binding *b = &km->b[i];
		unsigned least = MIN(b->n, n);

		if (!strcmp(b->map, map) && b->n != n && !memcmp(b->key, key, least * sizeof(*key)))
			return b;
	}
	return NULL;
}

/* The task of a new binding: that of its place in the file, else of a binding with the same effect. */
static const char *keymap_task_of(const struct keymap_reader *r, const char *does)
{
	for (size_t i = 0; !*r->task && i < r->km->n; i++)
		if (!strcmp(r->km->b[i].does, does))
			return r->km->b[i].task;
	return r->task;
}

static void read_bind(struct keymap_reader *r, char *line)
{
	const char *map;
	keycode key[KEY_SEQ] = {0};
	struct binding b = {0};
	char name[64], action[32];
	unsigned n;

	if (!keymap_read_key(r, &line, &map, key, &n))
		return;
	if (!*line) {
		complain(r, "nothing to do for the key, expected an action or :COMMAND");
		return;
	}
	snprintf(action, sizeof(action), "%.*s", (int)strcspn(line, " \t"), line);
	if (*line != ':' && !r->check->action(action)) {
		complain(r, "unknown action \"%s\", expected one that `help` lists, or :COMMAND", action);
		return;
	}
	const struct binding *other = in_the_way(r->km, map, key, n);
	if (other) {
		complain(r, "%s clashes with the binding of %s in the same map",
			 keys_text(key, n, name, sizeof(name)),
			 keys_text(other->key, other->n, action, sizeof(action)));
		return;
	}
	other = keymap_exact(r->km, map, key, n);
	if (other && other->file == r->nth) {
		complain(r, "%s is bound twice in map %s, first at line %u of this file",
			 keys_text(key, n, name, sizeof(name)), map, other->line);
		return;
	}
	b.task = str_dup(keymap_task_of(r, line));
	unbind(r->km, map, key, n);
	b.map = str_dup(map);
	memcpy(b.key, key, sizeof(key));
	b.n = n;
	b.does = str_dup(line);
	b.file = r->nth;
	b.line = r->line;
	GROW(r->km->b, r->km->n, r->km->cap);
	r->km->b[r->km->n++] = b;
}

static int keymap_load_file(struct keymap_reader *from, const char *path, struct err *e);

static void keymap_read_include(struct keymap_reader *r, char *line)
{
	const char *slash = strrchr(r->file, '/');
	char *path, *given = NULL; /* a file of the program itself */
	struct err e;

	if (!*line) {
		complain(r, "include: the file is missing");
		return;
	}
	if (r->depth >= KEYMAP_INCLUDE_DEPTH) {
		complain(r, "include: more than %d files within each other", KEYMAP_INCLUDE_DEPTH);
		return;
	}
	if (*r->files >= KEYMAP_FILES) {
		complain(r, "include: more than %d files in one keymap", KEYMAP_FILES);
		return;
	}
	path = *line == '/' || !slash ? str_dup(line)
				      : str_printf("%.*s/%s", (int)(slash - r->file), r->file, line);
	if (r->check->given && (access(path, F_OK) || !strcmp(path, r->file)))
		given = r->check->given(line);
	if (given) {
		free(path);
		path = given;
	}
	if (keymap_load_file(r, path, &e))
		complain(r, "include: %s", e.msg);
	free(path);
}

/* A comment begins with '#' at the start of a line or after a blank. A key '#' is written Hash. */
static void strip(char *line)
{
	for (char *p = line; *p; p++) {
		if (*p == '#' && (p == line || p[-1] == ' ' || p[-1] == '\t')) {
			*p = 0;
			break;
		}
	}
	size_t len = strlen(line);
	while (len && isspace((unsigned char)line[len - 1]))
		line[--len] = 0;
}

static void keymap_read_line(struct keymap_reader *r, char *line)
{
	const char *map;
	keycode key[KEY_SEQ] = {0};
	unsigned n;

	line[strcspn(line, "\r\n")] = 0;
	strip(line);
	char *w = keymap_next_word(&line);
	if (!w)
		return;
	if (!strcmp(w, "bind"))
		read_bind(r, line);
	else if (!strcmp(w, "include"))
		keymap_read_include(r, line);
	else if (!strcmp(w, "task"))
		snprintf(r->task, sizeof(r->task), "%s", line);
	else if (strcmp(w, "unbind"))
		complain(r, "found \"%s\", expected bind, unbind, include or task", w);
	else if (keymap_read_key(r, &line, &map, key, &n))
		unbind(r->km, map, key, n);
}

static int keymap_load_file(struct keymap_reader *from, const char *path, struct err *e)
{
	struct keymap_reader r = *from;
	FILE *f = infile_open(path, NULL);
	struct text line = {0};
	struct err why;
	int got;

	if (!f)
		return err_set_kind(e, ERR_IO, "cannot read %s: %s", path, strerror(errno));
	r.file = path;
	r.line = 0;
	r.task[0] = 0;
	r.depth++;
	++*r.files;
	r.nth = ++r.km->files;
	while ((got = read_text_line(f, path, &line, e)) > 0 && r.line < LINES_MOST) {
		if ((!r.line++ && text_head_check(line.s, line.len, &why)) ||
		    text_line_check(line.s, line.len, &why)) {
			complain(&r, "%s", why.msg);
			got = 0; /* not text: skip the rest, too */
			break;
		}
		keymap_read_line(&r, line.s);
	}
	text_free(&line);
	fclose(f);
	if (got > 0)
		return err_set(e, "%s: found more than %d lines, expected a keymap", path, LINES_MOST);
	return got < 0 ? -1 : 0;
}

int keymap_load(struct keymap *km, const char *path, const struct keymap_check *check, struct text *errors,
		struct err *e)
{
	unsigned files = 0;
	struct keymap_reader r = {.km = km, .check = check, .errors = errors, .file = path, .files = &files};

	assert(check->action && check->pane);
	return keymap_load_file(&r, path, e);
}

const struct binding *keymap_find(const struct keymap *km, const char *map, const keycode *key, unsigned n,
				  bool *more)
{
	const char *maps[] = {map, strcmp(map, "repl") ? "all" : NULL};
	const struct binding *found = NULL;

	assert(n >= 1 && n <= KEY_SEQ);
	*more = false;
	for (size_t m = 0; m < ARRAY_LEN(maps) && maps[m] && !found; m++) {
		for (size_t i = 0; i < km->n; i++) {
			const struct binding *b = &km->b[i];

			if (b->n < n || strcmp(b->map, maps[m]) || memcmp(b->key, key, n * sizeof(*key)))
				continue;
			if (b->n == n)
				found = b;
			else
				*more = true;
		}
	}
	return found;
}

const struct binding *keymap_which(const struct keymap *km, const char *map, const char *what)
{
	const struct binding *all = NULL;
	size_t len = strlen(what);

	for (size_t i = 0; i < km->n; i++) {
		const struct binding *b = &km->b[i];
		bool more;

		if (strncmp(b->does, what, len) || (b->does[len] && b->does[len] != ' '))
			continue;
		if (!strcmp(b->map, map))
			return b;
		/* a binding of "all" counts only if the pane does not use the key otherwise */
		if (!all && strcmp(map, "repl") && !strcmp(b->map, "all") &&
		    keymap_find(km, map, b->key, b->n, &more) == b)
			all = b;
	}
	return all;
}

/* Where keymaps are found. */

char *keymap_user_folder(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		return str_printf("%s/ibscope", config);
	return home && *home ? str_printf("%s/.config/ibscope", home) : NULL;
}

static bool keymap_files_is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

/* NAME.keys in a folder, or NULL when there is no such file. */
static char *in_folder(const char *folder, const char *name)
{
	char *path = str_printf("%s/%s.keys", folder, name);

	if (keymap_files_is_file(path))
		return path;
	free(path);
	return NULL;
}

/* Near the program: beside it (a copied program), above it (the build folder), or where it is installed. */
static char *near_program(const char *program, const char *name)
{
	static const char *const places[] = {"keymaps", "../keymaps", "../share/ibscope/keymaps"};
	AUTO_FREE char *self = realpath(program, NULL);
	char *slash = self ? strrchr(self, '/') : NULL, *path = NULL;

	if (slash)
		*slash = 0;
	for (size_t i = 0; slash && !path && i < sizeof(places) / sizeof(*places); i++) {
		AUTO_FREE char *folder = str_printf("%s/%s", self, places[i]);

		path = in_folder(folder, name);
	}
	return path;
}

/* In the install folder, else in the program itself. NULL: nowhere. */
static char *installed_or_builtin(const char *folder, const char *name)
{
	char *path = in_folder(folder, name);
	struct builtin b;

	if (path)
		return path;
	path = str_printf(BUILTIN "keymaps/%s.keys", name);
	if (builtin_find(path, &b))
		return path;
	free(path);
	return NULL;
}

char *keymap_path(const char *name, const char *program, const char *installed)
{
	if (keymap_files_is_file(name))
		return str_dup(name);
	char *user = keymap_user_folder();
	char *path = user ? in_folder(user, name) : NULL;
	free(user);
	if (!path)
		path = near_program(program, name);
	return path ? path : installed_or_builtin(installed, name);
}

char *keymap_given(const char *file, const char *program, const char *installed)
{
	size_t len = strlen(file);

	if (len < 6 || strcmp(file + len - 5, ".keys") || strchr(file, '/'))
		return NULL;
	char *name = str_printf("%.*s", (int)len - 5, file), *path = near_program(program, name);
	if (!path)
		path = installed_or_builtin(installed, name);
	free(name);
	return path;
}
