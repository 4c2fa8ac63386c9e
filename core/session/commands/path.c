/* Commands that look at paths and at the tables of one switch. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/analysis/traffic/flows.h"
#include "core/base/err.h"
#include "core/routing/paths.h"
#include "core/session/commands/commands.h"
#include "core/session/out.h"
#include "core/sm/port_groups.h"
#include "core/trace/walk.h"

/* --- trace ------------------------------------------------------------------------------- */

/* What a link does by the counters read last, behind its port; m NULL: nothing. */
static void print_counted(const struct measured *m, uint32_t port, struct out *o)
{
	AUTO_TEXT struct text t = {0};
	unsigned faults = m ? measured_link(m, m->fabric, port, &t) : 0;
	bool first = true;

	for (unsigned k = 0; k < N_PORT_FAULTS; k++)
		if (faults >> k & 1) {
			out_text(o, "%s%s", first ? "  BAD LINK: " : ", ", port_fault_words[k]);
			first = false;
		}
	if (faults)
		out_text(o, " (%s)", text_str(&t));
}

/* The links of a path that have faults by counters. */
static json_t *bad_links(const struct routing *r, const struct path *p, const struct measured *m)
{
	const struct fabric *f = r->topo->fabric;
	json_t *list = json_array();

	for (unsigned i = 0; i <= p->n; i++) {
		const struct path_hop *h = i ? &p->hop[i - 1] : NULL;
		uint32_t port = !h			      ? f->endport_port[p->src]
				: h->out && h->out != NO_PATH ? switch_port_id(f, h->sw, h->out)
							      : NO_ID;
		AUTO_TEXT struct text t = {0};
		unsigned faults = port == NO_ID ? 0 : measured_link(m, f, port, &t);

		if (faults) {
			json_t *kinds = json_array(),
			       *x = json_make("{s:o, s:s}", "faults", kinds, "counted", text_str(&t));

			for (unsigned k = 0; k < N_PORT_FAULTS; k++)
				if (faults >> k & 1)
					json_array_append_new(kinds, json_text(port_fault_words[k]));
			json_put_port(x, "from", f, r->lids, port);
			json_put_port(x, "to", f, r->lids, f->port_peer[port]);
			json_array_append_new(list, x);
		}
	}
	return list;
}

static void print_hop(const struct routing *r, const struct path *p, unsigned i, const struct measured *m,
		      struct out *o)
{
	assert(i < p->n);

	const struct path_hop *h = &p->hop[i];
	AUTO_TEXT struct text ports = {0};
	const struct fabric *f = r->topo->fabric;
	char dir =
		h->out && h->out != NO_PATH && r->ops->direction ? r->ops->direction(r, h->sw, h->out) : ' ';

	out_text(o, "  %c ", dir);
	if (h->in)
		out_text(o, "[%s] ", EXIT_NUMBER(f, h->sw, h->in));
	out_text(o, "%s", switch_name(f, h->sw));
	if (h->out == NO_PATH)
		out_text(o, " [-]");
	else if (h->out)
		out_text(o, " [%s]", EXIT_NUMBER(f, h->sw, h->out));
	if (h->out && h->out != NO_PATH)
		out_text(o, sl_is_open(p->sl) ? "  VL -" : "  VL %u", h->vl);
	routing_ports_text(r, h->sw, p->dlid, &ports);
	if (ports.len)
		out_text(o, "  any of %s", text_str(&ports));
	if (m && h->out && h->out != NO_PATH)
		print_counted(m, switch_port_id(f, h->sw, h->out), o);
	out_text(o, "\n");
}

/* The ports that a packet may take at a hop. */
static json_t *ports_json(const struct routing *r, uint32_t sw, unsigned dlid)
{
	json_t *list = json_array();
	struct port_set set;

	routing_ports(r, sw, dlid, &set);
	for (unsigned p = port_set_next(&set, 0); p < 256; p = port_set_next(&set, p + 1))
		json_array_append_new(list, json_integer(p));
	return list;
}

/* SL or VL, null where the path has no SL yet. */
static json_t *level_json(const struct path *p, unsigned level)
{
	return sl_is_open(p->sl) ? json_null() : json_integer(level);
}

