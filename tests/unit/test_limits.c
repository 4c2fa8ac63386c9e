/* Every row of the table of limits: at the limit all is well, one beyond it happens what the row says. */
#include "core/base/cursor.h"
#include "core/formats/conf.h"
#include "core/formats/readers.h"
#include "tests/unit/fixture.h"
#include "tui/keymap.h"
#include "views/base/view.h"

/* The row at hand, and what it says between backticks ("" when nothing). */
struct limit_row {
	const struct limit *l;
	unsigned n; /* the limit */
	char said[200];
};

/* `part` so many times. */
static char *many(const char *part, unsigned n)
{
	struct text t = {0};

	for (unsigned i = 0; i < n; i++)
		text_add(&t, "%s", part);
	return t.s ? t.s : str_dup("");
}

/* Run a line in a session of its own: fails with what the row says. */
static void refused(const struct limit_row *r, const char *line)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	line_fails(s, line, r->said);
}

static void accepted(const char *line)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	ok_line(s, line);
}

/* One or the other. */
static void tried(const struct limit_row *r, const char *line, bool good)
{
	if (good)
		accepted(line);
	else
		refused(r, line);
}

/* Does the line, in a session of its own, say what the row says? */
static void says(const struct limit_row *r, const char *line, bool expected)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, line, &rc, &e, false, NULL);

	if (rc)
		fail_msg("%s: %s", line, e.msg);
	if (!strstr(text, r->said) == expected)
		fail_msg("%s: \"%s\" is %sin: %s", line, r->said, expected ? "not " : "", text);
}

static const char *temp_dir(void)
{
	static char dir[] = "/tmp/ibscope-limits-XXXXXX";
	static bool made;

	if (!made && !mkdtemp(dir))
		fail_msg("no folder %s", dir);
	made = true;
	return dir;
}

static char *write_file(const char *name, const char *text)
{
	char *path = str_printf("%s/%s", temp_dir(), name);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* Files NAME0 .. NAMEn, each naming the next; the last holds `end`.  The path of NAME0. */
static char *chain(const char *name, unsigned n, const char *fmt_open, const char *fmt_close, const char *end)
{
	char *path = NULL, one[40];

	for (unsigned i = n + 1; i--;) {
		AUTO_FREE char *text =
			i == n ? str_dup(end)
			       : str_printf("%s%s/%s%u%s", fmt_open, temp_dir(), name, i + 1, fmt_close);

		snprintf(one, sizeof(one), "%s%u", name, i);
		free(path);
		path = write_file(one, text);
	}
	return path;
}

/* --- the fabric -------------------------------------------------------------------------- */

/* Two switches with so many hosts in all, as a net file. */
static char *two_switches(unsigned hosts)
{
	struct text t = {0};

	for (unsigned sw = 0; sw < 2; sw++) {
		text_add(&t, "Switch 254 \"S%u\"\n[254] \"S%u\"[254]\n", sw, 1 - sw);
		for (unsigned h = sw; h < hosts; h += 2)
			text_add(&t, "[%u] \"H%u\"[1]\n", h / 2 + 1, h);
		text_add(&t, "\n");
	}
	for (unsigned h = 0; h < hosts; h++)
		text_add(&t, "Hca 1 \"H%u\"\n[1] \"S%u\"[%u]\n\n", h, h % 2, h / 2 + 1);
	return t.s;
}

static void lids(const struct limit_row *r)
{
	unsigned block = 1u << MAX_LMC,
		 fit = (r->n + 1) / block -
		       2; /* but for that of 0, and that which the second switch begins */

	for (unsigned i = 0; i < 2; i++) {
		AUTO_FREE char *text = two_switches(fit + i), *path = write_file(i ? "lids1" : "lids0", text);

		says(r, line_of("load %s; route minhop lmc=%d; show", path, MAX_LMC), i > 0);
	}
}

static void lmc(const struct limit_row *r)
{
	accepted(line_of("synth ring:4; set lmc %u; route minhop", r->n));
	refused(r, line_of("synth ring:4; set lmc %u", r->n + 1));
	for (unsigned more = 0; more < 2; more++) {
		const char *text = line_of("Switch 1 \"S\" # \"n\" base port 0 lid 5 lmc %u\n", r->n + more);
		struct fabric *f;
		struct err e;

		assert_int_equal(fabric_parse("lmc", text, strlen(text), &f, &e), 0);
		assert_int_equal(f->port_lmc[f->node_port[0]], more ? 0 : r->n);
		fabric_unref(f);
	}
	accepted(line_of("synth ring:4,lids=1,lmc=%u", r->n));
	refused(r, line_of("synth ring:4,lids=1,lmc=%u", r->n + 1));
}

static void ports(const struct limit_row *r)
{
	static const char *const type[] = {"Switch", "Hca"};
	struct fabric *f;
	struct err e;

	for (unsigned i = 0; i < 2; i++) {
		char *text = str_printf("%s %u \"A\"\n[%u] \"B\"[1]\n\nSwitch 1 \"B\"\n[1] \"A\"[%u]\n",
					type[i], r->n, r->n, r->n);

		assert_int_equal(fabric_parse("at", text, strlen(text), &f, &e), 0);
		assert_int_equal(f->n_links, 1);
		fabric_unref(f);
		free(text);
		text = str_printf("%s %u \"A\"\n[1] \"B\"[1]\n\nSwitch 1 \"B\"\n[1] \"A\"[1]\n", type[i],
				  r->n + 1);
		assert_int_equal(fabric_parse("beyond", text, strlen(text), &f, &e), -1);
		assert_non_null(strstr(e.msg, r->said));
		free(text);
	}
	accepted(line_of("synth ring:2,hosts=%u", r->n - 1));
	refused(r, line_of("synth ring:2,hosts=%u", r->n));
}

static void hops(const struct limit_row *r)
{
	says(r, line_of("synth mesh:%u; route minhop", r->n), false);
	says(r, line_of("synth mesh:%u; route minhop", r->n + 1), true);
}

static void names(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *name = many("n", r->n + more),
			       *text = str_printf("Switch 1 \"S\" # \"%s\"\n", name);
		struct fabric *f;
		struct err e;

		assert_int_equal(fabric_parse("names", text, strlen(text), &f, &e), 0);
		assert_int_equal(strlen(f->node_desc[0]), r->n);
		assert_memory_equal(f->node_desc[0], name, r->n);
		fabric_unref(f);
	}
}

