/* Up/Down: its roots, and ranks from them. */
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/routing/paths.h"
#include "core/sm/port_groups.h"
#include "engines/engines.h"
#include "engines/say.h"
#include "engines/updown/updown.h"

/* The switches that Up/Down takes as roots when none is named (engines/doc/updn.md 3.3, as in OpenSM
 * 3.3.23). */

struct root_search *root_search_new(const struct topo *t, const struct hops *plain)
{
	const struct fabric *f = t->fabric;
	uint32_t n = f->n_switches, *hosts = NEW_ARRAY(n, uint32_t); /* CA and router ports at each switch */
	struct root_search *s = NEW(struct root_search);

	assert(plain->n_switches == n);
	s->topo = topo_ref(t);
	s->bar = NEW_ARRAY((size_t)n * ROOT_BARS, uint32_t);
	for (uint32_t ep = 0; ep < f->n_endports; ep++) {
		if (!t->endport_up[ep] || endport_is_switch(f, ep) || t->endport_switch[ep] == NO_ID)
			continue;
		hosts[t->endport_switch[ep]]++;
		s->total++;
	}
	for (uint32_t x = 0; x < n; x++) {
		uint32_t *bar = s->bar + (size_t)x * ROOT_BARS;

		for (uint32_t d = 0; switch_up(t, x) && d < n; d++) {
			unsigned k = d == x ? 0 : hops_least(plain, x, d);

			if (k < ROOT_BARS)
				bar[k] += hosts[d];
		}
	}
	free(hosts);
	return s;
}

void root_search_free(struct root_search *s)
{
	if (!s)
		return;
	topo_unref(s->topo);
	FREE_EACH(s->bar, s);
}

uint32_t root_main_limit(const struct root_search *s)
{
	return (uint64_t)s->total * 9 / 10 + 1;
}

uint32_t root_second_limit(const struct root_search *s)
{
	return s->total / 20 + 1;
}

enum root_verdict root_verdict(const struct root_search *s, uint32_t sw)
{
	const uint32_t *bar = root_bars(s, sw);
	uint32_t main_limit = root_main_limit(s), second_limit = root_second_limit(s);
	unsigned n_main = 0, n_second = 0;

	assert(sw < s->topo->fabric->n_switches);
	if (!switch_up(s->topo, sw))
		return ROOT_DOWN;
	if (!s->total)
		return ROOT_NO_HOSTS;
	for (unsigned k = 0; k < ROOT_BARS; k++) {
		n_main += bar[k] >= main_limit;
		n_second += bar[k] >= second_limit;
	}
	if (n_main != 1)
		return ROOT_SPREAD;
	return n_second == 1 ? ROOT_YES : ROOT_SECOND;
}

const char *root_verdict_text(enum root_verdict v)
{
	switch (v) {
	case ROOT_YES:
		return "root: one distance holds more than 90 %, no other one more than 5 %";
	case ROOT_SPREAD:
		return "no root: no distance holds more than 90 %";
	case ROOT_SECOND:
		return "no root: a second distance holds more than 5 %";
	case ROOT_NO_HOSTS:
		return "no root: there are no CA or router ports to count";
	case ROOT_DOWN:
		break;
	}
	return "not up";
}

void root_peaks(const struct root_search *s, uint32_t sw, unsigned *most, unsigned *next)
{
	assert(sw < s->topo->fabric->n_switches);

	const uint32_t *bar = root_bars(s, sw);

	*most = *next = ROOT_BARS;
	for (unsigned k = 0; k < ROOT_BARS; k++) {
		if (!bar[k])
			continue;
		if (*most == ROOT_BARS || bar[k] > bar[*most]) {
			*next = *most;
			*most = k;
		} else if (*next == ROOT_BARS || bar[k] > bar[*next]) {
			*next = k;
		}
	}
}

/* Of switches with a verdict the nearest to a root: most ports at one distance, then fewest at another. */
static uint32_t nearest_miss(const struct root_search *s, enum root_verdict v, uint32_t *count)
{
	uint32_t best = NO_ID, best_most = 0, best_next = 0;

	*count = 0;
	for (uint32_t sw = 0; sw < s->topo->fabric->n_switches; sw++) {
		unsigned most, next;

		if (root_verdict(s, sw) != v)
			continue;
		++*count;
		root_peaks(s, sw, &most, &next);
		uint32_t m = most < ROOT_BARS ? root_bars(s, sw)[most] : 0;
		uint32_t x = next < ROOT_BARS ? root_bars(s, sw)[next] : 0;
		if (best == NO_ID || m > best_most || (m == best_most && x < best_next)) {
			best = sw;
			best_most = m;
			best_next = x;
		}
	}
	return best;
}