/* The state of the port by which a packet leaves, as it was read. */
static json_t *out_state_json(const struct fabric *f, const struct path_hop *h)
{
	const char *state = h->out && h->out <= f->switch_nports[h->sw]
				    ? fabric_port_state(f, switch_port_id(f, h->sw, h->out))
				    : NULL;

	return state ? json_text(state) : json_null();
}

static json_t *path_json(const struct routing *r, const struct path *p)
{
	const struct fabric *f = r->topo->fabric;
	json_t *hops = json_array(), *path;

	for (unsigned i = 0; i < p->n; i++) {
		const struct path_hop *h = &p->hop[i];
		json_t *hop = json_make("{s:i, s:i, s:o}", "in", (int)h->in, "out", (int)h->out, "vl",
					level_json(p, h->vl));

		json_put_switch(hop, "switch", f, r->lids, h->sw);
		json_put_out(hop, "in", f, h->sw, h->in);
		json_put_out(hop, "out", f, h->sw, h->out);
		json_object_set_new(hop, "state", out_state_json(f, h));
		if (adaptive_find(r->adaptive, h->sw, p->dlid))
			json_object_set_new(hop, "ports", ports_json(r, h->sw, p->dlid));
		json_array_append_new(hops, hop);
	}
	path = json_make("{s:i, s:i, s:b, s:s, s:i, s:o, s:o, s:b, s:o}", "slid", (int)p->slid, "dlid",
			 (int)p->dlid, "ok", p->end == PATH_OK, "end", path_end_text(p->end), "links",
			 (int)p->hops, "sl_min", level_json(p, p->sl.lo), "sl_max", level_json(p, p->sl.hi),
			 "sl_known", !r->sl_unread, "path", hops);
	json_object_set_new(path, "common_pkey", json_boolean(routing_share_pkey(r, p->slid, p->dlid)));
	json_put_endport(path, "src", f, r->lids, p->src);
	json_put_endport(path, "dst", f, r->lids, p->dst);
	return path;
}

/* With adaptive routing: do packets arrive by all ways that they may take, and how long are these? */
static void print_ways(const struct routing *r, uint32_t src, unsigned slid, unsigned dlid,
		       const struct path *p, struct out *o)
{
	AUTO_ARENA struct dest_ways *w = NULL;
	struct path worst;
	uint32_t sw = p->n ? p->hop[0].sw : NO_ID;

	if (!r->adaptive || sw == NO_ID || p->dst == NO_ID)
		return;
	w = dest_ways_new(NULL, r);
	dest_ways(r, dlid, w);
	if (w->worst[sw] < HOPS_LOOP) {
		unsigned longest = w->worst[sw] + (p->hop[0].in != 0);

		if (longest > p->hops)
			out_text(o, "  By other ports of the groups up to %s.\n", PLURAL(longest, "link"));
	} else if (p->end == PATH_OK) {
		path_trace_worst(r, src, slid, dlid, w, &worst);
		out_text(o, "  NOT by all ports of the groups: %s\n", path_end_text(worst.end));
		for (unsigned i = 0; i < worst.n && i < 16; i++)
			print_hop(r, &worst, i, NULL, o);
		if (worst.n > 16)
			out_text(o, "    ...\n");
		path_free(&worst);
		o->run->found_fault = true;
	}
}

/* Does the path end where the present step of a run has decided nothing yet? */
static bool is_undecided(const struct session *s, const struct path *p)
{
	const struct moment *m = session_moment(s) ? session_shown(s) : NULL;

	return m && p->end == PATH_NO_ENTRY && p->n && !moment_decided(m, p->hop[p->n - 1].sw, p->dlid);
}