/* --- synthetic fabrics ---------------------------------------------------------------------- */

/* Endports of a ring with H hosts a switch: switches times (H + 1). */
static void synth_endports(const struct limit_row *r)
{
	unsigned beyond = r->n + 1, by = 2;

	while (beyond % by || by > MAX_PORTS)
		by++;
	accepted(line_of("synth ring:%u,hosts=199", r->n / 200));
	refused(r, line_of("synth ring:%u,hosts=%u", beyond / by, by - 1));
}

static void synth_ports(const struct limit_row *r)
{
	accepted(line_of("synth ring:%u,ports=128", r->n / 128));
	refused(r, line_of("synth ring:%u,ports=128", r->n / 128 + 1));
}

static void synth_dims(const struct limit_row *r)
{
	AUTO_FREE char *ones = many("1x", r->n - 1);

	accepted(line_of("synth mesh:%s2", ones));
	refused(r, line_of("synth mesh:%s1x2", ones));
}

static void synth_shape(const struct limit_row *r)
{
	AUTO_FREE char *zeros = many("0", r->n - 1);

	accepted(line_of("synth ring:%s4", zeros));
	refused(r, line_of("synth ring:0%s4", zeros));
}

/* --- files ------------------------------------------------------------------------------------ */

/* A reader that takes so many MiB: that much, and a byte more from a file and from a pipe. */
static void mib(const struct limit_row *r)
{
	AUTO_FREE char *path = write_file("mib", "");
	char *data;
	size_t size;
	struct err e;
	FILE *f = fopen(path, "r+e");

	assert_int_equal(ftruncate(fileno(f), 1 << 20), 0);
	assert_int_equal(read_at_most(f, "a", 1, &data, &size, &e), 0);
	assert_int_equal(size, 1 << 20);
	free(data);
	rewind(f);
	assert_int_equal(ftruncate(fileno(f), (1 << 20) + 1), 0);
	assert_int_equal(read_at_most(f, "a", 1, &data, &size, &e), -1);
	fclose(f);
	f = popen("head -c 1048577 /dev/zero", "re");
	assert_int_equal(read_at_most(f, "a", 1, &data, &size, &e), -1);
	pclose(f);
	assert_string_equal(e.msg, "a: found more than 1 MiB, the most that is read");
	assert_int_equal(truncate(path, ((off_t)r->n << 20) + 1), 0);
	refused(r, line_of("load %s", path));
}

