/* The order of candidates, and the reason why one comes before the next. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analysis/advise/advise.h"
#include "core/analysis/compare/compare.h"
#include "core/base/defs.h"
#include "core/base/memory.h"

/* A sound routing is heavy if its most loaded link has more than so many times the routes of B's best. */
#define HEAVY_TIMES 4
/* Means of shifts that differ by less are equal. */
#define MEAN_EPSILON 1e-9

char advice_letter(const struct advice_row *r)
{
	return (char)('A' + r->class);
}

/* The class; sound routings that are heavy come after B. */
static unsigned advise_rank_grade(const struct advice_row *r)
{
	return r->class == ADVICE_UNSOUND ? 3 : r->heavy ? 2 : r->class == ADVICE_NEARLY ? 1 : 0;
}

static unsigned fragile(const struct advice_row *r)
{
	return (r->failure_lost || r->failure_loops) ? 2 : r->failure_fallbacks ? 1 : 0;
}

/* -1: a comes first, 1: b does, 0: as good. */
static int by_ebb(const struct advice_row *a, const struct advice_row *b)
{
	double d = a->ebb.value - b->ebb.value;

	if (fabs(d) <= a->ebb.half_width + b->ebb.half_width)
		return 0;
	return d > 0 ? -1 : 1;
}

static int advise_rank_by_rest(const struct advice_row *a, const struct advice_row *b)
{
	if (fabs(a->shift_mean - b->shift_mean) > MEAN_EPSILON)
		return a->shift_mean < b->shift_mean ? -1 : 1;
	if (a->max_load != b->max_load)
		return a->max_load < b->max_load ? -1 : 1;
	if (a->vls != b->vls)
		return a->vls < b->vls ? -1 : 1;
	return COMPARED(a->kind, b->kind);
}

static int by_class(const struct advice *all, const struct advice_row *a, const struct advice_row *b)
{
	if (advise_rank_grade(a) != advise_rank_grade(b))
		return advise_rank_grade(a) < advise_rank_grade(b) ? -1 : 1;
	if (!all->untried && fragile(a) != fragile(b))
		return fragile(a) < fragile(b) ? -1 : 1;
	if (a->gpu_load != b->gpu_load)
		return a->gpu_load < b->gpu_load ? -1 : 1;
	return 0;
}

/*
 * The best of row[from .. end - 1]. "As good" is not transitive for bandwidths. So all rows as good as the
 * largest of the best class count as equal, and the other figures decide.
 */
static unsigned advise_rank_best_from(const struct advice *a, unsigned from, unsigned end)
{
	const struct advice_row *r = a->row;
	unsigned top = from, best;

	for (unsigned i = from + 1; i < end; i++) {
		int c = by_class(a, &r[i], &r[top]);

		if (c < 0 || (!c && r[i].ebb.value > r[top].ebb.value))
			top = i;
	}
	best = top;
	for (unsigned i = from; i < end; i++)
		if (!by_class(a, &r[i], &r[top]) && !by_ebb(&r[i], &r[top]) &&
		    advise_rank_by_rest(&r[i], &r[best]) < 0)
			best = i;
	return best;
}

/* --- reasons ---------------------------------------------------------------------------------------- */

static char *why_grade(const struct advice_row *a, const struct advice_row *b)
{
	char x[40];

	if (b->heavy && advise_rank_grade(a) < 3)
		return str_printf("most routes on a link %u against %u", a->max_load, b->max_load);
	if (b->loops)
		return str_printf("the next has %s", plural(b->loops, "credit loop", x, sizeof(x)));
	return str_printf("the next loses %s", plural(b->lost, "pair", x, sizeof(x)));
}

static char *why_failures(const struct advice_row *b)
{
	char x[40];

	if (b->failure_loops)
		return str_printf("the next has credit loops after %s of %u",
				  plural(b->failure_loops, "failure", x, sizeof(x)), b->failures);
	if (b->failure_lost)
		return str_printf("the next loses up to %s between survivors after a failure",
				  plural(b->failure_lost, "pair", x, sizeof(x)));
	return str_printf("the next gives way to another engine after %s of %u",
			  plural(b->failure_fallbacks, "failure", x, sizeof(x)), b->failures);
}

