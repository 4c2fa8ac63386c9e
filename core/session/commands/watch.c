/* `watch` reads a live fabric again and again; `counters` shows what one of its ports has counted. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/fabric/changes.h"
#include "core/routing/switch_tables.h"
#include "core/session/commands/commands.h"
#include "core/source/live.h"

#define WATCH_S 10
#define HISTORY 40 /* rounds in the line of history */

struct watch {
	char *ca;
	int port;
	unsigned seconds, rounds;			 /* rounds 0: until it is stopped */
	bool followed;					 /* had the tables followed, at the last judgement? */
	bool again;					 /* not the first round */
	uint64_t entries[HISTORY], unreachable[HISTORY]; /* of the last rounds, the last one at the end */
	json_t *list; /* rounds; empty in text mode, which may run for days */
};

/* Entries that differ between two readings, by switch.  Tables that came or went count whole. */
static uint64_t tables_changed(const struct fabric *a, const struct fabric *b)
{
	const struct switch_tables *x = fabric_switch_tables(a), *y = fabric_switch_tables(b);
	uint64_t n = 0;

	for (uint32_t sw = 0; x && y && sw < b->n_switches; sw++) {
		uint32_t node = fabric_node_by_guid(a, b->node_guid[b->switch_node[sw]]);
		const uint8_t *now = y->lft[sw];
		const uint8_t *was =
			node == NO_ID || a->node_switch[node] == NO_ID ? NULL : x->lft[a->node_switch[node]];
		unsigned top_was = was ? x->top[a->node_switch[node]] : 0, top = now ? y->top[sw] : 0;

		for (unsigned lid = 1; lid <= (top > top_was ? top : top_was); lid++)
			n += (was && lid <= top_was ? was[lid] : NO_PATH) !=
			     (now && lid <= top ? now[lid] : NO_PATH);
	}
	return n;
}

/* Entries for LIDs in use that lead a packet nowhere. */
static uint64_t dead_entries(const struct sweep *w)
{
	const struct fabric *f = w->fabric;
	uint64_t n = 0;

	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		for (unsigned lid = 1; switch_up(w->topo, sw) && lid <= w->lids->max_lid; lid++) {
			unsigned p = routing_port(w->routing, sw, lid);
			uint32_t owner = lid_owner(w->lids, lid);

			if (!p || p == NO_PATH || owner == NO_ID || !w->topo->endport_up[owner])
				continue;
			n += p > f->switch_nports[sw] || w->topo->peer[switch_port_id(f, sw, p)] == NO_ID;
		}
	}
	return n;
}

/* Have the tables followed the change, as `check` judges them? -1 and *e when cancelled. */
static int tell_followed(struct session *s, struct watch *now, json_t *round, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	struct judgement j = {.sound = false};
	uint64_t dead = dead_entries(w);
	int rc = check_quietly(s, w, &j, o, e);

	now->followed = !dead && j.sound;
	if (now->followed)
		out_text(o, "The tables followed: every host%s.\n",
			 w->hosts->narrowed ? " of the scope reaches every other" : " reaches every host");
	else if (!rc && (dead || j.counts.unreachable))
		out_text(o, "The tables have not followed: %s into ports that are down, %s unreachable.\n%s",
			 PLURAL(dead, "entry"), PLURAL(j.counts.unreachable, "pair"), text_str(&j.said));
	else if (!rc)
		out_text(o, "Whether the tables followed is not known, as `check` tells:\n%s",
			 text_str(&j.said));
	text_free(&j.said);
	if (rc)
		return -1;
	json_object_set_new(round, "dead_entries", json_integer((json_int_t)dead));
	json_object_set_new(round, "pairs", json_integer((json_int_t)j.counts.pairs));
	now->unreachable[HISTORY - 1] = j.counts.unreachable;
	json_object_set_new(round, "unreachable", json_integer((json_int_t)j.counts.unreachable));
	json_object_set_new(round, "no_lid", json_integer(j.counts.no_lid));
	return 0;
}