/* A byte more than the most, of each kind of list. */
static void list_mib(const struct limit_row *r)
{
	static const char *const lines[] = {"jobs", "scope", "load-map pairs", "survey file"};
	AUTO_FREE char *path = write_file("list", "node0001\n");

	assert_int_equal(truncate(path, ((off_t)r->n << 20) + 1), 0);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		refused(r, line_of("synth xgft:2,2:1,2; route minhop; %s %s%s", lines[i], i == 1 ? "@" : "",
				   path));
	assert_int_equal(truncate(path, 0), 0);
}

static void small_file_mib(const struct limit_row *r)
{
	static const char *const told[] = {"ftree io_guid_file", "updn root_guid_file",
					   "minhop qos=TRUE qos_policy_file",
					   "minhop qos=TRUE partition_config_file"};
	AUTO_FREE char *path = write_file("conf", "lmc 1\n");

	assert_int_equal(truncate(path, (off_t)r->n << 20), 0);
	accepted(line_of("synth ring:4; config %s", path));
	assert_int_equal(truncate(path, ((off_t)r->n << 20) + 1), 0);
	refused(r, line_of("synth ring:4; config %s", path));
	refused(r, line_of("synth ring:4; names %s", path));
	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		says(r, line_of("synth xgft:2,2:1,2; route %s=%s", told[i], path), true);
}

/* A table, and blanks behind it. */
static void program_mib(const struct limit_row *r)
{
	AUTO_FREE char *path = write_file("tables", "");
	/* not 60 s: a busy machine takes longer for so much */
	AUTO_FREE char *line = str_printf("set script_seconds 3600; synth ring:4; route script:cat %s", path);
	AUTO_FREE char *blanks = NEW_ARRAY(1 << 20, char);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	if (!test_drawn(test_seed(), 0, 4)) { /* so much takes 9 s */
		fclose(f);
		return;
	}
	int n = fprintf(f, "Unicast lids guid 0x0002c90300a00000\n");
	assert_true(n > 0);
	memset(blanks, ' ', 1 << 20);
	for (unsigned i = 0; i < r->n; i++) /* the head and these are the limit */
		assert_true(fwrite(blanks, 1, (1 << 20) - (i ? 0 : (size_t)n), f) > 0);
	assert_int_equal(fflush(f), 0);
	accepted(line);
	fputc(' ', f);
	assert_int_equal(fclose(f), 0);
	refused(r, line);
	assert_int_equal(truncate(path, 0), 0);
}

static void script_line(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *text = many("#", r->n + more), *path = write_file("line", text);

		tried(r, line_of("source %s", path), !more);
	}
}

static bool any_name(const char *name)
{
	return !strcmp(name, "up");
}

static bool no_pane(const char *name)
{
	return false;
}

static const struct keymap_check check = {any_name, no_pane, NULL};

static void file_lines(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *text = many("#\n", r->n + more), *path = write_file("lines", text);
		AUTO_FREE char *line = str_printf("synth ring:4; set guid2lid_file %s; "
						  "route minhop",
						  path);
		AUTO_BY(keymap_clear) struct keymap km = {0};
		AUTO_TEXT struct text errors = {0};
		struct err e;

		tried(r, line, !more);
		assert_int_equal(keymap_load(&km, path, &check, &errors, &e), more ? -1 : 0);
		assert_true(!more || strstr(e.msg, r->said));
	}
}

static void scripts(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *path = chain("script", r->n - 1 + more, "source ", "\n", "echo done\n");

		tried(r, line_of("source %s", path), !more);
	}
}

static void net_depth(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *path = chain("net", r->n + more, "include \"", "\"\n", "Switch 4 \"S\"\n");

		tried(r, line_of("load %s", path), !more);
	}
}

