/* Findings that rules tell, and the places that they name. */
#include <stdlib.h>
#include "core/analysis/doctor/internal.h"
#include "core/base/memory.h"
#include "core/base/words.h"

static char *formatted(const char *fmt, va_list ap)
{
	struct text t = {0};

	text_addv(&t, fmt, ap);
	return t.s;
}

struct finding *tell(struct doctor *d, const struct rule *r, const char *fmt, ...)
{
	struct diagnosis *o = d->out;
	struct finding *x;
	va_list ap;

	GROW(o->finding, o->n, o->cap);
	x = &o->finding[o->n++];
	*x = (struct finding){
		.severity = (uint8_t)r->severity,
		.sure = (uint8_t)r->sure,
		.rule = (unsigned)(r - d->rules),
		.kind = r->kind,
		.meaning = r->meaning,
		.cure = r->cure,
		.node = NO_ID,
		.count = 1,
	};
	va_start(ap, fmt);
	x->text = formatted(fmt, ap);
	va_end(ap);
	return x;
}

void finding_more(struct finding *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	free(x->more);
	x->more = formatted(fmt, ap);
	va_end(ap);
}

void finding_at(const struct doctor *d, struct finding *x, uint32_t port)
{
	x->node = d->f->port_node[port];
	x->port = d->f->port_num[port];
}

void finding_at_switch(const struct doctor *d, struct finding *x, uint32_t sw)
{
	x->node = d->f->switch_node[sw];
}

#define PLACES 3

static bool place_wanted(struct places *p, uint32_t node, unsigned port)
{
	if (!p->n++) {
		p->node = node;
		p->port = (uint8_t)port;
	}
	if (p->n > PLACES)
		return false;
	text_add(&p->t, "%s", p->n > 1 ? ", " : "");
	return true;
}

void places_add_switch(struct places *p, const struct fabric *f, uint32_t sw)
{
	if (place_wanted(p, f->switch_node[sw], 0))
		text_add(&p->t, "%s", switch_name(f, sw));
}

void places_add_port(struct places *p, const struct fabric *f, uint32_t port)
{
	char a[300];

	if (place_wanted(p, f->port_node[port], f->port_num[port]))
		text_add(&p->t, "%s", port_label(f, port, a, sizeof(a)));
}

const char *places_text(struct places *p)
{
	if (p->n > PLACES)
		text_add(&p->t, " and %u more", p->n - PLACES);
	return text_str(&p->t);
}

void places_end(struct places *p, struct finding *x, const char *fmt, ...)
{
	va_list ap;

	x->node = p->n ? p->node : NO_ID;
	x->port = p->port;
	x->count = p->n;
	va_start(ap, fmt);
	x->more = formatted(fmt, ap);
	va_end(ap);
	text_free(&p->t);
}

void places_end_ports(struct places *p, struct finding *x, const struct fabric *f)
{
	char *name = word_quoted(f->node_name[p->node]);

	places_end(p, x, "list ports %s", name);
	free(name);
}
