/* Loading of files: which kind a file is, what all readers share, name maps, fabrics for ibsim. */
#include <assert.h>
#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/builtin.h"
#include "core/base/cursor.h"
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/order.h"
#include "core/base/program.h"
#include "core/formats/cabling.h"
#include "core/formats/conf.h"
#include "core/formats/readers.h"

#define LINES_LOOKED_AT 300
#define LINE_BYTES 200 /* of a line that are compared */
#define PATTERNS 5
#define BYTES_TOLD 8 /* of binary data */
#define FABRIC "a fabric"
#define LOAD "`load FILE` reads it"
#define FORM(is, use, ...)          \
	{                           \
		is, use,            \
		{                   \
			__VA_ARGS__ \
		}                   \
	}

#define PLAN "`plan FILE` compares a fabric with it"
#define SCOPE "`scope @FILE` takes its hosts"
#define FOLDER \
	"the folder that ibdiagnet wrote can be loaded, or its .db_csv, .lst, .ibnetdiscover or .net_dump"
#define TABLES "`tables FILE` takes it for a fabric that is loaded"
#define MULTICAST "this version shows no multicast yet; `mcast load FILE` of a later one reads them"
#define BLAME "`blame FILE` finds what explains them"
#define COUNTERS "`counters all FILE` reads them for a fabric that is loaded"

