/*
 * `report change`: the journal as a change.  It begins at the first event with tables (before), each event
 * behind it is a step, and the present is after.  The hosts that count now count in all of it.  Every figure
 * comes from what the single command calls.
 */
#include "core/base/defs.h"
#include "core/session/commands/commands.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/outage.h"
#include "core/analysis/compare/transition.h"
#include "core/analysis/survey/survey.h"
#include "core/analysis/traffic/bisection.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/session/patterns.h"

#define HOSTS_SHOWN 100 /* of a step */
#define SECOND_MOST 200 /* most failures of a kind tried in a state; more are sampled down to this */
#define ROOTS_SHOWN 40

/* The worst of all single failures of a kind. */
struct second {
	char *what; /* NULL: there was none to try */
	struct survey_row row;
	uint32_t n, all, bad; /* tried; that there are; of those tried */
};

enum { BY_LINK, BY_SWITCH, SECONDS };

struct state_told {
	size_t at;	       /* event */
	struct session *then;  /* a draft of its own */
	const struct sweep *w; /* of that state; routing may be NULL */
	char *name;	       /* "before", "step 2" */
	struct judged judged;
	struct judgement j; /* {0} without tables */
	uint32_t load;
	char *load_at; /* "-": none */
	struct ebb ebb;
	struct text event;	/* lines on the event */
	uint64_t lost;		/* pairs that it costs, after the sweep; OUTAGE_NO_AFTER */
	struct outage *outage;	/* NULL: nothing before, or no tables */
	struct transition *way; /* NULL: likewise */
	bool lasts;		/* something is down */
	struct second second[SECONDS];
};

struct change_told {
	struct session *s;
	struct out *o;
	struct progress *p;
	const char *jobs; /* file; NULL */
	struct text *job; /* [n_nodes] of the fabric now: names of a host's jobs; NULL without file */
	struct state_told *state;
	size_t n;
};

/* --- what is computed ----------------------------------------------------------------------------------- */

static int find_second(const struct change_told *c, struct state_told *x, unsigned k, struct err *e)
{
	assert(k < SECONDS);

	const struct survey_request rq = {.before = x->w,
					  .engines = c->s->engines,
					  .kind = k == BY_LINK ? PART_LINK : PART_SWITCH,
					  .sample = SECOND_MOST,
					  .seed = 1};
	AUTO_ARENA struct survey *found = survey_run(&rq, c->p, e);

	if (!found)
		return progress_cancelled(c->p) ? -1 : 0;
	x->second[k].n = found->n;
	x->second[k].all = found->parts->n;
	for (uint32_t i = 0; i < found->n; i++)
		x->second[k].bad += survey_bad(&found->row[i]);
	if (found->n) {
		x->second[k].row = found->row[0];
		x->second[k].what = survey_what(found->parts, found->row[0].part);
	}
	return 0;
}

/* The figures of a state. */
static int find_figures(struct change_told *c, struct state_told *x, struct err *e)
{
	int rc = check_quietly(x->then, x->w, &x->j, c->o, e);
	AUTO_ARENA struct loads *l = rc ? NULL : loads_new(x->w->routing, &pattern_all, c->p);
	if (!l)
		return rc ? -1 : err_set(e, CANCELLED);
	x->load = l->max;
	x->load_at = l->max_port == NO_ID ? str_dup("-") : str_dup(PORT_LABEL(x->w->fabric, l->max_port));
	if (ebb_estimate(x->w->routing, &(struct ebb_request){.seed = 1}, c->p, &x->ebb, e))
		return -1;
	const struct state *st = x->w->setup->state;
	x->lasts = memchr(st->node_down, 1, st->n_nodes) || memchr(st->link_down, 1, st->n_links);
	for (unsigned k = 0; !rc && x->lasts && k < SECONDS; k++)
		rc = find_second(c, x, k, e);
	return rc;
}

/* What an event did, in the lines of the command that made it. */
static int tell_event(struct change_told *c, struct state_told *x, const struct state_told *was,
		      struct err *e)
{
	struct command_run run = {
		.in = c->o->run->in, .progress = c->p, .f = text_stream(&x->event), .no_timing = true};
	struct out quiet = {.run = &run};
	const struct event *ev = &c->s->event[x->at];
	const struct comparison *change = ev->change;
	AUTO_ARENA struct comparison *own = NULL;

