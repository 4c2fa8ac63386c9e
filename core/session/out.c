/* Where commands write: text and JSON beside each other, and lists of counted things. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/memory.h"
#include "core/fabric/names.h"
#include "core/session/interpreter.h"
#include "core/formats/readers.h"
#include "core/session/out.h"
#include "core/source/live.h"

static void lines_add(struct out *o, const char *from, size_t len)
{
	json_array_append_new(o->lines, json_textn(from, len));
}

static void out_add_lines(struct out *o, const char *fmt, va_list ap)
{
	const char *nl;

	text_addv(&o->partial, fmt, ap);
	const char *from = text_str(&o->partial);
	while ((nl = strchr(from, '\n'))) {
		lines_add(o, from, nl - from);
		from = nl + 1;
	}
	o->partial.len = strlen(from);
	if (o->partial.s)
		memmove(o->partial.s, from, o->partial.len + 1);
}

static void out_print(FILE *f, const char *fmt, va_list ap)
{
	if (vfprintf(f, fmt, ap) < 0 && errno == ENOMEM) /* the stream remembers a failure to write */
		mem_exhausted(strlen(fmt));
}

static FILE *text_file(const struct out *o)
{
	return o->run->aside ? o->run->aside : o->run->f;
}

/* Tells the rows of a table that has ended. */
static void put_rows(struct out *o)
{
	AUTO_TEXT struct text t = {0};

	narrow_rows(text_str(&o->rows), o->run->width, &t);
	if (fputs(text_str(&t), text_file(o)) == EOF && errno == ENOMEM)
		mem_exhausted(t.len);
	text_free(&o->rows);
}

void out_text(struct out *o, const char *fmt, ...)
{
	AUTO_TEXT struct text plain = {0};
	bool row = o->run->width && !o->run->json &&
		   (narrow_marked(fmt) || (o->rows.len && o->rows.s[o->rows.len - 1] != '\n'));
	va_list ap;

	if (!row && o->rows.len)
		put_rows(o);
	va_start(ap, fmt);
	if (row)
		text_addv(&o->rows, fmt, ap);
	else if (o->run->json)
		out_add_lines(o, narrow_plain(fmt, &plain), ap);
	else
		out_print(text_file(o), narrow_plain(fmt, &plain), ap);
	va_end(ap);
}

void out_lines(struct out *o, const char *text)
{
	AUTO_TEXT struct text t = {0};

	if (o->run->width && !o->run->json)
		text = narrow_text(text, o->run->width, &t);
	out_text(o, "%s", text);
}

void out_flush(struct out *o)
{
	if (o->rows.len)
		put_rows(o);
	fflush(o->run->f);
}

void out_document(struct out *o, const char *text)
{
	if (o->rows.len)
		put_rows(o);
	if (!o->run->json && fputs(text, o->run->f) == EOF && errno == ENOMEM)
		mem_exhausted(strlen(text));
}

void out_json(struct out *o, const char *key, json_t *v)
{
	assert(key);
	assert(!o->run->json || o->object);
	if (o->run->json)
		json_object_set_new(o->object, key, v);
	else
		json_decref(v);
}

void out_fields(struct out *o, json_t *fields)
{
	if (o->run->json)
		json_object_update(o->object, fields);
	json_decref(fields);
}

/* The innermost command in JSON mode, used only when memory runs out. */
static _Atomic(struct out *) innermost;

void out_last_objects(void)
{
	for (struct out *o = atomic_exchange(&innermost, NULL); o; o = o->up) {
		fputs(o->head, o->run->f);
		if (!o->run->begun)
			fprintf(o->run->f, ",\"schema\":%d", JSON_SCHEMA);
		o->run->begun = true;
		fputs(",\"ok\":false,\"error_kind\":\"memory\",\"error\":\"" OUT_OF_MEMORY
		      "standard error tells how much was asked for\"}\n",
		      o->run->f);
		fflush(o->run->f);
	}
}

static void print_object(struct command_run *r, const json_t *object)
{
	AUTO_FREE char *dump = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);

	fprintf(r->f, "%s\n", dump);
}

void out_begin(struct out *o, struct command_run *r, const char *command)
{
	*o = (struct out){.run = r};
	if (!r->json)
		return;
	o->object = json_object();
	o->lines = json_array();
	if (r->id)
		json_object_set(o->object, "id", r->id);
	json_object_set_new(o->object, "command", json_text(command));
	char *head = json_dumps(o->object, JSON_COMPACT | JSON_ENSURE_ASCII);
	head[strlen(head) - 1] = 0; /* without "}" */
	o->head = head;
	o->up = atomic_load(&innermost);
	atomic_store(&innermost, o);
}

const char *out_utc(time_t at, char buf[OUT_UTC])
{
	struct tm tm;

	strftime(buf, OUT_UTC, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &tm));
	return buf;
}

