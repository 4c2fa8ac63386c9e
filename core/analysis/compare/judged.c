#include "core/analysis/compare/judged.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/memory.h"
#include "core/routing/routing.h"

const struct switch_tables *sweep_held_tables(const struct sweep *w)
{
	const char *engine = w && w->routing ? w->routing->engine : "";

	return !strcmp(engine, "tables") || !strcmp(engine, "live") ? setup_tables(w->setup) : NULL;
}

struct judged judged_of(const struct sweep *w)
{
	return (struct judged){
		.sweep = w, .at_hand = setup_tables(w->setup), .held = sweep_held_tables(w) != NULL};
}

void judged_count(struct judged *j, struct progress *p)
{
	const struct sweep *w = j->sweep;
	const struct switch_tables *held = j->at_hand;

	if (j->held || !held || !w->routing)
		return;
	assert(held->n_switches == w->fabric->n_switches);
	unsigned top = switch_tables_top(held);
	top = MAX(w->lids->max_lid, top);
	AUTO_FREE uint8_t *told = switch_tables_told(held, top); /* LIDs that they cover */
	for (uint32_t sw = 0; sw < w->fabric->n_switches && !progress_cancelled(p); sw++)
		for (unsigned lid = 1; held->lft[sw] && lid <= top; lid++) {
			if (!told[lid])
				continue;
			unsigned port = lid <= held->top[sw] ? held->lft[sw][lid] : NO_PATH;
			j->n_held += port != NO_PATH;
			j->n_differ += port != routing_port(w->routing, sw, lid);
		}
}

const char *judged_word(const struct judged *j)
{
	return j->held ? "held" : "computed";
}

const char *judged_rules(const struct judged *j)
{
	return options_get(j->sweep->setup->options, "rules");
}

/* Adds whose rules count.  Engines that no OpenSM has follow none of them; held tables are judged by
 * themselves. */
static void judged_add_rules(const struct judged *j, struct text *t)
{
	const char *rules = judged_rules(j),
		   *engine = j->sweep->routing ? j->sweep->routing->engine : "script";

	if (!strcmp(engine, "mincontention") || !strcmp(engine, "script"))
		return;
	if (!strcmp(rules, "nvidia"))
		text_add(t, "  Rules: NVIDIA's OpenSM, as far as they are known (`set rules opensm`: public "
			    "OpenSM).");
	else if (!j->held)
		text_add(t, "  Rules: public OpenSM%s.", strcmp(rules, "manual") ? "" : ", by its manual");
}

void judged_brief(const struct judged *j, struct text *t)
{
	const struct routing *r = j->sweep->routing;
	struct tm tm;
	char when[20];

	if (!j->held) {
		if (r)
			text_add(t, "computed by %s", r->engine);
		else
			text_add(t, "no tables, as no engine makes any");
		return;
	}
	text_add(t, "tables in the switches");
	if (j->at_hand->source)
		text_add(t, ", read from %s", j->at_hand->source);
	else if (!j->untimed && localtime_r(&j->at_hand->read_at, &tm) &&
		 strftime(when, sizeof(when), ", read %H:%M", &tm))
		text_add(t, "%s", when);
}

void judged_line(const struct judged *j, struct text *t)
{
	assert(!j->held || !j->n_differ);
	text_add(t, "Judged: ");
	judged_brief(j, t);
	if (!j->held && j->at_hand)
		text_add(t,
			 "; the held ones are not looked at: `tables held`.  %" PRIu64
			 " of %s differ from them",
			 j->n_differ, PLURAL(j->n_held, "entry"));
	else if (!j->held && !strcmp(j->sweep->fabric->format, "live"))
		text_add(t, "; the tables in the switches were not read: `live tables`");
	text_add(t, ".");
	judged_add_rules(j, t);
	text_add(t, "\n");
}