/* Patterns for lines of each kind; one such line is enough. The first kind that fits counts. */
static const struct form {
	const char *is, *use, *line[PATTERNS];
} kinds[] = {
	FORM(FABRIC, LOAD, "Switch*\"*\"*nodeguid *sysimgguid *", "sim> dump*"),
	FORM("counters (ibqueryerrors)", COUNTERS, "Data Counters for *", "Errors for \"*", "Errors for 0x*"),
	FORM("a list of nodes (ibnetdiscover -l, ibhosts, ibswitches)",
	     "`ibnetdiscover` without -l tells cables", "Ca*: 0x*ports *", "Switch*: 0x*ports *",
	     "Rt*: 0x*ports *"),
	FORM(FABRIC, LOAD, "vendid=*", "{ [SC][WA]*Ports:*", "START_NODES", "Switch*[0-9] \"*\"*",
	     "[SC][WA] *[0-9] 0x*[0-9]x *"),
	FORM(FABRIC, LOAD, "[0-9]*]*==(*)==>*", "*Sta *:*LWA *:*LSA *:*"),
	FORM("forwarding tables (opensm-lfts.dump, dump_fts), which name no cables", TABLES, "Unicast lids*"),
	FORM("multicast tables, which name no cables", "", "Multicast mlids*"),
	FORM("forwarding tables (opensm.fdbs), which name no cables", TABLES, "dump_ucast_routes:*"),
	FORM("forwarding tables (osm.fdbs), which name no cables", TABLES,
	     "osm_ucast_mgr_dump_ucast_routes:*"),
	FORM("a hop matrix (opensm-lid-matrix.dump), which names no cables", "", "Switch: guid *"),
	FORM("sections of ibdiagnet (db_csv) without nodes", FOLDER, "START_*"),
	FORM("P_Keys of a port (smpquery pkeys)",
	     "`partitions FILE` reads them for a fabric that is loaded, a folder takes them along",
	     "*: 0x???? 0x???? 0x???? 0x???? *"),
	FORM("the SL-to-VL table of a port (smpquery sl2vl)",
	     "`set sl2vl_file FILE` takes those of all switches (opensm-sl2vl.dump)", "# SL2VL table: *",
	     "ports: in*, out*: |*"),
	FORM("paths of netloc (-log-paths.ndat, -phy-paths.ndat), which name no cables",
	     "`tables FILE` takes them for the fabric of -nodes.ndat", "{*\"path_info\":*"),
	FORM("multicast groups (saquery -g), which name no cables", MULTICAST, "MCMemberRecord group dump:*"),
	FORM("members of multicast groups (saquery -m), which name no cables", MULTICAST,
	     "MCMemberRecord member dump:*"),
	FORM("counters of a port (perfquery)", COUNTERS, "#*ort*counters: Lid *", "PortSelect:.*"),
	FORM("counters (ibcheckerrors)", COUNTERS, "#warn: counter *", "Error check on lid *"),
	FORM("where the subnet manager is (sminfo)", "`set guid GUID` takes its GUID", "sminfo: sm lid *"),
	FORM("what one switch tells of itself (ibswinfo)", "", "part number *|*", "uptime (sec) *:*",
	     "cur.temp *:*"),
	FORM("lists of partitions (ibdiagnet's .pkey)", FOLDER, "GROUP PKey:*", "GROUP VPKey:*"),
	FORM("counters or cables of ports (ibdiagnet's .pm, .cables)", COUNTERS, "Port=* Lid=0x* GUID=0x*"),
	FORM("firmware of nodes (ibdiagnet's .nodes_info)", FOLDER, "HWInfo_*", "FWInfo_*", "Node Name=*"),
	FORM("a list of subnet managers (ibdiagnet's .sm)", FOLDER, "ibdiagnet fabric SM report*"),
	FORM("messages of ibdiagnet (.log, .debug, its screen)", FOLDER, "\\[??? ?? ??:??:??*]*ibdiag*",
	     "Running version:*IBDIAG*", "-[IWE]- *", "Fabric Summary*"),
	FORM("names of a topology diff (ibdiagnet)", FOLDER, "# Match-Reason, Topo-Name,*"),
	FORM("OpenSM's log", "`log FILE` reads it beside a fabric", "??? ?? ??:??:?? ?????? \\[*] 0x?? -> *"),
	FORM("times of a benchmark (nccl-tests)", BLAME, "*nThread *nGpus *", "*algbw *busbw*",
	     "*NCCL INFO *", "#*Rank *Pid *on *device*"),
	FORM("bandwidths of a benchmark (perftest)", BLAME, "*_Write BW Test*", "*_Read BW Test*",
	     "*Send BW Test*", "* BW peak*"),
	FORM("bandwidths of a benchmark (hp2p)", BLAME, "*HP2P results*", "*Minimum Bandwidth:*"),
	FORM("Slurm's topology (topology.conf, scontrol show topology, sharp_cmd)", PLAN, "SwitchName=*",
	     "BlockName=*", "#BlockName=*", "BlockSizes=*"),
	FORM("Slurm's nodes (scontrol show node)", "`scope HOST...` takes their names", "NodeName=*"),
	FORM("Slurm's partitions (scontrol show partition)", "`scope HOST...` takes hosts",
	     "PartitionName=*"),
	FORM("a job of Slurm (scontrol show job)", SCOPE, "JobId=*"),
	FORM("jobs of Slurm (squeue)", "`scope @FILE:JOB` takes a job's hosts", "*JOBID*PARTITION*",
	     "*JOBID*NODELIST*"),
	FORM("states of Slurm's nodes (sinfo)", SCOPE, "PARTITION *NODELIST*"),
	FORM("types of systems for ibdm (.ibnl)", "a .topo in the same folder that names them can be loaded",
	     "TOPSYSTEM *", "SYSTEM *", "NODE SW *", "NODE CA *"),
	FORM("a policy (port groups, QoS) of the subnet manager",
	     "`roots export FILE` writes a root_guid_file", "port-groups*", "port-group*", "end-port-group*",
	     "qos-*"),
	FORM("a torus-2QoS.conf", "`set torus_config FILE` takes it", "torus [0-9]*", "mesh [0-9]*",
	     "xp_link 0x*", "yp_link 0x*", "zp_link 0x*"),
	FORM("a session of ibscope", "`source FILE` runs it", "# A session of ibscope*"),
	FORM("a plan of cables", PLAN, "*StartDevice*EndDevice*", "<[?]xml*", "<fabric *"),
	FORM("a list of hosts", "`scope HOST...` takes their names", "MPI_Rank,*", "NODE [0-9]* RACK *"),
	FORM("OpenSM's partitions (partitions.conf), which have no bearing on routes",
	     "`set partition_config_file FILE` takes it: SLs and P_Keys of pairs",
	     "[A-Za-z0-9]*=0x[0-9a-fA-F]*[,:]*", "*[ ,:]ALL=full*", "mgid=*"),
	FORM("a file of ibdiagnet without a node", FOLDER,
	     "# This database file was automatically generated by IBDIAG*"),
};