static json_t *time_json(time_t at)
{
	char buf[OUT_UTC];

	return json_text(out_utc(at, buf));
}

/* Adds what the first object of a run says about the run; adds nothing to the others. */
static void tell_run(struct out *o, json_t *object)
{
	const struct session *s = o->run->in->session;

	if (o->run->begun)
		return;
	o->run->begun = true;
	json_object_set_new(object, "schema", json_integer(JSON_SCHEMA));
	if (o->run->program)
		json_object_set_new(object, "program", json_text(o->run->program));
	if (!o->run->no_timing)
		json_object_set_new(object, "time", time_json(time(NULL)));
	if (s->loaded) {
		json_t *read =
			json_make("{s:s, s:s}", "source", s->loaded->source, "format", s->loaded->format);

		if (!o->run->no_timing)
			json_object_set_new(read, "time", time_json(s->loaded_at));
		json_object_set_new(object, "read", read);
	}
}

void out_object(struct out *o, json_t *fields)
{
	if (o->run->json) {
		json_t *object = json_object();

		if (o->run->id)
			json_object_set(object, "id", o->run->id);
		json_object_set(object, "command", json_object_get(o->object, "command"));
		tell_run(o, object);
		json_object_update(object, fields);
		json_object_set_new(object, "ok", json_true());
		if (o->run->no_timing)
			json_object_del(object, "time");
		if (o->run->no_text)
			json_object_del(object, "text");
		print_object(o->run, object);
		fflush(o->run->f);
		json_decref(object);
	}
	json_decref(fields);
}

const char *out_took(const struct out *o, const char *before, double seconds, char buf[OUT_TOOK])
{
	snprintf(buf, OUT_TOOK, "%s%.1f ms", before, seconds * 1e3);
	return o->run->no_timing ? "" : buf;
}

void out_end(struct out *o, int rc, const struct err *e)
{
	assert(!rc || e);
	if (o->rows.len)
		put_rows(o);
	if (!o->run->json)
		return;
	if (o->partial.len)
		lines_add(o, o->partial.s, o->partial.len);
	text_free(&o->partial);
	json_object_set_new(o->object, "ok", json_boolean(!rc));
	tell_run(o, o->object);
	if (rc)
		json_object_set_new(o->object, "error", json_text(e->msg));
	if (rc)
		json_object_set_new(o->object, "error_kind", json_text(err_kind_words[err_kind(e)]));
	if (json_array_size(o->lines) && !o->run->no_text)
		json_object_set(o->object, "text", o->lines);
	atomic_store(&innermost, o->up); /* an object that is printed in part is not printed again */
	print_object(o->run, o->object);
	free(o->head);
	json_decref(o->object);
	json_decref(o->lines);
	o->object = o->lines = NULL;
}

#define NODES_AT_ONCE 256 /* words of one process */

static void session_counted_drop(struct counter_reading *r)
{
	if (r)
		counters_free(r);
	free(r);
}

void session_count(struct session *s, const struct counter_reading *r)
{
	struct counter_reading *new = NEW(struct counter_reading);

	*new = *r;
	session_lock(s);
	unsigned drop = s->counted[0] && s->counted[0]->beside ? 0 : 1;
	struct counter_reading *old = s->counted[drop];
	s->counted[1] = drop ? s->counted[0] : NULL;
	s->counted[0] = new;
	s->counts++;
	s->moves++; /* so that panes see it */
	session_unlock(s);
	session_counted_drop(old);
}

void session_uncount(struct session *s)
{
	session_lock(s);
	session_counted_drop(s->counted[0]);
	session_counted_drop(s->counted[1]);
	s->counted[0] = s->counted[1] = NULL;
	s->counts++;
	s->moves++;
	session_unlock(s);
}

void session_count_beside(struct session *s, const char *path, struct progress *p)
{
	struct counter_reading r = {.source = NULL};
	struct err unused; /* there are none */

	if (s->counted[0] && !s->counted[0]->beside)
		return;
	session_uncount(s);
	if (is_folder(path) && !counters_load_beside(path, s->fabric->source, &r, p, &unused))
		session_count(s, &r);
	else
		counters_free(&r);
}

struct measured *session_measured(const struct session *s)
{
	const struct sweep *w = session_sweep(s);
	const struct fabric *f = w ? w->fabric : s->fabric;

	return f && s->counted[0] ? measured_new(f, session_lids(s), s->counted[0], s->counted[1]) : NULL;
}

void session_take_present(struct session *s, json_t *present, const char *path)
{
	json_decref(s->present);
	free(s->baseline);
	s->present = present;
	s->baseline = str_dup(path);
}

void session_take_log(struct session *s, struct opensm_log *log)
{
	session_lock(s);
	struct counted *old = s->log;
	s->log = log ? &log->counted : NULL;
	s->counts++;
	s->moves++;
	session_unlock(s);
	counted_unref(old);
}

