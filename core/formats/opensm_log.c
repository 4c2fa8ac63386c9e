/* OpenSM's log: lines to entries, entries of one place to groups, groups to ports and cables of a fabric. */
#include "core/formats/opensm_log.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/wordlist.h"
#include "core/fabric/names.h"

#define FOLD_LEAST 4096 /* entries; if there are more, those of one place are put together now and then */
#define TEXT_MOST 200	/* bytes of a text */
#define TOLD_MOST 4	/* switches that tell of one change; with more, no cable can be named */

struct log_reader {
	struct opensm_log *log;
	struct lines lines;
	char time[LOG_TIME]; /* of the last entry */
	struct cursor thread, said;
	size_t error;	  /* 1 + place of an error of which the next lines tell more; 0: none */
	struct cursor of; /* its thread */
	/* since the last sweep: LIDs of switches that told of a change, ports that are gone */
	unsigned told[TOLD_MOST], n_told, alone, n_gone;
	uint64_t gone;
};

COMPARATOR(by_place, struct logged, UP(kind) TEXT(word) UP(guid) UP(lid) UP(port) UP(other_lid) TEXT(path))
COMPARATOR(by_place_and_line, struct logged, ORDER(by_place(a_, b_), 0); UP(first_line))

static void log_fold(struct opensm_log *log)
{
	size_t n = 0;

	if (log->n)
		qsort(log->group, log->n, sizeof(*log->group), by_place_and_line);
	for (size_t i = 0; i < log->n; i++) {
		struct logged *x = &log->group[i], *to = n ? &log->group[n - 1] : NULL;

		if (!to || by_place(to, x)) {
			log->group[n++] = *x;
			continue;
		}
		free(to->text);
		to->text = x->text;
		to->count += x->count;
		to->last_line = x->last_line;
		memcpy(to->last, x->last, LOG_TIME);
	}
	log->n = n;
}

/* A new entry of the present line, at the place that a text tells. */
static struct logged *log_add(struct log_reader *d, enum logged_kind kind, struct cursor word)
{
	struct opensm_log *log = d->log;

	if (log->n == log->cap && log->n >= FOLD_LEAST) {
		log_fold(log);
		log->cap *= log->n > log->cap / 2 ? 2 : 1;
		log->group = mem_resize(log->group, log->cap, sizeof(*log->group));
	}
	GROW(log->group, log->n, log->cap);
	struct logged *x = &log->group[log->n++];
	*x = (struct logged){
		.kind = (uint8_t)kind, .count = 1, .first_line = d->lines.no, .last_line = d->lines.no};
	snprintf(x->word, sizeof(x->word), "%.*s", CUR_ARGS(word));
	memcpy(x->first, d->time, LOG_TIME);
	memcpy(x->last, d->time, LOG_TIME);
	d->error = kind == LOGGED_ERROR ? log->n : 0;
	return x;
}

/* Takes the first GUID, LID and port that a text names: "node 0x2c9 (leaf) port 6", "from LID:5 Port 3". */
static void log_place(struct cursor c, struct logged *x)
{
	static const char *const with_guid[] = {"GUID", "node", "switch", "port", "sw", "CA"};

	while (!cur_empty(&c)) {
		struct cursor word = c;
		bool is_guid = false;
		uint64_t v;

		while (!cur_empty(&c) && isalpha((unsigned char)*c.p))
			c.p++;
		if (cur_begins(word, "(0x")) { /* "leaf-01 (0x2c9)" */
			is_guid = true;
			c.p++;
		}
		word.end = c.p;
		struct cursor at = c;
		for (size_t i = 0; i < ARRAY_LEN(with_guid); i++)
			is_guid = is_guid || cur_is(word, with_guid[i]);
		cur_word(&at, "num");
		while (cur_char(&at, ':') || cur_char(&at, '=') || cur_char(&at, '('))
			;
		bool hex = cur_begins(cur_trimmed(at), "0x");
		if (word.p == word.end || !cur_number(&at, 0, &v)) {
			c.p += word.p == word.end;
			continue;
		}
		c = at;
		if (is_guid && hex && !x->guid)
			x->guid = v;
		else if (cur_is(word, "port") && !hex && v <= MAX_PORTS && !x->port)
			x->port = (uint8_t)v;
		else if (cur_is(word, "LID") && !hex && v <= MAX_LID && !x->lid)
			x->lid = (uint16_t)v;
	}
}