static json_t *print_path(const struct routing *r, uint32_t src, unsigned slid, uint32_t dst, unsigned dlid,
			  const struct measured *m, struct out *o)
{
	const struct fabric *f = r->topo->fabric;
	struct path p;
	char b[300], sl[16];

	path_trace(r, src, slid, dlid, &p);
	bool undecided = is_undecided(o->run->in->session, &p);
	sl_word(p.sl, sl);
	endport_label(f, p.dst == NO_ID ? dst : p.dst, b, sizeof(b));
	out_text(o, "%s (LID %u) -> %s (LID %u): ", ENDPORT_LABEL(f, src), slid, b, dlid);
	if (p.end == PATH_OK)
		out_text(o, "SL %s, %s\n", sl, PLURAL(p.hops, "link"));
	else if (undecided)
		out_text(o, "not decided yet\n");
	else
		out_text(o, "NO PATH: %s\n", path_end_text(p.end));
	if (p.n && m && measured_link(m, f, f->endport_port[src], NULL)) {
		out_text(o, "    %s", ENDPORT_LABEL(f, src));
		print_counted(m, f->endport_port[src], o);
		out_text(o, "\n");
	}
	for (unsigned i = 0; i < p.n; i++)
		print_hop(r, &p, i, m, o);
	uint32_t other = p.dst == NO_ID ? NO_ID : lids_other_holder(r->lids, p.dst);
	if (other != NO_ID)
		out_text(o, "  LID %u is that of %s, too: this is the way to %s alone.\n", dlid,
			 ENDPORT_LABEL(f, other), b);
	print_ways(r, src, slid, dlid, &p, o);
	if (r->sl_unread && p.end == PATH_OK)
		out_text(o, "  " QOS_UNREAD_PAIR);
	if (slid && p.end != PATH_NO_SOURCE && routing_sa_refuses(r, src, p.n > 0))
		out_text(o, "  OpenSM's SA gives no path: SL 0, which it tries first, is mapped to VL 15.\n");
	if (slid && !routing_share_pkey(r, slid, dlid))
		out_text(o, "  No common P_Key: the ports share no partition in which one of them is a full "
			    "member, so OpenSM's SA gives no path.\n");
	if (p.end != PATH_OK && !undecided)
		o->run->found_fault = true;
	json_t *json = path_json(r, &p);
	if (other != NO_ID)
		json_put_endport(json, "same_lid", f, r->lids, other);
	if (m && p.n)
		json_object_set_new(json, "bad_links", bad_links(r, &p, m));
	if (undecided)
		json_object_set_new(json, "end", json_text("not decided yet"));
	path_free(&p);
	return json;
}

/* Before anything is routed: prints the two ends, and their distance by cable. */
static void print_ends(const struct session *s, uint32_t src, unsigned slid, uint32_t dst, unsigned dlid,
		       struct out *o)
{
	AUTO_TOPO struct topo *t = topo_new(s->fabric, session_state(s));
	int n = endport_distance(t, src, dst);

	out_text(o, "%s (LID %u) -> %s (LID %u): ", ENDPORT_LABEL(s->fabric, src), slid,
		 ENDPORT_LABEL(s->fabric, dst), dlid);
	if (n < 0)
		out_text(o, "no way over switches\n");
	else
		out_text(o, "the shortest way has %s\n", PLURAL((unsigned)n, "link"));
	json_t *ends = json_make("{s:o}", "links", n < 0 ? json_null() : json_integer(n));
	json_put_endport(ends, "src", s->fabric, NULL, src);
	json_put_endport(ends, "dst", s->fabric, NULL, dst);
	out_json(o, "shortest", ends);
}

static int cmd_trace(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct arg *from = &args->arg[0], *to = &args->arg[1];
	unsigned slid = from->lid, dlid = to->lid;
	uint32_t src = from->id, dst = to->id;

	report_away(s, (const uint32_t[]){src, dst}, 1 + (src != dst), o);
	if (!session_sweep(s))
		print_ends(s, src, slid, dst, dlid, o);
	const struct sweep *w = need_routing(s, e);
	if (!w)
		return -1;
	report_judged(w, o);
	if (progress_cancelled(o->run->progress))
		return err_set(e, CANCELLED);
	struct measured *m = session_measured(s);
	out_json(o, "forward", print_path(w->routing, src, slid, dst, dlid, m, o));
	if (src != dst)
		out_json(o, "back", print_path(w->routing, dst, dlid, src, slid, m, o));
	measured_free(m);
	if (src == dst)
		return 0;
	int same = return_same(w->routing, src, slid, dst, dlid);
	if (same == 0)
		out_text(o, "The way back takes other cables.\n");
	if (same >= 0)
		out_json(o, "same_cables", json_boolean(same));
	return 0;
}

