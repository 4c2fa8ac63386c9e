/* Every row of the table of limits: at the limit all is well, one beyond it happens what the row says. */
#include "core/base/cursor.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/formats/conf.h"
#include "core/formats/readers.h"
#include "tests/unit/fixture.h"
#include "tui/keymap.h"
#include "tui/ui.h"
#include "views/base/view.h"

/* The row at hand, and what it says between backticks ("" when nothing). */
struct limit_row {
	const struct limit *l;
	unsigned n; /* the limit */
	char said[200];
};

static struct session *new_session(void)
{
	return session_new(all_engines, all_commands);
}

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
	struct session *s = new_session();

	line_fails(s, line, r->said);
	session_free(s);
}

static void accepted(const char *line)
{
	struct session *s = new_session();

	ok_line(s, line);
	session_free(s);
}

/* Does the line, in a session of its own, say what the row says? */
static void says(const struct limit_row *r, const char *line, bool expected)
{
	struct session *s = new_session();
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, false, NULL);

	if (rc)
		fail_msg("%s: %s", line, e.msg);
	if (!strstr(text, r->said) == expected)
		fail_msg("%s: \"%s\" is %sin: %s", line, r->said, expected ? "not " : "", text);
	free(text);
	session_free(s);
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
		char *text = i == n ? str_dup(end)
				    : str_printf("%s%s/%s%u%s", fmt_open, temp_dir(), name, i + 1, fmt_close);

		snprintf(one, sizeof(one), "%s%u", name, i);
		free(path);
		path = write_file(one, text);
		free(text);
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
	const char *line[2];
	char *path[2], *text;

	for (unsigned i = 0; i < 2; i++) {
		text = two_switches(fit + i);
		path[i] = write_file(i ? "lids1" : "lids0", text);
		free(text);
		line[i] = line_of("load %s; route minhop lmc=%d; show", path[i], MAX_LMC);
		says(r, line[i], i > 0);
		free(path[i]);
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
		char *name = many("n", r->n + more), *text = str_printf("Switch 1 \"S\" # \"%s\"\n", name);
		struct fabric *f;
		struct err e;

		assert_int_equal(fabric_parse("names", text, strlen(text), &f, &e), 0);
		assert_int_equal(strlen(f->node_desc[0]), r->n);
		assert_memory_equal(f->node_desc[0], name, r->n);
		fabric_unref(f);
		free(text);
		free(name);
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

static void synth_host_ports(const struct limit_row *r)
{
	accepted(line_of("synth xgft:2,2:%u,1", r->n));
	refused(r, line_of("synth xgft:2,2:%u,1", r->n + 1));
}

static void synth_dims(const struct limit_row *r)
{
	char *ones = many("1x", r->n - 1);

	accepted(line_of("synth mesh:%s2", ones));
	refused(r, line_of("synth mesh:%s1x2", ones));
	free(ones);
}

static void synth_shape(const struct limit_row *r)
{
	char *zeros = many("0", r->n - 1);

	accepted(line_of("synth ring:%s4", zeros));
	refused(r, line_of("synth ring:0%s4", zeros));
	free(zeros);
}

/* --- files ------------------------------------------------------------------------------------ */

/* A reader that takes so many MiB: that much, and a byte more from a file and from a pipe. */
static void mib(const struct limit_row *r)
{
	char *path = write_file("mib", ""), *data, *line;
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
	line = str_printf("load %s", path);
	refused(r, line);
	free(line);
	free(path);
}

/* A byte more than the most, of each kind of list. */
static void list_mib(const struct limit_row *r)
{
	static const char *const lines[] = {"jobs", "scope", "load-map pairs", "survey file"};
	char *path = write_file("list", "node0001\n");

	assert_int_equal(truncate(path, ((off_t)r->n << 20) + 1), 0);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		char *line = str_printf("synth xgft:2,2:1,2; route minhop; %s %s%s", lines[i],
					i == 1 ? "@" : "", path);

		refused(r, line);
		free(line);
	}
	assert_int_equal(truncate(path, 0), 0);
	free(path);
}

static void small_file_mib(const struct limit_row *r)
{
	static const char *const told[] = {"ftree io_guid_file", "updn root_guid_file",
					   "minhop qos=TRUE qos_policy_file",
					   "minhop qos=TRUE partition_config_file"};
	char *path = write_file("conf", "lmc 1\n"), *line = str_printf("synth ring:4; config %s", path);

	assert_int_equal(truncate(path, (off_t)r->n << 20), 0);
	accepted(line);
	assert_int_equal(truncate(path, ((off_t)r->n << 20) + 1), 0);
	refused(r, line);
	free(line);
	line = str_printf("synth ring:4; names %s", path);
	refused(r, line);
	free(line);
	for (size_t i = 0; i < ARRAY_LEN(told); i++) {
		line = str_printf("synth xgft:2,2:1,2; route %s=%s", told[i], path);
		says(r, line, true);
		free(line);
	}
	free(path);
}

