/* `scope`: only the hosts of one job count. */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/commands/commands.h"

/* Mark endports of the nodes or ports that a word means, or remove the marks. */
static int mark_word(const struct session *s, const char *word, bool exact, uint8_t mark, uint8_t *wanted,
		     struct out *o, struct err *e)
{
	const struct fabric *f = s->fabric;
	struct id_list l = {0};
	bool ports = false;
	int rc = session_nodes(s, word, NAMES_HOSTS, exact, o->run->progress, &l, e);

	if (rc && word[strlen(word) - 1] == ']') {
		rc = session_ports(s, word, o->run->progress, &l, NULL);
		ports = !rc;
	}
	for (uint32_t i = 0; !rc && i < l.n; i++) {
		uint32_t node = ports ? f->port_node[l.id[i]] : l.id[i];

		if (node_is_switch(f, node))
			rc = err_set(e, "%s is a switch, expected hosts", f->node_name[node]);
		for (unsigned p = 1; !rc && p <= f->node_nports[node]; p++) {
			uint32_t port = f->node_port[node] + p, ep = f->port_endport[port];

			if (ep != NO_ID && (!ports || port == l.id[i]))
				wanted[ep] = mark;
		}
	}
	if (!rc)
		report_absent(&l, word, o);
	id_list_free(&l);
	return rc;
}

/* The same for those of a list that the fabric has, by whole names.  The others are told. */
static int mark_known(const struct session *s, const char *word, uint8_t mark, uint8_t *wanted, struct out *o,
		      struct err *e)
{
	struct hostlist names;
	struct id_list l = {0}; /* for those that are absent */
	int rc = mark_word(s, word, true, mark, wanted, o, e);

	if (!rc || err_kind(e) != ERR_NO_NODE || hostlist_read(word, &names, NULL))
		return rc;
	rc = 0;
	for (size_t i = 0; i < names.n && !rc; i++) {
		rc = mark_word(s, names.name[i], true, mark, wanted, o, e);
		if (rc && err_kind(e) == ERR_NO_NODE) {
			GROW(l.absent.name, l.absent.n, l.absent.cap);
			l.absent.name[l.absent.n++] = str_dup(names.name[i]);
			rc = 0;
		}
	}
	if (!rc)
		report_absent(&l, word, o);
	id_list_free(&l);
	hostlist_free(&names);
	return rc;
}

struct scope *scope_read(const struct session *s, const struct arg *arg, int n, bool known, struct out *o,
			 struct err *e)
{
	const struct fabric *f = s->fabric;
	uint8_t *wanted = NEW_ARRAY(f->n_endports + 1, uint8_t);
	struct text words = {0};
	struct scope *scope = NULL;
	int rc = 0;

	for (uint32_t ep = 0; *arg->word == '-' && ep < f->n_endports; ep++)
		wanted[ep] = !endport_is_switch(f, ep);
	for (int i = 0; !rc && i < n; i++) {
		const char *word = arg[i].word;
		bool leave_out = word[0] == '-' && word[1];

		word_append(&words, word);
		rc = known ? mark_known(s, word + leave_out, !leave_out, wanted, o, e)
			   : mark_word(s, word + leave_out, false, !leave_out, wanted, o, e);
	}
	if (known)
		text_add(&words, " known");
	if (!rc)
		scope = scope_new(f, text_str(&words), wanted);
	if (scope && !scope->n) {
		err_set(e, "scope: no host is left");
		scope_unref(scope);
		scope = NULL;
	}
	text_free(&words);
	free(wanted);
	return scope;
}

static int cmd_scope(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const uint8_t none = 0;
	bool all = args_has(args, "all") || args_has(args, "off"), known = args_has(args, "known");
	struct scope *scope;
	struct fabric nothing = {0};
	char *text;
	int rc;

	if (!args->n) {
		report_scope(s, o);
		if (!session_scope(s))
			out_text(o, "No scope: all hosts count.\n");
		return 0;
	}
	if (all && !session_scope(s)) {
		out_text(o, "All hosts count already.\n");
		return 0;
	}
	scope = all ? scope_new(&nothing, "", &none) : scope_read(s, args->arg, args->n - known, known, o, e);
	if (!scope)
		return -1;
	text = str_printf("scope %s", all ? "all" : scope->words);
	rc = session_recount(s, scope, NULL, text, o->run->progress, e);
	free(text);
	scope_unref(scope);
	if (rc)
		return rc;
	report_scope(s, o);
	if (all)
		out_text(o, "All hosts count again.\n");
	return 0;
}

const struct command scope_commands[] = {
	{.name = "scope",
	 .group = LOOK,
	 .syntax = "scope [all | off | H... [known]]",
	 .help = "count one job's hosts only: names, globs, lists, @FILE; `-` before a word leaves out",
	 .details = "  check, load-map, shifts, survey, compare, diff and the summary after each event then "
		    "count only pairs of these\n"
		    "  hosts: scope luna-[0160-0175], scope luna-* -luna-0163, scope -*login*.  The tables "
		    "stay as they are.\n"
		    "  @FILE: all hosts of a file: output of squeue, `scontrol show hostnames` or `scontrol "
		    "show job`, or lists.\n"
		    "  @FILE:JOB: the hosts of one job, by number (`591970_3`) or name.\n"
		    "  The scope stays after failures and after `load` or `live`, if the new fabric has its "
		    "ports (by GUID); all or off\n"
		    "  ends it.  scope alone prints it.\n",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_SCOPE JSON_ABSENT,
	 .run = cmd_scope},
	{.name = NULL},
};