/* Kinds of files where all lines but comments have one form. */
static const struct form pure[] = {
	FORM("a node-name-map", "`names FILE` or --node-name-map takes it", "0x*[ \t]\"*\"*", "<guid>*\"*\"*",
	     "0x*[ \t][!0-9 \t]*"),
	FORM("GUIDs with numbers behind them (a port-profile, guid2lid, weights or orders of ports)",
	     "the option of OpenSM that names such a file takes it (`help options`)", "0x*[ \t][0-9]*"),
	FORM("a list of GUIDs (root_guid_file and its like)", "`set root_guid_file FILE` takes it", "0x*"),
	FORM("hosts and the GUIDs of their ports", "", "*: 0x*"),
};

static bool kinds_fits(const char *const *pattern, const char *line)
{
	for (unsigned i = 0; i < PATTERNS && pattern[i]; i++)
		if (!fnmatch(pattern[i], line, 0))
			return true;
	return false;
}

/* Do all lines but comments fit? x NULL: are they names of hosts (words that end with a number)? */
static bool all_fit(const struct form *x, char text[][LINE_BYTES], unsigned n)
{
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		if (*text[i] == '#')
			continue;
		if (x ? !kinds_fits(x->line, text[i])
		      : fnmatch("[A-Za-z]*[0-9]", text[i], 0) || strpbrk(text[i], " \t,;:=\"'()"))
			return false;
		any = true;
	}
	return any;
}

bool file_kind(const struct input *in, struct file_kind *k)
{
	char text[LINES_LOOKED_AT][LINE_BYTES]; /* lines that are not empty, trimmed */
	struct lines l = lines_of(in);
	struct cursor line;
	struct cabling c;
	struct err e;
	unsigned n = 0;

	while (n < LINES_LOOKED_AT && lines_next(&l, &line)) {
		line = cur_trimmed(line);
		if (!cur_empty(&line))
			snprintf(text[n++], LINE_BYTES, "%.*s", CUR_ARGS(line));
	}
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		for (unsigned j = 0; j < n; j++)
			if (kinds_fits(kinds[i].line, text[j])) {
				*k = (struct file_kind){kinds[i].is, kinds[i].use,
							!strcmp(kinds[i].is, FABRIC)};
				return true;
			}
	for (size_t i = 0; i < ARRAY_LEN(pure); i++)
		if (all_fit(&pure[i], text, n)) {
			*k = (struct file_kind){pure[i].is, pure[i].use, false};
			return true;
		}
	for (unsigned j = 0; j < n; j++)
		if (conf_knows(text[j])) {
			*k = (struct file_kind){"options of OpenSM (opensm.conf)",
						"`-F FILE` or `config FILE` takes them", false};
			return true;
		}
	if (all_fit(NULL, text, n)) {
		*k = (struct file_kind){"a list of hosts", SCOPE, false};
		return true;
	}
	bool plan = !cabling_parse(in, &c, &e);
	cabling_free(&c);
	*k = (struct file_kind){"a plan of cables", PLAN, false};
	return plan;
}

/* Shared by the readers: rates, node types, lines that mean nothing. */

#define UNKNOWN_LISTED 10
#define ERRORS_TOLD 20

bool any_line(const struct input *in, bool is(struct cursor line))
{
	struct lines l = lines_of(in);
	struct cursor line;

	while (lines_next(&l, &line))
		if (is(line))
			return true;
	return false;
}

void parse_rate(struct cursor t, uint8_t *width, uint8_t *speed)
{
	const char *p = t.p;

	while (p < t.end && (isdigit((unsigned char)*p) || *p == '?'))
		p++;
	if (p < t.end && *p == 'x')
		p++;
	else if (p - t.p >= 2 && t.p[0] == '?')
		p = t.p + 2;
	*width = link_width_parse(t.p, p - t.p);
	*speed = link_speed_parse(p, t.end - p);
}