	/* counted anew where other hosts count now */
	if (was && change && x->w != ev->sweep) {
		change = own = was->w->fabric == x->w->fabric && was->w->routing && x->w->routing
				       ? compare_routings(was->w->routing, x->w->routing, c->p)
				       : NULL;
		if (!own && progress_cancelled(c->p)) {
			fclose(run.f);
			return err_set(e, CANCELLED);
		}
	}
	x->lost = change ? change->lost : OUTAGE_NO_AFTER;
	report_event(x->then, &quiet);
	if (was && change)
		report_comparison(change, &quiet);
	fclose(run.f);
	return 0;
}

static int find_state(struct change_told *c, struct state_told *x, const struct state_told *was,
		      struct err *e)
{
	x->then = session_draft_at(c->s, x->at);
	x->w = session_sweep(x->then);
	x->judged = judged_of(x->w);
	x->judged.untimed = c->o->run->no_timing;
	judged_count(&x->judged, c->p);
	if (x->w->routing && find_figures(c, x, e))
		return -1;
	if (tell_event(c, x, was, e))
		return -1;
	if (!was || !was->w->routing)
		return 0;
	x->outage = outage_between(was->w, x->w, c->p, e);
	if (!x->outage)
		return -1;
	x->outage->after = x->lost;
	if (!x->w->routing)
		return 0;
	x->way = session_transition(x->then, was->w, x->w, c->p, e);
	return x->way ? 0 : -1;
}

/* Which jobs each node is of. */
static int find_jobs(struct change_told *c, struct err *e)
{
	struct job_list of;
	int rc = hosts_file_each(c->jobs, c->p, &of, e);

	if (rc)
		return -1;
	c->job = NEW_ARRAY(c->s->fabric->n_nodes + 1, struct text);
	for (size_t i = 0; !rc && i < of.n; i++) {
		struct id_list nodes;

		rc = job_nodes(c->s->fabric, &of.job[i], c->p, &nodes, e);
		for (uint32_t k = 0; !rc && k < nodes.n; k++) {
			struct text *t = &c->job[nodes.id[k]];

			text_add(t, "%s%s", t->len ? ", " : "", of.job[i].name);
		}
		id_list_free(&nodes);
	}
	job_list_free(&of);
	return rc;
}

static int find_all(struct change_told *c, struct err *e)
{
	struct session *s = c->s;
	size_t first = 0;
	int rc = 0;

	while (first <= s->at && first < s->n_events &&
	       (!s->event[first].sweep || !s->event[first].sweep->routing))
		first++;
	if (!s->n_events || first > s->at) {
		need_routing(s, e);
		return e->msg[0] ? -1 : err_set(e, "nothing is routed; `route ENGINE` does it");
	}
	c->state = NEW_ARRAY(s->at - first + 1, struct state_told);
	for (size_t at = first; !rc && at <= s->at; at++) {
		struct state_told *x = &c->state[c->n];

		if (at > first && (s->event[at].kind == EVENT_SCOPE || !s->event[at].sweep))
			continue;
		x->at = at;
		x->name = c->n ? str_printf("step %zu", c->n) : str_dup("before");
		c->n++;
		rc = find_state(c, x, c->n > 1 ? x - 1 : NULL, e);
	}
	return rc || !c->jobs ? rc : find_jobs(c, e);
}

static void change_free(struct change_told *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct state_told *x = &c->state[i];

		for (unsigned k = 0; k < SECONDS; k++)
			free(x->second[k].what);
		arena_free(x->outage);
		arena_free(x->way);
		text_free(&x->event);
		text_free(&x->j.said);
		free(x->load_at);
		free(x->name);
		session_draft_free(x->then);
	}
	for (uint32_t i = 0; c->job && i < c->s->fabric->n_nodes; i++)
		text_free(&c->job[i]);
	free(c->job);
	free(c->state);
}

/* --- the verdict ---------------------------------------------------------------------------------------- */