/* A table, and blanks behind it. */
static void program_mib(const struct limit_row *r)
{
	char *path = write_file("tables", "");
	/* not 60 s: a busy machine takes longer for so much */
	char *line = str_printf("set script_seconds 3600; synth ring:4; route script:cat %s", path);
	char *blanks = NEW_ARRAY(1 << 20, char);
	FILE *f = fopen(path, "we");
	int n;

	assert_non_null(f);
	n = fprintf(f, "Unicast lids guid 0x0002c90300a00000\n");
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
	free(blanks);
	free(line);
	free(path);
}

static void script_line(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		char *text = many("#", r->n + more), *path = write_file("line", text);
		char *line = str_printf("source %s", path);

		if (more)
			refused(r, line);
		else
			accepted(line);
		free(line);
		free(path);
		free(text);
	}
}

static bool any_name(const char *name)
{
	return !strcmp(name, "up");
}

static bool no_pane(const char *name)
{
	(void)name;
	return false;
}

static const struct keymap_check check = {any_name, no_pane, NULL};

static void file_lines(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		char *text = many("#\n", r->n + more), *path = write_file("lines", text);
		char *line = str_printf("synth ring:4; set guid2lid_file %s; "
					"route minhop",
					path);
		struct keymap km = {0};
		struct text errors = {0};
		struct err e;

		if (more)
			refused(r, line);
		else
			accepted(line);
		assert_int_equal(keymap_load(&km, path, &check, &errors, &e), more ? -1 : 0);
		assert_true(!more || strstr(e.msg, r->said));
		keymap_clear(&km);
		text_free(&errors);
		free(line);
		free(path);
		free(text);
	}
}

static void scripts(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		char *path = chain("script", r->n - 1 + more, "source ", "\n", "echo done\n");
		char *line = str_printf("source %s", path);

		if (more)
			refused(r, line);
		else
			accepted(line);
		free(line);
		free(path);
	}
}

static void net_depth(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		char *path = chain("net", r->n + more, "include \"", "\"\n", "Switch 4 \"S\"\n");
		char *line = str_printf("load %s", path);

		if (more)
			refused(r, line);
		else
			accepted(line);
		free(line);
		free(path);
	}
}

static void net_files(const struct limit_row *r)
{
	char *inner = write_file("inner", "# nothing\n");

	for (unsigned more = 0; more < 2; more++) {
		char *one = str_printf("include \"%s\"\n", inner), *all = many(one, r->n + more);
		char *text = str_printf("%sSwitch 4 \"S\"\n", all), *path = write_file("outer", text);
		char *line = str_printf("load %s", path);

		if (more)
			refused(r, line);
		else
			accepted(line);
		free(line);
		free(path);
		free(text);
		free(all);
		free(one);
	}
	free(inner);
}

/* A .topo of one system, of types in a file beside it: refused or not. */
static void topo(const struct limit_row *r, const char *types, const char *text, bool good)
{
	char *file = write_file("all.ibnl", types), *path = write_file("a.topo", text),
	     *line = str_printf("load %s", path);

	if (good)
		accepted(line);
	else
		refused(r, line);
	free(line);
	free(path);
	free(file);
}

/* Boards of 100 chips each, and a chip more in a second system. */
static void topo_chips(const struct limit_row *r)
{
	char *chips = many("NODE SW 1 C U\n", 100), *boards = many("SUBSYSTEM B b\n", r->n / 100);
	char *types = str_printf("SYSTEM B\n%sTOPSYSTEM M\n%sTOPSYSTEM C\nNODE SW 1 C U\n", chips, boards);

	assert_int_equal(r->n % 100, 0);
	topo(r, types, "M a\n P1 -> M a P2\n", true);
	topo(r, types, "M a\n P1 -> C b P2\n", false);
	free(types);
	free(boards);
	free(chips);
}

static void topo_boards(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		struct text types = {0};

		text_add(&types, "SYSTEM B0\nNODE SW 1 C U\n");
		for (unsigned i = 1; i < r->n + more; i++)
			text_add(&types, "SYSTEM B%u\nSUBSYSTEM B%u b\n", i, i - 1);
		text_add(&types, "TOPSYSTEM M\nSUBSYSTEM B%u b\n", r->n + more - 1);
		topo(r, types.s, "M a\n P1 -> M a P2\n", !more);
		text_free(&types);
	}
}