/*
 * The end of a sweep.  A notice (trap 128) names a switch alone: the two switches that told of a change since
 * the last sweep share the link that changed.  When a link goes down, the notice of one end is often lost
 * with it: the switch that told alone before is a part of the same flap.
 */
static void log_sweep_end(struct log_reader *d)
{
	for (unsigned i = 0; i < d->n_told; i++)
		for (unsigned k = i + 1; k < d->n_told; k++) {
			struct logged *x = log_add(d, LOGGED_CHANGE, cur_text(""));

			x->lid = (uint16_t)MIN(d->told[i], d->told[k]);
			x->other_lid = (uint16_t)MAX(d->told[i], d->told[k]);
			x->count += d->n_told == 2 && (d->alone == x->lid || d->alone == x->other_lid);
		}
	d->alone = d->n_told == 1 && !d->n_gone ? d->told[0] : 0;
	if (d->n_gone == 1)
		log_add(d, LOGGED_GONE, cur_text(""))->guid = d->gone;
	d->n_told = d->n_gone = 0;
}

/* A line whose text has both pieces is an entry of this kind. */
static const struct log_form {
	const char *piece, *and;
	uint8_t kind;	  /* enum logged_kind */
	const char *word; /* NULL: what follows the piece; "<": what stands before it */
} log_forms[] = {
	{"ERR ", "", LOGGED_ERROR, NULL},
	{"num:129 ", "Received Generic", LOGGED_ERROR, "trap129"},
	{"num:130 ", "Received Generic", LOGGED_ERROR, "trap130"},
	{"num:131 ", "Received Generic", LOGGED_ERROR, "trap131"},
	{"num:256 ", "Received Generic", LOGGED_ERROR, "trap256"},
	{"num:257 ", "Received Generic", LOGGED_ERROR, "trap257"},
	{"num:258 ", "Received Generic", LOGGED_ERROR, "trap258"},
	{"num:259 ", "Received Generic", LOGGED_ERROR, "trap259"},
	{"num:128 ", "Received Generic", LOGGED_CHANGE, ""},
	{" tables configured on all switches", "", LOGGED_ENGINE, "<"},
	{": cannot build ", "", LOGGED_REFUSED, "<"},
	{"setup of routing engine '", "' failed", LOGGED_REFUSED, NULL},
	{"Activate '", "routing engine", LOGGED_WANTED, NULL},
	{" changed state from ", " to DOWN", LOGGED_DOWN, ""},
	{"Unlinking local node ", "pi_rcv", LOGGED_DOWN, ""}, /* of drop_mgr: a node is gone */
	{"Removed port with ", "", LOGGED_GONE, ""},
	{"Discovered new port with ", "", LOGGED_SEEN, ""},
	{"Setting IS_SM on ", "", LOGGED_SEEN, "sm"},
	{"SUBNET UP", "", LOGGED_SWEEP, "up"},
	{"Errors during initialization", "", LOGGED_SWEEP, "failed"},
	{"HEAVY SWEEP START", "", LOGGED_SWEEP, "heavy"},
	{"INITIATING HEAVY SWEEP", "", LOGGED_SWEEP, "heavy"},
	{"LIGHT SWEEP START", "", LOGGED_SWEEP, "light"},
	{"INITIATING LIGHT SWEEP", "", LOGGED_SWEEP, "light"},
	{"Entering ", " state", LOGGED_STATE, NULL},
	{"Exiting SM", "", LOGGED_STATE, "exited"},
};

static struct cursor log_word_at(struct cursor text, const char *begin, bool before)
{
	struct cursor word = {begin, begin};

	while (before && word.p > text.p && (isalnum((unsigned char)word.p[-1]) || strchr("_-", word.p[-1])))
		word.p--;
	while (!before && word.end < text.end &&
	       (isalnum((unsigned char)*word.end) || strchr("_-", *word.end)))
		word.end++;
	return word;
}