/* --- tables ----------------------------------------------------------------------------------- */

static int cmd_lft(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct sweep *w = session_sweep(s);
	const struct comparison *c = session_event(s)->change;
	const struct moment *m = session_moment(s) ? session_shown(s) : NULL;
	uint32_t sw = s->fabric->node_switch[args->arg[0].id];

	assert(sw != NO_ID);
	assert(w && w->routing);
	if (!w->routing->row[sw])
		return err_set(e, "%s is down: it has no tables", switch_name(s->fabric, sw));
	json_t *list = json_array();
	out_text(o, "LFT of %s (LID %u), LIDs up to %u\n", switch_name(s->fabric, sw),
		 w->lids->base[s->fabric->port_endport[s->fabric->switch_port[sw]]], w->lids->max_lid);
	for (unsigned lid = 1; lid <= w->lids->max_lid; lid++) {
		uint8_t was, now = routing_port(w->routing, sw, lid);

		if (lid_owner(w->lids, lid) == NO_ID && now == NO_PATH &&
		    !(c && entry_changed(c, sw, lid, &was, &now)))
			continue;
		json_t *obj = json_make("{s:i, s:i}", "lid", (int)lid, "port", (int)now);
		json_put_out(obj, "port", s->fabric, sw, now);
		if (now != NO_PATH && !moment_decided(m, sw, lid))
			json_object_set_new(obj, "unwritten", json_true());
		json_array_append_new(list, obj);
	}
	out_json(o, "entries", list);
	return print_table(s, "lft", args->arg[0].word, o, e);
}

static int cmd_hops(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const struct routing *r = session_sweep(s)->routing;
	uint32_t sw = s->fabric->node_switch[args->arg[0].id];

	assert(sw != NO_ID);
	if (!r->ops->hops)
		return err_set(e, "%s has no hop matrix", r->engine);
	out_text(o, "Hop matrix of %s: least, and the ports that have it\n", switch_name(s->fabric, sw));
	return print_table(s, "hops", args->arg[0].word, o, e);
}

static int cmd_ranks(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	assert(session_routing(s));
	const struct routing *r = session_sweep(s)->routing;

	if (!r->ops->rank)
		return err_set(e, "%s does not rank the switches", r->engine);
	return print_table(s, "ranks", NULL, o, e);
}

static int cmd_roots(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	if (args->n)
		return export_roots(s, args, o, e);
	if (!need_routing(s, e))
		return -1;
	const struct sweep *w = session_sweep(s);
	const struct routing *r = w->routing;
	if (!r->ops->is_root)
		return err_set(e, "%s has no roots", r->engine);
	json_t *list = json_array();
	for (uint32_t sw = 0; sw < s->fabric->n_switches; sw++) {
		uint32_t node = s->fabric->switch_node[sw];

		if (!switch_up(w->topo, sw) || !r->ops->is_root(r, sw))
			continue;
		out_text(o, "0x%016" PRIx64 " %s\n", s->fabric->node_guid[node], s->fabric->node_name[node]);
		json_array_append_new(list, json_node(s->fabric, w->lids, node));
	}
	out_json(o, "roots", list);
	return 0;
}

/* Keys of a path (path_json()). */
#define PATH_KEYS(k)                                                                                       \
	k ".src endport source\n" k ".dst endport destination; null: nobody has the LID\n" k               \
	  ".same_lid endport? another port that has the LID of the destination, too\n" k                   \
	  ".slid lid LID of the source\n" k ".dlid lid LID of the destination\n" k                         \
	  ".ok boolean it arrives\n" k ".end end how it ends\n" k ".links integer all its cables\n" k      \
	  ".sl_min vl|null lowest SL; null: none yet, at a step\n" k                                       \
	  ".sl_max vl|null highest SL: another where OpenSM draws one at random\n" k                       \
	  ".sl_known boolean false: what is not modelled of qos_policy_file or partition_config_file may " \
	  "give another SL\n" k                                                                            \
	  ".common_pkey boolean false: by the partitions the ports share no P_Key, so "                    \
	  "the SA gives no path\n" k ".path[] object switches on the way\n" k                              \
	  ".path[].switch node the switch\n" k                                                             \
	  ".path[].in portnum port it comes in by; 0: it starts here\n" k                                  \
	  ".path[].out portnum port it goes out by; 0: it ends here, 255: there is no entry\n" k           \
	  ".path[].vl vl|null VL on the link out\n" k                                                      \
	  ".path[].state string(Down/Initialize/Armed/Active)|null state of the port out, as it was "      \
	  "read; null: not told\n" k ".path[].ports[] portnum? ports that adaptive routing may take\n" k   \
	  ".bad_links[] object? links with faults, by the counters read last\n" k                          \
	  ".bad_links[].from port port that sends\n" k ".bad_links[].to port port at the other end\n" k    \
	  ".bad_links[].faults[] string(errors/flapped/congested/degraded) what is wrong\n" k              \
	  ".bad_links[].counted string the counters that tell it\n"