struct opensm_log *session_log(const struct session *s)
{
	struct counted *of_fabric = s->fabric ? s->fabric->log : NULL;

	return (struct opensm_log *)counted_ref(s->log ? s->log : of_fabric);
}

/* --- live ------------------------------------------------------------------------------------------- */

/* Lines of the process that asked, see LIVE_COUNTERS_FLAG. */
static void take_lines(const char *lines, struct counter_reading *r)
{
	struct counted_port *c = NULL;

	for (const char *s = lines; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		char name[40];
		unsigned lid, port, wide;
		uint64_t v;

		if (sscanf(s, "@ %u %u", &lid, &port) == 2 && lid <= MAX_LID && port <= MAX_PORTS) {
			c = counters_add(r);
			c->lid = (uint16_t)lid;
			c->port = (uint8_t)port;
		} else if (c && sscanf(s, "%39s %" SCNu64 " %u", name, &v, &wide) == 3) {
			for (unsigned k = 0; k < N_COUNTERS; k++)
				if (!strcmp(name, counter_words[k]))
					counters_set(c, k, v, wide != 0);
		}
	}
}

static int session_counted_ask(struct counters_device by, char *const *word, unsigned n,
			       struct counter_reading *r, struct progress *p, struct err *e)
{
	char self[] = "/proc/self/exe", flag[] = LIVE_COUNTERS_FLAG, none[] = "", number[12];
	AUTO_FREE char **argv = NEW_ARRAY(n + 5, char *);
	AUTO_TEXT struct text lines = {0};
	FILE *to = text_stream(&lines);

	snprintf(number, sizeof(number), "%d", by.port);
	argv[0] = self;
	argv[1] = flag;
	argv[2] = by.ca ? by.ca : none;
	argv[3] = number;
	memcpy(argv + 4, word, n * sizeof(*argv));
	int rc = live_again(argv, to, p, e);
	fclose(to);
	take_lines(text_str(&lines), r);
	return rc;
}

static unsigned session_counted_lid_of(const struct session *s, uint32_t port)
{
	uint32_t node = s->fabric->port_node[port],
		 ep = s->fabric->port_endport[node_is_switch(s->fabric, node) ? s->fabric->node_port[node]
									      : port];

	return ep == NO_ID ? 0 : endport_lid(s->fabric, session_lids(s), ep);
}

int counters_live_port(const struct session *s, struct counters_device by, uint32_t port,
		       struct counter_reading *r, struct progress *p, struct err *e)
{
	assert(port < s->fabric->n_ports);
	unsigned lid = session_counted_lid_of(s, port);

	*r = (struct counter_reading){0};
	if (!lid)
		return err_set(e, "%s has no LID, so its counters cannot be read",
			       PORT_LABEL(s->fabric, port));
	AUTO_FREE char *word = str_printf("%u:%u", lid, s->fabric->port_num[port]);
	return session_counted_ask(by, &word, 1, r, p, e);
}

/* Adds a word for the cabled ports of a node, of a host's one for each port. */
static unsigned session_counted_add_words(const struct session *s, uint32_t node, char **word)
{
	const struct fabric *f = s->fabric;
	bool all = node_is_switch(f, node);
	struct text t = {0};
	unsigned n = 0;

	for (unsigned i = 1; i <= f->node_nports[node]; i++) {
		uint32_t port = f->node_port[node] + i;
		unsigned lid = f->port_peer[port] == NO_ID ? 0 : session_counted_lid_of(s, port);

		if (!lid)
			continue;
		if (t.len && all)
			text_add(&t, ",%u", i);
		else
			text_add(&t, "%u:%u", lid, i);
		if (!all) {
			word[n++] = t.s;
			t = (struct text){0};
		}
	}
	if (t.len)
		word[n++] = t.s;
	return n;
}

int counters_live(const struct session *s, struct counters_device by, struct counter_reading *r,
		  struct progress *p, struct err *e)
{
	char when[OUT_UTC], *word[NODES_AT_ONCE + MAX_PORTS];
	struct err last = {0};
	unsigned n = 0;
	int rc = 0;

	assert(s->fabric);
	*r = (struct counter_reading){.when = str_dup(out_utc(time(NULL), when))};
	progress_start(p, "reading counters", s->fabric->n_nodes);
	for (uint32_t node = 0; node < s->fabric->n_nodes && !progress_cancelled(p); node++) {
		n += session_counted_add_words(s, node, word + n);
		if (n < NODES_AT_ONCE && node + 1 < s->fabric->n_nodes)
			continue;
		/* where nobody of some answers, others may */
		if (n && session_counted_ask(by, word, n, r, p, &last))
			rc = -1;
		while (n)
			free(word[--n]);
		progress_step(p, node + 1);
	}
	while (n)
		free(word[--n]);
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	if (!r->n)
		return rc ? err_copy(e, &last) : err_set(e, "no port has a LID, so no counters can be read");
	return 0;
}