static void log_told_change(struct log_reader *d, unsigned lid)
{
	unsigned i = 0;

	while (i < d->n_told && d->told[i] != lid)
		i++;
	if (lid && i == d->n_told && i < TOLD_MOST)
		d->told[d->n_told++] = lid;
}

static void log_take(struct log_reader *d, const struct log_form *form, struct cursor text)
{
	bool before = form->word && *form->word == '<';
	const char *at = cur_find(&text, form->piece), *behind = at + strlen(form->piece);
	struct cursor word = log_word_at(text, before ? at : behind, before);
	if (form->word && !before)
		word = cur_text(form->word);
	struct cursor rest = {behind, text.end};
	struct logged place = {0};
	char code[LOG_WORD];

	log_place(text, &place);
	if (form->kind == LOGGED_CHANGE) {
		log_told_change(d, place.lid);
		return;
	}
	if (form->kind == LOGGED_SWEEP && cur_is(word, "up"))
		log_sweep_end(d);
	if (form->kind == LOGGED_GONE) {
		d->n_gone++;
		d->gone = place.guid;
	}
	if (form->kind == LOGGED_SEEN && form->word && *form->word)
		d->log->sm_guid = place.guid;
	/* the performance manager's codes are also those of others */
	bool perfmgr = cur_find(&text, "perfmgr_") || cur_find(&text, "PerfMgr: ERR");
	if (form->kind == LOGGED_ERROR && perfmgr) {
		snprintf(code, sizeof(code), "PerfMgr-%.*s", (int)MIN(cur_len(word), 8), word.p);
		word = cur_text(code);
	}
	struct logged *x = log_add(d, form->kind == LOGGED_GONE ? LOGGED_SEEN : form->kind, word);
	x->guid = place.guid;
	x->lid = place.lid;
	x->port = place.port;
	cur_behind(&rest, " "); /* the code */
	if (form->kind == LOGGED_ERROR || form->kind == LOGGED_REFUSED)
		x->text = cur_clean(form->kind == LOGGED_ERROR ? cur_trimmed(rest) : d->said, TEXT_MOST);
}

/* A line without a time is a banner, or tells more about the entry before. */
static void log_line(struct log_reader *d, struct cursor thread, struct cursor text)
{
	struct logged *error = d->error ? &d->log->group[d->error - 1] : NULL;
	bool same = !thread.p || cur_same(thread, d->thread), more = error && cur_same(thread, d->of);
	struct cursor path = text;
	size_t i = 0;

	if (more && !error->guid && !cur_find(&text, "SM class trap") &&
	    cur_behind(&path, "ath = ")) { /* "Initial path = 0,1,6, Return", "Path = 0,1,6" */
		struct cursor hops = cur_token(&path);

		hops.end -= cur_len(hops) && hops.end[-1] == ',';
		if (cur_len(hops) < LOG_PATH)
			snprintf(error->path, LOG_PATH, "%.*s", CUR_ARGS(hops));
		return;
	}
	while (i < ARRAY_LEN(log_forms) &&
	       (!cur_find(&text, log_forms[i].piece) || !cur_find(&text, log_forms[i].and)))
		i++;
	if (more)
		d->error = 0;
	if (!same)
		d->said = (struct cursor){text.p, text.p};
	if (i < ARRAY_LEN(log_forms))
		log_take(d, &log_forms[i], text);
	else if (!thread.p && error && !error->guid && cur_same(d->thread, d->of))
		log_place(text, error);
	if (thread.p) {
		if (i < ARRAY_LEN(log_forms) && log_forms[i].kind == LOGGED_ERROR)
			d->of = thread;
		d->thread = thread;
		d->said = text;
		cur_behind(&d->said, ": "); /* without the function */
	}
}