static void net_files(const struct limit_row *r)
{
	AUTO_FREE char *inner = write_file("inner", "# nothing\n");

	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *one = str_printf("include \"%s\"\n", inner), *all = many(one, r->n + more);
		AUTO_FREE char *text = str_printf("%sSwitch 4 \"S\"\n", all),
			       *path = write_file("outer", text);

		tried(r, line_of("load %s", path), !more);
	}
}

/* A .topo of one system, of types in a file beside it: refused or not. */
static void topo(const struct limit_row *r, const char *types, const char *text, bool good)
{
	AUTO_FREE char *file = write_file("all.ibnl", types), *path = write_file("a.topo", text);

	tried(r, line_of("load %s", path), good);
}

/* Boards of 100 chips each, and a chip more in a second system. */
static void topo_chips(const struct limit_row *r)
{
	AUTO_FREE char *chips = many("NODE SW 1 C U\n", 100), *boards = many("SUBSYSTEM B b\n", r->n / 100);
	AUTO_FREE char *types =
		str_printf("SYSTEM B\n%sTOPSYSTEM M\n%sTOPSYSTEM C\nNODE SW 1 C U\n", chips, boards);

	assert_int_equal(r->n % 100, 0);
	topo(r, types, "M a\n P1 -> M a P2\n", true);
	topo(r, types, "M a\n P1 -> C b P2\n", false);
}

static void topo_boards(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_TEXT struct text types = {0};

		text_add(&types, "SYSTEM B0\nNODE SW 1 C U\n");
		for (unsigned i = 1; i < r->n + more; i++)
			text_add(&types, "SYSTEM B%u\nSUBSYSTEM B%u b\n", i, i - 1);
		text_add(&types, "TOPSYSTEM M\nSUBSYSTEM B%u b\n", r->n + more - 1);
		topo(r, types.s, "M a\n P1 -> M a P2\n", !more);
	}
}

/* A keymap is read, with so many bindings, and says what the row says or nothing. */
static void keymap_of(const struct limit_row *r, const char *path, size_t bindings, bool complains)
{
	AUTO_BY(keymap_clear) struct keymap km = {0};
	AUTO_TEXT struct text errors = {0};
	struct err e;

	assert_int_equal(keymap_load(&km, path, &check, &errors, &e), 0);
	assert_int_equal(km.n, bindings);
	if (complains)
		assert_non_null(strstr(text_str(&errors), r->said));
	else
		assert_string_equal(text_str(&errors), "");
}

static void keymaps(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *path = chain("keys", r->n - 1 + more, "include ", "\n", "bind x up\n");

		keymap_of(r, path, !more, more);
	}
}

static void keymap_files(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *inner = write_file("inner", "bind x up\n"),
			       *one = str_printf("include %s\n", inner);
		AUTO_FREE char *all = many(one, r->n - 1 + more), *path = write_file("outer", all);

		keymap_of(r, path, 1, more);
	}
}

static void binding(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *keys = many("x,", r->n - 1 + more), *text = str_printf("bind %sx up\n", keys);
		AUTO_FREE char *path = write_file("binding", text);

		keymap_of(r, path, !more, more);
	}
}

/* --- what is asked --------------------------------------------------------------------------- */

/* At the limit a line fails for another reason, one beyond it for this one. */
static void another_reason(const struct limit_row *r, const char *line)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	struct err e;
	int rc;
	AUTO_FREE char *text = run_line(s, line, &rc, &e, false, NULL);

	if (!rc || strstr(e.msg, r->said))
		fail_msg("%s: %s", line, rc ? e.msg : text);
}

static void hostlists(const struct limit_row *r)
{
	another_reason(r, line_of("synth ring:4; scope n[1-%u]", r->n));
	refused(r, line_of("synth ring:4; scope n[0-%u]", r->n));
}

/* "A;one,A;one,...", and a name that fills it up. */
static void unquoted(const struct limit_row *r)
{
	AUTO_FREE char *map = write_file("map", "0x0002c90300f00000 \"A;one\"\n0x0002c90300f00020 \"four\"\n"
						"0x0002c90300f00040 \"fifth\"\n");
	AUTO_FREE char *names = many("A;one,", r->n / (unsigned)strlen("A;one,"));
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	assert_int_equal(r->n - strlen(names), strlen("four"));
	ok_linef(s, "synth xgft:2,2:1,2; names %s; scope %sfour", map, names);
	line_fails(s, line_of("scope %sfifth", names), "one,A");
}

