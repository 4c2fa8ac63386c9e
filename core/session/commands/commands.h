/* What commands share.  To add a command, add an entry to the table of its file (command.h). */
#ifndef IBSCOPE_COMMANDS_H
#define IBSCOPE_COMMANDS_H

#include "core/analysis/compare/causes.h"
#include "core/analysis/compare/judged.h"
#include "core/analysis/credit/cdg.h"
#include "core/analysis/credit/check.h"
#include "core/analysis/credit/turns.h"
#include "core/analysis/draw/picture.h"
#include "core/analysis/survey/survey.h"
#include "core/analysis/traffic/loads.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/outfile.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/changes.h"
#include "core/fabric/elements.h"
#include "core/fabric/names.h"
#include "core/routing/json_names.h"
#include "core/routing/paths.h"
#include "core/session/command.h"
#include "core/session/document.h"
#include "core/session/patterns.h"
#include "core/session/replay.h"
#include "core/session/session.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"

/* --- parts of the JSON contract (contract.h) that several commands use ----------------------------- */

#define JSON_FABRIC                                                                                        \
	"fabric object? what is loaded\n"                                                                  \
	"fabric.source string file, synthetic spec or device\n"                                            \
	"fabric.format string the format that ibscope recognised\n"                                        \
	"fabric.switches integer switches\n"                                                               \
	"fabric.hosts integer channel adapters\n"                                                          \
	"fabric.routers integer routers\n"                                                                 \
	"fabric.links integer cables\n"                                                                    \
	"fabric.endports integer ports that may have a LID: of hosts and routers with a cable, port 0 of " \
	"switches\n"                                                                                       \
	"fabric.warnings integer oddities of the source\n"                                                 \
	"fabric.complete boolean false: a part of the fabric is not in its source\n"
#define JSON_REFUSALS                                                    \
	"refusals[] object? engines that refused the fabric, in order\n" \
	"refusals[].engine engine its name\n"                            \
	"refusals[].why string its reason\n"
#define JSON_CHANGE                                                                                \
	"cut_off integer? =pairs cut off\n"                                                        \
	"between_survivors integer? =pairs between survivors\n"                                    \
	"only_before object? between two fabrics: what the earlier alone has, not compared\n"      \
	"only_before.switches integer switches\n"                                                  \
	"only_before.ports integer host ports\n"                                                   \
	"only_before.lids integer LIDs that nobody holds now, though there are entries for them\n" \
	"only_before.entries integer these entries\n"                                              \
	"only_now object? what the later alone has\n"                                              \
	"only_now.switches integer switches\n"                                                     \
	"only_now.ports integer host ports\n"                                                      \
	"only_now.lids integer LIDs that nobody held before, though there were entries for them\n" \
	"only_now.entries integer these entries\n"                                                 \
	"change object? what differs from the tables before\n"                                     \
	"change.switches integer switches with changed entries\n"                                  \
	"change.entries integer =changed entries\n"                                                \
	"change.entries_lost integer entries that are gone\n"                                      \
	"change.entries_gained integer entries where there was none\n"                             \
	"change.pairs integer =pairs\n"                                                            \
	"change.pairs_before integer pairs that were there before\n"                               \
	"change.rerouted integer =rerouted pairs\n"                                                \
	"change.lost integer =lost pairs\n"                                                        \
	"change.regained integer =regained pairs\n"                                                \
	"change.new integer pairs with a LID that was not there before\n"                          \
	"change.longer integer =longer pairs\n"                                                    \
	"change.shorter integer pairs with a shorter one\n"                                        \
	"change.max_links_before integer links of the longest path before\n"                       \
	"change.max_links_after integer =longest path\n"                                           \
	"change.mean_links_before number mean links of a path before\n"                            \
	"change.mean_links_after number =mean path\n"                                              \
	"change.switches_gone integer switches that are not reached any more\n"                    \
	"change.switches_new integer switches that are reached again\n"                            \
	"change.sl_changed integer =pairs with another SL\n"                                       \
	"change.sl_alone integer of these, pairs on the same path as before\n"
/* optional: "" or "?" */
#define JSON_CUT_OFF_(optional)                              \
	"hosts_gone integer" optional " =endports cut off\n" \
	"hosts_cut_off integer" optional " =hosts cut off\n" \
	"switches_cut_off integer" optional " =switches cut off\n"
#define JSON_CUT_OFF JSON_CUT_OFF_("")
#define JSON_SOME_CUT_OFF JSON_CUT_OFF_("?")
#define JSON_ROUTED                                                                                         \
	"fatal string(never ends/crashes)? what OpenSM would do here: hang or crash; nothing is computed\n" \
	"routing object? the tables that were made\n"                                                       \
	"routing.engine engine engine in force\n"                                                           \
	"routing.asked string engines asked for\n"                                                          \
	"routing.switches integer switches reached\n"                                                       \
	"routing.lids integer LIDs given\n"                                                                 \
	"routing.max_lid lid highest LID\n"                                                                 \
	"routing.ms number? milliseconds it took\n"                                                         \
	"routing.from_scratch boolean OpenSM ignored the existing entries\n"                                \
	"routing.fallback boolean none of the engines asked for routed it\n"                                \
	"routing.cached boolean the unicast cache kept the tables\n" JSON_SOME_CUT_OFF                      \
	"manager_misses[] object? switches that the tables do not reach from the subnet manager's place\n"  \
	"manager_misses[].name node the switch\n"                                                           \
	"notes string? lines that the engine noted\n"