/* Explains in one sentence with figures why no switch is a root. */
static void root_search_refusal(const struct root_search *s, struct err *why)
{
	const struct fabric *f = s->topo->fabric;
	uint32_t n_spread, n_second;
	unsigned most, next;
	AUTO_TEXT struct text t = {0};

	if (!s->total) {
		err_set(why, "no root switches: there are no CA or router ports, and roots are found by "
			     "counting them");
		return;
	}
	uint32_t spread = nearest_miss(s, ROOT_SPREAD, &n_spread);
	uint32_t second = nearest_miss(s, ROOT_SECOND, &n_second);
	text_add(&t,
		 "no root switches: a root has more than 90 %% of the %u CA and router ports (at least %u) "
		 "at one distance and no other distance with more than 5 %% (at most %u);",
		 s->total, root_main_limit(s), root_second_limit(s) - 1);
	if (n_spread) {
		root_peaks(s, spread, &most, &next);
		uint32_t ports = most < ROOT_BARS ? root_bars(s, spread)[most] : 0;
		text_add(&t, " %u switch%s no such distance (the most: %.40s has %u ports at distance %u)%s",
			 n_spread, n_spread == 1 ? " has" : "es have", switch_name(f, spread), ports, most,
			 n_second ? ";" : "");
	}
	if (n_second) {
		root_peaks(s, second, &most, &next);
		text_add(&t, " %u ha%s a second one (the least: %.40s has %u ports at distance %u)", n_second,
			 n_second == 1 ? "s" : "ve", switch_name(f, second), root_bars(s, second)[next],
			 next);
	}
	text_add(&t, "; name the roots with root_guid_file");
	err_set(why, "%s", text_str(&t));
}

/* Up/Down: packets go towards the roots and then away from them (engines/doc/updn.md, as in OpenSM 3.3.23).
 * Roots come from root_guid_file or are found by counting hosts. */

#define ROOTS "root_guid_file"
#define IDS "ids_guid_file"

/* --- the root file ------------------------------------------------------------------ */

/* The contents of a root file under one of the two sets of rules. */
struct named_roots {
	uint8_t *root;	   /* [n_switches] */
	uint32_t n;	   /* lines that named a root; a switch may count twice */
	uint32_t n_cas;	   /* lines with a CA GUID */
	unsigned first_ca; /* first line with a CA GUID */
	struct guid_file file;
};

static uint32_t updn_switch_of_guid(const struct topo *t, uint64_t guid)
{
	const struct fabric *f = t->fabric;
	uint32_t node = fabric_node_by_guid(f, guid), sw = node == NO_ID ? NO_ID : f->node_switch[node];

	return sw != NO_ID && switch_up(t, sw) ? sw : NO_ID;
}

/* Finds the switches at which a CA or router (by node GUID or port GUID) hangs. Returns their number. */
static unsigned updn_host_switches(const struct topo *t, uint64_t guid, uint32_t *sw)
{
	const struct fabric *f = t->fabric;
	uint32_t ep = fabric_endport_by_guid(f, guid), node = fabric_node_by_guid(f, guid);
	unsigned n = 0;

	if (ep != NO_ID && !endport_is_switch(f, ep)) {
		sw[n] = t->endport_switch[ep];
		return sw[n] != NO_ID;
	}
	for (unsigned p = 1; node != NO_ID && !node_is_switch(f, node) && p <= f->node_nports[node]; p++) {
		ep = f->port_endport[f->node_port[node] + p];
		if (ep != NO_ID && t->endport_switch[ep] != NO_ID)
			sw[n++] = t->endport_switch[ep];
	}
	return n;
}

static void updn_take_line(const struct engine_input *in, const struct guid_line *l, bool manual, bool tell,
			   struct named_roots *r)
{
	uint32_t sw = updn_switch_of_guid(in->topo, l->guid), by_host[256];
	unsigned n = sw == NO_ID ? updn_host_switches(in->topo, l->guid, by_host) : 0;