static bool way_is_bad(const struct transition *t)
{
	return t && (!transition_safe_in_order(t) || t->credit.found == CREDIT_MADE);
}

static void add_faults(const struct state_told *x, struct text *t)
{
	if (!x->w->routing) {
		text_add(t, "no engine routes the fabric");
		return;
	}
	text_add(t, "%s unreachable, %s cut off, ", PLURAL(x->j.counts.unreachable, "pair"),
		 PLURAL(x->j.cut_off, "endport"));
	text_add(t, "%s of credit loops", PLURAL(x->j.loops - x->j.dropped, "group"));
}

enum verdict { SAFE, NOT_SAFE, UNKNOWN };

static enum verdict change_report_command_tell_verdict(const struct change_told *c, struct text *t)
{
	const struct state_told *last = &c->state[c->n - 1], *bad = NULL, *moving = NULL, *cut = NULL,
				*second = NULL;
	enum verdict v = NOT_SAFE;
	unsigned kind = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct state_told *x = &c->state[i];

		bad = !bad && i && (!x->w->routing || x->j.fault) ? x : bad;
		moving = !moving && way_is_bad(x->way) ? x : moving;
		if (x->outage && x->outage->cut && (!cut || x->outage->cut > cut->outage->cut))
			cut = x;
		for (unsigned k = 0; k < SECONDS; k++)
			if (x->second[k].bad &&
			    (!second || survey_order(&x->second[k].row, &second->second[kind].row) < 0)) {
				second = x;
				kind = k;
			}
	}
	if (!last->w->routing || last->j.fault) {
		text_add(t, c->n > 1 ? "NOT SAFE: after it " : "NOT SOUND, and nothing was changed: ");
		add_faults(last, t);
	} else if (bad) {
		text_add(t, "NOT SAFE ON THE WAY: after %s ", bad->name);
		add_faults(bad, t);
		text_add(t, "; sound at the end");
	} else if (moving) {
		text_add(t, "NOT SAFE ON THE WAY: while the tables of %s are written packets may be %s",
			 moving->name,
			 transition_safe_in_order(moving->way) ? "stuck in a credit loop"
							       : "cut or go round");
	} else if (!last->j.sound) {
		v = UNKNOWN;
		text_add(t, "CANNOT BE TOLD: nothing is wrong in what is known");
	} else {
		v = SAFE;
		text_add(t, c->n > 1 ? "SAFE: sound after each step and at the end"
				     : "NOTHING WAS CHANGED: sound");
	}
	if (last->w->routing && last->j.fault && c->n > 1 && c->state[0].j.fault) {
		text_add(t, "; before it ");
		add_faults(&c->state[0], t);
	}
	if (cut)
		text_add(t, "; until the sweep of %s %s %s cut", cut->name, PLURAL(cut->outage->cut, "pair"),
			 cut->outage->cut == 1 ? "is" : "are");
	if (second)
		text_add(t, "; a second failure in %s would do harm, worst %s %s", second->name,
			 part_word[kind == BY_LINK ? PART_LINK : PART_SWITCH], second->second[kind].what);
	text_add(t, ".");
	return v;
}

/* --- the document --------------------------------------------------------------------------------------- */

#define CELLS 12

static void row(struct document *d, char **cell, unsigned n)
{
	doc_row(d, cell, n);
	while (n)
		free(cell[--n]);
}

static char *of_number(uint64_t n)
{
	return str_printf("%" PRIu64, n);
}

/* Lines of a text, each a line of the document. */
static void change_report_command_put_lines(struct document *d, char *text)
{
	for (char *end; text && *text; text = end) {
		end = text + strcspn(text, "\n");
		if (*end)
			*end++ = 0;
		if (*text)
			doc_line(d, false, text);
	}
}

/* What is judged in a state. */
static void put_judged(struct document *d, const struct state_told *x)
{
	AUTO_TEXT struct text t = {0};

	judged_line(&x->judged, &t);
	change_report_command_put_lines(d, t.s);
}