#define JSON_LIST                                                                                       \
	"pane string? name of the pane\n"                                                               \
	"title string? its title\n"                                                                     \
	"columns[] string? names of the columns, as keys of the rows\n"                                 \
	"rows[] object? the rows\n"                                                                     \
	"content string? with csv: the table, in place of columns and rows\n"                           \
	"rows[].key string what identifies the row, the same after every event\n"                       \
	"rows[].marks[] string(down/changed/step/detour/here) down, changed, step, detour, here\n"      \
	"rows[].about object who the row names; empty where it names nobody\n"                          \
	"rows[].about.name node? node it is about\n"                                                    \
	"rows[].about.port portnum? its port\n"                                                         \
	"rows[].about.peer object? node and port at the other end\n"                                    \
	"rows[].about.peer.name node the node\n"                                                        \
	"rows[].about.peer.port portnum? its port\n"                                                    \
	"rows[].about.src object? where it leads from\n"                                                \
	"rows[].about.src.name node the node\n"                                                         \
	"rows[].about.src.port portnum? its port\n"                                                     \
	"rows[].about.dst object? where it leads to\n"                                                  \
	"rows[].about.dst.name node the node\n"                                                         \
	"rows[].about.dst.port portnum? its port\n"                                                     \
	"rows[].* string|number|null cells by column, and by its older name: in panes hops, escape, "   \
	"detours and moved `links` of `shortest` and `hops`, in journal `pairs` of `rerouted`, in map " \
	"and switches `routes` of `load` and `lids`\n"
#define JSON_LOOPS                                                                         \
	"credit_loop_groups integer =groups of credit loops\n"                             \
	"credit_loops[] object the first of these groups; of `cycles all` all of them\n"   \
	"credit_loops[].group integer(1..) its number, from 1\n"                           \
	"credit_loops[].vl vl VL of the first channel\n"                                   \
	"credit_loops[].vls[] vl VLs it is on\n"                                           \
	"credit_loops[].channels integer channels in the group\n"                          \
	"credit_loops[].length integer channels of a shortest loop\n"                      \
	"credit_loops[].cycle[] object that loop\n"                                        \
	"credit_loops[].cycle[].channel string the channel as text\n"                      \
	"credit_loops[].cycle[].vl vl its VL\n"                                            \
	"credit_loops[].cycle[].routes_on integer routes that go on to the next channel\n" \
	"credit_loops[].cycle[].from port port that sends\n"                               \
	"credit_loops[].cycle[].to port port at the other end\n"                           \
	"credit_loops[].cycle[].routes[] object? some of these routes\n"                   \
	"credit_loops[].cycle[].routes[].dlid lid LID they lead to\n"                      \
	"credit_loops[].cycle[].routes[].src endport source\n"                             \
	"credit_loops[].cycle[].routes[].dst endport destination\n"                        \
	"dropped integer =dropped routes\n"
#define JSON_CONTENT                                                     \
	"content string? with FILE -: what was written, byte for byte\n" \
	"file string? file that was written\n"                           \
	"missing string? parts of the fabric that it lacks, counted by kind\n"
#define JSON_SCOPE                                                         \
	"scope object? the only hosts that count, if a scope is set\n"     \
	"scope.hosts string names of the hosts, as the command got them\n" \
	"scope.ports integer host ports of it in the fabric\n"             \
	"scope.up integer of these: up\n"                                  \
	"scope.missing[] string ports of it that are not in the fabric: node GUID and port\n"
#define JSON_AGGREGATION "aggregation_nodes integer? aggregation nodes of switches\n"
/* optional: "" or "?" */
#define JSON_WARNINGS_(optional)                                             \
	"warnings[] object" optional " oddities of the fabric's source\n"    \
	"warnings[].kind string what kind\n"                                 \
	"warnings[].line integer line of the file, 0: none\n"                \
	"warnings[].text string what was found\n"                            \
	"warnings[].missing boolean a part of the fabric is missing there\n" \
	"warnings[].guid guid? node GUID of the place\n"                     \
	"warnings[].port portnum? its port\n"
#define JSON_WARNINGS JSON_WARNINGS_("")
#define JSON_SOME_WARNINGS JSON_WARNINGS_("?")
/* An option whose value may be names instead of a file of GUIDs; report_named() writes these keys. */
#define JSON_NAMED_OPTION(option, of)                                       \
	option " object? names given in place of a file of " of "\n" option \
	       ".names string the names, as the option got them\n" option   \
	       ".guids integer the GUIDs of these names\n"
#define JSON_NAMED                                                        \
	JSON_NAMED_OPTION("guid_routing_order_file", "port GUIDs")        \
	JSON_NAMED_OPTION("root_guid_file", "node GUIDs")                 \
	JSON_NAMED_OPTION("ids_guid_file", "node GUIDs and their places") \
	JSON_NAMED_OPTION("cn_guid_file", "port GUIDs of compute nodes")  \
	JSON_NAMED_OPTION("io_guid_file", "port GUIDs of I/O nodes")
