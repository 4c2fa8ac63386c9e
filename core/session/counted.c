#include "core/session/counted.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/memory.h"
#include "core/fabric/labels.h"
#include "core/session/out.h"
#include "core/source/live.h"

#define NODES_AT_ONCE 256 /* words of one process */

static void session_counted_drop(struct counter_reading *r)
{
	if (r)
		counters_free(r);
	free(r);
}

void session_count(struct session *s, const struct counter_reading *r)
{
	struct counter_reading *new = NEW(struct counter_reading), *old;

	*new = *r;
	session_lock(s);
	old = s->counted[1];
	s->counted[1] = s->counted[0];
	s->counted[0] = new;
	s->counts++;
	s->moves++; /* so that panes see it */
	session_unlock(s);
	session_counted_drop(old);
}

void session_uncount(struct session *s)
{
	session_counted_drop(s->counted[0]);
	session_counted_drop(s->counted[1]);
	s->counted[0] = s->counted[1] = NULL;
	s->counts++;
	s->moves++;
}

struct measured *session_measured(const struct session *s)
{
	const struct sweep *w = session_sweep(s);
	const struct fabric *f = w ? w->fabric : s->fabric;

	return f && s->counted[0] ? measured_new(f, session_lids(s), s->counted[0], s->counted[1]) : NULL;
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

static int session_counted_ask(const char *ca, int port, char *const *word, unsigned n,
			       struct counter_reading *r, struct progress *p, struct err *e)
{
	char self[] = "/proc/self/exe", flag[] = LIVE_COUNTERS_FLAG, none[] = "", number[12];
	char **argv = NEW_ARRAY(n + 5, char *), *device = ca ? str_dup(ca) : NULL;
	struct text lines = {0};
	FILE *to = text_stream(&lines);
	int rc;

	snprintf(number, sizeof(number), "%d", port);
	argv[0] = self;
	argv[1] = flag;
	argv[2] = device ? device : none;
	argv[3] = number;
	memcpy(argv + 4, word, n * sizeof(*argv));
	rc = live_again(argv, to, p, e);
	fclose(to);
	take_lines(text_str(&lines), r);
	text_free(&lines);
	free(device);
	free(argv);
	return rc;
}

static unsigned session_counted_lid_of(const struct session *s, uint32_t port)
{
	uint32_t node = s->fabric->port_node[port],
		 ep = s->fabric->port_endport[node_is_switch(s->fabric, node) ? s->fabric->node_port[node]
									      : port];

	return ep == NO_ID ? 0 : endport_lid(s->fabric, session_lids(s), ep);
}

int counters_live_port(const struct session *s, const char *ca, int at, uint32_t port,
		       struct counter_reading *r, struct progress *p, struct err *e)
{
	unsigned lid = session_counted_lid_of(s, port);
	char *word;
	int rc;

	*r = (struct counter_reading){0};
	if (!lid)
		return err_set(e, "%s has no LID, so its counters cannot be read",
			       PORT_LABEL(s->fabric, port));
	word = str_printf("%u:%u", lid, s->fabric->port_num[port]);
	rc = session_counted_ask(ca, at, &word, 1, r, p, e);
	free(word);
	return rc;
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

int counters_live(const struct session *s, const char *ca, int port, struct counter_reading *r,
		  struct progress *p, struct err *e)
{
	char when[OUT_UTC], *word[NODES_AT_ONCE + MAX_PORTS];
	struct err last = {0};
	unsigned n = 0;
	int rc = 0;

	*r = (struct counter_reading){.when = str_dup(out_utc(time(NULL), when))};
	progress_start(p, "reading counters", s->fabric->n_nodes);
	for (uint32_t node = 0; node < s->fabric->n_nodes && !progress_cancelled(p); node++) {
		n += session_counted_add_words(s, node, word + n);
		if (n < NODES_AT_ONCE && node + 1 < s->fabric->n_nodes)
			continue;
		/* where nobody of some answers, others may */
		if (n && session_counted_ask(ca, port, word, n, r, p, &last))
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
