#include "core/analysis/compare/verify.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/base/cursor.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/formats/readers.h"
#include "core/formats/tables.h"
#include "core/routing/paths.h"
#include "core/sm/guid_names.h"
#include "core/sm/lft_file.h"
#include "core/sm/port_groups.h"
#include "core/source/simulation.h"

/* --- what is simulated ------------------------------------------------------------------------------ */

/* Can the subnet manager run there? ibsim allows port 1 of a node, or a switch. */
static bool can_host(const struct fabric *f, uint32_t ep)
{
	return endport_is_switch(f, ep) || f->port_num[f->endport_port[ep]] == 1;
}

/* ibsim makes other port GUIDs. Names of ports are looked up anew; files of GUIDs stay as they are. */
static void tell_guids(const struct fabric *was, const struct fabric *now, const struct options *o,
		       struct progress *p, struct text *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < was->n_ports; i++)
		n += was->port_endport[i] != NO_ID && was->port_guid[i] != now->port_guid[i];
	if (n)
		text_add(t,
			 "ibsim makes a host port's GUID of the node's GUID and the port's number: unlike "
			 "the file's at %s, which moves places in OpenSM's order.  Both sides have ibsim's "
			 "(as with "
			 "`set port_guids ibsim`).\n",
			 PLURAL(n, "port"));
	for (size_t i = 0; i < options_count(o); i++) {
		const struct optdef *d = options_at(o, i);
		bool ports = d->names == OPT_HOST_PORTS || d->names == OPT_ANY_PORTS;
		struct guid_file g;

		if (!ports || !options_is_set(o, d->name) || options_has_list(o, d->name) ||
		    !options_file(o, d->name))
			continue;
		option_guids_read(o, d->name, was, true, p, &g);
		n = 0;
		for (size_t k = 0; k < g.n; k++) {
			uint32_t ep = fabric_endport_by_guid(was, g.l[k].guid);

			n += ep != NO_ID && now->port_guid[was->endport_port[ep]] != g.l[k].guid;
		}
		guid_file_free(&g);
		if (n)
			text_add(
				t,
				"%s names %s by GUIDs that they do not have in ibsim: the list does not hold "
				"for them on either side (`set %s NAME...` takes names, which hold).\n",
				d->name, PLURAL(n, "port"), d->name);
	}
}

/* Tells what ibsim lacks, and what is left out. */
static void verify_tell_limits(const struct topo *up, const struct options *o, struct text *t)
{
	const struct fabric *f = up->fabric;
	uint32_t other_vls = 0, fast = 0, away = 0;

	for (uint32_t p = 0; p < f->n_ports; p++) {
		other_vls += f->port_peer[p] != NO_ID && f->port_opervls[p] != DEFAULT_OPER_VLS;
		fast += up->peer[p] != NO_ID &&
			(f->port_speed[p] == SPEED_NDR || f->port_speed[p] == SPEED_XDR);
	}
	if (other_vls)
		text_add(t, "ibsim gives all ports 8 VLs; the fabric has ports with others.  Both sides are "
			    "compared with 8.\n");
	if (fast && options_bool(o, "avoid_throttled_links"))
		text_add(t,
			 "ibsim knows neither NDR nor XDR: %s run at HDR there, which avoid_throttled_links "
			 "may see.\n",
			 PLURAL((fast + 1) / 2, "link"));
	for (uint32_t i = 0; i < f->n_nodes; i++)
		away += !up->node_up[i];
	if (away)
		text_add(t, "Not simulated, as they failed or are not reached: %s.\n", PLURAL(away, "node"));
}

/* The setup that both sides start from: its fabric is made for ibsim; NULL and *e. */
static const struct setup *simulated_setup(const struct setup *s, const char *chain, struct text *limits,
					   struct progress *p, struct err *e)
{
	AUTO_TOPO struct topo *up = topo_new(s->fabric, s->state);
	uint32_t sm = up->sm_endport, best = NO_ID;
	const struct fabric *real = s->fabric;
	char a[300];