/* optional: "" or "?" */
#define JSON_OUTAGE(optional)                                                            \
	"pairs_until_sweep integer" optional " =pairs cut until the sweep\n"             \
	"pairs_after integer|null" optional                                              \
	" of the same event: lost pairs after the sweep; null: no engine makes tables\n" \
	"hosts integer" optional " host ports with pairs that are cut until the sweep\n"
#define JSON_EVENT JSON_REFUSALS JSON_ROUTED JSON_CHANGE
/* optional: "" or "?" */
#define JSON_JUDGED_(optional)                                                                            \
	"judged string(held/computed)" optional                                                           \
	" held: the tables in the switches, as they were read; computed: those of an engine\n"            \
	"rules string(opensm/manual/nvidia)" optional                                                     \
	" whose rules count: public OpenSM's, its manual's, NVIDIA's OpenSM's as far as they are known\n" \
	"differ_from_held integer? computed tables, and the switches' own are at hand: entries that "     \
	"differ\n"
#define JSON_JUDGED JSON_JUDGED_("")
#define JSON_SOME_JUDGED JSON_JUDGED_("?")

/* Where a command writes: to a file, or for "-" to the command's own output. */
struct target {
	const char *path;
	FILE *f;
	struct outfile file;
	struct text text;	 /* what was written for "-" in JSON mode */
	struct warnings missing; /* missing parts of the fabric, listed at its end */
};
bool on_output(const struct target *t);
int open_target(struct target *t, const char *path, struct out *o, struct err *e);
/*
 * Begins a file, whose comments begin with #, by listing what it lacks of the fabric in force.  `up` has all
 * that it shows; NULL: everything that is not down in the source.
 */
void mark_target(struct target *t, const struct session *s, const struct topo *up);
int cannot_write(const struct target *t, struct err *e); /* -1 and *e, by errno */
/* Ends it; with rc 0 the file is kept.  Its JSON keys are JSON_CONTENT.  Returns rc, or -1 and *e. */
int close_target(struct target *t, int rc, struct out *o, struct err *e);
/* The same for n files (TARGETS at most) that belong together: all of them are kept, or none. */
#define TARGETS 5
int close_targets(struct target *t, size_t n, int rc, struct out *o, struct err *e);

/*
 * Reads the hosts that n words mean, as in `scope`.  `known` gets those that the fabric has, by whole names,
 * and o reports those that are missing.  NULL and *e when a word means no host, or none is left.
 */
struct scope *scope_read(const struct session *s, const struct arg *arg, int n, bool known, struct out *o,
			 struct err *e);

/* "A -> B" in a row, where both names may be shortened. */
void tell_pair(const char *pair, struct out *o);
/*
 * Quantities of candidates, a column each: tell_quantities() prints the names, after `before` characters; the
 * other prints the values of one candidate ("-": none) and puts them into obj.
 */
void tell_quantities(const char *const *name, unsigned n, int before, struct out *o);
void tell_quantity_values(const char *const *name, const int64_t *q, unsigned n, json_t *obj, struct out *o);

/*
 * The kind of what all words of `fail` or `restore` name: "link", "switch", "host", "chassis" or "card". NULL
 * and *e when a word names nothing or the words name several kinds.
 */
const char *target_kind(struct session *s, const struct args *args, struct progress *p, struct err *e);

int cmd_help(struct session *s, const struct args *args, struct out *o, struct err *e);
bool prints_schema(int argc, char *const *argv);
int cmd_schema(struct session *s, const struct args *args, struct out *o, struct err *e);
/* `roots export FILE [S...]`, run by the command `roots`. */
int export_roots(struct session *s, const struct args *args, struct out *o, struct err *e);
int cmd_why(struct session *s, const struct args *args, struct out *o, struct err *e);

/* Reports endports that are up but not reached: a line with at most `named` names, and the keys of
 * JSON_CUT_OFF.  Returns their number. */
uint32_t report_cut_off(const struct sweep *w, unsigned named, struct out *o);

/*
 * The two sides of a `diff`, from its words SNAPSHOT: without a word the event before and now, with one that
 * snapshot and now, with two both snapshots.  The sides are borrowed.  Returns -1 and *e on failure.
 */
int diff_sides(struct session *s, const struct args *args, const struct sweep **a, const struct sweep **b,
	       struct err *e);
/* The transition from one sweep to another, in which hosts count as in the session.  NULL and *e. */
struct transition;
struct transition *session_transition(const struct session *s, const struct sweep *a, const struct sweep *b,
				      struct progress *p, struct err *e);

/* `verb [chain] OPTION=VALUE...`, the words of args from `first` on. */
struct engines_start {
	const char *verb;
	const char *chain; /* NULL: that in force */
	const struct args *args;
	int first;
};
/* Run engines as OpenSM does that starts. */
int run_engines(struct session *s, const struct engines_start *x, struct out *o, struct err *e);
/* One more event with the subnet manager elsewhere: f is the fabric with the same ids.  rq: all the rest. */
int move_manager(struct session *s, const struct fabric *f, struct change_request *rq, struct out *o,
		 struct err *e);

