/* The verdict on tables: whose rule they follow, in sentences. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/analysis/compare/follow.h"
#include "core/base/text.h"

const char *const follow_word[FOLLOW_CLASSES] = {"only", "first",  "least",  "main",	"cable", "down",
						 "hub",	 "lawful", "longer", "against", "extra", "missing"};

const char *const follow_ties_word[FOLLOW_TIES] = {"first", "drawn", "any"};

#define TRY(key, member, type, help) FIELD(key, struct follow_try, member, type, NULL, help)

const struct field follow_try_fields[] = {
	TRY("engine", engine, "string(minhop/dor/updn/ftree)",
	    "the engine; one with ar_ has the same linear tables"),
	TRY("bits", bits, NULL, "what one must be told beyond its rule to write the tables down"),
	FIELD_BY_CODE("roots[]", "object", "its roots"),
	FIELD_BY_CODE("roots[].name", "node", "a root"),
	TRY("roots_found", roots, NULL, "how they were found"),
	FIELD_BY_CODE(
		"scatter", "string(first/drawn/any)",
		"ties among least loaded ports: the lowest one, drawn (scatter_ports), or any lawful port"),
	FIELD_BY_CODE("hub", "node?", "switch at which all ways turn up again that the rule lacks"),
	FIELD_BY_CODE("classes", "object", "entries by class"),
	FIELD_BY_CODE("classes.*", "integer",
		      "only, first, least, main, cable, down, hub, lawful, longer, against, extra, missing"),
	{.key = NULL},
};

const struct field follow_entry_fields[] = {
	FIELD_BY_CODE("switch", "node", "the switch"),
	FIELD("lid", struct follow_entry, lid, "lid", "LID", "the LID"),
	FIELD_BY_CODE("owner", "endport?", "port with that LID"),
	FIELD_BY_CODE("kind", "string(lawful/longer/against/extra/missing)", "its class"),
	FIELD_BY_CODE("port", "portnum", "the port, 255: none"),
	{.key = NULL},
};

#define FOLLOW_NAMES 4		 /* roots that are named */
#define FOLLOW_STRANGE_SHARE 0.1 /* where more entries break the nearest rule, no engine is named */

struct follow_names {
	const char *name[2 * FOLLOW_MOST_EXACT + FOLLOW_ENGINES];
	unsigned n;
};

