#include "core/analysis/compare/faults.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/compare/internal.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/order.h"

const char *const fault_names[FAULT_KINDS] = {"unreachable", "loop",	    "no_lid",	  "cut_off",
					      "credit_loop", "dropped",	    "missing",	  "not_here",
					      "host_gone",   "switch_gone", "cable_gone", "cable_slower"};

void faults_begin(struct faults *s, const struct fabric *f, const struct lids *l, struct err *e)
{
	*s = (struct faults){.fabric = f, .lids = l, .e = e};
}

void fault_put(struct faults *s, const struct fault *f)
{
	enum { AT_ONCE = 65536 }; /* memory is asked for this many at a time */

	if (!s->failed && s->n % AT_ONCE == 0)
		s->failed = mem_room(s->e, AT_ONCE * sizeof(*s->f) * 2, "more than %zu faults", s->n) != 0;
	if (s->failed)
		return;
	GROW(s->f, s->n, s->cap);
	s->f[s->n++] = *f;
}

void faults_add_path(struct faults *s, uint32_t sw, unsigned lid, bool loops)
{
	const struct fabric *f = s->fabric;
	uint32_t ep = lid_owner(s->lids, lid), node = f->switch_node[sw];

	fault_put(s, &(struct fault){.kind = loops ? FAULT_LOOP : FAULT_UNREACHABLE,
				     .offset = (uint16_t)(lid - s->lids->base[ep]),
				     .from = f->node_guid[node],
				     .to = f->port_guid[f->endport_port[ep]],
				     .at_from.id = node,
				     .at_to.id = ep});
}

void faults_add_host(struct faults *s, uint32_t sw, uint32_t ep)
{
	fault_put(s, &(struct fault){.kind = FAULT_UNREACHABLE,
				     .from = s->fabric->node_guid[s->fabric->switch_node[sw]],
				     .to = s->fabric->port_guid[s->fabric->endport_port[ep]],
				     .at_from.id = s->fabric->switch_node[sw],
				     .at_to.id = ep});
}

void faults_add_endport(struct faults *s, enum fault_kind kind, uint32_t ep)
{
	fault_put(s, &(struct fault){.kind = (uint8_t)kind,
				     .to = s->fabric->port_guid[s->fabric->endport_port[ep]],
				     .at_from.id = NO_ID,
				     .at_to.id = ep});
}

void faults_add_loops(struct faults *s, const struct cdg *c)
{
	const struct fabric *f = s->fabric;

	for (uint32_t v = 0; v < c->n_channels; v++) {
		uint32_t node = f->port_node[c->port[v]];

		if (c->component[v] != NO_ID)
			fault_put(s, &(struct fault){.kind = FAULT_CREDIT_LOOP,
						     .vl = c->vl[v],
						     .port = f->port_num[c->port[v]],
						     .from = f->node_guid[node],
						     .at_from.id = node,
						     .at_to.id = NO_ID});
	}
	if (c->dropped)
		fault_put(s, &(struct fault){.kind = FAULT_DROPPED,
					     .u.routes = c->dropped,
					     .at_from.id = NO_ID,
					     .at_to.id = NO_ID});
}

void faults_add_missing(struct faults *s)
{
	const struct warnings *w = &s->fabric->warnings;

	for (size_t i = 0; i < w->n; i++)
		if (w->w[i].missing)
			fault_put(s,
				  &(struct fault){.kind = FAULT_MISSING,
						  .port = w->w[i].port,
						  .from = w->w[i].guid,
						  .u.what = w->w[i].kind,
						  .at_from.id = fabric_node_by_guid(s->fabric, w->w[i].guid),
						  .at_to.id = NO_ID});
}

void faults_add_not_here(struct faults *s, uint64_t node_guid, unsigned port)
{
	fault_put(s, &(struct fault){.kind = FAULT_NOT_HERE,
				     .port = (uint8_t)port,
				     .from = node_guid,
				     .at_from.id = fabric_node_by_guid(s->fabric, node_guid),
				     .at_to.id = NO_ID});
}

void faults_free(struct faults *s)
{
	free(s->f);
	json_decref(s->doc);
	*s = (struct faults){0};
}

int fault_order_ends(const struct fault *a, const struct fault *b)
{
	ORDER(a->kind, b->kind);
	if (a->kind == FAULT_MISSING && strcmp(a->u.what, b->u.what) != 0)
		return strcmp(a->u.what, b->u.what);
	ORDER(a->to, b->to);
	ORDER(a->offset, b->offset);
	return 0;
}