/* Reports a usage error: returns -1 and sets *e to "expected: SYNTAX". */
int usage(const struct session *s, const char *name, struct err *e);

/* The sweep in force with tables, or NULL and *e ("nothing is routed; `route ENGINE` does it"). */
const struct sweep *need_routing(const struct session *s, struct err *e);

/*
 * Prints a table that is also a pane, as `list NAME [ARGUMENT]` does, so that one place lays it out. argument
 * may be NULL.  A session without `list` prints nothing.
 */
int print_table(struct session *s, const char *name, const char *argument, struct out *o, struct err *e);

/* Marks as down, in a copy of the state in force, what the words behind `fail` name.  -1 and *e on
 * failure. */
int fail_words(struct session *s, const struct args *args, struct state *state, struct out *o, struct err *e);

/* Prints a line on the outage and sets the keys of JSON_OUTAGE. */
struct outage;
void report_outage(const struct outage *x, struct out *o);
/* The jobs of a file that have hosts in the fabric, with the part of an outage between each job's own hosts;
 * most first. */
struct outage_job_list {
	struct outage_job *job;
	uint32_t n, absent; /* absent: number of jobs without a host here */
};
int outage_jobs(const struct session *s, const struct outage *x, const char *path, struct outage_job_list *l,
		struct progress *p, struct err *e);
void outage_jobs_free(struct outage_job_list *l);
/* The words for what fails, in the command and the pane `outage`. */
#define OUTAGE_SYNTAX(before)                                                               \
	before "link NODE[PORT]... | " before "switch S... | " before "host H... | " before \
	       "chassis CHASSIS... | " before "card CARD..."
#define OUTAGE_NONE "there were no tables before the last event, so nothing was cut"
/* The setup in force with everything down that such words name; a reference, or NULL and *e. */
const struct setup *outage_words(struct session *s, int n, char **word, struct out *o, struct err *e);
/* Pairs lost after the sweep of an event, or OUTAGE_NO_AFTER. */
uint64_t outage_after(const struct event *ev);

/* Keys of JSON_JUDGED. */
void judged_json(const struct judged *j, struct out *o);
/* The same, after the first line of a sweep's judgement (judged.h). */
void report_judged(const struct sweep *w, struct out *o);
/* Makes an event: the tables at hand, which were read, come into force by a chain that shows them. */
int take_held(struct session *s, const char *chain, struct out *o, struct err *e);
/* Prints lines about what the event in force did: routing, refusals, changes. */
void report_event(struct session *s, struct out *o);
/* Makes an event (session_change()) and prints these lines.  Returns -1 and *e on failure. */
int run_change(struct session *s, const struct change_request *rq, struct out *o, struct err *e);
/* The tables in force with the hosts of another scope; NULL: all hosts count.  A reference. */
struct routing *routing_in_scope(const struct session *s, const struct scope *scope);
/* Tells the rate of a port's link, and its routes_by_rate(); fastest: channels_fastest(), with 0 it tells
 * nothing. */
void load_tell_rate(const struct fabric *f, uint32_t port, uint32_t routes, double fastest, json_t *x,
		    struct out *o);
#define JSON_RATE "of its link, in Gbit/s; where rates of links between switches differ\n"
#define JSON_BY_RATE "as many would fill the fastest of these links as much\n"
/* `COMMAND shared H... [all]`: the links on which the scope, one job, meets another job, with both loads. */
int load_shared(struct session *s, const struct args *args, struct out *o, struct err *e);
/* Keys of load_shared(). */
#define JSON_SHARED                                                                  \
	"shared object? links of two jobs\n"                                         \
	"shared.hosts string words of the other hosts\n"                             \
	"shared.host_ports integer ports of these\n"                                 \
	"shared.in_both integer of them in the scope too\n"                          \
	"shared.routes integer routes among the hosts of the scope\n"                \
	"shared.others integer routes among the others\n"                            \
	"shared.links integer directed links between switches with routes of both\n" \
	"shared.alone integer with routes of the scope alone\n"                      \
	"shared.others_alone integer of the others alone\n"                          \
	"shared.list[] object the links of both, most routes first\n"                \
	"shared.list[].from port port that sends\n"                                  \
	"shared.list[].to port port at the other end\n"                              \
	"shared.list[].routes integer routes of the scope\n"                         \
	"shared.list[].others integer routes of the others\n"
/* Prints a line that says that the fabric is incomplete, and what is missing; prints nothing for a complete
 * fabric. */
void report_missing(const struct fabric *f, struct out *o);
/* Prints a line when no subnet manager, or more than one, looks after the fabric; consequence may be "". */
void report_managers(const struct fabric *f, const char *consequence, struct out *o);
/* Prints lines on a scope: its ports here, and those that count.  JSON field "scope".  Returns the number of
 * ports that are missing here. */
