/* A step of a run as a drawing: how far it has come, its cable, turns that it forbids. */
#include <stdlib.h>
#include <string.h>

#include "core/analysis/credit/turns.h"
#include "core/base/memory.h"
#include "core/session/commands/drawing.h"
#include "core/trace/step_cycle.h"

static void add_turn(struct fabric_drawing *d, uint32_t from, uint32_t to)
{
	d->channel[from] = d->channel[to] = 1;
	d->turn[d->look.n_turns++] = (struct picture_turn){from, to, PICTURE_TURN_ON_CYCLE};
}

/* Room for n red turns, which are `red`. */
static void begin_turns(const struct fabric *f, size_t n, const char *red, struct fabric_drawing *d)
{
	d->channel = NEW_ARRAY(f->n_ports + 1, uint8_t);
	d->turn = NEW_ARRAY(n + 1, struct picture_turn);
	d->look.channel = d->channel;
	d->look.turn = d->turn;
	d->look.red = red;
}

void drawing_way(const struct fabric *f, const struct path_hop *hop, unsigned n, unsigned turn,
		 struct fabric_drawing *d)
{
	if (!d->way)
		drawing_mark_ports(f, d);
	d->look.ways = PICTURE_THERE;
	for (unsigned k = 0; k < n; k++) {
		d->number[hop[k].sw] = k + 1;
		if (hop[k].out && hop[k].out <= f->switch_nports[hop[k].sw])
			d->way[switch_port_id(f, hop[k].sw, hop[k].out)] = PICTURE_THERE;
	}
	begin_turns(f, 1, "forbidden turn", d);
	if (turn && turn < n)
		add_turn(d, switch_port_id(f, hop[turn - 1].sw, hop[turn - 1].out),
			 switch_port_id(f, hop[turn].sw, hop[turn].out));
}

/* The cable that the step is about, the turn that it forbids, or the cycle because of which it refuses. */
static void mark_event(const struct fabric *f, const struct moment *m, struct fabric_drawing *d)
{
	const struct rec_event *ev = moment_event(m);
	struct witness *cycle = step_cycle(m);
	struct way w;
	unsigned at;

	if (cycle) {
		begin_turns(f, cycle->n, "dependencies of the cycle", d);
		for (uint32_t i = 0; i < cycle->n; i++)
			add_turn(d, cycle->edge[i].port, cycle->edge[(i + 1) % cycle->n].port);
	} else if (step_way(m, &w, &at)) {
		drawing_way(f, w.hop, w.n, at, d);
		way_free(&w);
	} else if (ev && rec_kinds[ev->kind].port && ev->port && ev->a < f->n_switches &&
		   ev->port <= f->switch_nports[ev->a]) {
		d->way[switch_port_id(f, ev->a, ev->port)] = PICTURE_STEP;
		d->look.ways = PICTURE_STEP;
	}
	witness_free(cycle);
}

void drawing_step(const struct session *s, const struct moment *m, struct fabric_drawing *d)
{
	const struct fabric *f = s->fabric;
	const struct rec_event *ev = moment_event(m);
	const char *rule = ev ? recording_rule(m->rec, ev) : "";
	struct text t = {0};

	memcpy(d->class, m->reach, f->n_switches);
	free(d->way);
	free(d->number);
	free(d->channel);
	free(d->turn);
	d->channel = NULL;
	d->turn = NULL;
	d->look.turn = NULL;
	d->look.n_turns = 0;
	d->look.red = NULL;
	d->look.ways = 0;
	drawing_mark_ports(f, d);
	mark_event(f, m, d);
	free(d->title);
	free(d->line);
	d->title = str_printf("%s: step %zu of %zu of %s%s%s", drawing_source(f), m->step,
			      recording_steps(m->rec), recording_engine(m->rec), *m->phase ? ": " : "",
			      m->phase);
	text_add(&t, "%s%s", m->sentence, *m->sentence ? ". " : "");
	if (*rule)
		text_add(&t, "Rule: %s.", rule);
	text_add(&t, "\n");
	drawing_engine_words(s, &t);
	drawing_down_words(s, &t);
	d->line = str_dup(text_str(&t));
	text_free(&t);
	d->look.title = d->title;
	d->look.line = d->line;
}
