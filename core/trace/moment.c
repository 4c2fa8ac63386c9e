#include "core/trace/moment.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/sm/sweep.h"
#include "core/trace/internal.h"
#include "core/base/counted.h"

const struct moment *moment_new(struct walk *w, const struct moment *before)
{
	struct moment *m = NEW(struct moment);
	const struct recording *r = walk_recording(w);
	const struct sweep *s = recording_sweep(r);
	struct text t = {0};

	m->refs = 1;
	m->rec = recording_ref(r);
	m->step = walk_step(w);
	m->sweep = walk_moment(w);
	if (before && before->rec == r)
		m->before = sweep_ref(before->sweep);
	m->phase = str_dup(walk_phase(w));
	if (m->step) /* the start has no sentence */
		walk_sentence(w, &t);
	m->sentence = str_dup(text_str(&t));
	text_free(&t);
	m->reach = NEW_ARRAY(s->fabric->n_switches + 1, uint8_t);
	walk_reach(w, m->reach);
	m->decided = mem_dup(w->decided, recording_cells(r, T_ENTRY));
	if (m->sweep == s) /* the run is over: no more entries will come */
		memset(m->decided, 1, recording_cells(r, T_ENTRY));
	walk_touched(w, T_ENTRY, 0); /* lists them */
	m->n_touched = w->n_touched;
	if (w->n_touched)
		m->touched = mem_dup(w->touched, w->n_touched * sizeof(*w->touched));
	return m;
}

static void moment_release(struct moment *m)
{
	sweep_unref(m->sweep);
	sweep_unref(m->before);
	free(m->phase);
	free(m->sentence);
	free(m->reach);
	free(m->decided);
	free(m->touched);
	recording_unref(m->rec);
	free(m);
}

COUNTED(struct moment, const struct moment, moment_ref, moment_unref, moment_release)

bool moment_decided(const struct moment *m, uint32_t sw, unsigned lid)
{
	unsigned top = m ? recording_sweep(m->rec)->lids->max_lid : 0;

	return !m || (lid <= top && m->decided[(size_t)sw * (top + 1u) + lid]);
}

bool moment_touched(const struct moment *m, enum rec_table t, uint32_t at)
{
	uint64_t key = (uint64_t)t << 32 | at;

	return m && cells_hold(m->touched, m->n_touched, key);
}

const struct rec_event *moment_event(const struct moment *m)
{
	return m && m->step ? recording_event(m->rec, m->step) : NULL;
}