enum link_speed lane_speed(struct cursor c)
{
	static const struct {
		const char *text[3];
		enum link_speed speed;
	} table[] = {
		{{"2.5"}, SPEED_SDR},		{{"5", "5.0"}, SPEED_DDR},
		{{"10", "10.0"}, SPEED_QDR},	{{"FDR10", "10.3125"}, SPEED_FDR10},
		{{"14", "14.0625"}, SPEED_FDR}, {{"25", "25.78125"}, SPEED_EDR},
		{{"50", "53.125"}, SPEED_HDR},	{{"100", "106.25"}, SPEED_NDR},
		{{"200", "212.5"}, SPEED_XDR},
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		for (unsigned k = 0; k < 3 && table[i].text[k]; k++)
			if (cur_same(c, cur_text(table[i].text[k])))
				return table[i].speed;
	return SPEED_UNKNOWN;
}

static void skip(struct skipped *s, unsigned line, struct cursor text)
{
	if (!s->n) {
		s->first = line;
		excerpt(text, s->example, sizeof(s->example));
	}
	if (s->n++ < UNKNOWN_LISTED)
		text_add(&s->list, "%s%u", s->n > 1 ? ", " : "", line);
	else if (s->n == UNKNOWN_LISTED + 1)
		text_add(&s->list, ", ...");
}

void unknown_line(struct unknown_lines *u, unsigned line, struct cursor text)
{
	skip(&u->unknown, line, text);
}

void unread_line(struct unknown_lines *u, const struct input *in, unsigned line, struct cursor text,
		 const char *expected)
{
	if (text.end == in->data + in->size) {
		u->cut = true;
		return;
	}
	skip(&u->unread, line, text);
	if (!u->why)
		u->why = str_printf("%s:%u: found '%s', expected %s", in->name, line, u->unread.example,
				    expected);
}

static bool at_digit(struct cursor c)
{
	return c.p < c.end && isdigit((unsigned char)*c.p);
}

static bool at_blank(struct cursor c)
{
	return c.p < c.end && isblank((unsigned char)*c.p);
}

/* "7]", or that behind one other character, which a spoiled "[" is. */
static bool begins_with_port(struct cursor c)
{
	c.p += c.p < c.end && !at_digit(c);
	bool number = at_digit(c);
	while (at_digit(c))
		c.p++;
	return number && cur_begins(c, "]");
}

/* The words of "switchguid=0x...", and of "Switch 8 \"NAME\"". */
static bool begins_with_word(struct cursor c)
{
	while (c.p < c.end && *c.p != '=' && !at_blank(c))
		c.p++;
	if (cur_begins(c, "="))
		return cur_begins(c, "=0x");
	while (at_blank(c))
		c.p++;
	bool number = at_digit(c);
	while (at_digit(c) || at_blank(c))
		c.p++;
	return number && cur_begins(c, "\"");
}

bool like_block_line(struct cursor c)
{
	cur_blanks(&c);
	if (!cur_empty(&c) && *c.p == '#')
		return begins_with_port(c);
	if (begins_with_port(c) || begins_with_word(c))
		return true;
	for (const char *p = c.p; p < c.end && (p = memchr(p, '"', (size_t)(c.end - p))); p++) {
		uint64_t guid;

		if (c.end - p > 19 && p[19] == '"' && id_guid((struct cursor){p + 1, p + 19}, &guid))
			return true;
		if (c.end - p > 2 && p[1] == '[' && isdigit((unsigned char)p[2]))
			return true;
	}
	return false;
}

bool ibdiagnet_error(struct warnings *w, const char *path, unsigned line, const char *text, uint32_t *n)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (*n < ERRORS_TOLD)
		warnings_add(w, IBDIAGNET_ERROR, 0, "%s:%u: %s", name, line, text);
	else if (*n == ERRORS_TOLD)
		warnings_add(w, IBDIAGNET_ERROR, 0, "%s:%u: more like these", name, line);
	else
		warnings_stand_for(w, *n - ERRORS_TOLD + 1);
	return ++*n <= ERRORS_TOLD;
}

bool ends_with_newline(const struct input *in)
{
	return in->size && in->data[in->size - 1] == '\n';
}

