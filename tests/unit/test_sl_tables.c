/* SLs and SL-to-VL maps from files: read, written, used by paths and channel dependencies. */
#include "fixture.h"

#include "core/analysis/credit/cdg.h"
#include "core/sm/lft_file.h"

struct ring {
	struct session *s;
	const struct fabric *f;
	const struct sweep *w;
	struct sl_tables *l;
	struct text notes;
	struct err e;
};

static void ring_new(struct ring *x)
{
	*x = (struct ring){.s = session_after("synth ring:6; route minhop")};
	x->f = x->s->fabric;
	x->w = session_sweep(x->s);
	x->l = sl_tables_new(x->f, x->w->lids->max_lid);
}

static void ring_free(struct ring *x)
{
	sl_tables_unref(x->l);
	text_free(&x->notes);
	session_free(x->s);
}

static int maps(struct ring *x, const char *text)
{
	return sl2vl_file_parse(x->l, &(struct input){"maps", text, strlen(text), NULL}, x->f, &x->notes,
				&x->e);
}

static int sls(struct ring *x, const char *text)
{
	return sl_file_parse(x->l, &(struct input){"sls", text, strlen(text), NULL}, x->f, x->w->lids,
			     &x->notes, &x->e);
}

static char *formatted(const char *fmt, uint64_t guid)
{
	return str_printf(fmt, (unsigned long)guid);
}

static void test_maps(void **state)
{
	AUTO_BY(ring_free) struct ring x;

	ring_new(&x);
	uint64_t guid = x.f->node_guid[x.f->switch_node[2]];
	char *t = formatted("Switch 0x%lx, base LID 1, \"x\"\n#in out : 0 1\n#---\n"
			    "0   1   : 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 \n\nChannel Adapter 0x5, x\n"
			    "0   0   : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			    guid);
	assert_int_equal(maps(&x, t), 0);
	free(t);
	for (unsigned sl = 0; sl < 16; sl++) {
		assert_int_equal(sl2vl_of(sl_tables_map(x.l, 2, 0, 1), sl), 15 - sl);
		assert_int_equal(sl2vl_of(sl_tables_map(x.l, 2, 1, 1), sl), sl);
		assert_int_equal(sl2vl_of(sl_tables_map(x.l, 3, 0, 1), sl), sl);
	}
	t = formatted("0x%016lx 1 2 0x10 0x32 0x54 0x76 0x98 0xba 0xdc 0xfe\n0x99 1 2 0 0 0 0 0 0 0 0\n",
		      guid);
	assert_int_equal(maps(&x, t), 0);
	free(t);
	for (unsigned sl = 0; sl < 16; sl++)
		assert_int_equal(sl2vl_of(sl_tables_map(x.l, 2, 1, 2), sl), sl ^ 1);
	assert_int_equal(x.l->n_maps, 1);
	assert_non_null(strstr(text_str(&x.notes), "maps of 1 switch that is not in the fabric"));
	assert_int_equal(maps(&x, "\n# fine\n1 2 : 0 1\n"), -1);
	assert_string_equal(x.e.msg,
			    "maps:3: found '1 2 : 0 1', expected `IN OUT : VL...` of a switch or `GUID IN "
			    "OUT 0x01 0x23...`");
	t = formatted("Switch 0x%lx\n0 1 : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 16\n", guid);
	assert_int_equal(maps(&x, t), -1);
	free(t);
}

static void test_sls(void **state)
{
	AUTO_BY(ring_free) struct ring x;
	uint32_t ep;
	char *t;

	ring_new(&x);
	for (ep = 0; endport_is_switch(x.f, ep);)
		ep++;
	t = formatted("0x%016lx 3 9\n", x.f->node_guid[endport_node(x.f, ep)]);
	assert_int_equal(sls(&x, t), 0);
	free(t);
	assert_int_equal(sl_tables_sl(x.l, ep, 3), 9);
	assert_int_equal(sl_tables_sl(x.l, ep, 4), SL_TABLES_NO_SL);
	t = formatted("Channel Adapter 0x%016lx, base LID 7, \"x\"\n# LID : SL\n0x0004 : 2\n",
		      x.f->port_guid[x.f->endport_port[ep]]);
	assert_int_equal(sls(&x, t), 0);
	free(t);
	assert_int_equal(sl_tables_sl(x.l, ep, 4), 2);
	t = str_printf("%u 5 11 3\n%u 6 -\n%u 7 1\n", x.w->lids->base[ep], x.w->lids->base[ep], MAX_LID);
	assert_int_equal(sls(&x, t), 0);
	free(t);
	assert_int_equal(sl_tables_sl(x.l, ep, 5), 11);
	assert_int_equal(sl_tables_sl(x.l, ep, 6), SL_TABLES_NO_SL);
	assert_int_equal(x.l->n_sls, 3);
	assert_non_null(strstr(text_str(&x.notes), "were skipped: 1"));
	assert_int_equal(sls(&x, "2 1 2..5 3\n"), 0);
	assert_int_equal(sl_tables_sl(x.l, lid_owner(x.w->lids, 2), 1), 2);
	assert_int_equal(sls(&x, "2 1 2..16 3\n"), -1);
	assert_int_equal(sls(&x, "1 2 16\n"), -1);
	assert_string_equal(x.e.msg,
			    "sls:1: found '1 2 16', expected `SLID DLID SL`, `GUID DLID SL` or `LID : SL` "
			    "of a block");
}

/* Tables and SLs of LASH written to files and read again are as sound as LASH; with all SLs on VL 0 they
 * loop. */
static void test_files_in_use(void **state)
{
	char folder[] = "/tmp/ibscope-lanes-XXXXXX", line[200];
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	static const char *const files[] = {"lfts", "paths", "maps"};

	assert_non_null(mkdtemp(folder));
	ok_line(s, "synth ring:6");
	ok_line(s, "route lash");
	for (unsigned i = 0; i < 2; i++) {
		ok_linef(s, "export %s %s/%s", files[i], folder, files[i]);
	}
	ok_linef(s, "route file,no_fallback lfts_file=%s/lfts", folder);
	line_says(s, "check", "VL 0: credit loops");
	ok_linef(s, "set path_sl_file %s/paths", folder);
	line_says(s, "check", "Sound");
	snprintf(line, sizeof(line), "%s/maps", folder);
	FILE *f = fopen(line, "w");
	assert_non_null(f);
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++)
		for (unsigned in = 0; in <= s->fabric->switch_nports[sw]; in++)
			for (unsigned out = 1; out <= s->fabric->switch_nports[sw]; out++)
				fprintf(f, "0x%lx %u %u 0 0 0 0 0 0 0 0\n",
					(unsigned long)s->fabric->node_guid[s->fabric->switch_node[sw]], in,
					out);
	assert_int_equal(fclose(f), 0);
	snprintf(line, sizeof(line), "set sl2vl_file %s/maps", folder);
	ok_line(s, line);
	line_says(s, "check", "VL 0: credit loops");
	line_says(s, "export sl2vl -", "1   2   : 0  0  0  0  0  0  0  0  0  0  0  0  0  0  0  0 ");
	ok_line(s, "unset path_sl_file");
	ok_line(s, "unset sl2vl_file");
	line_says(s, "export sl2vl -", "1   2   : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15");
	/* Routing by LASH itself: its SLs on the maps of a file. */
	ok_line(s, "set qos TRUE");
	ok_line(s, "route lash");
	line_says(s, "check", "Sound");
	ok_line(s, line);
	line_says(s, "check", "VL 0: credit loops");
	for (unsigned i = 0; i < ARRAY_LEN(files); i++) {
		snprintf(line, sizeof(line), "%s/%s", folder, files[i]);
		unlink(line);
	}
	rmdir(folder);
}