/* A ring of four has few pairings, whose shares differ much: more than these would be wanted. */
static void pairings(const struct limit_row *r)
{
	says(r, "synth ring:4; route minhop; load-map ebb", true);
	says(r, "synth xgft:2,2:1,2; route minhop; load-map ebb", false);
}

static unsigned rows_asked;

static void rows_load(struct view *v)
{
	v->n_rows = rows_asked;
}

static void rows_title(const struct view *v, struct text *t)
{
	text_add(t, "Rows");
}

static void rows_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	text_add(t, "%u", row);
}

static void sorting(const struct limit_row *r)
{
	static const struct column column = {.name = "row", .flex = 1, .numeric = true};
	static const struct view_ops ops = {.name = "rows",
					    .column = &column,
					    .n_columns = 1,
					    .load = rows_load,
					    .title = rows_title,
					    .cell = rows_cell};
	AUTO_SESSION struct session *s = session_after("synth ring:4; route minhop");
	struct scene sc = {0};
	struct view *v;
	struct err e;

	scene_take(&sc, s);
	for (unsigned more = 0; more < 2; more++) {
		rows_asked = r->n + more;
		v = view_new(&ops, &sc, 0, NULL, &e);
		assert_non_null(v);
		view_refresh(v);
		assert_int_equal(view_count(v), r->n + more);
		assert_int_equal(view_sort(v, 0, true, &e), more ? -1 : 0);
		if (more)
			assert_non_null(strstr(e.msg, r->said));
		view_free(v);
	}
	scene_release(&sc);
}

static unsigned offered(struct session *s)
{
	size_t start;
	char **words = session_complete(s, "trace node", &start);
	unsigned n = 0;

	while (words && words[n])
		n++;
	completions_free(words);
	return n;
}

static void completed_lines(const struct limit_row *r)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);

	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *line = str_printf("%*s", (int)(r->n + more), "he");
		size_t start;
		char **words = session_complete(s, line, &start);

		assert_true(more ? !*words : !strcmp(*words, "help"));
		completions_free(words);
	}
}

static void completions(const struct limit_row *r)
{
	AUTO_SESSION struct session *s = session_new(all_engines, all_commands);
	unsigned hosts = 200;

	ok_linef(s, "synth ring:%u,hosts=%u", r->n / hosts, hosts);
	assert_int_equal(offered(s), r->n);
	ok_linef(s, "synth ring:%u,hosts=%u", r->n / hosts + 1, hosts);
	assert_int_equal(offered(s), r->n);
}

/* --- the table ------------------------------------------------------------------------------- */

#define ROUTED "synth ring:4; route minhop; "