/* The first figure by which a comes before b. */
static char *why(const struct advice *all, const struct advice_row *a, const struct advice_row *b)
{
	const char *even = "";

	if (advise_rank_grade(a) < advise_rank_grade(b))
		return why_grade(a, b);
	if (!all->untried && fragile(a) < fragile(b))
		return why_failures(b);
	if (a->gpu_load < b->gpu_load)
		return str_printf("most flows of GPUs on a link %u against %u", a->gpu_load, b->gpu_load);
	if (by_ebb(a, b) < 0)
		return str_printf("effective bisection %.3f against %.3f", a->ebb.value, b->ebb.value);
	if (a->ebb.value < b->ebb.value || a->ebb.value > b->ebb.value)
		even = " (effective bisection equal within its intervals)";
	if (a->shift_mean < b->shift_mean - MEAN_EPSILON)
		return str_printf("mean shift %.2f against %.2f%s", a->shift_mean, b->shift_mean, even);
	if (a->max_load < b->max_load)
		return str_printf("most routes on a link %u against %u%s", a->max_load, b->max_load, even);
	if (a->vls < b->vls)
		return str_printf("%s against %u%s", PLURAL(a->vls, "VL"), b->vls, even);
	return str_printf("the simpler engine; all else is alike%s", even);
}

/* --- the order ---------------------------------------------------------------------------------------- */

static void mark_heavy(struct advice *a, unsigned n)
{
	uint64_t best = 0;
	bool some = false;

	for (unsigned i = 0; i < n; i++)
		if (a->row[i].class == ADVICE_NEARLY && (!some || a->row[i].max_load < best)) {
			best = a->row[i].max_load;
			some = true;
		}
	for (unsigned i = 0; i < n; i++)
		a->row[i].heavy =
			some && a->row[i].class == ADVICE_SOUND && a->row[i].max_load > HEAVY_TIMES * best;
}

static bool advise_rank_alike(const struct advice_row *a, const struct advice_row *b)
{
	return a->vls == b->vls && a->class == b->class && a->failures == b->failures &&
	       a->failure_lost == b->failure_lost && a->failure_loops == b->failure_loops &&
	       a->failure_fallbacks == b->failure_fallbacks && a->loops == b->loops &&
	       a->shift_worst == b->shift_worst && fabs(a->shift_mean - b->shift_mean) <= MEAN_EPSILON &&
	       !entries_unlike(a->sweep->routing, b->sweep->routing);
}

/* Move row[i] down to place `to`; the rows between move up. */
static void move_to(struct advice_row *r, unsigned i, unsigned to)
{
	struct advice_row moved = r[i];

	memmove(&r[to + 1], &r[to], (i - to) * sizeof(*r));
	r[to] = moved;
}

/* Moves rows of row[from .. end - 1] with keep() to the front, in their order. Returns where they end. */
static unsigned advise_rank_first_of(struct advice_row *r, unsigned from, unsigned end,
				     bool (*keep)(const struct advice_row *r, unsigned n,
						  const struct advice_row *x))
{
	unsigned n = from;

	for (unsigned i = from; i < end; i++)
		if (keep(r, n, &r[i]))
			move_to(r, i, n++);
	return n;
}

static bool advise_rank_routes(const struct advice_row *r, unsigned n, const struct advice_row *x)
{
	(void)r;
	(void)n;
	return !x->refused && !x->unmeasured;
}

static bool is_refused(const struct advice_row *r, unsigned n, const struct advice_row *x)
{
	(void)r;
	(void)n;
	return x->refused;
}

/* Is it like none of r[0 .. n - 1]? */
static bool advise_rank_is_new(const struct advice_row *r, unsigned n, const struct advice_row *x)
{
	for (unsigned i = 0; i < n; i++)
		if (advise_rank_alike(&r[i], x))
			return false;
	return true;
}

void advice_rank(struct advice *a)
{
	struct advice_row *r = a->row;

	a->n_routed = advise_rank_first_of(r, 0, a->n, advise_rank_routes);
	a->n_measured = advise_rank_first_of(r, a->n_routed, a->n, is_refused);
	a->untried = false;
	for (unsigned i = 0; i < a->n_routed; i++)
		a->untried |= r[i].untried;
	mark_heavy(a, a->n_routed);
	a->n_ranked = advise_rank_first_of(r, 0, a->n_routed, advise_rank_is_new);
	for (unsigned i = 0; i < a->n_ranked; i++)
		move_to(r, advise_rank_best_from(a, i, a->n_ranked), i);
	for (unsigned i = 0; i < a->n; i++) {
		r[i].same = i;
		for (unsigned k = 0; i >= a->n_ranked && i < a->n_routed && k < a->n_ranked; k++)
			if (advise_rank_alike(&r[k], &r[i]))
				r[i].same = k;
	}
	for (unsigned i = 0; i < a->n; i++) {
		free(r[i].reason);
		r[i].reason = i + 1 < a->n_ranked ? why(a, &r[i], &r[i + 1]) : NULL;
	}
}

bool advice_complete(const struct advice *a)
{
	return !a->late && a->n_measured == a->n && !a->untried;
}