	if (sw != NO_ID) {
		r->root[sw] = 1;
		r->n++;
	}
	if (n && !r->n_cas++)
		r->first_ca = l->line;
	for (unsigned i = 0; manual && i < n; i++) {
		r->root[by_host[i]] = 1;
		r->n++;
	}
	if (!tell)
		return;
	if (sw != NO_ID)
		rec_note(in, "line %u: %s is a root", l->line, switch_name(in->topo->fabric, sw));
	else
		rec_note(in, "line %u: 0x%016" PRIx64 " is %s", l->line, l->guid,
			 !n	  ? "not in the fabric: ignored"
			 : manual ? "a channel adapter: its switch is a root"
				  : "a channel adapter: ignored");
}

static void read_named(const struct engine_input *in, bool manual, struct named_roots *r)
{
	*r = (struct named_roots){.root = NEW_ARRAY(in->topo->fabric->n_switches, uint8_t)};
	option_guids_read(in->options, ROOTS, in->topo->fabric, manual, in->progress, &r->file);
	for (size_t i = 0; i < r->file.n; i++)
		updn_take_line(in, &r->file.l[i], manual, manual == manual_rules(in->options), r);
}

static void free_named(struct named_roots *r)
{
	free(r->root);
	guid_file_free(&r->file);
}

/* Notes if OpenSM and its manual make different roots of the file. */
static void note_difference(const struct engine_input *in, struct engine_output *out, const char *path,
			    const struct named_roots *opensm, const struct named_roots *manual)
{
	struct notes *t = &out->notes;

	if (!memcmp(opensm->root, manual->root, in->topo->fabric->n_switches) &&
	    opensm->file.stopped == manual->file.stopped)
		return;
	note_add(t, NOTE_RULES, ROOTS ": OpenSM and its manual differ on %s:", path);
	if (opensm->file.stopped)
		note_add(t, NOTE_RULES,
			 " OpenSM stops at the invalid line %u, keeps the %u root%s read before and "
			 "looks for more; by the manual it leaves out %u invalid line%s;",
			 opensm->file.stopped, opensm->n, opensm->n == 1 ? "" : "s", manual->file.skipped,
			 manual->file.skipped == 1 ? "" : "s");
	if (manual->n_cas)
		note_add(t, NOTE_RULES,
			 " OpenSM ignores GUIDs of channel adapters; by the manual they stand for their "
			 "switches (%u line%s, first %u);",
			 manual->n_cas, manual->n_cas == 1 ? "" : "s", manual->first_ca);
	note_add(t, NOTE_RULES, " rules in force: %s\n", manual_rules(in->options) ? "manual" : "opensm");
}

/*
 * Reads the roots of the file, if one is set, into u. *n is the number of lines that named one. Returns true
 * if the file settled the roots, false if OpenSM looks for roots itself.
 */
static bool named_roots(const struct engine_input *in, struct engine_output *out, struct updown *u,
			uint32_t *n)
{
	const char *path = options_file(in->options, ROOTS);
	/* cppcheck-suppress uninitvar ; only the address is taken */
	struct named_roots opensm, manual, *r = manual_rules(in->options) ? &manual : &opensm;

	*n = 0;
	if (!path)
		return false;
	rec_phase(in, "roots named in %s", options_get(in->options, ROOTS));
	read_named(in, false, &opensm);
	read_named(in, true, &manual);
	for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++)
		if (r->root[s])
			u->rank[s] = 0;
	*n = r->n;
	bool good = !r->file.stopped;
	if (!good)
		note_add(&out->notes, NOTE_GUID_FILE,
			 ROOTS ": %s; %u root%s read before; OpenSM looks for roots as well\n",
			 r->file.why.msg, r->n, r->n == 1 ? "" : "s");
	note_difference(in, out, options_get(in->options, ROOTS), &opensm, &manual);
	free_named(&opensm);
	free_named(&manual);
	return good;
}

/* --- roots found by counting ----------------------------------------------------------- */

static void found_roots(const struct engine_input *in, struct updown *u, const struct hops *plain,
			uint32_t *n)
{
	u->search = root_search_new(in->topo, plain);
	rec_phase(in,
		  "roots by counting: of %u CA and router ports %u or more at one distance, and no other "
		  "distance with %u or more",
		  u->search->total, root_main_limit(u->search), root_second_limit(u->search));
	for (uint32_t s = 0; s < in->topo->fabric->n_switches; s++) {
		enum root_verdict v = root_verdict(u->search, s);

		if (RECORDED(in) && v != ROOT_DOWN)
			updown_record_verdict(in, s, v);
		if (v != ROOT_YES)
			continue;
		u->rank[s] = 0;
		++*n;
	}
}