static void put_states(struct document *d, const struct change_told *c)
{
	static const char *const head[] = {
		"state", ">pairs",     ">unreachable",	">cut off", ">longest", ">highest load",
		"at",	 ">bisection", ">credit loops", "verdict",  NULL};
	json_t *list = json_array();

	doc_heading(d, 2, "Before, during, after");
	doc_line(
		d, false,
		"Pairs and cut off as of `check`, longest in links, highest load as of `load-map`, bisection "
		"as of `load-map ebb` (share of a link), credit loops in groups.");
	doc_table(d, head);
	for (size_t i = 0; i < c->n; i++) {
		const struct state_told *x = &c->state[i];
		const struct check_result *k = &x->j.counts;
		bool none = !x->w->routing;
		char *cell[] = {str_printf("%s%s", x->name, i && i + 1 == c->n ? " (after)" : ""),
				none ? str_dup("-") : of_number(k->pairs),
				none ? str_dup("-") : of_number(k->unreachable),
				none ? str_dup("-") : of_number(x->j.cut_off),
				none ? str_dup("-") : of_number(k->max_hops),
				none ? str_dup("-") : of_number(x->load),
				str_dup(none ? "-" : x->load_at),
				none || !x->ebb.samples ? str_dup("-") : str_printf("%.3f", x->ebb.value),
				none ? str_dup("-") : of_number(x->j.loops - x->j.dropped),
				str_dup(none	     ? "no engine routes it"
					: x->j.sound ? "sound"
					: x->j.fault ? "NOT SOUND"
						     : "not known")};
		json_t *o = json_make("{s:s, s:s, s:s, s:i, s:b, s:b, s:I, s:I, s:i, s:i, s:i, s:I}", "state",
				      x->name, "judged", judged_word(&x->judged), "event",
				      c->s->event[x->at].text, "number", (int)x->at + 1, "routed", (int)!none,
				      "sound", (int)x->j.sound, "pairs", (json_int_t)k->pairs, "unreachable",
				      (json_int_t)k->unreachable, "cut_off", (int)x->j.cut_off, "max_links",
				      (int)k->max_hops, "max_load", (int)x->load, "credit_loops",
				      (json_int_t)(x->j.loops - x->j.dropped));

		json_object_set_new(o, "bisection", x->ebb.samples ? json_real(x->ebb.value) : json_null());
		json_object_set_new(o, "outage",
				    x->outage ? json_integer((json_int_t)x->outage->cut) : json_null());
		json_array_append_new(list, o);
		row(d, cell, ARRAY_LEN(cell));
	}
	out_json(c->o, "states", list);
}

static void put_steps(struct document *d, const struct change_told *c)
{
	doc_heading(d, 2, "What is done, in this order");
	if (c->n == 1)
		doc_line(d, false, "Nothing.");
	for (size_t i = 0; i < c->n; i++) {
		struct state_told *x = &c->state[i];
		AUTO_TEXT struct text outage = {0}, way = {0};
		AUTO_FREE char *title = str_printf("%s: %s", x->name, c->s->event[x->at].text);

		doc_heading(d, 3, title);
		if (!x->j.fault) /* what check says then begins so */
			put_judged(d, x);
		change_report_command_put_lines(d, x->event.s);
		if (x->outage) {
			outage_tell(x->outage, &outage);
			change_report_command_put_lines(d, outage.s);
		}
		if (x->way) {
			transition_sentence(x->way, &way);
			text_add(&way, "\n");
			credit_sentence(x->way, &way);
			change_report_command_put_lines(d, way.s);
		}
		if (x->w->routing && x->j.fault)
			doc_lines(d, text_str(&x->j.said));
	}
}

