/* Findings from what ports counted (blame/measured.h). */
#include <string.h>

#include "core/analysis/doctor/internal.h"

/* One finding for all ports with a kind of fault, the first of which are named. */
int find_counted(struct doctor *d, const struct rule *r)
{
	const struct measured *m = d->rq->counted;
	struct places at = {0};
	struct text most = {0};
	struct finding *x;
	unsigned k = 0;

	if (!m || m->fabric != d->f)
		return 0;
	while (strcmp(port_fault_words[k], r->kind) != 0)
		k++;
	for (uint32_t port = 0; port < d->f->n_ports; port++) {
		const struct measured_port *p = measured_of(m, port);

		if (!p || !(p->faults >> k & 1))
			continue;
		if (!at.n)
			measured_tell(p, 1u << k, &most);
		places_add_port(&at, d->f, port);
	}
	if (at.n) {
		x = tell(d, r, "%s %s, by counters%s: %s (the first: %s).", PLURAL(at.n, "port"),
			 k == FAULT_ERRORS ? "with errors" : r->kind,
			 m->two ? " between two readings" : " since they were reset", places_text(&at),
			 text_str(&most));
		places_end(&at, x, "counters all");
	}
	text_free(&most);
	return 0;
}
