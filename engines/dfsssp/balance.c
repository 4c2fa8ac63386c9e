/* Unused lanes go to the layers with most pairs per lane (engines/doc/dfsssp.md 6.8). */
#include "engines/dfsssp/internal.h"

static double pairs_a_lane(const struct ds_layers *l, unsigned t)
{
	return (double)l->count[t] / l->width[t];
}

void ds_balance(struct ds_layers *l, const struct engine_input *in)
{
	unsigned base = 0;

	for (unsigned t = 0; t < l->need; t++)
		l->width[t] = 1;
	rec_phase(in, "%u of %u VLs are needed", l->need, l->vls);
	for (unsigned i = l->need; i < l->vls; i++) {
		unsigned most = 0;

		for (unsigned t = 1; t < l->need; t++)
			if (pairs_a_lane(l, t) > pairs_a_lane(l, most))
				most = t;
		l->width[most]++;
		if (RECORDED(in))
			ds_record_split(in, l, most);
	}
	for (unsigned t = 0; t < l->need; t++) {
		unsigned width = l->width[t];

		l->base[t] = base;
		base += width;
		/* OpenSM writes the entry of a layer that keeps its place, and then clears it */
		if (t && l->base[t] == t && l->need < l->vls) {
			l->idle += width - 1;
			l->width[t] = 1;
		}
	}
	/* OpenSM moves the highest layer first */
	for (unsigned t = l->need; RECORDED(in) && l->need < l->vls && t-- > 0;)
		ds_record_shift(in, l, t);
}