bool rate_word_is_whole(const struct input *in, enum link_speed speed)
{
	const struct cursor all = {in->data, in->data + in->size};

	return speed && (speed != SPEED_FDR || !cur_find(&all, "FDR10"));
}

void cut_record(const struct input *in, unsigned line, struct warnings *w)
{
	warnings_missing(w, "cut record", line,
			 "%s ends within a record: was it copied or written to its end?", in->name);
}

void unknown_free(struct unknown_lines *u)
{
	text_free(&u->unknown.list);
	text_free(&u->unread.list);
	free(u->why);
	*u = (struct unknown_lines){0};
}

int unknown_report(struct unknown_lines *u, struct warnings *w, struct err *e)
{
	const struct skipped *s = &u->unknown, *lost = &u->unread;
	unsigned all = lost->n + u->read;
	int rc = 0;

	assert(!lost->n || u->why);
	if (s->n)
		warnings_add(w, "unknown line", s->first,
			     "%s not understood and skipped: line%s %s; the first is '%s'",
			     PLURAL(s->n, "line"), s->n > 1 ? "s" : "", text_str(&s->list), s->example);
	if (lost->n) {
		warnings_missing(w, "unread line", lost->first,
				 "%s of nodes, ports or cables not understood and left out: line%s %s; %s",
				 PLURAL(lost->n, "line"), lost->n > 1 ? "s" : "", text_str(&lost->list),
				 u->why);
		warnings_stand_for(w, lost->n);
	}
	if ((uint64_t)lost->n * 10 > all)
		rc = err_set(e, "%s; %u of %u lines of nodes, ports and cables are not understood", u->why,
			     lost->n, all);
	unknown_free(u);
	return rc;
}

uint32_t add_node(struct fabric_builder *b, enum node_type type, uint64_t guid, unsigned nports,
		  unsigned line)
{
	uint32_t node = fb_add(b, type, guid, nports, NULL);

	if (node == NO_ID)
		warnings_missing(&b->warnings, "duplicate GUID", line,
				 "a second node has the GUID 0x%016" PRIx64 "; it is left out", guid);
	return node;
}

void want_port(struct fabric_builder *b, uint32_t node, uint64_t port, unsigned line)
{
	assert(node < b->n && port <= MAX_PORTS);
	if (port <= b->node[node].nports)
		return;
	warnings_add(&b->warnings, "port above count", line,
		     "port %" PRIu64 " of a node that has %u ports by its own count; taken as %" PRIu64
		     " ports",
		     port, b->node[node].nports, port);
	fb_more_ports(b, node, (unsigned)port);
}

void add_cable(struct fabric_builder *b, const uint32_t node[2], const uint64_t port[2], const char *what,
	       unsigned line)
{
	assert(node[0] < b->n && node[1] < b->n);
	if (node[0] == node[1] && port[0] == port[1])
		warnings_add(&b->warnings, "port cabled to itself", line,
			     "port %" PRIu64 " is cabled to itself; taken as not cabled", port[0]);
	else if (!fb_link(b, node[0], (unsigned)port[0], node[1], (unsigned)port[1]))
		warnings_missing(&b->warnings, "contradicting link", line,
				 "port %" PRIu64 " of 0x%016" PRIx64 " or port %" PRIu64 " of 0x%016" PRIx64
				 " is cabled elsewhere; the %s is left out",
				 port[0], b->node[node[0]].guid, port[1], b->node[node[1]].guid, what);
}

enum node_type cur_node_type(struct cursor *c)
{
	if (cur_word(c, "Switch"))
		return NODE_SWITCH;
	if (cur_word(c, "Ca") || cur_word(c, "Hca"))
		return NODE_CA;
	return cur_word(c, "Rt") ? NODE_ROUTER : 0;
}

/* What kind of file is it? */

#define KNOWN_FORMATS                                                                                 \
	"ibnetdiscover text, an ibsim net file or dump, a libibnetdisc cache, an opensm-subnet.lst, " \
	"iblinkinfo's lines, ibdiagnet's db_csv or net_dump, ibdm's .topo, netloc's -nodes.ndat, "    \
	"OMNeT++'s .ned, or lines `NAME[PORT] NAME[PORT]`"

