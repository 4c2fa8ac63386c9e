/* `counters`: what ports have counted, live or as tools wrote it, and the difference of two readings. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/session/commands/commands.h"
#include "core/session/out.h"
#include "core/source/live.h"

#define SHOWN 20
static_assert(N_COUNTERS <= 32, "measured_port.told has a bit for each");
#define HOT 5 /* nodes or modules */

/* --- one port of a live fabric ---------------------------------------------------------------------- */

static json_t *counters_json(uint32_t told, const uint64_t *value)
{
	json_t *o = json_object();

	for (unsigned k = 0; k < N_COUNTERS; k++)
		if (told >> k & 1)
			json_object_set_new(o, counter_words[k], json_integer((json_int_t)value[k]));
	return o;
}

static void counters_command_tell_port(const struct counted_port *c, struct out *o)
{
	unsigned errors = 0;

	for (unsigned k = 0; k < N_COUNTERS; k++) {
		if (c->value[k] || k >= COUNT_TRANSMIT_DATA)
			out_text(o, "  %-32s %12" PRIu64 "\n", counter_words[k], c->value[k]);
		errors += k < COUNT_TRANSMIT_DATA && c->value[k];
	}
	if (!errors && c->told)
		out_text(o, "  All counters of errors and congestion are 0.\n");
	out_json(o, "counters", counters_json(c->told, c->value));
}

static int of_port(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	uint32_t port = session_port(s, args->arg[0].word, e);
	struct counter_reading r = {0};
	AUTO_FREE char *ca = NULL;
	int at = 0;

	if (port == NO_ID || live_parse_target(args_word(args, "CA[:PORT]", ""), &ca, &at, e))
		return -1;
	int rc = counters_live_port(s, (struct counters_device){ca, at}, port, &r, o->run->progress, e);
	if (!rc && !r.n)
		rc = err_set(e, "%s did not answer", PORT_LABEL(s->fabric, port));
	if (!rc) {
		out_text(o, "%s, LID %u, counters since they were reset:\n", PORT_LABEL(s->fabric, port),
			 r.port[0].lid);
		if (o->object)
			json_put_port(o->object, "of", s->fabric, session_lids(s), port);
		counters_command_tell_port(&r.port[0], o);
	}
	counters_free(&r);
	return rc;
}

/* --- all ports --------------------------------------------------------------------------------------- */

static void tell_reading(const char *what, const struct counter_reading *r, json_t *list, struct out *o)
{
	out_text(o, "%s: %s", what, r->source ? r->source : "live");
	if (r->when)
		out_text(o, " (%s)", r->when);
	out_text(o, ".\n");
	if (r->other)
		out_text(o, "  Of another run: %s.\n", r->other);
	if (r->sums)
		out_text(o, "  %s of all ports of a node: left out.\n", PLURAL(r->sums, "sum"));
	if (r->unread)
		out_text(o, "  %s not understood, the first in line %u.\n", PLURAL(r->unread, "row"),
			 r->unread_at);
	json_array_append_new(list, json_make("{s:s*, s:s*, s:s*, s:i, s:i}", "file", r->source, "time",
					      r->when, "other_run", r->other, "sums", (int)r->sums, "unread",
					      (int)r->unread));
}

struct counters_command_row {
	uint32_t port;
	unsigned faults; /* how many kinds */
	uint64_t errors; /* that make it one, in all */
};

COMPARATOR(worst_first, struct counters_command_row, DOWN(faults) DOWN(errors) UP(port))

/* The words whose bits are set. */
static json_t *words_of_bits(uint32_t bits, const char *const *word)
{
	json_t *list = json_array();

	for (; bits; bits >>= 1, word++)
		if (bits & 1)
			json_array_append_new(list, json_text(*word));
	return list;
}