/* "Nov 29 10:00:00 123456 [A1B2C3D4] 0x01 -> text", perhaps behind a prompt. */
static bool log_head(struct log_reader *d, struct cursor *line, struct cursor *thread)
{
	enum { STAMP = sizeof("Nov 29 10:00:00 123456 [") - 1 };
	struct cursor at = *line;

	if (!cur_behind(&at, " [") || at.p - line->p < STAMP)
		return false;
	const char *stamp = at.p - STAMP;
	*thread = cur_part(&at, ']');
	if (!cur_word(&at, "0x") || !cur_behind(&at, "-> ") || stamp[3] != ' ' || stamp[6] != ' ' ||
	    stamp[9] != ':' || stamp[12] != ':' || stamp[15] != ' ')
		return false;
	for (unsigned i = 0; i < LOG_TIME - 1; i++)
		d->time[i] = (char)(isprint((unsigned char)stamp[i]) ? stamp[i] : ' ');
	*line = cur_trimmed(at);
	return true;
}

static void opensm_log_free(struct counted *c)
{
	struct opensm_log *log = (struct opensm_log *)c;

	for (size_t i = 0; i < log->n; i++)
		free(log->group[i].text);
	FREE_EACH(log->group, log->source, log);
}

void opensm_log_unref(struct opensm_log *log)
{
	counted_unref(log ? &log->counted : NULL);
}

struct opensm_log *opensm_log_parse(const struct input *in, struct err *e)
{
	struct opensm_log *log = NEW(struct opensm_log);
	struct log_reader d = {.log = log, .lines = lines_of(in)};
	struct cursor line;

	counted_init(&log->counted, opensm_log_free);
	log->source = str_dup(in->name);
	while (lines_next(&d.lines, &line)) {
		struct cursor thread = {0};

		if (log_head(&d, &line, &thread) && !log->entries++)
			memcpy(log->first, d.time, LOG_TIME);
		log_line(&d, thread, line);
	}
	log_sweep_end(&d);
	log_fold(log);
	memcpy(log->last, d.time, LOG_TIME);
	if (log->entries && !progress_cancelled(in->progress))
		return log;
	err_format(e,
		   "%s: found no entry of OpenSM's log, expected 'Nov 29 10:00:00 123456 [A1B2] 0x02 -> ...'",
		   in->name);
	if (progress_cancelled(in->progress))
		err_format(e, CANCELLED);
	opensm_log_unref(log);
	return NULL;
}

struct opensm_log *opensm_log_load(const char *path, struct progress *p, struct err *e)
{
	AUTO_FREE char *data = NULL;
	size_t size;

	if (read_packed_file(path, p, &data, &size, e))
		return NULL;
	return opensm_log_parse(&(struct input){path, data, size, p}, e);
}

const struct logged *opensm_log_last(const struct opensm_log *log, enum logged_kind kind, const char *word,
				     uint32_t *count)
{
	const struct logged *last = NULL;

	if (count)
		*count = 0;
	for (const struct logged *g = log->group; g < log->group + log->n; g++) {
		if (g->kind != kind || (word && strcmp(g->word, word) != 0))
			continue;
		if (count)
			*count += g->count;
		last = last && last->last_line > g->last_line ? last : g;
	}
	return last;
}

/* --- beside a fabric ------------------------------------------------------------------------------------ */

/* The port by which a directed path leaves the last node on its way; NO_ID: it leads nowhere. */
static uint32_t log_path_port(const struct log_join *j, const char *path)
{
	const struct fabric *f = j->f;
	uint32_t ep = f->sm_guessed ? NO_ID : f->sm_endport;

	if (j->log->sm_guid)
		ep = fabric_endport_by_guid(f, j->log->sm_guid);
	uint32_t node = ep == NO_ID ? NO_ID : endport_node(f, ep), port = NO_ID;
	struct cursor c = cur_text(path);
	uint64_t hop;

	cur_part(&c, ','); /* the first one is always 0 */
	while (cur_number(&c, 10, &hop)) {
		if (node == NO_ID || !hop || hop > f->node_nports[node])
			return NO_ID;
		port = f->node_port[node] + (uint32_t)hop;
		node = f->port_peer[port] == NO_ID ? NO_ID : f->port_node[f->port_peer[port]];
		cur_char(&c, ',');
	}
	return port;
}