static int unknown_format(const struct input *in, struct err *e)
{
	struct lines l = lines_of(in);
	struct cursor line = {0};
	struct file_kind kind;
	char buf[64];
	bool any = false;

	if (file_kind(in, &kind) && !kind.fabric)
		return err_set(e, "%s: found %s, expected a fabric, as `ibnetdiscover > FILE` writes it%s%s",
			       in->name, kind.is, *kind.use ? "; " : "", kind.use);
	if (memchr(in->data, 0, in->size)) {
		AUTO_TEXT struct text bytes = {0};

		for (size_t i = 0; i < in->size && i < BYTES_TOLD; i++)
			text_add(&bytes, " %02x", (unsigned char)in->data[i]);
		return err_set(e, "%s: found binary data (its first bytes:%s), expected %s", in->name,
			       text_str(&bytes), KNOWN_FORMATS);
	}
	while (!any && lines_next(&l, &line))
		any = cur_says(line);
	if (!any)
		return err_set(e, "%s: found only empty lines and comments, expected %s", in->name,
			       KNOWN_FORMATS);
	return err_set(e, "%s: found no node (the text begins '%s'), expected %s", in->name,
		       excerpt(line, buf, sizeof(buf)), KNOWN_FORMATS);
}

enum text_format { TEXT_UNKNOWN, TEXT_IBNETDISCOVER, TEXT_IBSIM };

/*
 * The first line of a node decides. ibnetdiscover's has an id of type and GUID, after lines with GUID or
 * vendor; a GUID may be hidden. Every other is ibsim's.
 */
static enum text_format text_format(const struct input *in)
{
	static const char *const keys[] = {"vendid=", "switchguid=", "caguid=", "hcaguids=", "rtguid="};
	struct lines l = lines_of(in);
	struct cursor line, id;
	bool keyed = false, include = false;
	uint64_t v;

	while (lines_next(&l, &line)) {
		struct cursor c = line;

		/* ibsim's console prints such lines, too, but with a GUID after them */
		if (cur_node_type(&c) && cur_number(&c, 10, &v) && cur_quoted(&c, &id) &&
		    !cur_word(&c, "nodeguid "))
			return keyed && (id_guid(id, &v) || (id_type(id) && any_line(in, hides_guid)))
				       ? TEXT_IBNETDISCOVER
				       : TEXT_IBSIM;
		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			keyed |= cur_word(&line, keys[i]);
		include |= cur_word(&line, "include") && cur_quoted(&line, &id);
	}
	return include ? TEXT_IBSIM : TEXT_UNKNOWN;
}

static int parse_text(const struct input *in, struct fabric **out, struct err *e)
{
	struct file_kind kind;
	enum likeness like;

	if (is_subnet_lst(in))
		return parse_subnet_lst(in, out, e);
	if (is_db_csv(in))
		return parse_db_csv(in, out, e);
	if (is_net_dump(in))
		return parse_net_dump(in, out, e);
	switch (text_format(in)) {
	case TEXT_IBNETDISCOVER:
		return parse_ibnetdiscover(in, out, e);
	case TEXT_IBSIM:
		return parse_ibsim(in, out, e);
	default:
		if (is_netloc(in))
			return parse_netloc(in, out, e);
		if (is_ned(in))
			return parse_ned(in, out, e);
		if (is_ibsim_dump(in))
			return parse_ibsim_dump(in, out, e);
		if (is_linkinfo(in))
			return parse_linkinfo(in, out, e);
		if (is_port_list(in))
			return parse_port_list(in, out, e);
		if (is_topo(in))
			return parse_topo(in, out, e);
		like = memchr(in->data, 0, in->size) ? NOT_LIKE_THAT : edges_likeness(in);
		if (like == LIKE_NOTHING_ELSE || (like == LIKE_THAT && !file_kind(in, &kind)))
			return parse_edges(in, out, e);
		return unknown_format(in, e);
	}
}

/* ibdiagnet's dumps say when they began and ended. *open: line of a beginning without an end, 0 = none. */
static void read_frame(struct fabric *f, struct cursor line, unsigned *open, unsigned no)
{
	if (!cur_char(&line, '#'))
		return;
	if (cur_word(&line, "File created at"))
		*open = no;
	else if (cur_word(&line, "File closed at"))
		*open = 0;
	else if (!f->generated && cur_word(&line, "Running timestamp") && cur_char(&line, ':')) {
		cur_blanks(&line);
		f->generated = cur_clean(line, 64);
	}
}