/* Notes surprising roots: all switches, or switches with hosts. */
static void note_odd_roots(const struct topo *t, const struct updown *u, struct notes *notes)
{
	uint32_t with_hosts = 0, example = NO_ID;

	if (!u->search || !u->n_roots)
		return;
	for (uint32_t s = 0; s < t->fabric->n_switches; s++)
		if (!u->rank[s] && root_bars(u->search, s)[0]) {
			with_hosts++;
			example = s;
		}
	if (u->n_roots == t->n_switches_up && u->n_roots > 1)
		note_add(notes, 0,
			 "updn takes all %u switches for roots, so it forbids no turn and credit loops "
			 "are possible; name the roots with " ROOTS "\n",
			 u->n_roots);
	else if (with_hosts && t->n_switches_up > 1)
		note_add(notes, 0,
			 "updn: %u of the %u roots found %s hosts (%s, for one); check that they are "
			 "meant to be roots\n",
			 with_hosts, u->n_roots, with_hosts == 1 ? "has" : "have",
			 switch_name(t->fabric, example));
}

/* --- ids ---------------------------------------------------------------------------------- */

static void read_ids(const struct engine_input *in, struct engine_output *out, struct updown *u)
{
	const char *path = options_get(in->options, IDS);
	uint32_t n = 0;
	struct guid_file g;

	if (!read_guid_option(in, out, IDS, &g))
		return;
	rec_phase(in, "ids of switches from %s", path);
	for (size_t i = 0; i < g.n; i++) {
		uint32_t sw = updn_switch_of_guid(in->topo, g.l[i].guid);
		char *end;

		if (sw == NO_ID) {
			note_ignored(in, out, IDS, g.l[i].line, "0x%016" PRIx64 " is no switch of the fabric",
				     g.l[i].guid);
			continue;
		}
		uint64_t id = strtoull(g.l[i].rest, &end, 0);
		if (*end && !isspace((unsigned char)*end)) {
			note_add(&out->notes, NOTE_GUID_FILE,
				 IDS ": %s:%u: found '%.40s', expected a number as id; the rest of the file "
				     "is not read\n",
				 path, g.l[i].line, g.l[i].rest);
			break;
		}
		u->id[sw] = id;
		n++;
	}
	rec_note(in, "%s given, other switches go by their GUID", PLURAL(n, "id"));
	guid_file_free(&g);
}

/* --- the engine ------------------------------------------------------------------------------ */

static struct routing *refuse(struct updown *u, struct hops *plain)
{
	updown_free(u);
	hops_unref(plain);
	return NULL;
}

/*
 * Keeps the matrix in which roots were searched for the engines that are tried next (engines/doc/minhop.md
 * 10.1). It matters to `file` if that has rows of its own, and if other values were left before.
 */
static void updn_leave_matrix(const struct engine_input *in, const struct hops *plain)
{
	const struct fabric *f = in->topo->fabric;
	uint32_t n = f->n_switches;

	if (!plain || !in->left || (!in->left->hops && !options_file(in->options, "lid_matrix_dump_file")))
		return;
	uint8_t *m = mem_alloc((size_t)f->n_ports * n);
	memset(m, NO_PATH, (size_t)f->n_ports * n);
	for (uint32_t s = 0; s < n; s++)
		for (unsigned p = 0; p <= f->switch_nports[s]; p++)
			for (uint32_t d = 0; d < n; d++)
				m[(size_t)switch_port_id(f, s, p) * n + d] =
					(uint8_t)hops_value(plain, in->topo, s, d, p);
	free(in->left->hops);
	in->left->hops = m;
}

/* Takes the switches of rank 0, as the source reports them, for roots; false: none is up. */
static bool told_roots(const struct engine_input *in, struct updown *u, uint32_t *n)
{
	const struct fabric *f = in->topo->fabric;

	rec_phase(in, "roots as the source tells them");
	for (uint32_t s = 0; s < f->n_switches; s++) {
		if (f->switch_rank[s] != 1 || !switch_up(in->topo, s))
			continue;
		u->rank[s] = 0;
		++*n;
	}
	return *n > 0;
}

/*
 * NVIDIA's roots, as far as they are published: leaves are switches with more than max_cas_on_spine CAs,
 * roots those farthest from them (engines/doc/nvidia.md 5, assumed).  Where no switch is a leaf, ar_updn has
 * been seen to route all the same: `all` then makes roots of all switches, which forbids no way.
 */