static void put_second(struct document *d, const struct change_told *c)
{
	static const char *const head[] = {"state",    "one more", "fails worst", ">pairs lost",
					   ">between", ">outage",  ">new loops",  ">load",
					   ">bad",     ">of",	   NULL};
	bool any = false;

	doc_heading(d, 2, "Worst second failure while it lasts");
	for (size_t i = 0; i < c->n; i++)
		for (unsigned k = 0; k < SECONDS; k++) {
			const struct state_told *x = &c->state[i];
			const struct second *y = &x->second[k];

			if (!y->what)
				continue;
			char *cell[] = {str_dup(x->name),
					str_dup(part_word[k == BY_LINK ? PART_LINK : PART_SWITCH]),
					str_dup(y->what),
					of_number(y->row.lost),
					of_number(y->row.between_survivors),
					of_number(y->row.outage),
					of_number(y->row.new_loops),
					of_number(y->row.load_after),
					of_number(y->bad),
					y->n < y->all ? str_printf("%u drawn of %u", y->n, y->all)
						      : of_number(y->n)};

			if (!any) {
				doc_line(d, false,
					 "The first rows of `survey links` and `survey switches` in each "
					 "state in which something is down.  Bad: not routed, pairs lost "
					 "between survivors, or new credit loops.  Of more than " NUMBER_TEXT(
						 SECOND_MOST) " of a kind so many are drawn: then a worse "
							      "one may be left out.");
				doc_table(d, head);
				any = true;
			}
			row(d, cell, ARRAY_LEN(cell));
		}
	if (!any)
		doc_line(d, false, "Nothing is down after any step.");
}

/* Jobs of a host port of a fabric of any time. */
static const char *jobs_of(const struct change_told *c, const struct fabric *f, uint32_t ep)
{
	assert(ep < f->n_endports);

	uint64_t guid = f->node_guid[f->port_node[f->endport_port[ep]]];
	uint32_t node = c->job ? fabric_node_by_guid(c->s->fabric, guid) : NO_ID;

	return node == NO_ID ? "" : text_str(&c->job[node]);
}

static const char *afterwards(const struct state_told *x, const struct fabric *f, const struct outage_host *h)
{
	uint32_t ep = fabric_endport_by_guid(x->w->fabric, f->port_guid[f->endport_port[h->endport]]);

	if (h->down)
		return "down";
	if (ep == NO_ID)
		return "gone";
	return is_cut_off(x->w, ep) ? "cut off" : "";
}

static int put_hosts_of(struct document *d, const struct change_told *c, const struct state_told *x,
			struct err *e)
{
	const char *const head[] = {"host", ">pairs", ">from it", ">to it", "after", c->jobs ? "jobs" : NULL,
				    NULL};
	static const char *const by_job[] = {"job", ">pairs", ">seen by", ">hosts", NULL};
	const struct fabric *f = x->outage->left->fabric;
	struct outage_job_list l;
	uint32_t shown = MIN(x->outage->n_hosts, HOSTS_SHOWN);
	AUTO_FREE char *title = str_printf("%s: until the sweep", x->name);

	doc_heading(d, 3, title);
	if (c->jobs) {
		if (outage_jobs(c->s, x->outage, c->jobs, &l, c->p, e))
			return -1;
		doc_table(d, by_job);
		for (uint32_t i = 0; i < l.n; i++) {
			char *cell[] = {str_dup(l.job[i].name), of_number(l.job[i].pairs),
					of_number(l.job[i].seen), of_number(l.job[i].hosts)};

			row(d, cell, ARRAY_LEN(cell));
		}
		if (l.absent)
			doc_line(d, false, "Other jobs of the file have no host in the fabric.");
		outage_jobs_free(&l);
	}
	doc_table(d, head);
	for (uint32_t i = 0; i < shown; i++) {
		const struct outage_host *h = &x->outage->host[i];
		char *cell[] = {str_dup(ENDPORT_LABEL(f, h->endport)),
				of_number(h->pairs),
				of_number(h->sends),
				of_number(h->receives),
				str_dup(afterwards(x, f, h)),
				c->jobs ? str_dup(jobs_of(c, f, h->endport)) : NULL};

		row(d, cell, c->jobs ? ARRAY_LEN(cell) : ARRAY_LEN(cell) - 1);
	}
	if (x->outage->n_hosts > shown) {
		AUTO_FREE char *more = str_printf("... and %u more", x->outage->n_hosts - shown);
		doc_line(d, false, more);
	}
	return 0;
}

static int put_hosts(struct document *d, const struct change_told *c, struct err *e)
{
	AUTO_FREE char *scope = session_scope(c->s)
					? str_printf("Only these hosts count: %s", session_scope(c->s)->words)
					: NULL;
	bool any = false;

	doc_heading(d, 2, "Hosts that notice it");
	if (scope)
		doc_line(d, false, scope);
	for (size_t i = 0; i < c->n; i++) {
		if (!c->state[i].outage || !c->state[i].outage->n_hosts)
			continue;
		any = true;
		if (put_hosts_of(d, c, &c->state[i], e))
			return -1;
	}
	if (!any)
		doc_line(d, false, "No pair of hosts is cut at any step.");
	return 0;
}