static int formats_load_parse(const struct input *in, struct fabric **out, struct err *e)
{
	struct input text = *in;
	size_t mark = text_mark(in->data, in->size);
	struct cursor line;
	unsigned framed = 0;

	*out = NULL;
	if (!in->size)
		return err_set(e, "%s: found an empty file, expected %s", in->name, KNOWN_FORMATS);
	if (is_cache(in))
		return parse_cache(in, out, e);
	const char *what = foreign_content(in->data, in->size);
	if (what)
		return err_set(e, "%s: found %s, expected %s", in->name, what, KNOWN_FORMATS);
	text.data += mark; /* it has no meaning here */
	text.size -= mark;
	if (parse_text(&text, out, e))
		return -1;
	struct lines l = lines_of(&text);
	while (lines_next(&l, &line)) {
		/* the writer of the file may have reported missing parts */
		warnings_read_missing(&(*out)->warnings, line.p, line.end - line.p);
		read_frame(*out, line, &framed, l.no);
	}
	if (framed)
		warnings_missing(
			&(*out)->warnings, "cut list", framed,
			"%s has no last line '# File closed at': was it copied or written to its end?",
			in->name);
	return 0;
}

int fabric_parse(const char *name, const char *data, size_t size, struct fabric **out, struct err *e)
{
	return formats_load_parse(&(struct input){.name = name, .data = data, .size = size}, out, e);
}

int fabric_load(const char *path, struct fabric **out, struct progress *p, struct err *e)
{
	bool standard = !strcmp(path, "-");
	const char *from = builtin_fabric(path), *name = standard ? "standard input" : from;
	AUTO_FREE char *data = NULL;
	size_t size;

	*out = NULL;
	if (!standard && is_folder(from))
		return load_folder(from, out, p, e);
	if (!standard && read_packed_file(from, p, &data, &size, e))
		return -1;
	if (standard &&
	    (read_at_most(stdin, name, FILE_MIB, &data, &size, e) || unpack(name, p, &data, &size, e)))
		return -1;
	int status = formats_load_parse(&(struct input){name, data, size, p}, out, e);
	if (!progress_cancelled(p))
		return status;
	fabric_unref(*out);
	*out = NULL;
	return err_set(e, CANCELLED);
}

/* node-name-map files: `0x<node guid> "name" # comment`. */

COMPARATOR(line_compare, struct guid_line, UP(guid) UP(line))

void name_map_parse(const char *name, const char *data, size_t size, struct name_map *m, struct warnings *w)
{
	struct guid_file g;

	*m = (struct name_map){0};
	guid_file_parse(&g, name, data, size, true);
	if (g.skipped)
		warnings_add(w, "unknown line", g.first_skipped,
			     "%s: %u line%s without a GUID (0x...) and skipped, the first is line %u", name,
			     g.skipped, g.skipped > 1 ? "s" : "", g.first_skipped);
	if (g.n)
		qsort(g.l, g.n, sizeof(*g.l), line_compare);
	for (size_t i = 0; i < g.n; i++) {
		/*
		 * The name is the text between the first '"' or '#' and the next one, as OpenSM takes it;
		 * blanks around an unquoted name go.
		 */
		bool quoted = *g.l[i].rest == '"';
		const char *p = g.l[i].rest + quoted;
		struct cursor name_part = {p, p + strcspn(p, "\"#")};

		if (!quoted)
			name_part = cur_trimmed(name_part);
		char *text = cur_empty(&name_part) ? NULL : cur_clean(name_part, SIZE_MAX);
		if (!text) {
			warnings_add(w, "no name", g.l[i].line,
				     "%s:%u: found no name behind 0x%016" PRIx64 ", expected \"name\"", name,
				     g.l[i].line, g.l[i].guid);
		} else if (m->n && m->guid[m->n - 1] == g.l[i].guid) {
			warnings_add(w, "duplicate GUID", g.l[i].line,
				     "%s:%u: 0x%016" PRIx64 " has a name already; the first counts", name,
				     g.l[i].line, g.l[i].guid);
			free(text);
		} else {
			if (m->n == m->cap) {
				m->cap = m->cap ? 2 * m->cap : 64;
				m->guid = mem_resize(m->guid, m->cap, sizeof(*m->guid));
				m->name = mem_resize(m->name, m->cap, sizeof(*m->name));
			}
			m->guid[m->n] = g.l[i].guid;
			m->name[m->n++] = text;
		}
	}
	guid_file_free(&g);
}