#define KEYS_FORWARD PATH_KEYS("forward")
#define KEYS_BACK PATH_KEYS("back")

const struct command path_commands[] = {
	{.name = "trace",
	 .group = EXPLAIN,
	 .at_step = true,
	 .syntax = "trace SRC DST",
	 .help = "show the path hop by hop, in both directions",
	 .finds = "a direction has no path, or not by all ports of an adaptive-routing group",
	 .details = "  Before anything is routed, trace knows the LIDs of the fabric's source.  With a "
		    "reading of counters\n"
		    "  (`counters all`) links with errors, and those that flapped, are congested or "
		    "degraded, are marked.\n"
		    "  trace says which end is not there, and what its cable leads to; if that is not known, "
		    "what it led to in an\n"
		    "  earlier event, a snapshot or the file of `check --baseline`.\n",
	 .needs = NEEDS_FABRIC,
	 .json = "absent[] object? of SRC and DST: what is not in the fabric, or not up\n"
		 "absent[].name string as typed, or the port\n"
		 "absent[].why string why it is not there\n"
		 "absent[].last_seen[] string? ports, NODE[PORT], that are or were at the other ends of its "
		 "cables\n"
		 "absent[].seen_in string? which earlier one: event N, snapshot NAME or a baseline's "
		 "file\n" JSON_SOME_JUDGED "forward object? the path\n" KEYS_FORWARD
		 "back object? the path back\n" KEYS_BACK
		 "shortest object? while nothing is routed: the shortest way by cable\n"
		 "same_cables boolean? both arrive: do they take the same cables?\n"
		 "shortest.src endport source\n"
		 "shortest.dst endport destination\n"
		 "shortest.links integer|null all its cables\n",
	 .absent = tell_absent,
	 .run = cmd_trace},
	{.name = "why",
	 .group = EXPLAIN,
	 .syntax = "why SWITCH DST [via PORT] | why HOST DST | why NODE NODE NODE...",
	 .help = "explain an entry or a path: why this port, and why not another one",
	 .details =
		 "  why SWITCH DST: the candidate ports, and the rule that decided.  ibscope runs the code "
		 "of the engine once more on\n"
		 "  the same input and records this decision.\n"
		 "  why HOST DST: each switch of the path with its rule, then the SL, and why no lower layer "
		 "took the pair.\n"
		 "  via PORT: is that port longer, equal but not chosen, or forbidden (and by which turn)?\n"
		 "  NODE NODE NODE...: the same for a whole path; NODE[PORT] picks one of parallel links.\n"
		 "  The last line, `Decided: RULE: ...`, names the rule that decided.\n"
		 "  At a step of a walk (`step`): what the engine decides in this step, or which step "
		 "decides the entry.\n",
	 .needs = NEEDS_ROUTING,
	 .at_step = true,
	 .json = "rule string? the rule that decided, or that speaks against the port or path named: one of "
		 "a closed list\n"
		 "decided_at integer? of a walk: the step to come that decides the entry, or decides it "
		 "again\n"
		 "decided string? the same as a sentence, with its figures\n"
		 "choice object? how the entry was decided\n"
		 "choice.switch node the switch\n"
		 "choice.dst endport whose LID it is\n"
		 "choice.lid lid the LID\n"
		 "choice.port portnum|null the port\n"
		 "choice.rule string rule that decided, in the engine's words\n"
		 "choice.text string the same in words\n"
		 "choice.candidates[] object ports that were compared\n"
		 "choice.candidates[].port portnum the port\n"
		 "choice.candidates[].peer port what it leads to\n"
		 "choice.candidates[].chip node? chip of the chassis it is on, when not the switch itself\n"
		 "choice.candidates[].* integer what was compared, by its name\n"
		 "via object? what the port named is worth\n"
		 "via.port portnum the port\n"
		 "via.chosen portnum|null port of the table\n"
		 "via.verdict string(chosen/equal/longer/shorter/forbidden/open/no way) as in the text\n"
		 "via.links integer(-1..) hops by the table; -1: it does not lead there\n"
		 "via.lawful integer(-1..) hops of the shortest way the rule allows through it; -1: none\n"
		 "via.shortest integer(-1..) hops of the shortest way through it; -1: none\n"
		 "turn object? where the way breaks the up/down rule\n"
		 "turn.switch node the switch\n"
		 "turn.in portnum port it comes in by\n"
		 "turn.from port from where\n"
		 "turn.out portnum port it goes out by\n"
		 "turn.to port to where\n"
		 "pair object? the story of a path: its switches, SL and layer\n"
		 "pair.src endport source\n"
		 "pair.dst endport destination\n"
		 "pair.sl_min vl lowest SL\n"
		 "pair.sl_max vl highest SL\n"
		 "pair.text string SL and layer in words\n"
		 "pair.hops integer? cables between switches, when it arrives\n"
		 "pair.links integer? all cables\n"
		 "pair.path[] object switches on the way\n"
		 "pair.path[].switch node the switch\n"
		 "pair.path[].port portnum|null port it leaves by; null: no entry\n"
		 "pair.path[].rule string the rule that decided there\n"
		 "pair.path[].decided string the same as a sentence\n"
		 "given object? the path that was named\n"
		 "given.path string as text\n"
		 "given.verdict string(chosen/equal/longer/shorter/forbidden/open/no way) as of via\n"
		 "given.links integer its links\n"
		 "given.table_links integer(-1..) links of the tables' path; -1: there is none\n"
		 "given.switches[] object switches on it\n"
		 "given.switches[].name node the switch\n"
		 "given.switches[].in portnum port it comes in by\n"
		 "given.switches[].out portnum port it goes out by\n",
	 .run = cmd_why},
	{.name = "lft",
	 .group = LOOK,
	 .at_step = true,
	 .syntax = "lft SWITCH",
	 .help = "print the forwarding table of a switch and mark entries that the last event changed",
	 .details = "  At a step, brackets mark a port that the engine has found but not yet written to the "
		    "table.\n",
	 .needs = NEEDS_ROUTING,
	 .json = "entries[] object entries of the table\n"
		 "entries[].lid lid the LID\n"
		 "entries[].port portnum its port; 255: no entry\n"
		 "entries[].unwritten boolean? true: at this step the route is found, the entry is written "
		 "later\n" JSON_LIST,
	 .run = cmd_lft},
	{.name = "hops",
	 .group = LOOK,
	 .at_step = true,
	 .syntax = "hops SWITCH",
	 .help = "print the hop matrix of a switch",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_LIST,
	 .run = cmd_hops},
	{.name = "ranks",
	 .group = EXPLAIN,
	 .at_step = true,
	 .syntax = "ranks",
	 .help = "list the switches by rank",
	 .needs = NEEDS_ROUTING,
	 .json = JSON_LIST,
	 .run = cmd_ranks},
	{.name = "roots",
	 .group = EXPLAIN,
	 .at_step = true,
	 .syntax = "roots [export FILE [S...]]",
	 .help = "list the root switches; export: write them as a root_guid_file of OpenSM",
	 .details = "  export FILE: the roots of the engine in force, or the switches that you name: roots "
		    "export roots.conf *CCORE*.\n"
		    "  FILE - is the screen.\n",
	 .needs = NEEDS_FABRIC,
	 .json = JSON_CONTENT JSON_ABSENT "roots[] object? root switches\n"
					  "roots[].name node the switch\n",
	 .run = cmd_roots},
	{.name = NULL},
};