uint32_t report_scope(const struct session *s, struct out *o);
/* The same line, made from that JSON field. */
void tell_scope(const json_t *scope, struct out *o);
/* Prints a line if there are aggregation nodes, which do not count.  JSON field "aggregation_nodes". */
void report_aggregation(const struct session *s, struct out *o);
/* The engines that refused, with reasons; oddities of the fabric's source.  The caller owns the reference. */
json_t *refusals_json(const struct sweep *w);
json_t *warnings_json(const struct fabric *f);
/* Prints the number of GUIDs that the names in an option's value stand for; nothing when it has no names. */
void report_named(const struct options *opts, const char *name, struct out *o);
/* Sizes of the fabric in one line, and whether it is complete. */
void report_fabric(struct session *s, struct out *o);
/* Summary line and JSON fields of a comparison. */
void report_comparison(const struct comparison *c, struct out *o);

/* Prints faults as lines, the first `most` of each kind; `what` is "new" or "gone". */
#define FAULT_LINES 10
struct faults;
void print_faults(const struct faults *s, const char *what, size_t most, struct out *o);

/*
 * Prints causes as rows, and sets the fields "causes", "pairs_lost", "pairs_untold" (JSON_CAUSES).  all: each
 * of them; command: the one whose word `all` tells details.
 */
void report_causes(const struct causes *s, bool all, const char *command, struct out *o);
#define JSON_CAUSES                                                                                         \
	"pairs_lost integer? pairs without a path, those of hosts that are cut off among them: the sum of " \
	"causes[].pairs\n"                                                                                  \
	"pairs_untold integer? of these: lost only because a table was not read, so it cannot be told; "    \
	"check.unreachable counts them, too\n"                                                              \
	"causes[] object? why pairs are lost or entries wrong: each has one cause\n"                        \
	"@causes[].\n"
/* Keys of a list of faults (faults_json()). */
#define FAULT_KEYS(k)                                                                                    \
	k "[] object faults, each for all that have the same kind and ends\n" k                          \
	  "[].kind string(unreachable/loop/no_lid/cut_off/credit_loop/dropped/missing/not_here/"         \
	  "host_gone/switch_gone/cable_gone/cable_slower) what is wrong; the last four are of "          \
	  "baseline.new_faults\n" k                                                                      \
	  "[].count integer how many: ways from a switch to a LID, endports or channels; of dropped: "   \
	  "routes\n" k "[].what string? of missing: the kind, as in warnings\n" k                        \
	  "[].from[] object? unreachable, loop: switches from which there is no way; else: "             \
	  "where\n" k "[].from[].name node the node\n" k                                                 \
	  "[].from[].port portnum? of missing, not_here, cable_gone: its port\n" k                       \
	  "[].to[] object? endports: unreachable, without LID or cut off; the other end of a cable\n" k  \
	  "[].to[].name endport the port\n" k "[].to[].port_guid guid? of an endport: its port GUID\n" k \
	  "[].to[].lid_offset integer? of an endport: offset of the LID from its first\n" k              \
	  "[].channels[] object? of credit_loop: channels on a loop\n" k                                 \
	  "[].channels[].name node node that sends\n" k "[].channels[].port portnum its port\n" k        \
	  "[].channels[].vl vl the VL\n"
/* Prints a line if switches lack a table, and then returns true; JSON field "tables_complete". */
bool report_incomplete_tables(const struct sweep *w, uint64_t untold, struct out *o);
/* Finds what was at a place in the latest 64 earlier fabrics of the session, including snapshots, and in its
 * baseline. */
struct last_seen session_last_seen(struct session *s);
/* `doctor` on what the session has.  baseline: file of what was or has to be there, NULL: none. */
struct diagnosis *session_diagnose(const struct session *s, const char *baseline, struct progress *p,
				   struct err *e);
/* Says which of these endports are not up, why, and what is or was at their cables; JSON field "absent". */
void report_away(const struct session *s, const uint32_t *ep, unsigned n, struct out *o);
/* The same for the first two words of a command (its `absent`), into *e. */
void tell_absent(struct session *s, int argc, char *const *argv, struct out *o, struct err *e);

/* What `check` reports on a sweep, for commands that judge like it.  Returns -1 and *e on failure; always
 * text_free(&said). */
struct judgement {
	struct check_result counts;
	struct text said; /* its lines; must be {0} before */
	uint32_t cut_off; /* endports */
	uint64_t loops;	  /* groups of credit loops, and dropped routes */
	uint64_t dropped; /* these alone */
	uint64_t untold;  /* pairs that may or may not have a path: it cannot be known */
	bool fault;	  /* something is wrong */
	bool sound;	  /* nothing is, and all could be judged */
};
int check_quietly(struct session *s, const struct sweep *w, struct judgement *j, struct out *o,
		  struct err *e);

/* Metrics in Prometheus' text form, with the loads of at most `most` links.  -1 and *e: cancelled, ... */
int write_prometheus(struct session *s, FILE *f, uint64_t most, struct out *o, struct err *e);

/*
 * Prints credit loops, each with a shortest cycle: at most `limit` of them.  Each step shows at most `routes`
 * of the routes that make it.  JSON field "credit_loops".  Returns the number of groups.  Stops early when
 * cancelled.
 */
uint32_t report_cycles(const struct cdg *c, uint32_t limit, uint32_t routes, struct progress *p,
		       struct out *o);
/* Prints a line if VL 15 ends any routes, and sets JSON field "dropped".  Returns their number. */
uint64_t report_dropped(const struct cdg *c, struct out *o);

/* The differences between two fabrics, in text and JSON, for the commands that report them. */