int name_map_load(const char *path, struct name_map *m, struct warnings *w, struct progress *p, struct err *e)
{
	AUTO_FREE char *data = NULL;
	size_t size;

	*m = (struct name_map){0};
	if (read_small_file(path, p, &data, &size, e))
		return -1;
	name_map_parse(path, data, size, m, w);
	return 0;
}

void name_map_free(struct name_map *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->name[i]);
	free(m->guid);
	free(m->name);
	*m = (struct name_map){0};
}

/* Writes a fabric for ibsim to simulate. */

const char *simulated_id(const struct fabric *f, uint32_t node, char id[SIMULATED_ID])
{
	assert(node < f->n_nodes);
	snprintf(id, SIMULATED_ID, "%c-%016" PRIx64, "?HSR"[f->node_type[node]], f -> node_guid[node]);
	return id;
}

/* ibsim takes LID and LMC of a CA port from the comment. Names are left out: it could not read some. */
static void simulated_write_port(FILE *f, const struct topo *t, uint32_t port)
{
	const struct fabric *fb = t->fabric;
	uint32_t peer = t->peer[port], node = fb->port_node[port], other;
	unsigned width = fb->port_width[port], speed = fb->port_speed[port];
	char id[SIMULATED_ID];

	/* for speeds that ibsim 0.10 does not know it takes SDR: give the fastest that it knows */
	speed = speed == SPEED_NDR || speed == SPEED_XDR ? SPEED_HDR : speed;
	if (peer == NO_ID)
		return;
	other = fb->port_node[peer];
	fprintf(f, "[%u]\t\"%s\"[%u]\t# ", fb->port_num[port], simulated_id(fb, other, id),
		fb->port_num[peer]);
	if (!node_is_switch(fb, node))
		fprintf(f, "lid %u lmc %u ", fb->port_lid[port], fb->port_lmc[port]);
	fprintf(f, "\"n%u\" lid 0", other);
	if (width || speed)
		fprintf(f, " %s%s", link_width_name(width), link_speed_name(speed));
	putc('\n', f);
}

static void simulated_write_node(FILE *f, const struct topo *t, uint32_t node)
{
	const struct fabric *fb = t->fabric;
	uint32_t p0 = fb->node_port[node];

	write_node_head(f, fb, node);
	fprintf(f, "# \"n%u\"", node);
	if (fb->node_type[node] == NODE_SWITCH)
		fprintf(f, " %s port 0 lid %u lmc %u",
			fb->switch_esp0[fb->node_switch[node]] ? "enhanced" : "base", fb->port_lid[p0],
			fb->port_lmc[p0]);
	putc('\n', f);
	for (unsigned p = 1; p <= fb->node_nports[node]; p++)
		simulated_write_port(f, t, p0 + p);
}

int write_status(FILE *f)
{
	return fflush(f) || ferror(f) ? -1 : 0;
}

int write_simulated(FILE *f, const struct topo *t, struct progress *p)
{
	const struct fabric *fb = t->fabric;
	AUTO_FREE uint32_t *at = NEW_ARRAY(fb->n_nodes, uint32_t);
	bool go_on = true;

	progress_start(p, "writing the fabric", fb->n_nodes);
	for (uint32_t n = 0; n < fb->n_nodes; n++)
		at[fb->node_order[n]] = n;
	for (uint32_t i = 0; i < fb->n_nodes && (go_on = progress_step(p, i)); i++)
		if (t->node_up[at[i]])
			simulated_write_node(f, t, at[i]);
	return go_on ? write_status(f) : -1;
}