/* The port where a group happened; of a node alone its port 0, which no cable has.  NO_ID: not known. */
static uint32_t log_port(const struct log_join *j, const struct logged *g)
{
	const struct fabric *f = j->f;
	uint32_t node = g->guid ? fabric_node_by_guid(f, g->guid) : NO_ID, ep = NO_ID;

	if (!g->guid && !g->lid)
		return log_path_port(j, g->path);
	if (node == NO_ID)
		ep = g->guid ? fabric_endport_by_guid(f, g->guid) : j->owner[g->lid];
	if (node == NO_ID && ep == NO_ID)
		return NO_ID;
	if (ep != NO_ID && !endport_is_switch(f, ep))
		return f->endport_port[ep];
	node = ep == NO_ID ? node : endport_node(f, ep);
	return f->node_port[node] + (g->port <= f->node_nports[node] ? g->port : 0);
}

static void log_cable_add(struct log_cable *c, const struct logged *g, uint32_t flaps)
{
	c->flaps = MAX(c->flaps, flaps); /* both ends tell of one */
	c->one_of = 1;
	c->first = c->first && c->first->first_line < g->first_line ? c->first : g;
	c->last = c->last && c->last->last_line > g->last_line ? c->last : g;
}

/* A change between two switches: it was one of the cables between them. */
static void log_join_change(struct log_join *j, const struct logged *g)
{
	uint32_t a = log_port(j, g), b = log_port(j, &(struct logged){.lid = g->other_lid});
	uint32_t node = a == NO_ID || b == NO_ID ? NO_ID : j->f->port_node[a], n = 0;
	struct log_cable *cable[MAX_PORTS];

	for (unsigned i = 1; node != NO_ID && i <= j->f->node_nports[node]; i++) {
		uint32_t port = j->f->node_port[node] + i, peer = j->f->port_peer[port];

		if (peer != NO_ID && j->f->port_node[peer] == j->f->port_node[b])
			cable[n++] = &j->cable[j->f->port_link[port]];
	}
	for (unsigned i = 0; i < n; i++) {
		log_cable_add(cable[i], g, (g->count + 1) / 2);
		cable[i]->one_of = n;
		cable[i]->other = i > 0;
	}
}

struct log_join *log_join_new(void *arena, const struct opensm_log *log, const struct fabric *f,
			      const struct lids *l)
{
	struct log_join *j = ARENA_NEW(arena, struct log_join);
	AUTO_FREE uint32_t *down = NEW_ARRAY(f->n_ports + 1, uint32_t);
	bool exact = opensm_log_last(log, LOGGED_DOWN, NULL, NULL) != NULL;

	*j = (struct log_join){.log = log, .f = f, .owner = lid_owners(j, f, l)};
	j->cable = ARENA_ARRAY(j, f->n_links + 1, struct log_cable);
	for (const struct logged *g = log->group; g < log->group + log->n; g++) {
		uint32_t port = log_port(j, g);
		bool cabled = port != NO_ID && f->port_peer[port] != NO_ID;

		j->named += g->guid != 0;
		j->absent += g->guid && port == NO_ID;
		if (g->kind == LOGGED_CHANGE && !exact)
			log_join_change(j, g);
		if (cabled && (g->kind == LOGGED_DOWN || g->kind == LOGGED_GONE)) {
			down[port] += g->count;
			log_cable_add(&j->cable[f->port_link[port]], g, down[port]);
		}
	}
	j->strange = j->named > 1 && j->absent * 4 > j->named * 3;
	return j;
}

/* --- errors --------------------------------------------------------------------------------------------- */