/* For commands by which nodes come or go. */
#define JSON_PARTS                                                                                           \
	"parts[] object? chassis, and cards of one, that came or went; `nodes` leaves out what is in them\n" \
	"parts[].change string(added/removed) what\n"                                                        \
	"parts[].kind string(chassis/card) its kind\n"                                                       \
	"parts[].name string its name\n"                                                                     \
	"parts[].unseen boolean? removed: it may only not have answered\n"                                   \
	"parts[].switches[] object its switches\n"                                                           \
	"parts[].switches[].name node the switch\n"                                                          \
	"parts[].hosts[] object? hosts that came or went with it: they have no cable elsewhere\n"            \
	"parts[].hosts[].name node the host\n"                                                               \
	"parts[].links[] object? its cables to others\n"                                                     \
	"parts[].links[].a port its end\n"                                                                   \
	"parts[].links[].b port the other\n"                                                                 \
	"parts[].inside integer cables between its own switches\n"

#define JSON_CHANGES                                                                                       \
	"nodes[] object? nodes that came, went or changed\n"                                               \
	"nodes[].change string(added/removed/moved/replaced/renamed/lid) what\n"                           \
	"nodes[].name node the node, as it was where it was there before\n"                                \
	"nodes[].unseen boolean? removed: it may only not have answered\n"                                 \
	"nodes[].new node? replaced, renamed: what it is now\n"                                            \
	"nodes[].at port? moved: its port\n"                                                               \
	"nodes[].from port? moved: where that led\n"                                                       \
	"nodes[].to port? moved: where it leads now\n"                                                     \
	"nodes[].lid_now integer? lid: the new one\n"                                                      \
	"nodes[].links[] object? added, removed: its cables\n"                                             \
	"nodes[].links[].a port its end\n"                                                                 \
	"nodes[].links[].b port the other\n"                                                               \
	"links[] object? cables between nodes that are in both\n"                                          \
	"links[].change string(added/removed/moved/swapped/rate) what\n"                                   \
	"links[].a port one end; moved: the one that stays\n"                                              \
	"links[].b port the other, before\n"                                                               \
	"links[].unseen boolean? removed: an end may only not have answered\n"                             \
	"links[].to port? moved: the other, now\n"                                                         \
	"links[].other_a port? swapped: an end of the other cable; a leads to other_b now, other_a to b\n" \
	"links[].other_b port? swapped: its other end\n"                                                   \
	"links[].old_width width? rate: before\n"                                                          \
	"links[].old_speed speed? rate: before\n"                                                          \
	"links[].width width? rate: now\n"                                                                 \
	"links[].speed speed? rate: now\n"

/* One change in JSON: the keys of `parts`, `nodes` or `links` above. */
json_t *change_json(const struct fabric_changes *x, const struct fabric_change *c);

/* Prints all changes from a to b as lines, and sets JSON `parts` (when there are any), `nodes` and `links`.
 * Returns their number. */
size_t report_changes(const struct session *s, const struct fabric *a, const struct fabric *b, struct out *o);

/* Two fabrics, before options and names shape them. */
struct ahead_asked {
	const struct sweep *at;	    /* of the first; NULL: it starts with the options and engines of `how` */
	const struct fabric *first; /* not NULL when `at` is NULL */
	const struct fabric *next;  /* the second */
	const struct setup *how;
};

/* What the next sweep changes in the first's tables. */
struct ahead {
	bool known; /* false: there were no tables before, or no engine routes the second */
	uint64_t entries, pairs;
	struct text line; /* "(engines): ..."; owned by the caller, also after an error */
};

/* Runs a line that makes one change to the fabric, as `event` takes them.  Returns -1 and *e when it is not
 * such a line or fails.
 */
int run_edit(struct session *s, const char *line, struct out *o, struct err *e);

/* The fabric drawn from its layout, for `export svg|png|dot`. */

/* What is drawn on the fabric. */
enum drawing_kind {
	DRAWING_PLAIN,
	DRAWING_LOAD,
	DRAWING_PATH,
	DRAWING_WITNESS,    /* a cycle of a credit loop, with only its switches */
	DRAWING_CYCLE,	    /* the same in the whole fabric */
	DRAWING_LAYER,	    /* channels of a VL */
	DRAWING_TURNS,	    /* the same, with dependencies as arrows through switches */
	DRAWING_DIFF,	    /* what the last event changed, or everything since a snapshot */
	DRAWING_MAP,	    /* switches coloured */
	DRAWING_WHY,	    /* a way that the engine forbids, with its turn */
	DRAWING_TRANSITION, /* the example for the worst moment between the old tables and the new ones */
};

struct drawing_of {
	enum drawing_kind kind;
	const struct args *args; /* borrowed: PATH, SRC and DST; WHY, SWITCH, DESTINATION and port; DIFF,
				    TRANSITION, the snapshot if there is one */
	bool switches;		 /* CYCLE, LAYER: routes of switches count as well */
	uint32_t group;		 /* CYCLE: from 1, as `cycles` numbers them */
	int vl;			 /* LAYER, TURNS */
	enum map_colour colour;	 /* MAP */
	struct svg_page page;
};