static json_t *counters_command_port_json(const struct session *s, const struct measured_port *x,
					  uint32_t port)
{
	json_t *obj = json_make("{s:o, s:b, s:o, s:o, s:o}", "counters", counters_json(x->told, x->grown),
				"reset", x->reset, "faults", words_of_bits(x->faults, port_fault_words),
				"at_top", words_of_bits(x->top, counter_words), "wrapped",
				words_of_bits(x->wrapped, counter_words));
	char cable[CABLE_TEXT];

	assert(port < s->fabric->n_ports);
	json_put_port(obj, "name", s->fabric, session_lids(s), port);
	json_put_port(obj, "peer", s->fabric, session_lids(s), s->fabric->port_peer[port]);
	for (unsigned k = 0; k < N_BERS; k++) {
		char key[24];

		snprintf(key, sizeof(key), "%s_ber", ber_words[k]);
		if (x->ber[k] >= 0)
			json_object_set_new(obj, key, json_real(x->ber[k]));
	}
	if (x->temperature > TEMPERATURE_NONE)
		json_object_set_new(obj, "temperature", json_real(x->temperature));
	if (x->most > TEMPERATURE_NONE)
		json_object_set_new(obj, "temperature_limit", json_real(x->most));
	if (x->cable)
		json_object_set_new(obj, "cable", json_text(cable_text(x->cable, cable)));
	return obj;
}

static void counters_command_number(const struct measured_port *x, enum counter k, char buf[32])
{
	if (x->told >> k & 1)
		snprintf(buf, 32, "%s%" PRIu64, x->top >> k & 1 ? ">=" : "", x->grown[k]);
	else
		snprintf(buf, 32, "-");
}

static void counters_command_tell_row(const struct session *s, const struct measured_port *x, uint32_t port,
				      struct out *o)
{
	static const enum counter shown[] = {COUNT_SYMBOL,   COUNT_DOWNED, COUNT_RECEIVE,
					     COUNT_DISCARDS, COUNT_WAIT,   COUNT_TRANSMIT_DATA};
	char cell[ARRAY_LEN(shown)][32];
	AUTO_TEXT struct text t = {0}, why = {0};

	for (size_t i = 0; i < ARRAY_LEN(shown); i++)
		counters_command_number(x, shown[i], cell[i]);
	for (unsigned k = 0; k < N_PORT_FAULTS; k++)
		if (x->faults >> k & 1)
			text_add(&t, "%s%s", t.len ? ", " : "", port_fault_words[k]);
	measured_tell(x, x->faults & 1u << FAULT_DEGRADED, &why);
	out_text(o, "%8s %6s %8s %8s %12s %16s  " ROW_CUT("%s") " -> " ROW_CUT("%s") "  %s%s%s%s\n", cell[0],
		 cell[1], cell[2], cell[3], cell[4], cell[5], PORT_LABEL(s->fabric, port),
		 PORT_LABEL(s->fabric, s->fabric->port_peer[port]), text_str(&t), why.len ? ": " : "",
		 text_str(&why),
		 x->reset     ? " (reset)"
		 : x->wrapped ? " (wrapped)"
			      : "");
}

struct heat {
	double degrees;
	uint32_t port;
};

COMPARATOR(hottest_first, struct heat, DOWN(degrees) UP(port))

static void tell_heat(const struct session *s, const struct measured *m, struct out *o)
{
	AUTO_FREE struct heat *h = NEW_ARRAY(m->n + 1, struct heat);
	uint32_t n = 0;

	for (uint32_t port = 0; port < s->fabric->n_ports; port++) {
		const struct measured_port *x = measured_of(m, port);

		if (x && x->temperature > TEMPERATURE_NONE)
			h[n++] = (struct heat){x->temperature, port};
	}
	qsort(h, n, sizeof(*h), hottest_first);
	if (n)
		out_text(o, "Temperatures of nodes and modules (%u), hottest first:\n", n);
	for (uint32_t i = 0; i < n && i < HOT; i++) {
		const struct cable_part *cable = measured_of(m, h[i].port)->cable;
		char words[CABLE_TEXT];

		out_text(o, "%6.0f C  " ROW_CUT("%s"), h[i].degrees,
			 s->fabric->port_num[h[i].port]
				 ? PORT_LABEL(s->fabric, h[i].port)
				 : s->fabric->node_name[s->fabric->port_node[h[i].port]]);
		if (cable)
			out_text(o, "  %s", cable_text(cable, words));
		out_text(o, "\n");
	}
}

