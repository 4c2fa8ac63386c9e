/* Fuzz target: torus-2QoS.conf, and the engine that finds a small torus with it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/sm/engine.h"
#include "core/base/memory.h"
#include "core/source/synth.h"
#include "engines/torus/torus.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct engine engine_torus;

/* A whole configuration keeps its promises; a wrong one has a line for each error. */
static void check_conf(const uint8_t *data, size_t size)
{
	struct text errors = {0};
	struct torus_conf c;
	unsigned bad = torus_conf_parse(&c, "fuzz", (const char *)data, size, &errors), lines = 0, seen = 0;
	uint8_t ports[TORUS_PORTS] = {0};

	for (const char *p = text_str(&errors); *p; p++)
		lines += *p == '\n';
	if (lines != bad || (bad && strncmp(text_str(&errors), "fuzz:", 5)))
		abort();
	for (unsigned i = 0; !bad && i < TORUS_PORTS; i++)
		seen += !ports[c.port_order[i]]++;
	if (!bad && seen != TORUS_PORTS)
		abort();
	for (size_t i = 0; !bad && i < c.n_seeds; i++)
		for (unsigned d = 0; d < TORUS_DIMS; d++)
			if (c.radix[d] && llabs(c.seed[i].dateline[d]) >= (int64_t)c.radix[d])
				abort();
	torus_conf_free(&c);
	text_free(&errors);
}

struct world {
	struct topo *t;
	struct lids *l;
};

/* A torus of 3 x 3 with two links a pair, made once. */
static const struct world *world(void)
{
	static struct world w;
	struct lid_options o = {0};
	struct lid_memory *m;
	struct fabric *f;
	struct state *st;

	if (w.t)
		return &w;
	if (synth_make("torus:3x3,parallel=2", &f, NULL))
		abort();
	st = state_new(f);
	w.t = topo_new(f, st);
	m = lid_memory_new(f, &o);
	w.l = lids_assign(m, w.t, NULL, NULL);
	lid_memory_free(m);
	state_free(st);
	fabric_unref(f);
	return &w;
}

static void check_engine(const uint8_t *data, size_t size)
{
	const struct optdef *const tables[] = {common_options, engine_torus.options, NULL};
	struct options *o = options_new(tables);
	const struct world *w = world();
	struct engine_input in = {.topo = w->t, .lids = w->l, .options = o};
	struct engine_output out = {0};
	int fd = memfd_create("conf", 0);
	struct routing *r;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || options_set(o, "qos", "TRUE", NULL) ||
	    options_set(o, "torus_config", path, NULL))
		abort();
	r = engine_torus.route(&in, &out);
	if (r ? !torus_of(r) : !out.refused.msg[0])
		abort();
	routing_unref(r);
	notes_free(&out.notes);
	options_free(o);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_conf(data, size);
	check_engine(data, size);
	return 0;
}