struct fabric_drawing {
	struct picture *picture; /* NULL: a witness is drawn alone */
	struct svg_page page;
	struct picture_look look;
	struct picture_cycle cycle; /* of a witness */
	char *title, *line;
	float (*place)[2]; /* [n_nodes] middle in points, y upwards; a host stands below its switch */
	/* What look points to. */
	const struct state *state;
	struct loads *loads;
	uint32_t *load, *number, *weight, *figure;
	uint8_t *way, *came, *class, *channel;
	struct picture_turn *turn;
	struct picture_class *kind;
	struct text about; /* what is drawn, in words for the line */
};

/* Everything that a drawing needs of the fabric now.  Returns -1 and *e on failure, and when there is nothing
 * to draw. */
int fabric_drawing_make(struct session *s, const struct drawing_of *of, struct fabric_drawing *d,
			struct progress *p, struct err *e);
void fabric_drawing_free(struct fabric_drawing *d);

/* -1: cancelled, or writing to the stream failed. */
int fabric_drawing_svg(const struct session *s, const struct fabric_drawing *d, FILE *to, struct progress *p);
int fabric_drawing_dot(const struct session *s, const struct fabric_drawing *d, FILE *to, struct progress *p);

/* Shared by the files of drawings: marks d as `of` asks. el: the chips of each chassis, all up.  Returns -1
 * and *e on failure. */
int drawing_marks(struct session *s, const struct drawing_of *of, const struct elements *el,
		  struct fabric_drawing *d, struct progress *p, struct err *e);

/* Shows a step of a run in place of what d shows; the title is its sentence and rule. */
void drawing_step(const struct session *s, const struct moment *m, struct fabric_drawing *d);
/* A way by the ports of its hops; `turn`: the hop whose turn is forbidden.  Room for all ports is made. */
void drawing_way(const struct fabric *f, const struct path_hop *hop, unsigned n, unsigned turn,
		 struct fabric_drawing *d);
void drawing_mark_ports(const struct fabric *f, struct fabric_drawing *d);

/* The words beside a title: the engine, the options that are not at their defaults, and what is down. */
void drawing_engine_words(const struct session *s, struct text *t);
void drawing_down_words(const struct session *s, struct text *t);

/* The last part of the fabric's source, as titles name it. */
const char *drawing_source(const struct fabric *f);

/* PNG_PROGRAM turns the SVG in the file `svg` into a PNG.  It reads from the file's present position. */
#define PNG_PROGRAM "rsvg-convert"
int svg_to_png(int svg, FILE *to, struct progress *p, struct err *e);

/* Plots of a routing, for `export svg|png FILE plot`. */

#define PLOT_SYNTAX                                                                             \
	"plot loads|hops [ENGINE ENGINE] | plot shifts [SAMPLE] [ENGINE ENGINE] | plot survey " \
	"[links|switches|chassis|cards] | plot transition [SNAPSHOT]"

enum plot_kind { PLOT_LOADS, PLOT_HOPS, PLOT_SHIFTS, PLOT_SURVEY, PLOT_TRANSITION };

struct plot_of {
	enum plot_kind kind;
	const struct args *args; /* borrowed: the engines; TRANSITION, the snapshot if there is one */
	uint32_t sample;	 /* SHIFTS; 0: as many as can be computed quickly */
	enum part_kind survey;	 /* SURVEY */
};

/* The words behind `plot`. */
void plot_words(struct plot_of *of, const struct args *args);
/* There are tables.  -1 and *e: cancelled, or there is nothing to plot.  All in *d is owned by it. */
int plots_make(struct session *s, const struct plot_of *of, struct plots *d, struct progress *p,
	       struct err *e);
void plots_free(struct plots *d);

/* `export svg|png|dot`: drawings of the fabric, plots, channel dependencies. */

#define DRAWING_SYNTAX                                                                                      \
	"load | path SRC DST | why SWITCH DESTINATION via N | cycle [all] [switches] [group N] | layer VL " \
	"[switches] | dependencies VL [switches] | diff [SNAPSHOT] | transition [SNAPSHOT] | map "          \
	"[state|load|rank|layers|chassis|change|step] | cdg [VL] [switches] [group N]"

/* The layout of the page; not for DOT or what Graphviz draws. */
#define PAGE_SYNTAX "[size=WxH|font=N|notitle]..."
#define FRAMES_SYNTAX "[FROM TO] " PAGE_SYNTAX
#define FRAMES_MOST 2000

/* What is drawn, and as what. */
struct drawing {
	enum { DRAW_DOT, DRAW_SVG, DRAW_PNG } as;
	enum { DRAW_FABRIC, DRAW_PLOT, DRAW_CDG } what;
	struct drawing_of of;
	struct fabric_drawing fabric;				  /* owned */
	enum { FRAMES_NONE, FRAMES_FILES, FRAMES_MOVING } frames; /* of steps, in place of one drawing */
	size_t from, to;
	struct plot_of plot_of;
	struct plots plots; /* owned */
	/* CDG */
	bool switches;
	int vl;
	uint32_t group; /* from 1, as `cycles` numbers them, or among those on the VL; 0 = all */
	struct cdg *c;	/* owned */
	uint32_t component;
};