static void tell_sums(const struct measured *m, struct out *o)
{
	const struct {
		uint32_t n;
		const char *what, *is;
	} sums[] = {
		{m->unknown, "row", "of ports that the fabric does not have: left out"},
		{m->alone, "port", "in one of the readings alone: not compared"},
		{m->n_reset, "port", "reset between the readings: what was counted since then"},
		{m->n_wrapped, "port", "with a counter that went round once: added"},
		{m->n_top, "port", "with a counter at its top: it may have counted more (>=)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(sums); i++)
		if (sums[i].n)
			out_text(o, "%s %s.\n", PLURAL(sums[i].n, sums[i].what), sums[i].is);
}

static int tell_all(struct session *s, bool whole, struct out *o, struct err *e)
{
	struct measured *m = session_measured(s);
	uint32_t n = 0;

	if (!m)
		return err_set(e, "no reading of counters yet: `counters all FILE` or `counters all live`");
	json_t *list = json_array(), *readings = json_array();
	tell_reading(m->two ? "Now" : "Counted since the counters were reset", s->counted[0], readings, o);
	if (m->two)
		tell_reading("Before; what grew since then", s->counted[1], readings, o);
	AUTO_FREE struct counters_command_row *row = NEW_ARRAY(m->n + 1, struct counters_command_row);
	for (uint32_t port = 0; port < s->fabric->n_ports; port++) {
		const struct measured_port *x = measured_of(m, port);
		struct counters_command_row *r = &row[n];

		if (!x)
			continue;
		*r = (struct counters_command_row){.port = port};
		for (unsigned k = 0; k < N_PORT_FAULTS; k++)
			r->faults += x->faults >> k & 1;
		for (unsigned k = 0; k < COUNT_WAIT; k++)
			r->errors += x->told >> k & 1 ? x->grown[k] : 0;
		n += r->faults > 0;
		if (o->object)
			json_array_append_new(list, counters_command_port_json(s, x, port));
	}
	tell_sums(m, o);
	qsort(row, n, sizeof(*row), worst_first);
	out_text(o, "%s told; ", PLURAL(m->n, "port"));
	out_text(o, "with errors %u, flapped %u, congested %u, degraded %u.\n", m->n_faults[FAULT_ERRORS],
		 m->n_faults[FAULT_FLAPPED], m->n_faults[FAULT_CONGESTED], m->n_faults[FAULT_DEGRADED]);
	if (n)
		out_text(o, "%8s %6s %8s %8s %12s %16s\n", "symbol", "downed", "receive", "discards", "wait",
			 "sent");
	for (uint32_t i = 0; i < n && (whole || i < SHOWN); i++)
		counters_command_tell_row(s, measured_of(m, row[i].port), row[i].port, o);
	if (!whole && n > SHOWN)
		out_text(o, "  ... %s; `counters all all` prints them\n", PLURAL(n - SHOWN, "more port"));
	tell_heat(s, m, o);
	json_t *counts = json_object();
	for (unsigned k = 0; k < N_PORT_FAULTS; k++)
		json_object_set_new(counts, port_fault_words[k], json_integer(m->n_faults[k]));
	out_json(o, "readings", readings);
	out_json(o, "measured",
		 json_make("{s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "told", (int)m->n, "unknown",
			   (int)m->unknown, "alone", (int)m->alone, "reset", (int)m->n_reset, "wrapped",
			   (int)m->n_wrapped, "at_top", (int)m->n_top, "faults", counts, "ports", list));
	measured_free(m);
	return 0;
}

/* `counters all live [CA[:PORT]]` */
static int read_live(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	struct counter_reading r = {0};
	AUTO_FREE char *ca = NULL;
	int at = 0;

	if (live_parse_target(args_word(args, "CA[:PORT]", ""), &ca, &at, e))
		return -1;
	int rc = counters_live(s, (struct counters_device){ca, at}, &r, o->run->progress, e);
	if (rc)
		counters_free(&r);
	else
		session_count(s, &r);
	return rc;
}

static int cmd_counters(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct arg *file = NULL;

	if (!args_has(args, "all"))
		return of_port(s, args, o, e);
	if (args_has(args, "forget")) {
		session_uncount(s);
		out_text(o, "No reading of counters is held.\n");
		return 0;
	}
	if (args_has(args, "live") && read_live(s, args, o, e))
		return -1;
	while ((file = args_next(args, "FILE", file))) {
		struct counter_reading r;

		if (counters_load(file->word, &r, o->run->progress, e)) {
			counters_free(&r);
			return -1;
		}
		session_count(s, &r);
	}
	return tell_all(s, args->n > 1 && args_end(args, "all"), o, e);
}

/* --- the subnet manager's log -----------------------------------------------------------------------------
 */

static const struct {
	enum logged_kind kind;
	const char *word, *says;
} log_counts[] = {
	{LOGGED_SWEEP, "up", "heavy sweeps that succeeded"},
	{LOGGED_SWEEP, "failed", "heavy sweeps that failed"},
	{LOGGED_SWEEP, "light", "light sweeps"},
	{LOGGED_ENGINE, NULL, "routed"},
	{LOGGED_REFUSED, NULL, "refused the fabric"},
	{LOGGED_STATE, NULL, "was the manager's state"},
};

/* Sweeps, engines and states, how often and when. */
static json_t *log_command_counts(const struct opensm_log *log, struct out *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_LEN(log_counts); i++) {
		for (const struct logged *g = log->group; g < log->group + log->n; g++) {
			const char *word = log_counts[i].word, *why = g->text && *g->text ? g->text : NULL;

			if (g->kind != log_counts[i].kind || (word && strcmp(g->word, word) != 0))
				continue;
			out_text(o, "%6u x " ROW_PROSE "%s%s%s, last %s", g->count, word ? "" : g->word,
				 word ? "" : " ", log_counts[i].says, g->last);
			if (why)
				out_text(o, ": %s", why);
			out_text(o, "\n");
			json_array_append_new(list, json_make("{s:s, s:s, s:I, s:s, s:s, s:s*}", "what",
							      log_counts[i].says, "word", g->word, "count",
							      (json_int_t)g->count, "first", g->first, "last",
							      g->last, "why", why));
		}
	}
	return list;
}

static int log_command_tell(const struct session *s, const struct opensm_log *log, struct out *o,
			    struct err *e)
{
	AUTO_ARENA void *arena = ARENA_EMPTY;
	const struct log_join *j = log_join_new(arena, log, s->fabric, session_lids(s));
	const struct log_fault *x = log_faults(arena, j, e);
	json_t *errors = json_array();

	out_text(o, ROW_PROSE "%s: %s, %s to %s.\n", log->source, PLURAL(log->entries, "entry"), log->first,
		 log->last);
	if (j->strange)
		out_text(o, "It is another fabric's: of %s this one lacks %u.\n", PLURAL(j->named, "GUID"),
			 j->absent);
	out_json(o, "log",
		 json_make("{s:s, s:s, s:s, s:I, s:b, s:o}", "file", log->source, "first", log->first, "last",
			   log->last, "entries", (json_int_t)log->entries, "strange", j->strange, "counts",
			   log_command_counts(log, o)));
	for (; x && x->code; x++) {
		json_t *row = json_object();

		fields_json(row, log_fault_fields, x);
		json_array_append_new(errors, row);
		const char *at = x->places ? ", at " : "";
		out_text(o, "%6u x " ROW_PROSE "%s: %s%s%s\n", x->count, x->code, x->brief, at,
			 *at ? x->places : "");
		out_text(o, "         " ROW_PROSE "first %s, last %s%s\n", x->first, x->last,
			 x->old ? ", before the last good sweep" : "");
		if (x->means)
			out_text(o, "         " ROW_PROSE "%s%s%s\n", x->means, x->remedy ? " Do: " : "",
				 x->remedy ? x->remedy : "");
	}
	out_json(o, "errors", errors);
	return x ? 0 : -1;
}

static int cmd_log(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args_word(args, "FILE", NULL);
	struct opensm_log *log = path ? opensm_log_load(path, o->run->progress, e) : NULL;

	if (path && !log)
		return -1;
	if (args->n)
		session_take_log(s, log);
	log = session_log(s);
	if (!log && !args->n)
		return err_set(e, "no log of a subnet manager is known: `log FILE`, or load its folder");
	int rc = log ? log_command_tell(s, log, o, e) : 0;
	opensm_log_unref(log);
	return rc;
}

static_assert(ERRORS_LEAST == 10 && DOWN_LEAST == 10 && DISCARDS_LEAST == 100 && WAIT_DATA == 4,
	      "commands.help tells these numbers");

const struct command counter_commands[] = {
	{.name = "counters",
	 .group = LOOK,
	 .syntax = "counters PORT [CA[:PORT]] | all [all] | all live [CA[:PORT]] | all forget | all FILE...",
	 .help = "error and congestion counters of a live port, or of all ports: one reading, or two and "
		 "what grew",
	 .needs = NEEDS_FABRIC,
	 .json = "of port? the port\n"
		 "counters object? what was counted\n"
		 "counters.* integer counters by name\n"
		 "readings[] object? the last reading, and the one before\n"
		 "readings[].file string? file or folder; none: live\n"
		 "readings[].time string? as the file tells it\n"
		 "readings[].other_run string? a file of the folder that is of another run\n"
		 "readings[].sums integer rows for all ports of a node, left out\n"
		 "readings[].unread integer rows that are not understood\n"
		 "measured object? what ports counted, or by how much that grew between two readings\n"
		 "measured.told integer ports that the last reading tells of\n"
		 "measured.unknown integer its rows for ports that the fabric does not have\n"
		 "measured.alone integer ports in one of two readings alone\n"
		 "measured.reset integer ports whose counters were reset in between\n"
		 "measured.wrapped integer ports with a counter that went round\n"
		 "measured.at_top integer ports with a counter at its top\n"
		 "measured.faults object ports with each kind of fault\n"
		 "measured.faults.errors integer damaged packets, links trained anew\n"
		 "measured.faults.flapped integer links that were down\n"
		 "measured.faults.congested integer packets waited long or were discarded\n"
		 "measured.faults.degraded integer bit error rate or temperature above its limit\n"
		 "measured.ports[] object the ports\n"
		 "measured.ports[].name port the port\n"
		 "measured.ports[].peer port the other end\n"
		 "measured.ports[].counters object counters that are told\n"
		 "measured.ports[].counters.* integer by name; transmit_data in words of four bytes\n"
		 "measured.ports[].reset boolean reset in between: counted since then\n"
		 "measured.ports[].faults[] string(errors/flapped/congested/degraded) what is wrong\n"
		 "measured.ports[].at_top[] string counters at their top: it may be more\n"
		 "measured.ports[].wrapped[] string counters that went round\n"
		 "measured.ports[].raw_ber number? bit error rate before correction\n"
		 "measured.ports[].effective_ber number? after correction\n"
		 "measured.ports[].symbol_ber number? of symbols after correction\n"
		 "measured.ports[].temperature number? of the module, of port 0 of the node, in degrees C\n"
		 "measured.ports[].temperature_limit number? of the module\n"
		 "measured.ports[].cable string? maker, part and serial number\n",
	 .run = cmd_counters},
	{.name = "log",
	 .group = LOOK,
	 .syntax = "log [FILE|forget]",
	 .help = "the subnet manager's log: errors in plain words, links that went down, sweeps, engines",
	 .needs = NEEDS_FABRIC,
	 .json = "log object? the file\n"
		 "log.file string its path\n"
		 "log.first string time of its first entry; no year is told\n"
		 "log.last string time of its last entry\n"
		 "log.entries integer lines with a time\n"
		 "log.strange boolean most GUIDs that it names are not in this fabric\n"
		 "log.counts[] object sweeps, engines, states of the manager\n"
		 "log.counts[].what string what is counted\n"
		 "log.counts[].word string the engine or state; of sweeps up, failed, light\n"
		 "log.counts[].count integer how often\n"
		 "log.counts[].first string time of the first\n"
		 "log.counts[].last string time of the last\n"
		 "log.counts[].why string? of a refusal, what the log says before\n"
		 "errors[] object? errors by code\n"
		 "@errors[].\n",
	 .rows = {log_fault_fields},
	 .run = cmd_log},
	{.name = NULL},
};