	if (sm == NO_ID || !up->n_switches_up) {
		err_set(e, "nothing can be simulated: the subnet manager reaches no switch");
		return NULL;
	}
	if (!can_host(real, sm)) {
		/* the first endport in the source's order that is reached and can host it */
		for (uint32_t ep = 0; ep < real->n_endports; ep++)
			if (up->endport_up[ep] && can_host(real, ep) &&
			    (best == NO_ID || real->node_order[endport_node(real, ep)] <
						      real->node_order[endport_node(real, best)]))
				best = ep;
		sm = best;
		if (sm != NO_ID)
			text_add(limits,
				 "ibsim's device is port 1 of a node: the subnet manager is taken to be at "
				 "%s.\n",
				 port_label(real, real->endport_port[sm], a, sizeof(a)));
	}
	AUTO_FABRIC struct fabric *f = fabric_variant(real, NO_ID, true);
	if (sm != NO_ID) {
		struct fabric *moved = fabric_variant(f, f->port_endport[real->endport_port[sm]], false);
		fabric_unref(f);
		f = moved;
	}
	memset(f->port_opervls, DEFAULT_OPER_VLS, f->n_ports);
	AUTO_OPTIONS struct options *o = options_named_anew(s->options, f);
	tell_guids(real, f, s->options, p, limits);
	verify_tell_limits(up, s->options, limits);
	return setup_new(&(struct setup){
		.fabric = f, .state = s->state, .options = o, .chain = chain, .scope = s->scope});
}

/* --- opensm's options ------------------------------------------------------------------------------- */

/* Copies an option's file into the folder, so that OpenSM reads what this program reads. */
static int put_file(const struct simulation *sim, const char *name, const char *value, struct progress *p,
		    struct err *e)
{
	FILE *f = simulation_open(sim, name, "w", e);
	const char *list = *value == GUID_LIST_MARK ? strchr(value, '\n') : NULL;
	AUTO_FREE char *data = NULL;
	size_t size = 0;
	int rc = 0;

	if (!f)
		return -1;
	if (list)
		fputs(list + 1, f);
	else if (*value != GUID_LIST_MARK)
		rc = (!strcmp(name, "lfts_file") || !strcmp(name, "lid_matrix_dump_file")
			      ? read_file
			      : read_small_file)(value, p, &data, &size, e);
	if (data && fwrite(data, 1, size, f) != size)
		rc = err_set_kind(e, ERR_IO, "a copy of %s cannot be written: %s", value, strerror(errno));
	if (fclose(f) && !rc)
		rc = err_set(e, "%s: cannot be written", name);
	return rc;
}

static int verify_put_option(const struct simulation *sim, const struct options *o, const struct optdef *d,
			     FILE *conf, struct progress *p, struct err *e)
{
	/* OpenSM lacks these options, or gets them in another way */
	if (!options_is_set(o, d->name) || d->own || !strcmp(d->name, "guid") ||
	    !strcmp(d->name, "guid2lid_file"))
		return 0;
	if (d->type != OPT_FILE) {
		fprintf(conf, "%s %s\n", d->name, options_get(o, d->name));
		return 0;
	}
	const char *path = options_file(o, d->name);
	if (!path)
		return 0;
	int rc = put_file(sim, d->name, path, p, e);
	AUTO_FREE char *to = simulation_path(sim, d->name);
	fprintf(conf, "%s %s\n", d->name, to);
	return rc;
}

static int put_conf(const struct simulation *sim, const struct setup *s, struct progress *p, struct err *e)
{
	static const char fixed[] = "sweep_interval 0\nsweep_on_trap FALSE\ntransaction_timeout 2000\n"
				    "log_flags 0x43\nforce_log_flush TRUE\nexit_on_fatal FALSE\n";
	static const char *const pair_files[] = {"partition_config_file", "qos_policy_file"};
	const struct options *o = s->options;
	FILE *conf = simulation_open(sim, SIMULATION_CONF, "w", e);
	AUTO_FREE char *folder = simulation_path(sim, "");
	int rc = conf ? 0 : -1;

	if (conf) {
		fprintf(conf, "%slog_file %s" SIMULATION_LOG "\ndump_files_dir %s\n", fixed, folder, folder);
		fprintf(conf, "routing_engine %s\n", s->chain);
	}
	for (size_t i = 0; !rc && i < options_count(o); i++)
		rc = verify_put_option(sim, o, options_at(o, i), conf, p, e);
	for (size_t i = 0; !rc && conf && i < ARRAY_LEN(pair_files); i++) {
		const char *from = options_get(o, pair_files[i]);

		/* a copy, as OpenSM makes a file there; what cannot be read is none */
		fprintf(conf, "%s %s%s\n", pair_files[i], folder, pair_files[i]);
		if (*from && !access(from, R_OK))
			rc = put_file(sim, pair_files[i], from, p, e);
	}
	if (!rc && options_file(o, "guid2lid_file"))
		rc = put_file(sim, "guid2lid", options_file(o, "guid2lid_file"), p, e);
	if (conf && fclose(conf) && !rc)
		rc = err_set(e, "%s%s: cannot be written", folder, SIMULATION_CONF);
	return rc;
}