/* Reads the words of `export` and computes all that is drawn.  Everything that can be wrong is found here. */
int drawing_prepare(struct session *s, const struct args *args, struct drawing *d, struct out *o,
		    struct err *e);
int drawing_write(struct session *s, struct drawing *d, const struct target *t, struct out *o, struct err *e);
/* Writes a file for each step.  `missing` is listed in each of them. */
int drawing_write_steps(struct session *s, struct drawing *d, const char *pattern,
			const struct warnings *missing, struct out *o, struct err *e);
void drawing_free(struct drawing *d);

/* `report change`: a change described for the people who decide on it; it shares parts with `report`. */

/* Its document, HTML if the path ends so or the words ask for it.  -1 and *e: cancelled, no tables, ... */
int report_change(struct session *s, const struct args *args, const struct target *to, const struct replay *r,
		  struct out *o, struct err *e);

/* Parts of every report: the fabric, the settings in force, the commands that repeat all of it. */
void report_source(struct document *d, const struct session *s);
void report_settings(struct document *d, const struct session *s, const struct sweep *w);
void report_script(struct document *d, const struct replay *r);

/*
 * A file of links and nodes that are to fail, for `survey file`: rows of node, port (none: the whole node)
 * and ticket; limits on the effects.
 */

#define PLAN_MOST 1000 /* links and nodes */

struct out;

struct window {
	struct window_row {
		uint32_t member; /* a link (the first n_links) or a node, as in PART_MIXED */
		char *ticket;
	} * row; /* [n] in the order of the file, each link and node once */
	uint32_t n, cap;
};

/*
 * Reads it.  Returns what fails as parts: each of the n rows alone, and, if n > 1, the first 2, 3 ... n of
 * them, which fail one after the other, and all n at once.  NULL and *e: "FILE:LINE: found ..., expected
 * ...".  Always window_free().
 */
struct parts *window_read(const struct session *s, struct window *x, const char *path, struct progress *p,
			  struct err *e);
void window_free(struct window *x);
/* Keys `when` and `ticket` of the rows of these parts, in their order. */
void window_tell_rows(const struct window *x, json_t *rows);

/* "lost=0", "load=+20%", "longest=+0" */
struct survey_limit {
	const char *word; /* borrowed */
	unsigned of;	  /* which quantity */
	bool more, percent;
	uint64_t n;
};
int limit_read(struct survey_limit *l, const char *word, struct err *e);
/* Prints lines on rows that break one of n limits, and sets their key `breaks`; returns their number.  of:
 * the survey's head.
 */
uint32_t gate_rows(const struct survey_limit *l, size_t n, const json_t *of, json_t *rows, struct out *o);

/* Writes each row as a test case of JUnit's XML, which fails when it breaks a limit.  -1 and *e: not
 * written. */
int junit_write(const char *path, const struct fabric *f, const json_t *rows, uint32_t broken, struct out *o,
		struct err *e);

/* Command why.  why.c explains an entry and its ports, also at a step of a walk; why_path.c explains
 * paths. */

/* What an engine reported about one entry. */
struct why_heard {
	bool told;
	bool passed_by; /* the engine reported its candidates, and the port in question is not among them */
	uint8_t port;
	struct decided decided, against;
};

void why_heard_free(struct why_heard *h);
/* Takes in a choice; the last one counts. */
void why_hear(struct why_heard *h, const struct rec_choice *c);
/* Gives an entry its rule where the engine reported none. */
void why_settle(const struct sweep *w, uint32_t sw, unsigned lid, struct why_heard *h);

struct why {
	struct session *s;
	const struct sweep *w;	 /* at a step: that step */
	const struct walk *walk; /* NULL: the answer is about the present */
	struct out *o;
	uint32_t sw;
	unsigned lid;
	bool quiet; /* the choice is recorded, but not printed */
	struct why_heard heard;
};

/* Runs the engine once more with a question: the engine in force, or that of the walk. */
int why_repeat(const struct why *y, const struct rec_ask *q, struct err *e);
/* Is an entry still undecided at the step?  Then t says until when.  *when: the step that decides it, or
 * 0. */
bool why_open(const struct why *y, uint32_t sw, unsigned lid, struct text *t, size_t *when);
/* Says that the entry of y->sw for y->lid is undecided, or that it is decided again later.  Returns false
 * when it is neither. */
bool why_entry_open(struct why *y);
/* "Decided: RULE: sentence", and the same as JSON. */
void why_end(const struct why *y, const struct decided *d);
/* Weighs a port of y->sw for y->lid, and ends with the rule against it or for it.  tell: print everything. */
int why_port(struct why *y, unsigned port, bool tell, struct err *e);

/* "leaf-01[5] -U-> spine-01[3] -D-> leaf-02"; a plain arrow where there is no direction. */
void why_add_way(const struct routing *r, const struct path_hop *hop, unsigned n, struct text *t);
/* Says where a way breaks the up/down rule, in words and as JSON.  Adds nothing when it keeps the rule. */
void why_turn(const struct why *y, const struct path_hop *hop, unsigned n);

int why_pair(struct why *y, const struct args *args, struct err *e);  /* why HOST DST */
int why_given(struct why *y, const struct args *args, struct err *e); /* why NODE NODE NODE... */

#endif