static void farthest_roots(const struct engine_input *in, struct engine_output *out, struct updown *u,
			   bool all, uint32_t *n)
{
	const struct topo *t = in->topo;
	const struct fabric *f = t->fabric;
	AUTO_FREE uint8_t *root = NEW_ARRAY(f->n_switches, uint8_t);
	uint32_t most = options_uint(in->options, "max_cas_on_spine");

	rec_phase(in, "roots: the switches farthest from those with more than %u CAs", most);
	struct farthest x = switches_farthest(t, most, root);
	*n = 0;
	for (uint32_t s = 0; s < f->n_switches; s++)
		if (root[s] || (!x.n_leaves && all && switch_up(t, s))) {
			u->rank[s] = 0;
			++*n;
		}
	if (!x.n_leaves)
		note_add(&out->notes, NOTE_RULES,
			 "no switch has more than %u hosts (max_cas_on_spine), so NVIDIA's rule names no "
			 "leaf and no "
			 "root%s\n",
			 most,
			 all ? "; ar_updn has been seen to route such fabrics: shown are minhop's ways, "
			       "which is "
			       "assumed"
			     : "");
	else if (*n)
		note_add(&out->notes, NOTE_RULES,
			 "roots: %s farthest from the switches with more than %u hosts (%s, for one), which "
			 "is assumed: "
			 "of NVIDIA's rule only the outline is published; " ROOTS
			 " or opensm-smdb.dump tells them\n",
			 PLURAL(*n, "switch"), most, switch_name(f, x.one));
}

struct routing *updn_route_as(const char *engine, bool told, const struct engine_input *in,
			      struct engine_output *out)
{
	struct updown *u = updown_new(in->topo, true);
	bool connect = options_bool(in->options, "connect_roots");
	struct hops *plain = NULL;
	uint32_t n;
	bool nvidia = nvidia_rules(in->options);
	bool named = named_roots(in, out, u, &n) || ((told || nvidia) && !n && told_roots(in, u, &n));

	if (!named || (connect && n > 1)) {
		if (RECORDED(in))
			rec_use_matrix(in->record, T_PLAIN);
		plain = hops_build(in, out);
		if (!plain) {
			err_set(&out->refused, CANCELLED);
			return refuse(u, plain);
		}
	}
	if (!named && nvidia && options_bool(in->options, "find_roots_color_algorithm"))
		farthest_roots(in, out, u, told, &n);
	else if (!named)
		found_roots(in, u, plain, &n);
	read_ids(in, out, u);
	if (RECORDED(in))
		updown_record_keep(in, u);
	if (!n && u->search)
		root_search_refusal(u->search, &out->refused);
	else if (!n && !named)
		err_set(&out->refused,
			"no root switches: none is farther than others from switches with more than "
			"max_cas_on_spine hosts; name the roots with " ROOTS);
	else if (!n)
		err_set(&out->refused,
			"no root switches: %s names no switch that is up (GUIDs of channel adapters %s)",
			options_get(in->options, ROOTS),
			manual_rules(in->options) ? "stand for their switches" : "do not count");
	if (!n) {
		updn_leave_matrix(in, plain);
		return refuse(u, plain);
	}
	rec_phase(in, "ranks: distance from the nearest root");
	updown_rank(in, u);
	note_odd_roots(in->topo, u, &out->notes);
	u->connect = connect && plain;
	if (!updown_matrix(in, u, plain, u->connect, false, &out->refused))
		return refuse(u, plain);
	hops_unref(plain);
	return updown_routing(engine, in, out, u);
}

static struct routing *updn_route(const struct engine_input *in, struct engine_output *out)
{
	return updn_route_as("updn", false, in, out);
}

const struct optdef updn_options[] = {
	GUID_OPTION(
		ROOTS, "-a FILE", OPT_SWITCHES,
		"node GUIDs of the root switches, one a line; without it updn finds roots by counting hosts"),
	GUID_OPTION(IDS, "-m FILE", OPT_SWITCH_IDS,
		    "lines `switch-GUID id`: among switches of equal rank, up is towards the smaller id "
		    "(default: GUID)"),
	{0},
};

const struct engine engine_updn = {
	.name = "updn",
	.brief = "Up/Down: towards the roots, then away from them; no credit loops where no cables join "
		 "switches of equal rank; elsewhere see check",
	.reference = "Schroeder et al., Autonet, IEEE JSAC 9(8), 1991; as OpenSM 3.3.23",
	.options = updn_options,
	.route = updn_route,
	.update = updn_route, /* updown_assign() looks at `previous` */
	.room = updown_room,
	.scheme = &updn_scheme,
};