/* One map for all ports of each switch: all SLs to a VL.  vl: of even and of odd switches, and of switch 2.
 */
static void write_maps(const char *name, const struct fabric *f, const unsigned vl[3])
{
	FILE *out = fopen(name, "w");

	assert_non_null(out);
	for (uint32_t sw = 0; sw < f->n_switches; sw++) {
		unsigned v = sw == 2 ? vl[2] : vl[sw % 2], pair = v << 4 | v;

		for (unsigned in = 0; in <= f->switch_nports[sw]; in++)
			for (unsigned p = 1; p <= f->switch_nports[sw]; p++)
				fprintf(out, "0x%lx %u %u %u %u %u %u %u %u %u %u\n",
					(unsigned long)f->node_guid[f->switch_node[sw]], in, p, pair, pair,
					pair, pair, pair, pair, pair, pair);
	}
	assert_int_equal(fclose(out), 0);
}

static struct session *ring_with_maps(const unsigned vl[3])
{
	AUTO_TEMP char *name = temp_file("");
	struct session *s = session_after("synth ring:6");

	write_maps(name, s->fabric, vl);
	ok_linef(s, "route minhop sl2vl_file=%s", name);
	return s;
}

/* Loops that change their VL at every switch are found from each of their VLs. */
static void test_loops_across_vls(void **state)
{
	AUTO_SESSION struct session *s = ring_with_maps((const unsigned[]){0, 1, 0});
	struct cdg *c = cdg_new(session_routing(s), CDG_ALL_VLS, false, NULL, NULL);
	unsigned n_channels = 0;
	bool fault;
	struct err e;
	int rc;

	assert_true(c->crosses);
	assert_int_equal(c->n_components, 2);
	for (int vl = 0; vl < 2; vl++) {
		assert_int_equal(c->vls[vl], 3);
		assert_int_equal(cdg_components_below(c, vl, 2), 2);
		assert_int_equal(cdg_component_on(c, vl, 1), 1);
	}
	assert_int_equal(cdg_component_on(c, 0, 2), NO_ID);
	assert_int_equal(cdg_component_on(c, 2, 0), NO_ID);
	arena_free(c);
	line_says(s, "cycles",
		  "VLs 0 1: credit loops among 6 channels; a shortest one has 6 (group 1):\n"
		  "    ring0[2] -> ring1, VL 0\n");
	line_says(s, "cycles", "ring5[2] -> ring0, VL 1  and round again\n");
	line_says(s, "layers",
		  "deps cyclic\n~  0     2     15       12   18      6\n~  1     2     15       12   18      "
		  "6\n");
	line_says(s, "cdg 0", "12 channels, 18 dependencies, 6 channels on cycles");
	line_says(s, "cdg 1", "12 channels, 18 dependencies, 6 channels on cycles");
	line_fails(s, "export dot - cdg 1 group 3", "expected one of the 2 groups");
	line_fails(s, "export dot - cdg 2 group 1", "expected one of the 0 groups");
	char *text = run_line(s, "export dot - cdg 1 group 2", &rc, &e, false, &fault);
	for (const char *p = text; (p = strstr(p, "[label=\"")) != NULL; p++)
		n_channels++;
	assert_int_equal(n_channels, 6);
	free(text);
	text = run_line(s, "cycles", &rc, &e, true, &fault);
	assert_non_null(strstr(text, "\"vl\":0,\"vls\":[0,1]"));
	free(text);
}