int fault_order_from(const struct fault *a, const struct fault *b)
{
	ORDER(a->from, b->from);
	ORDER(a->port, b->port);
	ORDER(a->vl, b->vl);
	return 0;
}

static int faults_order(const void *x, const void *y)
{
	int ends = fault_order_ends(x, y);

	return ends ? ends : fault_order_from(x, y);
}

int faults_sort(struct faults *s)
{
	size_t n = 0;

	if (s->failed)
		return -1;
	if (s->n)
		qsort(s->f, s->n, sizeof(*s->f), faults_order);
	for (size_t i = 0; i < s->n; i++)
		if (!n || faults_order(&s->f[n - 1], &s->f[i]))
			s->f[n++] = s->f[i];
	s->n = n;
	return 0;
}

size_t faults_minus(const struct faults *a, const struct faults *b, struct faults *out)
{
	size_t i = 0, j = 0;

	*out = (struct faults){.fabric = a->fabric, .lids = a->lids, .e = a->e};
	while (i < a->n) {
		int c = j < b->n ? faults_order(&a->f[i], &b->f[j]) : -1;

		if (c < 0 || (!c && a->f[i].kind == FAULT_DROPPED && a->f[i].u.routes > b->f[j].u.routes)) {
			GROW(out->f, out->n, out->cap);
			out->f[out->n++] = a->f[i];
		}
		i += c <= 0;
		j += c >= 0;
	}
	return out->n;
}

/* --- in words ----------------------------------------------------------------------------- */

static const char *faults_member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "?";
}

static void from_text(const struct faults *s, const struct fault *f, struct text *t)
{
	const char *name = NULL;

	if (!s->fabric && f->at_from.object)
		name = faults_member(f->at_from.object, "name");
	else if (s->fabric && f->at_from.id != NO_ID)
		name = s->fabric->node_name[f->at_from.id];
	if (name)
		text_add(t, "%s", name);
	else
		text_add(t, "0x%016" PRIx64, f->from);
	if (fault_has_port(f))
		text_add(t, "[%u]", f->port);
}

static void to_text(const struct faults *s, const struct fault *f, struct text *t)
{
	char a[300];

	text_add(t, "%s",
		 s->fabric ? endport_label(s->fabric, f->at_to.id, a, sizeof(a))
			   : faults_member(f->at_to.object, "name"));
	if (f->offset)
		text_add(t, " (LID +%u)", f->offset);
}

void fault_text(const struct faults *s, const struct fault *f, struct text *t)
{
	switch (f->kind) {
	case FAULT_UNREACHABLE:
	case FAULT_LOOP:
		text_add(t, f->kind == FAULT_LOOP ? "forwarding loop from " : "no path from ");
		from_text(s, f, t);
		text_add(t, " to ");
		to_text(s, f, t);
		break;
	case FAULT_NO_LID:
	case FAULT_CUT_OFF:
		to_text(s, f, t);
		text_add(t, f->kind == FAULT_NO_LID ? " has no LID" : " is cut off from the subnet manager");
		break;
	case FAULT_CREDIT_LOOP:
		text_add(t, "on a credit loop: ");
		from_text(s, f, t);
		text_add(t, ", VL %u", f->vl);
		break;
	case FAULT_DROPPED:
		text_add(t, "%s dropped at VL %d", PLURAL(f->u.routes, "route"), CDG_DROP_VL);
		break;
	case FAULT_NOT_HERE:
		text_add(t, "of the scope, but not in the fabric: ");
		from_text(s, f, t);
		break;
	case FAULT_HOST_GONE:
	case FAULT_SWITCH_GONE:
		text_add(t, f->kind == FAULT_HOST_GONE ? "host gone: " : "switch gone: ");
		from_text(s, f, t);
		break;
	case FAULT_CABLE_GONE:
		text_add(t, "cable gone: ");
		from_text(s, f, t);
		text_add(t, " to %s[%u]", faults_member(f->at_to.object, "name"), f->offset);
		break;
	case FAULT_CABLE_SLOWER:
		text_add(t, "slower cable: ");
		from_text(s, f, t);
		text_add(t, " to %s[%u], %s before", faults_member(f->at_to.object, "name"), f->offset,
			 f->u.what);
		break;
	default:
		text_add(t, "missing: %s", f->u.what);
		if (f->from) {
			text_add(t, " at ");
			from_text(s, f, t);
		}
	}
}
