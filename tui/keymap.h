/*
 * Key bindings as data.  A keymap file has lines
 *
 *	bind [PANE|all|repl] KEY ACTION [ARGUMENT]
 *	bind [PANE|all|repl] KEY :COMMAND LINE
 *	unbind [PANE|all|repl] KEY
 *	include FILE
 *	task TEXT
 *
 * and comments from '#' at the start of a line or behind a blank up to the end.  KEY is
 * a character, a name (Enter, Tab, S-Tab, Esc, Space, Up, PgDn, F1, Hash, Comma, ...), one of
 * these with C- or M- before it, or several joined by commas: C-x,o.  `task` names what the
 * bindings below it in the file are for, under which help lists them; without a text, or before the first,
 * they belong to the task of one that does the same.
 */
#ifndef IBSCOPE_KEYMAP_H
#define IBSCOPE_KEYMAP_H

#include "core/base/err.h"
#include "core/base/text.h"

/* A key: a Unicode character or one of enum special_key, with KEYF_META for Alt or Esc. */
typedef uint32_t keycode;
#define KEYF_META 0x1000000u
#define KEY_IS_SPECIAL(k) (((k)&0x200000u) != 0)

enum special_key {
	K_UP = 0x200000,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_HOME,
	K_END,
	K_PGUP,
	K_PGDN,
	K_INS,
	K_DEL,
	K_BACKSPACE,
	K_STAB,
	K_F1,
	K_F12 = K_F1 + 11,
	K_MOUSE,
	K_RESIZE,
	K_PASTE,    /* a text was pasted: term_paste() */
	K_SEQUENCE, /* an escape sequence that is no key here: term_sequence() */
	K_NONE
};
#define K_ENTER '\r'
#define K_TAB '\t'
#define K_ESC 27
#define K_CTRL(c) ((c)&0x1f)

#define KEY_SEQ 4	       /* most keys of a binding */
#define KEYMAP_INCLUDE_DEPTH 8 /* most nested files */
#define KEYMAP_FILES 64	       /* most files of one keymap */

struct binding {
	char *map; /* pane name, "all" or "repl" */
	keycode key[KEY_SEQ];
	unsigned n;
	char *does;	     /* "follow", "prompt trace %node", ":fail link %port" */
	char *task;	     /* "What is wrong?"; "" = none */
	unsigned file, line; /* where it was read; files count from 1 as they are read */
};

struct keymap {
	char *name;
	struct binding *b;
	size_t n, cap;
	unsigned files; /* read into it so far; one that is read twice counts as two */
};

/* Checks what may be bound: the functions tell whether a name is known. */
struct keymap_check {
	bool (*action)(const char *name);
	bool (*pane)(const char *name);
	/*
	 * The path of the keymap NAME.keys that comes with the program; NULL: none. The caller frees it. The
	 * function may be NULL.
	 */
	char *(*given)(const char *file);
};

/* Reads one key by its name. False when there is no such key. */
bool key_parse(const char *word, size_t len, keycode *key);
/* Reads a sequence such as "C-x,o". Returns the number of keys, or 0 when it is no sequence. */
unsigned keys_parse(const char *word, keycode *key);
/* The name of a key, or of a sequence. Returns buf. */
const char *key_text(keycode key, char *buf, size_t size);
const char *keys_text(const keycode *key, unsigned n, char *buf, size_t size);

void keymap_clear(struct keymap *km);

/*
 * Reads a file into a keymap. Its bindings replace those of files read before, included ones too. Wrong lines
 * are left out, and each adds "FILE:LINE: ..." to *errors; a key that the file itself has bound in this map
 * is one. Returns 0, or -1 and *e when the file itself cannot be read.
 */
int keymap_load(struct keymap *km, const char *path, const struct keymap_check *check, struct text *errors,
		struct err *e);

/* Folder of the user's keymaps and bindings ($XDG_CONFIG_HOME/ibscope or ~/.config/ibscope); NULL: none. */
char *keymap_user_folder(void);

/*
 * Finds the file of a keymap; NULL when there is none. The caller frees it. The name of an existing file is
 * that file. Otherwise NAME.keys is searched in the user's folder; in keymaps, ../keymaps and
 * ../share/ibscope/keymaps relative to the program's folder (links are followed); in `installed`; and finally
 * in the program itself.
 */
char *keymap_path(const char *name, const char *program, const char *installed);
/*
 * The file NAME.keys of a keymap that comes with the program, from these places without the user's folder.
 * NULL: none.
 */
char *keymap_given(const char *file, const char *program, const char *installed);

/* Looks up keys in a map, then (unless it is "repl") in "all". *more: a longer binding begins with them. */
const struct binding *keymap_find(const struct keymap *km, const char *map, const keycode *key, unsigned n,
				  bool *more);

/* The binding of a map (or of "all") that does `what`: an action, or a command that begins so. NULL: none. */
const struct binding *keymap_which(const struct keymap *km, const char *map, const char *what);

#endif