static int put_net(const struct simulation *sim, const struct topo *up, struct progress *p, struct err *e)
{
	FILE *f = simulation_open(sim, SIMULATION_NET, "w", e);

	if (!f)
		return -1;
	int rc = write_simulated(f, up, p);
	if (rc)
		err_set(e, progress_cancelled(p) ? CANCELLED : "the fabric cannot be written for ibsim");
	if (fclose(f) && !rc)
		rc = err_set(e, "the fabric cannot be written for ibsim");
	return rc;
}

/* --- comparing --------------------------------------------------------------------------------------- */

int verify_tables(struct verification *v, const char *data, size_t size, struct progress *p, struct err *e)
{
	const struct sweep *w = v->sweep;
	struct input in = {.name = SIMULATION_LFTS, .data = data, .size = size};
	struct tables_info info;
	AUTO_TEXT struct text notes = {0};
	struct switch_tables *t = tables_parse(&in, w->fabric, NULL, &info, &notes, e);
	unsigned top = w->lids->max_lid;
	int rc = 0;

	assert(w->routing);
	if (!t)
		return -1;
	if (switch_tables_top(t) > top)
		top = switch_tables_top(t);
	for (unsigned lid = 1; t->lid_owner && lid <= MAX_LID; lid++) {
		if (t->lid_owner[lid] == NO_ID)
			continue;
		v->lids++;
		if (t->lid_owner[lid] != lid_owner(w->lids, lid) && v->lids_differ++ < VERIFY_MOST)
			v->lid[v->lids_differ - 1] = (uint16_t)lid;
	}
	progress_start(p, "comparing tables", w->fabric->n_switches);
	for (uint32_t sw = 0; !rc && sw < w->fabric->n_switches; sw++) {
		const uint8_t *lft = t->lft[sw];

		if (!progress_step(p, sw))
			rc = err_set(e, CANCELLED);
		if (rc || !switch_up(w->topo, sw))
			continue;
		v->no_table += !lft;
		for (unsigned lid = 1; lid <= top; lid++) {
			unsigned ours = routing_port(w->routing, sw, lid);
			unsigned theirs = lft && lid <= t->top[sw] ? lft[lid] : NO_PATH;

			v->entries++;
			if (ours != theirs && v->differ++ < VERIFY_MOST)
				v->entry[v->differ - 1] = (struct verify_entry){
					sw, (uint16_t)lid, (uint8_t)ours, (uint8_t)theirs};
		}
	}
	counted_unref(&t->counted);
	return rc;
}

/* Takes one of OpenSM's SL-to-VL maps. */
static void compare_map(void *arg, uint32_t ep, unsigned in, unsigned out, sl2vl_map opensm)
{
	struct verification *v = arg;
	const struct routing *r = v->sweep->routing;
	const struct fabric *f = v->sweep->fabric;
	unsigned sl = 0, vl = 0;
	char label[300];

	assert(ep != NO_ID && routing_endport_known(r));
	v->maps++;
	for (; sl < 16; sl++) {
		vl = endport_is_switch(f, ep) ? routing_vl(r, r->topo->endport_switch[ep], in, out, sl)
					      : sl2vl_of(routing_endport_map(r, ep), sl);
		if (vl != sl2vl_of(opensm, sl))
			break;
	}
	if (sl < 16 && v->maps_differ++ < VERIFY_MOST)
		text_add(&v->maps_told, "! %s from port %u, SL %u: here VL %u, OpenSM VL %u\n",
			 port_label(f, f->endport_port[ep] + out, label, sizeof(label)), in, sl, vl,
			 sl2vl_of(opensm, sl));
}

/* The engine in the last line "... ENGINE tables configured on all switches". */
static char *engine_of_log(const struct simulation *sim)
{
	static const char mark[] = " tables configured on all switches";
	FILE *f = simulation_open(sim, SIMULATION_LOG, "r", NULL);
	char line[1000], engine[64] = "";

	while (f && fgets(line, sizeof(line), f)) {
		char *end = strstr(line, mark), *from = end;

		while (from && from > line && from[-1] != ' ')
			from--;
		if (end)
			snprintf(engine, sizeof(engine), "%.*s", (int)(end - from), from);
	}
	if (f)
		fclose(f);
	return str_dup(engine);
}

