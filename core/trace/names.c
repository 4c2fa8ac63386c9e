/* Cells of tables and their values in words. */
#include "core/fabric/labels.h"
#include "core/trace/internal.h"
#include "core/sm/sweep.h"

void recording_cell(const struct recording *r, enum rec_table t, uint32_t at, struct text *out)
{
	const struct fabric *f = r->sweep->fabric;
	const struct rec_scheme *scheme = r->engine->scheme;
	uint32_t lids = r->sweep->lids->max_lid + 1u;
	char label[300];

	if (scheme->cell && scheme->cell(r, t, at, out))
		return;
	switch (t) {
	case T_ENTRY:
		text_add(out, "%s LID %u", switch_name(f, at / lids), at % lids);
		break;
	case T_HOPS:
	case T_PLAIN:
		text_add(out, "%s to %s", port_label(f, at % f->n_ports, label, sizeof(label)),
			 switch_name(f, at / f->n_ports));
		break;
	case T_LAYER: /* for engines with one layer per switch and LID */
		if (r->cells[t] == (size_t)f->n_switches * lids)
			text_add(out, "%s LID %u", switch_name(f, at / lids), at % lids);
		else
			text_add(out, "number %u", at);
		break;
	case T_COORD:
		text_add(out, "%s, dimension %zu", switch_name(f, at / (r->cells[t] / f->n_switches)),
			 at % (r->cells[t] / f->n_switches) + 1);
		break;
	case T_TUPLE:
		text_add(out, "%s, %s half", switch_name(f, at / 2), at % 2 ? "lower" : "upper");
		break;
	case T_AXIS:
	case T_COUNT:
	case T_WEIGHT:
		text_add(out, "%s", port_label(f, at, label, sizeof(label)));
		break;
	case T_ROOT:
	case T_RANK:
	case T_DIST:
	case T_VIA:
		if (at < f->n_switches) {
			text_add(out, "%s", switch_name(f, at));
			break;
		}
		/* fall through */
	default:
		text_add(out, "number %u", at);
	}
}

static bool trace_names_is_none(enum rec_table t, uint32_t value)
{
	if (t == T_COORD)
		return value == rec_tables[t].start;
	return (rec_tables[t].wide ? value == NO_ID : value == 255) && rec_tables[t].start == value;
}

void recording_value(const struct recording *r, enum rec_table t, uint32_t at, uint32_t value,
		     struct text *out)
{
	const struct fabric *f = r->sweep->fabric;
	const struct rec_scheme *scheme = r->engine->scheme;
	char label[300];

	if (trace_names_is_none(t, value)) {
		text_add(out, "none");
		return;
	}
	if (scheme->value && scheme->value(r, t, at, value, out))
		return;
	switch (t) {
	case T_ENTRY:
		text_add(out, "port %u", value);
		break;
	case T_HOPS:
	case T_PLAIN:
		text_add(out, "%s", PLURAL(value, "hop"));
		break;
	case T_FIRST:
	case T_LAYER:
		text_add(out, "layer %u", value);
		break;
	case T_DEP:
		text_add(out, "%s, %s", switch_name(f, value / f->n_switches),
			 switch_name(f, value % f->n_switches));
		break;
	case T_EGRESS:
	case T_VIA:
		text_add(out, "%s", value < f->n_ports ? port_label(f, value, label, sizeof(label)) : "?");
		break;
	case T_COORD:
		text_add(out, "%d", (int)value);
		break;
	default:
		text_add(out, "%u", value);
	}
}