/* --- backing out ---------------------------------------------------------------------------------------- */

/* A node, or one of its ports, as commands find it now. */
static void change_report_command_add_name(const struct session *s, const struct fabric *f, uint32_t node,
					   unsigned port, struct text *t)
{
	bool plain = f == s->fabric && session_node(s, f->node_name[node], NULL) == node;
	AUTO_FREE char *name =
		plain ? str_dup(f->node_name[node]) : str_printf("0x%016" PRIx64, f->node_guid[node]);
	AUTO_FREE char *whole = port ? str_printf("%s[%u]", name, port) : str_dup(name);

	word_append(t, whole);
}

/* `restore` or `fail`: what is down in `a` and not in `b`. */
static void add_states(const struct session *s, const struct fabric *f, const char *verb,
		       const struct state *a, const struct state *b, struct text *t)
{
	static const char *const kinds[] = {"host", "switch", "link"};
	struct text line[ARRAY_LEN(kinds)] = {{0}};

	for (uint32_t i = 0; i < f->n_nodes; i++)
		if (a->node_down[i] && !b->node_down[i])
			change_report_command_add_name(s, f, i, 0, &line[node_is_switch(f, i)]);
	for (uint32_t i = 0; i < f->n_links; i++)
		if (a->link_down[i] && !b->link_down[i]) {
			uint32_t port = f->link_port[2 * i];

			change_report_command_add_name(s, f, f->port_node[port], f->port_num[port], &line[2]);
		}
	for (unsigned k = 0; k < ARRAY_LEN(kinds); k++) {
		if (line[k].len)
			text_add(t, "%s %s %s\n", verb, kinds[k], line[k].s);
		text_free(&line[k]);
	}
}

/* The lines that take an event back. */
static void change_report_command_take_back(const struct session *s, const struct event *ev,
					    const struct event *was, struct text *t)
{
	const struct setup *a = ev->setup, *b = was->setup;
	size_t before = t->len;

	if (a->fabric != b->fabric || a->tables != b->tables || !str_same(a->program, b->program)) {
		text_add(t, "# by hand, or `undo`: %s\n", ev->text);
		return;
	}
	add_states(s, a->fabric, "restore", a->state, b->state, t);
	add_states(s, a->fabric, "fail", b->state, a->state, t);
	replay_options(t, a->options, b->options);
	if (!str_same(a->chain, b->chain) && b->chain)
		text_add(t, "route %s\n", b->chain);
	if (t->len == before)
		text_add(t, "# nothing is left of: %s\n", ev->text);
}

static void put_back_out(struct document *d, const struct change_told *c)
{
	AUTO_TEXT struct text t = {0};

	for (size_t i = c->n; i-- > 1;)
		change_report_command_take_back(c->s, &c->s->event[c->state[i].at],
						&c->s->event[c->state[i - 1].at], &t);
	doc_heading(d, 2, "To back out");
	if (t.len) {
		doc_line(d, false,
			 "The steps taken back, the last first.  What is up, the engine and the options are "
			 "then as before; entries may differ, as OpenSM keeps what it had.");
		doc_lines(d, t.s);
	} else {
		doc_line(d, false, "Nothing.");
	}
}

static void put_roots(struct document *d, const struct change_told *c)
{
	const struct sweep *w = c->state[c->n - 1].w;
	AUTO_TEXT struct text t = {0};
	uint32_t n = 0;

	for (uint32_t sw = 0; w->routing && w->routing->ops->is_root && sw < w->fabric->n_switches; sw++) {
		if (!switch_up(w->topo, sw) || !w->routing->ops->is_root(w->routing, sw))
			continue;
		if (n < ROOTS_SHOWN)
			text_add(&t, "%s%s", n ? ", " : "", switch_name(w->fabric, sw));
		n++;
	}
	if (n > ROOTS_SHOWN)
		text_add(&t, ", ... and %u more", n - ROOTS_SHOWN);
	if (n)
		doc_item(d, "roots", t.s);
}

