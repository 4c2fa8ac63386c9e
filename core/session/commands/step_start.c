/* What `step start` is to record. */
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/err.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/steps.h"

/* The switch a word names, NO_ID and *e. */
static uint32_t switch_named(const struct session *s, const char *word, struct err *e)
{
	uint32_t node = session_node(s, word, e);

	if (node == NO_ID)
		return NO_ID;
	if (node_is_switch(s->fabric, node))
		return s->fabric->node_switch[node];
	err_set(e, "%s is no switch; expected: step start [SWITCH [DST]]", s->fabric->node_name[node]);
	return NO_ID;
}

static int lid_named(const struct session *s, const char *word, uint16_t *lid, struct err *e)
{
	unsigned v = 0;

	if (session_endport(s, word, &v, e) == NO_ID)
		return -1;
	*lid = v;
	return 0;
}

static int pair_named(const struct session *s, char **argv, struct rec_focus *f, struct err *e)
{
	f->pair_a = switch_named(s, argv[0], e);
	f->pair_b = f->pair_a == NO_ID ? NO_ID : switch_named(s, argv[1], e);
	return f->pair_b == NO_ID ? -1 : 0;
}

static int layer_named(const char *word, uint8_t *layer, struct err *e)
{
	uint64_t v;

	if (!number_of(word, 0, 14, &v))
		return err_set(e, "found layer '%s', expected 0 to 14", word);
	*layer = (uint8_t)v;
	return 0;
}

int step_what(const struct session *s, int argc, char **argv, const char **engine, struct rec_focus *f,
	      struct err *e)
{
	const struct engine *g = argc ? engine_find(s->engines, argv[0]) : NULL;

	*engine = g ? g->name : NULL;
	*f = REC_EVERYTHING;
	argc -= g != NULL;
	argv += g != NULL;
	if (!argc || (argc == 1 && !strcmp(argv[0], "all")))
		return 0;
	if (argc == 3 && !strcmp(argv[0], "pair"))
		return pair_named(s, argv + 1, f, e);
	if (argc == 2 && !strcmp(argv[0], "lid"))
		return lid_named(s, argv[1], &f->lid, e);
	if (argc == 2 && !strcmp(argv[0], "layer"))
		return layer_named(argv[1], &f->layer, e);
	if (argc > 2)
		return usage(s, "step", e);
	f->sw = switch_named(s, argv[0], e);
	if (f->sw == NO_ID)
		return -1;
	return argc > 1 ? lid_named(s, argv[1], &f->lid, e) : 0;
}