/* --- service levels ------------------------------------------------------------------------------------ */

/* Writes the pairs to ask for, one a line, taken evenly from all. Returns their number. */
static int64_t put_pairs(struct verification *v, const struct simulation *sim, struct err *e)
{
	const struct sweep *w = v->sweep;
	AUTO_FREE uint16_t *lid = NEW_ARRAY(w->lids->max_lid + 1u, uint16_t);
	uint64_t n = 0;
	FILE *f = simulation_open(sim, SIMULATION_PAIRS, "w", e);
	int64_t asked = 0;
	for (unsigned l = 1; l <= w->lids->max_lid; l++) { /* LIDs of CAs and routers that are up */
		uint32_t ep = lid_owner(w->lids, l);

		if (ep != NO_ID && !endport_is_switch(w->fabric, ep) && w->topo->endport_up[ep])
			lid[n++] = (uint16_t)l;
	}
	v->pairs = n > 1 ? n * (n - 1) : 0;
	uint64_t step = v->pairs / VERIFY_PAIRS + 1;
	for (uint64_t i = 0; f && i < v->pairs; i += step) {
		uint64_t s = i / (n - 1), d = i % (n - 1);

		fprintf(f, "%u %u\n", lid[s], lid[d + (d >= s)]);
		asked++;
	}
	if (!f)
		return -1;
	return fclose(f) ? err_set(e, "%s: cannot be written", SIMULATION_PAIRS) : asked;
}

/* Does the subnet administrator know a path? */
static bool has_path(const struct routing *r, unsigned slid, unsigned dlid)
{
	uint32_t src = lid_owner(r->lids, slid), dst = lid_owner(r->lids, dlid);
	struct path path;

	if (src == dst)
		return !routing_sa_refuses(r, src, false);
	if (routing_sa_refuses(r, src, r->topo->endport_switch[src] != NO_ID) ||
	    !routing_share_pkey(r, slid, dlid))
		return false;
	path_trace(r, src, slid, dlid, &path);
	bool there = path.end == PATH_OK || path.end == PATH_DROPPED;
	path_free(&path);
	return there;
}

static void compare_sl(struct verification *v, unsigned slid, unsigned dlid, const char *word)
{
	const struct routing *r = v->sweep->routing;
	struct verify_sl x = {
		.slid = (uint16_t)slid, .dlid = (uint16_t)dlid, .lo = -1, .hi = -1, .opensm = -1};

	if (*word != '-')
		x.opensm = atoi(word);
	if (has_path(r, slid, dlid)) {
		struct sl_range sl = routing_sl_by_chance(r, slid, dlid);

		x.lo = sl.lo;
		x.hi = sl.hi;
		v->drawn += sl.lo != sl.hi;
	}
	v->asked++;
	if ((x.opensm < x.lo || x.opensm > x.hi) && v->sls_differ++ < VERIFY_MOST)
		v->sl[v->sls_differ - 1] = x;
}

static int verify_compare_sls(struct verification *v, struct simulation *sim, const char *host,
			      struct progress *p, struct err *e)
{
	int64_t n = routing_has_sls(v->sweep->routing) ? put_pairs(v, sim, e) : 0;
	unsigned slid, dlid;
	char word[16];

	if (n <= 0)
		return (int)n;
	if (simulation_paths(sim, host, (uint32_t)n, p, e))
		return -1;
	FILE *f = simulation_open(sim, SIMULATION_PATHS, "r", e);
	if (!f)
		return -1;
	progress_start(p, "comparing service levels", (unsigned)n);
	while (fscanf(f, "%u %u %15s", &slid, &dlid, word) == 3 && progress_step(p, (unsigned)v->asked))
		if (slid <= v->sweep->lids->max_lid && dlid <= v->sweep->lids->max_lid)
			compare_sl(v, slid, dlid, word);
	fclose(f);
	if (progress_cancelled(p))
		return err_set(e, CANCELLED);
	return v->asked == (uint64_t)n ? 0
				       : err_set(e,
						 "OpenSM's subnet administrator: found %" PRIu64
						 " answers about service levels, expected %" PRId64,
						 v->asked, n);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

/* Our side: a start of the subnet manager on the same fabric. */
static const struct sweep *our_sweep(const struct setup *s, const struct engine *const *engines,
				     struct progress *p, struct err *e)
{
	const struct sweep *w =
		sweep_run(&(struct sweep_request){.setup = s, .engines = engines, .progress = p}, e);

