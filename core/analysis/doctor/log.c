/* Findings from the subnet manager's log. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/formats/opensm_log.h"

#define LOG_TOLD 5    /* findings of a rule; the rest in one line */
#define FLAPS_LEAST 2 /* a link that went down once was pulled, or its host started anew */

/* The log beside the fabric; NULL: there is none, or it is another fabric's. */
static const struct log_join *doctor_log(struct doctor *d)
{
	if (d->rq->log && !d->log)
		d->log = log_join_new(d->arena, d->rq->log, d->f, d->r ? d->r->lids : NULL);
	return d->log && !d->log->strange ? d->log : NULL;
}

int find_log_strange(struct doctor *d, const struct rule *r)
{
	if (doctor_log(d) || !d->log)
		return 0;
	struct finding *x =
		tell(d, r, "log", "%s is another fabric's log: of %s that it names this one lacks %u.",
		     d->rq->log->source, PLURAL(d->log->named, "GUID"), d->log->absent);
	finding_brief(x, "the subnet manager's log is another fabric's");
	return 0;
}

static void log_tell_rest(struct doctor *d, const struct rule *r, size_t n, const char *one, const char *what)
{
	if (n <= LOG_TOLD)
		return;
	struct finding *x = tell(d, r, "log", "The manager's log: %s%s.", PLURAL(n - LOG_TOLD, one), what);
	x->count = n - LOG_TOLD;
}

COMPARATOR(log_worst_first, struct log_fault, UP(old) TEXT(severity) DOWN(count) TEXT(code))

int find_log_errors(struct doctor *d, const struct rule *r)
{
	const struct log_join *j = doctor_log(d);
	struct log_fault *x = j ? log_faults(d->arena, j, d->e) : NULL;
	size_t all = 0, n = 0;

	if (!x)
		return j ? -1 : 0;
	while (x[all].code)
		all++;
	qsort(x, all, sizeof(*x), log_worst_first);
	for (; all--; x++) {
		if (x->told || !strcmp(x->severity, "note") || n++ >= LOG_TOLD)
			continue;
		const char *at = x->places ? " at " : "";
		const char *old = x->old ? ", before the last good sweep" : "";
		struct finding *f =
			tell(d, r, "log", "The manager's log: %s (%s), %s%s%s, last %s%s.", x->brief, x->code,
			     PLURAL(x->count, "time"), at, *at ? x->places : "", x->last, old);
		if (!strcmp(x->severity, "error") && !x->old)
			f->severity = SEVERITY_ERROR;
		f->count = x->count;
		f->node = x->node;
		f->port = x->port == NO_ID ? 0 : d->f->port_num[x->port];
		if (x->means)
			f->detail = str_printf("%s%s%s", x->means, x->remedy ? "\n" : "",
					       x->remedy ? x->remedy : "");
		finding_brief(f, "log: %.38s, %s", x->brief, PLURAL(x->count, "time"));
	}
	log_tell_rest(d, r, n, "more error", " by code");
	return 0;
}

/* A link that flapped. */
struct log_flap {
	uint32_t flaps, link;
};

COMPARATOR(most_flaps_first, struct log_flap, DOWN(flaps) UP(link))

static void log_tell_flap(struct doctor *d, const struct rule *r, const struct log_flap *flap)
{
	const struct log_cable *c = &d->log->cable[flap->link];
	uint32_t port = d->f->link_port[2 * flap->link], peer = d->f->port_peer[port];
	const struct logged *up = opensm_log_last(d->rq->log, LOGGED_SWEEP, "up", NULL);
	bool old = up && up->last_line > c->last->last_line;
	char a[300], b[300];
	AUTO_TEXT struct text t = {0};

	if (d->rq->counted && d->rq->counted->fabric == d->f) {
		measured_link(d->rq->counted, d->f, port, &t);
		measured_link(d->rq->counted, d->f, peer, &t);
	}
	struct finding *x = tell(d, r, "list cables sort flaps reverse",
				 "The manager's log: %s - %s%s went down %s, first %s, last %s%s%s%s.",
				 port_label(d->f, port, a, sizeof(a)), port_label(d->f, peer, b, sizeof(b)),
				 c->one_of > 1 ? " or a cable beside it" : "", PLURAL(c->flaps, "time"),
				 c->first->first, c->last->last, old ? ", before the last good sweep" : "",
				 t.len ? "; counters: " : "", text_str(&t));
	finding_at(d, x, port);
	x->figure = c->flaps;
	finding_brief(x, "%s - %s: down %s", a, b, PLURAL(c->flaps, "time"));
}

int find_log_flaps(struct doctor *d, const struct rule *r)
{
	const struct log_join *j = doctor_log(d);
	AUTO_FREE struct log_flap *flap = NEW_ARRAY(d->f->n_links + 1, struct log_flap);
	size_t n = 0;

	for (uint32_t link = 0; j && link < d->f->n_links; link++)
		if (j->cable[link].flaps >= FLAPS_LEAST && !j->cable[link].other)
			flap[n++] = (struct log_flap){j->cable[link].flaps, link};
	qsort(flap, n, sizeof(*flap), most_flaps_first);
	for (size_t i = 0; i < n && i < LOG_TOLD; i++)
		log_tell_flap(d, r, &flap[i]);
	log_tell_rest(d, r, n, "more link", " that went down again and again");
	return 0;
}

int find_log_fallback(struct doctor *d, const struct rule *r)
{
	const struct log_join *j = doctor_log(d);
	uint32_t times;

	if (!j)
		return 0;
	const struct logged *routed = opensm_log_last(j->log, LOGGED_ENGINE, NULL, NULL);
	const struct logged *refused = opensm_log_last(j->log, LOGGED_REFUSED, NULL, NULL);
	const struct logged *wanted = opensm_log_last(j->log, LOGGED_WANTED, NULL, NULL);
	const char *conf = wanted ? wanted->word : "";
	if (d->rq->configured)
		conf = d->rq->configured;
	size_t len = strcspn(conf, ", ");
	if (refused) {
		const struct logged *again = opensm_log_last(j->log, LOGGED_ENGINE, refused->word, NULL);
		bool over = again && again->last_line > refused->last_line;
		AUTO_TEXT struct text now = {0};

		opensm_log_last(j->log, LOGGED_REFUSED, refused->word, &times);
		if (over)
			text_add(&now, "; it has routed again since (%s)", again->last);
		else if (routed)
			text_add(&now, "; %s routed", routed->word);
		struct finding *x = tell(
			d, r, "log", "The manager's log: engine %s refused the fabric %s, last %s (%s)%s.",
			refused->word, PLURAL(times, "time"), refused->last,
			*refused->text ? refused->text : "no reason told", text_str(&now));
		x->severity = over ? SEVERITY_NOTE : x->severity;
		finding_brief(x, "log: %s refused the fabric%s", refused->word, over ? " before" : "");
	} else if (routed && len && (strlen(routed->word) != len || strncmp(conf, routed->word, len) != 0)) {
		struct finding *x =
			tell(d, r, "log", "The manager's log: %s routed (%s), though %.*s is wanted.",
			     routed->word, routed->last, (int)len, conf);
		finding_brief(x, "log: %s routed, not %.*s", routed->word, (int)len, conf);
	}
	return 0;
}