static bool in_force(const struct session *s)
{
	return s->setup->chain && !strcmp(s->setup->chain, "live,no_fallback");
}

/* Appends the fabric and the tables of its switches as events. */
static int publish(struct session *s, struct fabric *f, const char *how, struct out *o, struct err *e)
{
	struct change_request rq = {.kind = EVENT_ROUTE,
				    .setup.chain = "live,no_fallback",
				    .text = "route live,no_fallback",
				    .progress = o->run->progress};

	if (session_go_on(s, f, EVENT_LOAD, how, o->run->progress, e))
		return -1;
	/* if that chain is in force already, the new fabric has brought its tables */
	if (!in_force(s) && session_change(s, &rq, e))
		return -1;
	report_event(s, o);
	return 0;
}

/* Each difference goes to text and to JSON, a line each. */
static void tell_changes(const struct text *lines, json_t *round, struct out *o)
{
	json_t *list = json_array();

	for (const char *s = text_str(lines), *end; *s; s = end + (*end != '\0')) {
		end = s + strcspn(s, "\n");
		out_text(o, "%.*s\n", (int)(end - s), s);
		json_array_append_new(list, json_textn(s, (size_t)(end - s)));
	}
	json_object_set_new(round, "changes", list);
}

/* Compares the new reading f (taken over) with the one before (NULL: none). */
static int take_round(struct session *s, struct watch *w, struct fabric *f, const struct fabric *before,
		      json_t *round, struct out *o, struct err *e)
{
	struct text lines = {0};
	unsigned n = before ? fabric_changes(before, f, setup_chassis_file(s->setup->options), &lines,
					     o->run->progress)
			    : 0;
	uint64_t entries = before ? tables_changed(before, f) : 0;
	bool first = !w->again;
	char how[80];
	int rc = 0;

	tell_changes(&lines, round, o);
	w->entries[HISTORY - 1] = entries;
	json_object_set_new(round, "entries", json_integer((json_int_t)entries));
	text_free(&lines);
	if (before && f->warnings.missing && !before->warnings.missing) {
		out_text(o, "a part of the fabric did not answer: what was read before stays\n");
		w->followed = false;
		fabric_unref(f);
	} else if (before && !n && !entries && (!first || in_force(s))) {
		session_read_now(s);
		out_text(o, "nothing changed%s\n", first || w->followed ? "" : "; what was wrong still is");
		fabric_unref(f);
		rc = first ? tell_followed(s, w, round, o, e) : 0;
	} else {
		if (before)
			snprintf(how, sizeof(how), "live (%s, %s)", n == 1 ? "1 change" : PLURAL(n, "change"),
				 PLURAL(entries, "table entry"));
		else
			snprintf(how, sizeof(how), "live");
		rc = publish(s, f, how, o, e);
		if (!rc)
			session_read_now(s);
		if (!rc)
			rc = tell_followed(s, w, round, o, e);
		json_object_set_new(round, "event", json_integer((json_int_t)s->at));
	}
	json_object_set_new(round, "followed", json_boolean(w->followed));
	o->run->found_fault |= !w->followed;
	return rc;
}

/* Is the loaded fabric an earlier reading, with its tables? */
static bool read_before(const struct session *s)
{
	return s->loaded && !strcmp(s->loaded->format, "live") && fabric_switch_tables(s->loaded);
}

/* Adds a figure of the last rounds as a line of history; nothing if all are 0. */
static void add_history(const char *what, const uint64_t *n, unsigned rounds, struct text *t)
{
	const uint64_t *first = n + HISTORY - rounds;
	uint64_t most = 0;

	for (unsigned i = 0; i < rounds; i++)
		most = first[i] > most ? first[i] : most;
	if (!most)
		return;
	text_add(t, "%s%s ", t->len ? ", " : "", what);
	text_levels(t, first, rounds, most);
	text_add(t, " (most %" PRIu64 ")", most);
}