	if (!w)
		return NULL;
	if (w->fatal)
		err_set(e, "verify does not start OpenSM 3.3.23: it %s on this fabric with %s", w->fatal,
			s->chain);
	else if (!w->routing)
		err_set(e, "OpenSM would program nothing: of %s, no engine can route this fabric", s->chain);
	else if (!w->lids->n_wrong)
		return w;
	else
		err_set(e, "OpenSM ends its sweep with errors on this fabric (its table of LIDs is wrong), "
			   "so it has no tables to compare with");
	sweep_unref(w);
	return NULL;
}

static int run_simulation(struct verification *v, struct progress *p, struct err *e)
{
	const struct topo *t = v->sweep->topo;
	const struct fabric *f = t->fabric;
	struct simulation_sizes z = {2, t->n_switches_up, 0, 0};
	struct simulation *sim = simulation_new(e);
	char host[SIMULATED_ID];
	AUTO_FREE char *data = NULL;
	size_t size;

	if (!sim)
		return -1;
	for (uint32_t n = 0; n < f->n_nodes; n++) {
		z.nodes += t->node_up[n];
		z.ports += t->node_up[n] ? f->node_nports[n] + 2u : 0;
	}
	z.mapped = options_bool(v->sweep->setup->options, "qos") ? t->n_endports_up : 0;
	simulated_id(f, endport_node(f, t->sm_endport), host);
	int rc = put_net(sim, t, p, e);
	if (!rc)
		rc = put_conf(sim, v->sweep->setup, p, e);
	if (!rc)
		rc = simulation_sweep(sim, &z, host, p, e);
	AUTO_FREE char *lfts = simulation_path(sim, SIMULATION_LFTS);
	if (!rc)
		rc = read_file(lfts, p, &data, &size, e);
	if (!rc)
		rc = verify_tables(v, data, size, p, e);
	AUTO_FREE char *maps = simulation_path(sim, SIMULATION_MAPS);
	if (!rc && z.mapped)
		rc = sl2vl_file_each(maps, f, compare_map, v, p, e);
	if (!rc) {
		v->engine = engine_of_log(sim);
		rc = verify_compare_sls(v, sim, host, p, e);
	}
	simulation_end(sim);
	return rc;
}

struct verification *verify_run(const struct setup *setup, const char *chain,
				const struct engine *const *engines, struct progress *p, struct err *e)
{
	char *save = NULL;
	AUTO_FREE char *words = str_dup(chain);
	int rc = 0;

	/* OpenSM lacks engines of other programs, and those that only show tables */
	for (char *w = strtok_r(words, ",", &save); w && !rc; w = strtok_r(NULL, ",", &save)) {
		const struct engine *g = engine_find(engines, w);

		if (g && (g->holds != HOLDS_NOTHING || !strcmp(w, "mincontention")))
			rc = err_set(e, "OpenSM has no engine %s; `verify ENGINE` takes another one", w);
	}
	if (rc || simulation_possible(e))
		return NULL;
	if (strcmp(options_get(setup->options, "rules"), "opensm") != 0) {
		err_set(e,
			"option rules is %s, and public OpenSM, which is run, has its own; `set rules "
			"opensm` first",
			options_get(setup->options, "rules"));
		return NULL;
	}
	struct verification *v = NEW(struct verification);
	AUTO_SETUP const struct setup *s = simulated_setup(setup, chain, &v->limits, p, e);
	v->sweep = s ? our_sweep(s, engines, p, e) : NULL;
	if (v->sweep && !run_simulation(v, p, e))
		return v;
	verify_free(v);
	return NULL;
}

bool verify_same(const struct verification *v)
{
	return v->entries && !v->differ && !v->no_table && !v->lids_differ && !v->sls_differ &&
	       !v->maps_differ && (!*v->engine || !strcmp(v->engine, v->sweep->routing->engine));
}

void verify_free(struct verification *v)
{
	if (!v)
		return;
	sweep_unref(v->sweep);
	free(v->engine);
	text_free(&v->maps_told);
	text_free(&v->limits);
	free(v);
}
