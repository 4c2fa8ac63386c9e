/* What `watch` tells of subnet managers: the master, those on standby, and the engine that made the tables.
 */
#include <string.h>

#include "core/analysis/compare/drift.h"
#include "core/fabric/managers.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/watch.h"

#define LABEL_ROOM 300

/* In larger fabrics only the engines that are quick are tried. */
#define QUICK_SWITCHES 300
#define QUICK 5

static const char *const tried[] = {"minhop", "updn", "ftree",	    "dnup", "dor",
				    "sssp",   "lash", "torus-2QoS", "nue"};

static json_t *manager_json(const struct fabric *f, const struct manager *x, const char *key)
{
	json_t *o = json_make("{s:s}", "state", manager_state_word[x->state]);

	json_put_endport(o, key, f, NULL, fabric_endport_by_guid(f, x->guid));
	if (x->state != MANAGER_SILENT)
		json_object_set_new(o, "priority", json_integer(x->priority));
	return o;
}

json_t *watch_managers_json(const struct fabric *f)
{
	const struct managers *m = fabric_managers(f);
	json_t *list = json_array();

	for (uint32_t i = 0; m && i < m->n; i++)
		json_array_append_new(list, manager_json(f, &m->m[i], "name"));
	return list;
}

/* "master, priority 5". */
static void add_state(struct text *t, const struct manager *x)
{
	text_add(t, "%s", manager_state_word[x->state]);
	if (x->state != MANAGER_SILENT)
		text_add(t, ", priority %u", x->priority);
}

void watch_managers_text(const struct fabric *f, struct text *t)
{
	const struct managers *m = fabric_managers(f);
	char a[LABEL_ROOM];

	if (!m || !m->asked)
		return;
	text_add(t, "Subnet managers: ");
	for (uint32_t i = 0; i < m->n; i++) {
		text_add(t, "%s%s ", i ? "; " : "", manager_label(f, &m->m[i], a, sizeof(a)));
		add_state(t, &m->m[i]);
	}
	text_add(t, "%s.\n", m->n ? "" : "none");
}

/* Do ports name another master now? */
static void tell_master(const struct fabric *before, const struct fabric *f, struct text *t, json_t *list)
{
	const struct managers *a = fabric_managers(before), *b = fabric_managers(f);
	uint32_t was = managers_master(before), is = managers_master(f);
	const struct manager *old = NULL;
	char label[LABEL_ROOM];
	json_t *o;

	if (!a->lid || !b->lid)
		return;
	/* the same port with another LID is told as that, and so is a LID of which nobody knows the port */
	if (was != NO_ID && is != NO_ID ? fabric_endport_in(before, f, is) == was : a->lid == b->lid)
		return;
	o = json_make("{s:s}", "kind", "master_changed");
	if (was != NO_ID) {
		json_put_port(o, "from", before, NULL, before->endport_port[was]);
		old = manager_at(b, before->port_guid[before->endport_port[was]]);
	}
	if (is != NO_ID)
		json_put_port(o, "to", f, NULL, f->endport_port[is]);
	json_object_set_new(o, "from_lid", json_integer(a->lid));
	json_object_set_new(o, "to_lid", json_integer(b->lid));
	text_add(t, "the master subnet manager is %s (LID %u) now",
		 is == NO_ID ? "at a port that is not known" : endport_label(f, is, label, sizeof(label)),
		 b->lid);
	text_add(t, ", it was %s (LID %u)",
		 was == NO_ID ? "at a port that is not known"
			      : endport_label(before, was, label, sizeof(label)),
		 a->lid);
	if (b->asked)
		text_add(t,
			 old && old->state == MANAGER_STANDBY ? "; it handed over, and is standby now"
			 : old				      ? "; a manager is still there: %s"
							      : "; no manager is there any more",
			 old ? manager_state_word[old->state] : "");
	text_add(t, "\n");
	json_array_append_new(list, o);
}

/* Which came, went, or have another state or priority. */
static void tell_each(const struct fabric *before, const struct fabric *f, struct text *t, json_t *list)
{
	const struct managers *a = fabric_managers(before), *b = fabric_managers(f);
	char label[LABEL_ROOM];

	for (uint32_t i = 0; i < a->n; i++) {
		const struct manager *x = &a->m[i];
		json_t *o;

		if (manager_at(b, x->guid))
			continue;
		text_add(t, "- subnet manager %s: it was ", manager_label(before, x, label, sizeof(label)));
		add_state(t, x);
		text_add(t, "\n");
		o = manager_json(before, x, "manager");
		json_object_set_new(o, "kind", json_text("manager_gone"));
		json_array_append_new(list, o);
	}
	for (uint32_t i = 0; i < b->n; i++) {
		const struct manager *x = &b->m[i], *y = manager_at(a, x->guid);
		json_t *o;

		if (y && y->state == x->state && y->priority == x->priority)
			continue;
		text_add(t, "%c subnet manager %s: ", y ? '~' : '+',
			 manager_label(f, x, label, sizeof(label)));
		add_state(t, x);
		text_add(t, y ? "; it was " : "");
		if (y)
			add_state(t, y);
		text_add(t, "\n");
		o = manager_json(f, x, "manager");
		json_object_set_new(o, "kind", json_text(y ? "manager_changed" : "manager_new"));
		if (y)
			json_object_set_new(o, "was", json_text(manager_state_word[y->state]));
		if (y && y->state != MANAGER_SILENT)
			json_object_set_new(o, "old_priority", json_integer(y->priority));
		json_array_append_new(list, o);
	}
}

json_t *watch_managers(const struct fabric *before, const struct fabric *f, struct text *t)
{
	const struct managers *a = fabric_managers(before), *b = fabric_managers(f);
	json_t *list = json_array();

	if (a && b)
		tell_master(before, f, t, list);
	if (a && b && a->asked && b->asked)
		tell_each(before, f, t, list);
	return list;
}

/* How well an engine explains the tables: the share of entries that it chooses from nothing; -1: it does not.
 */
static double explains(struct session *s, const struct sweep *held, const char *chain, struct progress *p)
{
	struct err e = {0};
	struct drift *d = drift_run(held, s->setup, chain, s->engines, false, p, &e);
	double right = d && !strcmp(d->engine, chain) && drift_agreement(d) > 0.9 ? drift_right_share(d) : -1;

	drift_free(d);
	return right;
}

const char *watch_engine(struct session *s, struct progress *p)
{
	struct err e = {0};
	struct sweep *held = drift_held(s->setup, s->engines, session_sweep(s), p, &e);
	const char *best = NULL;
	double most = 0.5; /* less is chance */
	size_t n = s->fabric->n_switches > QUICK_SWITCHES ? QUICK : ARRAY_LEN(tried);

	for (size_t i = 0; held && most < 1 && i < n && !progress_cancelled(p); i++) {
		double right = explains(s, held, tried[i], p);

		if (right > most) {
			most = right;
			best = tried[i];
		}
	}
	sweep_unref(held);
	return best;
}