/* A switch that sends all to VL 15 passes nothing on: its host's 10 routes are lost, and those through it. */
static void test_drops(void **state)
{
	AUTO_SESSION struct session *s = ring_with_maps((const unsigned[]){0, 0, 15});
	unsigned through = 0;

	for (uint32_t a = 0; a < s->fabric->n_endports; a++) {
		const struct routing *r = session_routing(s);

		for (uint32_t b = 0; !endport_is_switch(s->fabric, a) && b < s->fabric->n_endports; b++) {
			AUTO_BY(path_free) struct path p = {0};

			if (a == b || endport_is_switch(s->fabric, b))
				continue;
			path_trace(r, a, r->lids->base[a], r->lids->base[b], &p);
			for (unsigned i = 0; i < p.n; i++)
				through += p.hop[i].sw == 2;
		}
	}
	assert_true(through >= 10);
	AUTO_FREE char *line = str_printf("%u routes are dropped where their SL leads to VL 15.\n", through);
	line_says(s, "layers", line);
	line_says(s, "cycles", line);
	line_says(s, "check", line);
	line_says(s, "check", "NOT SOUND");
	line_says(s, "cycles", "No credit loops");
}

/* A file that goes bad between sweeps: a message, and all stays as it was. */
static void test_bad_file(void **state)
{
	char name[] = "/tmp/ibscope-lanes-XXXXXX";
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	ok_line(s, "synth ring:4");
	ok_line(s, "route minhop");
	ok_linef(s, "set path_sl_file %s", name);
	assert_int_equal(write(fd, "nonsense\n", 9), 9);
	close(fd);
	line_fails(s, "sweep", ":1: found 'nonsense'");
	line_says(s, "check", "unreachable");
	unlink(name);
	line_fails(s, "sweep", name);
}

static void count_map(void *arg, uint32_t ep, unsigned in, unsigned out, sl2vl_map m)
{
	unsigned *sum = arg;

	assert_int_not_equal(ep, NO_ID);
	*sum += 1000 + 100 * in + 10 * out + sl2vl_of(m, 15);
}

/* Every map is handed on, those of CAs, too; ports that the fabric lacks are refused with their line. */
static void test_each(void **state)
{
	static const char vls[] = "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 3", *const wrong[] = {"0 9", "9 0", "1 1",
										       "0 0"};
	char name[] = "/tmp/ibscope-maps-XXXXXX";
	unsigned sum = 0;
	AUTO_BY(ring_free) struct ring x;
	uint32_t ca = 0;
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	ring_new(&x);
	while (endport_is_switch(x.f, ca))
		ca++;
	dprintf(fd, "Switch 0x%lx, base LID 1\n1 2 : %s\nChannel Adapter 0x%lx, base LID 2\n0 0 : %s\n",
		(unsigned long)x.f->node_guid[x.f->switch_node[0]], vls,
		(unsigned long)x.f->port_guid[x.f->endport_port[ca]], vls);
	assert_int_equal(sl2vl_file_each(name, x.f, count_map, &sum, NULL, &x.e), 0);
	assert_int_equal(sum, 2000 + 120 + 2 * 3);
	for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		lseek(fd, 0, SEEK_SET);
		dprintf(fd, "%s 0x%lx, base LID 1\n%s : %s\n", i < 2 ? "Switch" : "Channel Adapter",
			i == 3	? 0x5ul
			: i < 2 ? (unsigned long)x.f->node_guid[x.f->switch_node[0]]
				: (unsigned long)x.f->port_guid[x.f->endport_port[ca]],
			wrong[i], vls);
		assert_int_equal(sl2vl_file_each(name, x.f, count_map, &sum, NULL, &x.e), -1);
		assert_non_null(strstr(x.e.msg, ":2: found"));
	}
	close(fd);
	unlink(name);
	assert_int_equal(sl2vl_file_each(name, x.f, count_map, &sum, NULL, &x.e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps),	     cmocka_unit_test(test_sls),
		cmocka_unit_test(test_files_in_use), cmocka_unit_test(test_loops_across_vls),
		cmocka_unit_test(test_drops),	     cmocka_unit_test(test_bad_file),
		cmocka_unit_test(test_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