/* A keymap is read, with so many bindings, and says what the row says or nothing. */
static void keymap_of(const struct limit_row *r, const char *path, size_t bindings, bool complains)
{
	struct keymap km = {0};
	struct text errors = {0};
	struct err e;

	assert_int_equal(keymap_load(&km, path, &check, &errors, &e), 0);
	assert_int_equal(km.n, bindings);
	if (complains)
		assert_non_null(strstr(text_str(&errors), r->said));
	else
		assert_string_equal(text_str(&errors), "");
	text_free(&errors);
	keymap_clear(&km);
}

static void keymaps(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		char *path = chain("keys", r->n - 1 + more, "include ", "\n", "bind x up\n");

		keymap_of(r, path, !more, more);
		free(path);
	}
}

static void keymap_files(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		char *inner = write_file("inner", "bind x up\n"), *one = str_printf("include %s\n", inner);
		char *all = many(one, r->n - 1 + more), *path = write_file("outer", all);

		keymap_of(r, path, 1, more);
		free(path);
		free(all);
		free(one);
		free(inner);
	}
}

static void binding(const struct limit_row *r)
{
	for (unsigned more = 0; more < 2; more++) {
		char *keys = many("x,", r->n - 1 + more), *text = str_printf("bind %sx up\n", keys);
		char *path = write_file("binding", text);

		keymap_of(r, path, !more, more);
		free(path);
		free(text);
		free(keys);
	}
}

/* --- what is asked --------------------------------------------------------------------------- */

static void engines_compared(const struct limit_row *r)
{
	char *names_of = many(" dor", r->n);

	accepted(line_of("synth mesh:2x2; compare%s", names_of));
	refused(r, line_of("synth mesh:2x2; compare%s dor", names_of));
	free(names_of);
}

/* At the limit a line fails for another reason, one beyond it for this one. */
static void another_reason(const struct limit_row *r, const char *line)
{
	struct session *s = new_session();
	struct err e;
	int rc;
	char *text = run_line(s, line, &rc, &e, false, NULL);

	if (!rc || strstr(e.msg, r->said))
		fail_msg("%s: %s", line, rc ? e.msg : text);
	free(text);
	session_free(s);
}

static void hostlists(const struct limit_row *r)
{
	another_reason(r, line_of("synth ring:4; scope n[1-%u]", r->n));
	refused(r, line_of("synth ring:4; scope n[0-%u]", r->n));
}

/* "A;one,A;one,...", and a name that fills it up. */
static void unquoted(const struct limit_row *r)
{
	char *map = write_file("map", "0x0002c90300f00000 \"A;one\"\n0x0002c90300f00020 \"four\"\n"
				      "0x0002c90300f00040 \"fifth\"\n");
	char *names = many("A;one,", r->n / (unsigned)strlen("A;one,"));
	struct session *s = new_session();

	assert_int_equal(r->n - strlen(names), strlen("four"));
	ok_line(s, line_of("synth xgft:2,2:1,2; names %s; scope %sfour", map, names));
	line_fails(s, line_of("scope %sfifth", names), "one,A");
	session_free(s);
	free(names);
	free(map);
}

static void survey_pairs(const struct limit_row *r)
{
	accepted(line_of("synth ring:4; route minhop; survey pairs %u", r->n));
	refused(r, line_of("synth ring:4; route minhop; survey pairs %u", r->n + 1));
}

static void survey_shares(const struct limit_row *r)
{
	accepted(line_of("synth ring:4; route minhop; survey links shard 2/%u", r->n));
	refused(r, line_of("synth ring:4; route minhop; survey links shard 2/%u", r->n + 1));
}

static void survey_threads(const struct limit_row *r)
{
	accepted(line_of("synth ring:4; route minhop; survey links threads=%u", r->n));
	refused(r, line_of("synth ring:4; route minhop; survey links threads=%u", r->n + 1));
}

static void advise_failures(const struct limit_row *r)
{
	accepted(line_of("synth xgft:2,2:1,2; advise failures %u", r->n));
	refused(r, line_of("synth xgft:2,2:1,2; advise failures %u", r->n + 1));
}

/* A ring of four has few pairings, whose shares differ much: more than these would be wanted. */
static void pairings(const struct limit_row *r)
{
	says(r, "synth ring:4; route minhop; load-map ebb", true);
	says(r, "synth xgft:2,2:1,2; route minhop; load-map ebb", false);
}

static void live_silence(const struct limit_row *r)
{
	another_reason(r, line_of("live a:b:c wait %u", r->n));
	refused(r, line_of("live a:b:c wait %u", r->n + 1));
}

static void watch_seconds(const struct limit_row *r)
{
	another_reason(r, line_of("watch %u on a:b:c", r->n));
	refused(r, line_of("watch %u on a:b:c", r->n + 1));
}

