#include "core/analysis/compare/sound.h"

const struct verdict_words verdict_words[VERDICTS] = {
	[VERDICT_NO_HOSTS] = {"NOTHING JUDGED", "No host counts: nothing is judged."},
	[VERDICT_FAULT] = {"NOT SOUND", "NOT SOUND."},
	[VERDICT_UNKNOWN] = {"INCOMPLETE",
			     "Nothing wrong in the part that is known; whether the fabric is sound is not."},
	[VERDICT_CHANCE] = {"BY CHANCE", "Nothing wrong in these tables; but OpenSM's own may leave hosts "
					 "without a route, by chance."},
	[VERDICT_NO_PAIRS] = {"NOTHING JUDGED", "No pair of hosts: nothing is judged."},
	[VERDICT_PART] = {"PART OF THE SCOPE", "Nothing wrong among the hosts of the scope that are there."},
	[VERDICT_IN_SCOPE] = {"Sound within the scope",
			      "Sound within the scope: every host of it reaches every other, and their own "
			      "routes make no credit loops."},
	[VERDICT_APART] = {"Sound within the partitions",
			   "Sound within the partitions: hosts that share a P_Key reach each other, without "
			   "credit loops."},
	[VERDICT_SOUND] = {"Sound", "Sound: every host reaches every host, without credit loops."},
};

static uint32_t not_here(const struct scope *scope, const struct fabric *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; scope && *scope->words && i < scope->n; i++)
		n += scope_endport(f, &scope->port[i]) == NO_ID;
	return n;
}

uint32_t sound_next_by_chance(const struct sweep *w, uint32_t *at)
{
	const struct routing *r = w->routing;
	uint32_t ep;

	do
		ep = r->ops->next_by_chance ? r->ops->next_by_chance(r, at) : NO_ID;
	while (ep != NO_ID && !host_set_matters(w->hosts, w->fabric, ep));
	return ep;
}

static void faults_sound_judge(const struct sweep *w, struct soundness *x)
{
	const struct check_result *c = &x->counts;
	bool wrong = !x->strange && (c->unreachable != x->untold || c->no_lid || x->cut_off ||
				     x->loops->n_components || x->loops->dropped);
	bool part = w->fabric->warnings.missing || x->strange || (x->untold && tables_lacking(w, NULL));

	x->fault = wrong || x->gone;
	x->sound = !x->fault && c->pairs && !part && !x->by_chance;
	if (!w->hosts->n && w->hosts->narrowed)
		x->verdict = VERDICT_NO_HOSTS;
	else if (wrong)
		x->verdict = VERDICT_FAULT;
	else if (part)
		x->verdict = VERDICT_UNKNOWN;
	else if (x->by_chance)
		x->verdict = VERDICT_CHANCE;
	else if (!c->pairs)
		x->verdict = VERDICT_NO_PAIRS;
	else if (x->gone)
		x->verdict = VERDICT_PART;
	else
		x->verdict = c->apart ? VERDICT_APART : w->hosts->narrowed ? VERDICT_IN_SCOPE : VERDICT_SOUND;
}

int soundness_find(const struct sweep *w, struct soundness *x, const struct last_seen *seen,
		   const struct ways_listener *to, struct progress *p, struct err *e)
{
	*x = (struct soundness){
		.cut_off = count_cut_off(w, NULL),
		.gone = not_here(w->setup->scope, w->fabric),
		.strange = tables_strange(w),
		.by_chance = sound_next_by_chance(w, &(uint32_t){0}) != NO_ID,
	};
	if (check_routing(w->routing, &x->counts, p))
		return err_set(e, CANCELLED);
	x->causes = causes_find(w, &x->counts, NULL, seen, to, p, e);
	x->loops = x->causes ? cdg_new_loops(w->routing, p, e) : NULL;
	if (!x->loops) {
		soundness_clear(x);
		return -1;
	}
	x->untold = x->strange ? x->counts.unreachable : x->causes->untold;
	faults_sound_judge(w, x);
	return 0;
}

void soundness_clear(struct soundness *x)
{
	causes_free(x->causes);
	cdg_free(x->loops);
	x->causes = NULL;
	x->loops = NULL;
}