/* From the third round on, the last rounds beside each other. */
static void tell_history(const struct watch *w, unsigned number, struct out *o)
{
	unsigned rounds = number < HISTORY ? number : HISTORY;
	struct text t = {0};

	if (number > 2) {
		add_history("table entries changed", w->entries, rounds, &t);
		add_history("pairs unreachable", w->unreachable, rounds, &t);
	}
	if (t.len)
		out_text(o, "The last %u rounds: %s\n", rounds, t.s);
	text_free(&t);
}

/* Read once.  If a later reading fails, the error is shown and the next round tries again. */
static int do_round(struct session *s, struct watch *w, unsigned number, struct out *o, struct err *e)
{
	const struct fabric *before = read_before(s) ? fabric_ref(s->loaded) : NULL;
	json_t *round = json_make("{s:i}", "round", (int)number);
	struct fabric *f;
	int rc = live_discover_tables(w->ca, w->port, LIVE_LFTS, LIVE_SILENCE_S, &f, o->run->progress, e);

	memmove(w->entries, w->entries + 1, sizeof(w->entries) - sizeof(*w->entries));
	memmove(w->unreachable, w->unreachable + 1, sizeof(w->unreachable) - sizeof(*w->unreachable));
	w->entries[HISTORY - 1] = 0; /* what is unreachable still is, until it is counted again */
	out_text(o, "[%u] ", number);
	if (!rc) {
		rc = take_round(s, w, f, before, round, o, e);
	} else if (before && !progress_cancelled(o->run->progress)) {
		out_text(o, "%s\n", e->msg);
		json_object_set_new(round, "failed", json_text(e->msg));
		o->run->unanswered = true;
		rc = 0;
	}
	if (!rc)
		tell_history(w, number, o);
	if (o->run->json)
		json_array_append(w->list, round);
	json_decref(round);
	w->again = true;
	fabric_unref(before);
	if (!o->run->json)
		fflush(o->run->f);
	return rc;
}

/* Wait some seconds; the screen shows the age of the last reading.  False when stopped. */
static bool wait_seconds(unsigned seconds, struct progress *p)
{
	double from = now_seconds();

	progress_start(p, "watching: seconds since the fabric was read", seconds);
	while (now_seconds() - from < seconds) {
		if (!progress_step(p, (unsigned)(now_seconds() - from)))
			return false;
		poll(NULL, 0, 50);
	}
	return true;
}

static int cmd_watch(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct watch w = {.seconds = (unsigned)args_number(args, "SECONDS", WATCH_S),
			  .rounds = (unsigned)args_number(args, "rounds N", 0)};
	const char *device = args_word(args, "CA[:PORT]", NULL);
	int rc = device ? live_parse_target(device, &w.ca, &w.port, e) : 0;

	w.list = json_array();
	for (unsigned i = 1; !rc; i++) {
		rc = do_round(s, &w, i, o, e);
		if (rc || i == w.rounds)
			break;
		if (!wait_seconds(w.seconds, o->run->progress))
			rc = err_set(e, CANCELLED);
	}
	out_json(o, "rounds", w.list);
	free(w.ca);
	return rc;
}

/* --- counters ------------------------------------------------------------------------------------------ */

/* Lines "NAME VALUE" of the process that asked the port. */
static void tell_counters(const char *lines, struct out *o)
{
	json_t *obj = json_object();
	unsigned errors = 0;

	for (const char *s = lines; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		char name[40];
		unsigned long v;

		if (sscanf(s, "%39s %lu", name, &v) != 2)
			continue;
		json_object_set_new(obj, name, json_integer((json_int_t)v));
		if (v || strstr(name, "_data") || strstr(name, "_packets"))
			out_text(o, "  %-32s %12lu\n", name, v);
		errors += v && !strstr(name, "_data") && !strstr(name, "_packets");
	}
	if (!errors && json_object_size(obj))
		out_text(o, "  All counters of errors and congestion are 0.\n");
	out_json(o, "counters", obj);
}