static void follow_name_add(struct follow_names *names, const char *name)
{
	for (unsigned i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return;
	names->name[names->n++] = name;
}

/*
 * Adds the engines that cannot be told apart from the best.  ties: how ties are told; FOLLOW_TIES: as far as
 * that is known.  fewest: the bits of the best, if none of them has fewer.
 */
static void follow_add_near(const struct follow *f, enum follow_ties ties, double fewest,
			    struct follow_names *names)
{
	double bits[FOLLOW_ENGINES];

	for (unsigned i = 0; i < f->n; i++) {
		const struct follow_try *t = &f->try[i];

		bits[i] = ties == FOLLOW_TIES_FIRST ? t->bits_first : t->bits;
		if (ties == FOLLOW_TIES_DRAWN)
			bits[i] = t->bits_drawn;
		fewest = fmin(fewest, bits[i]);
	}
	for (unsigned i = 0; i < f->n; i++)
		if (bits[i] < fewest + FOLLOW_MARGIN)
			follow_name_add(names, f->try[i].engine);
}

static void follow_tell_names(const struct follow_names *names, struct text *text)
{
	for (unsigned i = 0; i < names->n; i++) {
		const char *between = i + 1 == names->n ? " or " : ", ";

		text_add(text, "%s%s", i ? between : "", names->name[i]);
	}
}

static void follow_tell_roots(const struct follow *f, const struct follow_try *t, struct text *text)
{
	uint32_t n = 0;

	for (uint32_t s = 0; t->root && s < f->fabric->n_switches; s++)
		if (t->root[s] && n++ < FOLLOW_NAMES)
			text_add(text, "%s%s", n == 1 ? " with roots " : ", ", switch_name(f->fabric, s));
	if (n > FOLLOW_NAMES)
		text_add(text, " and %u more", n - FOLLOW_NAMES);
	if (n)
		text_add(text, " (%s)", t->roots);
}

/* What the entries are under an engine, and what a restart does with its choices. */
static void follow_tell_classes(const struct follow *f, const struct follow_try *t,
				const struct follow_known *known, struct text *text)
{
	uint64_t free = follow_free(t), kept = t->n[FOLLOW_LAWFUL], broken = follow_broken(t);
	bool tree = !strcmp(t->engine, "ftree");
	bool drawn = f->scatter_known ? t->ties == FOLLOW_TIES_DRAWN
				      : t->bits_drawn + FOLLOW_MARGIN <= t->bits_first;

	text_add(text, ": its rule allows %s", PLURAL(free + t->n[FOLLOW_ONLY] + t->n[FOLLOW_DOWN], "entry"));
	if (free)
		text_add(text, "; of %s among equal ports %s%" PRIu64 " %s", PLURAL(free, "choice"),
			 kept ? "" : "all ", free - kept,
			 tree ? "are on the one main way to their destination" : "took the least loaded");
	if (t->hub != NO_ID)
		text_add(text, "; %s turn at %s, as calculate_missing_routes makes them",
			 PLURAL(t->n[FOLLOW_HUB], "more entry"), switch_name(f->fabric, t->hub));
	if (broken)
		text_add(text, "; %s outside of it (`judge %s`)", PLURAL(broken, "entry"), t->engine);
	text_add(text, ".\n");
	if (kept)
		text_add(text,
			 "Allowed, but not %s: %s, kept from before a change or made in another order.  A "
			 "restart "
			 "may move them.\n",
			 tree ? "on the main way" : "the least loaded in the order that ibscope assumes",
			 PLURAL(kept, "entry"));
	if (drawn && !tree && t->n[FOLLOW_LEAST] && !known->drawn)
		text_add(text,
			 "Ties were drawn (scatter_ports), in an order that ibscope does not know: whether "
			 "a restart draws the same is not judged.\n");
}

/* The program whose rules compute entries from nothing. */
static const char *follow_program(const struct follow_known *known)
{
	return known->nvidia ? "NVIDIA's OpenSM, as far as its rules are known," : "OpenSM 3.3.23";
}

/* The engine that something names. */
static void follow_tell_named(const struct follow *f, const struct follow_known *known, bool exact,
			      struct text *text)
{
	const struct follow_try *t = follow_find(f, known->named), *best = &f->try[0];
	bool other = !exact && t && follow_broken(t) > follow_broken(best) &&
		     t->bits >= best->bits + FOLLOW_MARGIN;

	t = other ? best : t;
	text_add(text, "These tables follow %s", other ? best->engine : known->named);
	if (t && !exact)
		follow_tell_roots(f, t, text);
	if (other)
		text_add(text, ", although %s names %s", known->by, known->named);
	else
		text_add(text, ", which %s names", known->by);
	if (exact)
		text_add(text, ": %s computes every entry from nothing.\n", follow_program(known));
	else if (t)
		follow_tell_classes(f, t, known, text);
	else
		text_add(text, "; its choices among ports are not judged.\n");
}

/* Nothing names the engine. */
static void follow_tell_found(const struct follow *f, const struct follow_known *known,
			      const struct follow_names *names, struct text *text)
{
	const struct follow_try *best = &f->try[0];
	double broken = (double)follow_broken(best) / (double)follow_entries(best);
	struct follow_names first = {.n = 0}, drawn = {.n = 0};

	double fewest = known->n_exact ? 0 : best->bits;
	/* all are judged by their ties, and nothing was kept */
	bool local = !best->n[FOLLOW_LAWFUL];

	follow_add_near(f, FOLLOW_TIES_FIRST, fewest, &first);
	follow_add_near(f, FOLLOW_TIES_DRAWN, fewest, &drawn);
	for (unsigned i = 0; i < names->n; i++)
		local &= follow_find(f, names->name[i]) != NULL;
	if (!known->n_exact && broken > FOLLOW_STRANGE_SHARE) {
		text_add(text,
			 "These tables follow none of minhop, dor, updn and ftree: %.0f %% of the entries "
			 "break the "
			 "rule of %s, the nearest.\n",
			 100 * broken, best->engine);
		return;
	}
	text_add(text, "These tables follow ");
	follow_tell_names(names, text);
	if (names->n == 1 && !known->n_exact)
		follow_tell_roots(f, best, text);
	if (names->n > 1)
		text_add(text, ", which cannot be told apart on this fabric.  The manager's log or "
			       "opensm-smdb.dump names the engine.\n");
	if (known->n_exact && names->n > 1)
		text_add(text, "With %s %s computes every entry from nothing.\n", known->exact[0],
			 follow_program(known));
	else if (known->n_exact)
		text_add(text, ": %s computes every entry from nothing.\n", follow_program(known));
	else if (names->n == 1)
		follow_tell_classes(f, best, known, text);
	if (!f->scatter_known && local && names->n > 1 && drawn.n == 1)
		text_add(text,
			 "With ties drawn (scatter_ports; 8 in NVIDIA's OpenSM, where nothing is set) only "
			 "%s gives "
			 "them.\n",
			 drawn.name[0]);
	if (f->scatter_known && first.n > names->n) {
		text_add(text, "With ties by the lowest port (scatter_ports 0) ");
		follow_tell_names(&first, text);
		text_add(text, " would give them.\n");
	}
}

/*
 * ftree sends nearly all by the main ways, also after a cut: 99 % were seen.  With fewer, tables with ties by
 * the lowest port look alike when hosts have left; so the next engine whose rule all entries keep stands
 * beside it.
 */
static void follow_add_beside(const struct follow *f, struct follow_names *names)
{
	const struct follow_try *best = &f->try[0];
	bool beside = !strcmp(best->engine, "ftree") && best->n[FOLLOW_LAWFUL] * 33 > follow_free(best);

	for (unsigned i = 1; beside && i < f->n; i++)
		if (!follow_broken(&f->try[i])) {
			follow_name_add(names, f->try[i].engine);
			beside = false;
		}
}

void follow_tell(const struct follow *f, const struct follow_known *known, struct text *t)
{
	struct follow_names names = {.n = 0};
	bool exact = false;

	assert(f->n && known->n_exact <= FOLLOW_MOST_EXACT);
	for (unsigned i = 0; i < known->n_exact; i++) {
		follow_name_add(&names, known->exact[i]);
		exact |= known->named && !strcmp(known->named, known->exact[i]);
	}
	/* an exact engine needs nothing beyond its rule */
	follow_add_near(f, FOLLOW_TIES, known->n_exact ? 0 : INFINITY, &names);
	if (!known->n_exact)
		follow_add_beside(f, &names);
	for (unsigned i = 0; i < known->n_likely; i++)
		follow_name_add(&names, known->likely[i]);
	if (known->named)
		follow_tell_named(f, known, exact, t);
	else
		follow_tell_found(f, known, &names, t);
	if (known->drawn)
		text_add(t,
			 "With %s%s NVIDIA's OpenSM 5.21 draws exactly these ports with %s: a restart "
			 "changes none of "
			 "them.  `set rules nvidia; set routing_threads_num %u` shows what follows a "
			 "change.\n",
			 PLURAL(known->threads, "routing thread"), known->or_more ? " or more" : "",
			 known->drawn, known->threads);
	if (f->n_untold)
		text_add(t, "Entries for %s are not in the file.\n", PLURAL(f->n_untold, "LID"));
}
