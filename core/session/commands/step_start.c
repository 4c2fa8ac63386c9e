/* The words of `step start`: what to record. */
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/session/commands/commands.h"
#include "core/session/commands/steps.h"
#include "core/trace/recording.h"

int step_what(const struct session *s, const struct args *args, const char **engine, struct rec_focus *f,
	      struct err *e)
{
	const char *name = args ? args_word(args, "ENGINE", NULL) : NULL;
	const struct engine *g = name ? engine_find(s->engines, name) : NULL;
	const uint32_t *switches = s->fabric->node_switch;
	const struct arg *sw, *dst;

	*engine = g ? g->name : NULL;
	*f = REC_EVERYTHING;
	if (name && !g) /* no engine, and no switch */
		return session_node(s, name, e) == NO_ID ? -1 : err_set(e, "%s is no switch", name);
	if (!args)
		return 0;
	sw = args_get(args, "SWITCH");
	dst = args_get(args, "DST");
	if (sw && args_has(args, "pair")) {
		f->pair_a = switches[sw->id];
		f->pair_b = switches[args_next(args, "SWITCH", sw)->id];
	} else if (sw) {
		f->sw = switches[sw->id];
	}
	if (dst)
		f->lid = (uint16_t)dst->lid;
	f->layer = (uint8_t)args_number(args, "layer N", f->layer);
	return 0;
}
