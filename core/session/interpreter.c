#include "core/session/interpreter.h"
#include "core/base/cursor.h"
#include "core/base/foreign.h"
#include "core/base/memory.h"
#include "core/base/words.h"
#include "core/session/command.h"
#include "core/session/commands/commands.h"
#include "core/session/syntax.h"

#include <stdlib.h>
#include <string.h>

void interpreter_free(struct interpreter *in)
{
	step_list_clear(&in->steps);
	free(in->config_chain);
	in->config_chain = NULL;
}

/* --- splitting ------------------------------------------------------------------------- */

/* A colon before a command is let be: it is how the explorer's keys write one. */
static void drop_colon(struct command_words *c)
{
	char *name = c->argv[0];

	if (*name != ':')
		return;
	memmove(name, name + 1, strlen(name));
	if (*name || c->argc < 2)
		return;
	free(name);
	memmove(c->argv, c->argv + 1, (size_t)c->argc * sizeof(*c->argv));
	c->argc--;
}

/* What there is of a command that cannot be split: its first word, so that it has a name. */
static void take_first_word(struct command_words *c, const char *text)
{
	text += strspn(text, " \t\n;:");
	c->argc = 1;
	c->argv = NEW_ARRAY(2, char *);
	c->argv[0] = str_printf("%.*s", (int)strcspn(text, " \t\n;"), text);
}

struct command_list *commands_split(const struct session *s, const char *text)
{
	struct command_list *l = NEW(struct command_list);
	size_t cap = 0;

	while (text) {
		struct command_words c = {0};
		const char *rest;

		if (words_split(text, &rest, &c.argc, &c.argv, &c.why)) {
			take_first_word(&c, text);
		} else if (c.argc) {
			drop_colon(&c);
			c.command = command_find(s, c.argv[0], &c.why);
		} else {
			words_free(c.argc, c.argv);
			text = rest;
			continue;
		}
		GROW(l->command, l->n, cap);
		l->command[l->n++] = c;
		if (!c.command)
			break;
		text = rest;
	}
	return l;
}

void commands_free(struct command_list *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		words_free(l->command[i].argc, l->command[i].argv);
	free(l->command);
	free(l);
}

/* --- running --------------------------------------------------------------------------- */

/* Is there what the command needs, and do its words fit? */
static int check_command(const struct session *s, const struct command_words *c, struct err *e)
{
	if (!c->command)
		return err_set(e, "%s", c->why.msg);
	if (c->command->needs == NEEDS_FABRIC && session_need_fabric(s, e))
		return -1;
	if (c->command->needs == NEEDS_ROUTING && !need_routing(s, e))
		return -1;
	if (!syntax_fits(c->command->syntax, c->argc, c->argv))
		return err_set(e, "expected: %s", c->command->syntax);
	return 0;
}

static int do_command(const struct command_words *c, struct out *o, struct err *e)
{
	struct command_run *r = o->run;

	if (check_command(r->in->session, c, e))
		return -1;
	if (!c->command->on_screen)
		return c->command->run(r->in->session, c->argc, c->argv, o, e);
	if (!r->on_screen)
		return err_set(e, "%s: needs the curses interface (start without -e and -x)",
			       c->command->name);
	return r->on_screen(c->command, c->argc, c->argv, o, e);
}

int run_commands(struct command_run *r, const struct command_list *l, struct err *e)
{
	int rc = 0;

	r->placed = false;
	for (size_t i = 0; i < l->n && !rc && !r->in->quit; i++) {
		const struct command_words *c = &l->command[i];
		struct out o;

		if (progress_cancelled(r->progress)) {
			rc = err_set(e, CANCELLED);
			break;
		}
		out_begin(&o, r, c->command ? c->command->name : c->argv[0]);
		rc = do_command(c, &o, e);
		out_end(&o, rc, e);
	}
	progress_start(r->progress, NULL, 0);
	return rc;
}

int run_text(struct command_run *r, const char *text, struct err *e)
{
	struct command_list *l = commands_split(r->in->session, text);
	int rc = run_commands(r, l, e);

	commands_free(l);
	return rc;
}

int run_script(struct command_run *r, FILE *script, const char *name, struct err *e)
{
	struct text line = {0};
	int rc = 0, got = 1;

	for (unsigned number = 1; !rc && !r->in->quit; number++) {
		struct err why = {{0}};

		got = read_text_line(script, name, &line, e);
		if (got <= 0)
			break;
		r->placed = false;
		if (number == 1)
			rc = text_head_check(line.s, line.len, &why);
		if (!rc)
			rc = text_line_check(line.s, line.len, &why);
		if (!rc)
			rc = run_text(r, line.s, &why);
		if (rc && r->placed) /* of scripts within scripts the innermost place counts */
			err_set(e, "%s", why.msg);
		else if (rc)
			err_set(e, "%s:%u: %s", name, number, why.msg);
		r->placed = rc != 0;
	}
	if (got < 0 && progress_cancelled(r->progress))
		err_set(e, CANCELLED);
	text_free(&line);
	return got < 0 ? -1 : rc;
}