/* --- pictures ------------------------------------------------------------------------------------------- */

static int put_picture(struct document *d, const struct change_told *c, const struct state_told *x,
		       struct err *e)
{
	const struct drawing_of of = {.kind = x->w->routing ? DRAWING_LOAD : DRAWING_MAP, .page = svg_plain};
	struct fabric_drawing drawing = {0};
	AUTO_FREE char *caption = str_printf("%s: links coloured by the routes of all pairs", x->name);
	int rc = fabric_drawing_make(x->then, &of, &drawing, c->p, e);

	if (!rc) {
		AUTO_TEXT struct text svg = {0};
		FILE *f = text_stream(&svg);

		rc = fabric_drawing_svg(x->then, &drawing, f, c->p) ? err_set(e, CANCELLED) : 0;
		fclose(f);
		if (!rc)
			doc_picture(d, text_str(&svg), caption);
		fabric_drawing_free(&drawing);
	} else if (!progress_cancelled(c->p)) {
		doc_line(d, false, e->msg); /* there is nothing to draw */
		rc = 0;
	}
	return rc;
}

/* Before, the worst on the way, and after. */
static int put_pictures(struct document *d, const struct change_told *c, struct err *e)
{
	const struct state_told *worst = NULL;

	if (!d->html)
		return 0;
	for (size_t i = 1; i + 1 < c->n; i++) {
		const struct state_told *x = &c->state[i];

		if (!worst || x->j.counts.unreachable > worst->j.counts.unreachable ||
		    (x->j.counts.unreachable == worst->j.counts.unreachable && x->load > worst->load))
			worst = x;
	}
	doc_heading(d, 2, "Pictures");
	if (put_picture(d, c, &c->state[0], e) || (worst && put_picture(d, c, worst, e)))
		return -1;
	return c->n > 1 ? put_picture(d, c, &c->state[c->n - 1], e) : 0;
}

/* --- the whole
 * ------------------------------------------------------------------------------------------- */

static int change_report_command_put_all(struct document *d, const struct change_told *c,
					 const struct replay *r, struct err *e)
{
	struct session *s = c->s;
	AUTO_TEXT struct text verdict = {0};
	enum verdict v = change_report_command_tell_verdict(c, &verdict);
	const struct state_told *last = &c->state[c->n - 1];
	AUTO_FREE char *title = str_printf("Change of %s", drawing_source(s->fabric));
	char at[OUT_UTC];

	doc_begin(d, title);
	doc_line(d, true, verdict.s);
	put_judged(d, last);
	judged_json(&last->judged, c->o);
	c->o->run->found_fault |= v == NOT_SAFE;
	c->o->run->unanswered |= v == UNKNOWN;
	out_json(c->o, "verdict", json_text(verdict.s));
	put_states(d, c);
	put_steps(d, c);
	put_second(d, c);
	if (put_hosts(d, c, e))
		return -1;
	put_back_out(d, c);
	report_source(d, s);
	if (session_reading_age(s) >= 0 && !c->o->run->no_timing)
		doc_item(d, "read at", out_utc(s->loaded_at, at));
	report_settings(d, s, session_sweep(s));
	put_roots(d, c);
	report_script(d, r);
	int rc = put_pictures(d, c, e);
	doc_end(d);
	return rc;
}

static bool change_report_command_ends_with(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n > m && !strcmp(path + n - m, ending);
}

int report_change(struct session *s, const struct args *args, const struct target *to, const struct replay *r,
		  struct out *o, struct err *e)
{
	struct document d = {.f = to->f,
			     .html = args_has(args, "html") ||
				     change_report_command_ends_with(to->path, ".html") ||
				     change_report_command_ends_with(to->path, ".htm")};
	struct change_told c = {
		.s = s, .o = o, .p = o->run->progress, .jobs = args_word(args, "jobs FILE", NULL)};
	int rc = find_all(&c, e);

	rc = rc ? rc : change_report_command_put_all(&d, &c, r, e);
	change_free(&c);
	return rc;
}