static int cmd_counters(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *of = args->arg[0].word;
	uint32_t port = session_port(s, of, e), node, ep;
	char name[] = "/proc/self/exe", flag[] = LIVE_COUNTERS_FLAG, lid[12], num[12], device[12];
	char *argv2[] = {name, flag, NULL, device, lid, num, NULL};
	char *ca = NULL;
	struct text lines = {0};
	int at = 0, rc;
	FILE *to;

	if (port == NO_ID || live_parse_target(args_word(args, "CA[:PORT]", ""), &ca, &at, e))
		return -1;
	node = s->fabric->port_node[port];
	ep = s->fabric->port_endport[node_is_switch(s->fabric, node) ? s->fabric->node_port[node] : port];
	snprintf(lid, sizeof(lid), "%u", ep == NO_ID ? 0 : endport_lid(s->fabric, session_lids(s), ep));
	snprintf(num, sizeof(num), "%u", s->fabric->port_num[port]);
	snprintf(device, sizeof(device), "%d", at);
	if (!strcmp(lid, "0")) {
		free(ca);
		return err_set(e, "%s has no LID, so its counters cannot be read", of);
	}
	argv2[2] = ca ? ca : str_dup("");
	to = text_stream(&lines);
	rc = live_again(argv2, to, o->run->progress, e);
	fclose(to);
	free(argv2[2]);
	if (!rc) {
		out_text(o, "%s, LID %s, counters since they were reset:\n", PORT_LABEL(s->fabric, port),
			 lid);
		if (o->object)
			json_put_port(o->object, "of", s->fabric, session_lids(s), port);
		tell_counters(text_str(&lines), o);
	}
	text_free(&lines);
	return rc;
}

const struct command watch_commands[] = {
	{.name = "watch",
	 .in_rounds = true,
	 .numbers = ARG_NUMBERS(ARG_NUMBER("SECONDS", 0, LIVE_WATCH_MOST,
					   "a number up to " NUMBER_TEXT(LIVE_WATCH_MOST), NULL),
				ARG_NUMBER("rounds N", 0, LIVE_WATCH_ROUNDS,
					   "a number up to " NUMBER_TEXT(LIVE_WATCH_ROUNDS), NULL)),
	 .syntax = "watch [SECONDS] [rounds N] [on CA[:PORT]]",
	 .help = "read the live fabric and its tables again and again; each change becomes an event, with "
		 "its effects",
	 .details = "  SECONDS between two readings (10); until Esc, or N readings.  watch sends only Get "
		    "requests, few at a time.  After\n"
		    "  each change it tells what changed in the fabric, in the tables and paths, and whether "
		    "the tables have\n"
		    "  followed: by the same rules as `check`.  The bottom line tells the age of the last "
		    "reading.  From the third\n"
		    "  reading on, a line shows the last 40 side by side: table entries that changed, pairs "
		    "without a path.\n",
	 .finds = "tables lag behind the fabric; 3 when a reading fails",
	 .json = "rounds[] object readings\n"
		 "rounds[].round integer(1..) its number, from 1\n"
		 "rounds[].changes[] string? differences to the reading before, as of `live`\n"
		 "rounds[].entries integer? table entries that changed\n"
		 "rounds[].dead_entries integer? entries by which a packet cannot go on\n"
		 "rounds[].pairs integer? pairs of hosts looked at\n"
		 "rounds[].unreachable integer? pairs of hosts without a path\n"
		 "rounds[].no_lid integer? endports without a LID\n"
		 "rounds[].followed boolean? no entry is dead, and check calls them sound; of rounds without "
		 "a change: as before\n"
		 "rounds[].event integer? number of the event it became\n"
		 "rounds[].failed string? why it read nothing\n" JSON_EVENT,
	 .run = cmd_watch},
	{.name = "counters",
	 .syntax = "counters PORT [CA[:PORT]]",
	 .help = "error and congestion counters of a port of the live fabric (PortCounters, read only)",
	 .needs = NEEDS_FABRIC,
	 .json = "of port the port\n"
		 "counters object? what was counted\n"
		 "counters.* integer counters by name\n",
	 .run = cmd_counters},
	{.name = NULL},
};