static void watch_rounds(const struct limit_row *r)
{
	another_reason(r, line_of("watch 1 rounds %u on a:b:c", r->n));
	refused(r, line_of("watch 1 rounds %u on a:b:c", r->n + 1));
}

static void engines_in_pane(const struct limit_row *r)
{
	char *names_of = many(" dor", r->n);

	accepted(line_of("synth mesh:2x2; route dor; list compare%s", names_of));
	refused(r, line_of("synth mesh:2x2; route dor; list compare%s dor", names_of));
	free(names_of);
}

static unsigned rows_asked;

static void rows_load(struct view *v)
{
	v->n_rows = rows_asked;
}

static void rows_title(const struct view *v, struct text *t)
{
	(void)v;
	text_add(t, "Rows");
}

static void rows_cell(const struct view *v, uint32_t row, unsigned col, struct text *t)
{
	(void)v;
	(void)col;
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
	struct session *s = new_session();
	struct scene sc = {0};
	struct view *v;
	struct err e;

	ok_line(s, "synth ring:4; route minhop");
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
	session_free(s);
}

static void filters(const struct limit_row *r)
{
	char *text = many("y", r->n);

	accepted(line_of("synth ring:4; route minhop; list switches filter %s", text));
	refused(r, line_of("synth ring:4; route minhop; list switches filter %sy", text));
	free(text);
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
	struct session *s = new_session();

	for (unsigned more = 0; more < 2; more++) {
		char *line = str_printf("%*s", (int)(r->n + more), "he");
		size_t start;
		char **words = session_complete(s, line, &start);

		assert_true(more ? !*words : !strcmp(*words, "help"));
		completions_free(words);
		free(line);
	}
	session_free(s);
}

static void completions(const struct limit_row *r)
{
	struct session *s = new_session();
	unsigned hosts = 200;

	ok_line(s, line_of("synth ring:%u,hosts=%u", r->n / hosts, hosts));
	assert_int_equal(offered(s), r->n);
	ok_line(s, line_of("synth ring:%u,hosts=%u", r->n / hosts + 1, hosts));
	assert_int_equal(offered(s), r->n);
	session_free(s);
}

/* --- the table ------------------------------------------------------------------------------- */

static const struct {
	const char *what;
	void (*test)(const struct limit_row *r);
} cases[] = {
	{"unicast LIDs", lids},
	{"LMC", lmc},
	{"ports of a switch or host", ports},
	{"hops from the subnet manager", hops},
	{"bytes of a node's name", names},
	{"endports of a synthetic fabric", synth_endports},
	{"switch ports of a synthetic fabric", synth_ports},
	{"ports of a synthetic host", synth_host_ports},
	{"dimensions or levels of a synthetic fabric", synth_dims},
	{"characters of a synthetic fabric's shape", synth_shape},
	{"MiB of a file", mib},
	{"MiB of a list of hosts, jobs, pairs or a plan", list_mib},
	{"MiB that a program of `route script:` prints", program_mib},
	{"MiB of an opensm.conf, a list of GUIDs, a node-name-map, partitions or a QoS policy",
	 small_file_mib},
	{"bytes of a line of a script, keymap or guid2lid file", script_line},
	{"lines of a keymap or guid2lid file", file_lines},
	{"scripts within each other", scripts},
	{"ibsim net files within each other", net_depth},
	{"includes of an ibsim net file", net_files},
	{"chips of a .topo", topo_chips},
	{"boards of a .topo within each other", topo_boards},
	{"keymaps within each other", keymaps},
	{"files of a keymap", keymap_files},
	{"keys of a binding", binding},
	{"engines of `compare`", engines_compared},
	{"engines in the pane compare", engines_in_pane},
	{"names of a list such as n[1-20]", hostlists},
	{"bytes of a list of names with ';' without quotes", unquoted},
	{"pairs of failures of a survey", survey_pairs},
	{"shares of a survey", survey_shares},
	{"threads of a survey", survey_threads},
	{"failures that `advise` tries with each engine", advise_failures},
	{"random pairings of `load-map ebb`", pairings},
	{"seconds that `live` waits for an answer", live_silence},
	{"seconds between the readings of `watch`", watch_seconds},
	{"readings of `watch`, where they are counted", watch_rounds},
	{"rows that are sorted or folded", sorting},
	{"characters of a filter", filters},
	{"bytes of a line that Tab completes", completed_lines},
	{"words that Tab offers", completions},
	{"lines of the history", NULL},		 /* tests/tui/run.py, limits_of_the_explorer */
	{"rows or columns of the screen", NULL}, /* tests/tui/pty_signals.py, too_large_terminal */
	{"panes behind each other", NULL},	 /* tests/tui/run.py, limits_of_the_explorer */
};

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
}

static int remove_files(void **state)
{
	(void)state;
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