static const struct limit_case {
	const char *what;
	void (*test)(const struct limit_row *r);
	/* without a test: a line with the limit in it as a number, or with a part so many times */
	const char *before, *part, *behind;
	bool fails; /* at the limit, too: for another reason */
} cases[] = {
	{"unicast LIDs", .test = lids},
	{"LMC", .test = lmc},
	{"ports of a switch or host", .test = ports},
	{"hops from the subnet manager", .test = hops},
	{"bytes of a node's name", .test = names},
	{"endports of a synthetic fabric", .test = synth_endports},
	{"switch ports of a synthetic fabric", .test = synth_ports},
	{"ports of a synthetic host", .before = "synth xgft:2,2:", .behind = ",1"},
	{"dimensions or levels of a synthetic fabric", .test = synth_dims},
	{"characters of a synthetic fabric's shape", .test = synth_shape},
	{"MiB of a file", .test = mib},
	{"MiB of a list of hosts, jobs, pairs or a plan", .test = list_mib},
	{"MiB that a program of `route script:` prints", .test = program_mib},
	{"MiB of an opensm.conf, a list of GUIDs, a node-name-map, partitions or a QoS policy",
	 .test = small_file_mib},
	{"bytes of a line of a script, keymap or guid2lid file", .test = script_line},
	{"lines of a keymap or guid2lid file", .test = file_lines},
	{"scripts within each other", .test = scripts},
	{"ibsim net files within each other", .test = net_depth},
	{"includes of an ibsim net file", .test = net_files},
	{"chips of a .topo", .test = topo_chips},
	{"boards of a .topo within each other", .test = topo_boards},
	{"keymaps within each other", .test = keymaps},
	{"files of a keymap", .test = keymap_files},
	{"keys of a binding", .test = binding},
	{"engines of `compare`", .before = "synth mesh:2x2; compare", .part = " dor", .behind = ""},
	{"engines in the pane compare", .before = "synth mesh:2x2; route dor; list compare", .part = " dor",
	 .behind = ""},
	{"names of a list such as n[1-20]", .test = hostlists},
	{"bytes of a list of names with ';' without quotes", .test = unquoted},
	{"pairs of failures of a survey", .before = ROUTED "survey pairs ", .behind = ""},
	{"shares of a survey", .before = ROUTED "survey links shard 2/", .behind = ""},
	{"threads of a survey", .before = ROUTED "survey links threads=", .behind = ""},
	{"failures that `advise` tries with each engine", .before = "synth xgft:2,2:1,2; advise failures ",
	 .behind = ""},
	{"random pairings of `load-map ebb`", .test = pairings},
	{"seconds that `live` waits for an answer", .before = "live a:b:c wait ", .behind = "",
	 .fails = true},
	{"seconds between the readings of `watch`", .before = "watch ", .behind = " on a:b:c", .fails = true},
	{"readings of `watch`, where they are counted", .before = "watch 1 rounds ", .behind = " on a:b:c",
	 .fails = true},
	{"rows that are sorted or folded", .test = sorting},
	{"characters of a filter", .before = ROUTED "list switches filter ", .part = "y", .behind = ""},
	{"bytes of a line that Tab completes", .test = completed_lines},
	{"words that Tab offers", .test = completions},
	{.what = "lines of the history"},	   /* tests/tui/run.py, limits_of_the_explorer */
	{.what = "rows or columns of the screen"}, /* tests/tui/pty_signals.py, too_large_terminal */
	{.what = "panes behind each other"},	   /* tests/tui/run.py, limits_of_the_explorer */
};

static void try_line(const struct limit_row *r, const struct limit_case *c)
{
	for (unsigned more = 0; more < 2; more++) {
		AUTO_FREE char *middle = c->part ? many(c->part, r->n + more) : str_printf("%u", r->n + more);
		const char *line = line_of("%s%s%s", c->before, middle, c->behind);

		if (c->fails && !more)
			another_reason(r, line);
		else
			tried(r, line, !more);
	}
}

static void test_row(void **state)
{
	size_t i = *(size_t *)*state;
	struct limit_row r = {.l = &limits[i], .n = (unsigned)limits[i].most};
	char *beyond = limit_beyond(r.l), *from = strchr(beyond, '`');

	if (from)
		snprintf(r.said, sizeof(r.said), "%.*s", (int)strcspn(from + 1, "`"), from + 1);
	if (!strncmp(beyond, "`list` ", 7))
		snprintf(r.said, sizeof(r.said), "%.*s", (int)strcspn(strchr(beyond + 7, '`') + 1, "`"),
			 strchr(beyond + 7, '`') + 1);
	free(beyond);
	assert_non_null(cases[i].what);
	assert_string_equal(cases[i].what, r.l->what);
	if (cases[i].test)
		cases[i].test(&r);
	else if (cases[i].before)
		try_line(&r, &cases[i]);
}

static int remove_files(void **state)
{
	return system(line_of("rm -rf %s", temp_dir())) ? -1 : 0;
}

int main(void)
{
	static size_t number[ARRAY_LEN(cases)];
	struct CMUnitTest tests[ARRAY_LEN(cases)] = {{0}};
	size_t n = 0;

	while (limits[n].what)
		n++;
	if (n != ARRAY_LEN(cases)) {
		fprintf(stderr, "%zu limits, %zu tests\n", n, ARRAY_LEN(cases));
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		number[i] = i;
		tests[i] = (struct CMUnitTest){cases[i].what, test_row, NULL, NULL, &number[i]};
	}
	return cmocka_run_group_tests(tests, NULL, remove_files);
}