const struct field log_fault_fields[] = {
	FIELD("code", struct log_fault, code, NULL, NULL, "the code, or trapN for a notice of a node"),
	FIELD("count", struct log_fault, count, NULL, NULL, "how often"),
	FIELD("first", struct log_fault, first, NULL, NULL, "time of the first"),
	FIELD("last", struct log_fault, last, NULL, NULL, "time of the last"),
	FIELD("old", struct log_fault, old, NULL, NULL, "a sweep has succeeded since the last"),
	FIELD("told", struct log_fault, told, NULL, NULL, "another code, or a refusal, tells the same"),
	FIELD("brief", struct log_fault, brief, NULL, NULL,
	      "what it is; of an unknown code, the log's words"),
	FIELD("means", struct log_fault, means, "string?", NULL, "what it means"),
	FIELD("remedy", struct log_fault, remedy, "string?", NULL, "what to do"),
	FIELD("severity", struct log_fault, severity, "string(error/warning/note)", NULL,
	      "error: traffic is lost"),
	FIELD("places", struct log_fault, places, "string?", NULL, "nodes and ports, the first three"),
	{.key = NULL}};

/* An entry of opensm.codes. */
struct log_code {
	const char *code, *brief, *means, *remedy, *with, *severity;
};

#define PLACES_TOLD 3

static void log_fault_places(void *arena, const struct log_join *j, const struct logged *g, size_t n,
			     struct log_fault *x)
{
	AUTO_FREE bool *seen = NEW_ARRAY(j->f->n_ports + 1, bool);
	AUTO_TEXT struct text t = {0};
	uint32_t told = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t port = log_port(j, &g[i]);

		if (port == NO_ID ? !g[i].guid && !*g[i].path : seen[port])
			continue;
		if (port != NO_ID)
			seen[port] = true;
		if (told++ >= PLACES_TOLD)
			continue;
		if (port == NO_ID && g[i].guid)
			text_add(&t, "%s0x%" PRIx64, t.len ? ", " : "", g[i].guid);
		else if (port == NO_ID)
			text_add(&t, "%sthe path %s", t.len ? ", " : "", g[i].path);
		else
			text_add(&t, "%s%s", t.len ? ", " : "",
				 j->f->port_num[port] ? PORT_LABEL(j->f, port)
						      : j->f->node_name[j->f->port_node[port]]);
		x->port = x->port == NO_ID ? port : x->port;
	}
	if (told > PLACES_TOLD)
		text_add(&t, " and %u more", told - PLACES_TOLD);
	x->places = told ? arena_str(arena, t.s) : NULL;
	x->node = x->port == NO_ID ? NO_ID : j->f->port_node[x->port];
}

/* Does the log have one of these codes, or a refusal? */
static bool log_tells(const struct opensm_log *log, const char *codes)
{
	for (const struct logged *g = log->group; g < log->group + log->n; g++)
		if (words_have(codes, g->kind == LOGGED_REFUSED ? "refused" : g->word) &&
		    (g->kind == LOGGED_ERROR || g->kind == LOGGED_REFUSED))
			return true;
	return false;
}

struct log_fault *log_faults(void *arena, const struct log_join *j, struct err *e)
{
	const struct log_code *codes =
		wordlist_read(arena, ".codes", "code brief means remedy? with? severity?", e);
	const struct logged *g = j->log->group, *end = g + j->log->n;
	const struct logged *up = opensm_log_last(j->log, LOGGED_SWEEP, "up", NULL);
	struct log_fault *fault = ARENA_ARRAY(arena, j->log->n + 1, struct log_fault), *x = fault;

	if (!codes)
		return NULL;
	for (size_t n; g < end && g->kind == LOGGED_ERROR; g += n, x++) {
		const struct log_code *c = codes;
		const struct logged *first = g, *last = g;

		while (c->code && !words_have(c->code, g->word))
			c++;
		for (n = 0; g + n < end && g[n].kind == LOGGED_ERROR && !strcmp(g[n].word, g->word); n++) {
			x->count += g[n].count;
			first = g[n].first_line < first->first_line ? &g[n] : first;
			last = g[n].last_line > last->last_line ? &g[n] : last;
		}
		x->code = g->word;
		x->first = first->first;
		x->last = last->last;
		x->old = up && up->last_line > last->last_line;
		x->told = c->with && log_tells(j->log, c->with);
		x->brief = c->code ? c->brief : last->text;
		x->means = c->means;
		x->remedy = c->remedy;
		x->severity = c->severity ? c->severity : "warning";
		x->port = NO_ID;
		log_fault_places(arena, j, g, n, x);
	}
	return fault;
}
