/*
 * What tests of readers and writers of fabrics share.  The files in
 * tests/fabrics/formats/ named two-leaf.* were written by OpenSM 3.3.23 and
 * libibnetdisc 44 over ibsim 0.10, and so were the values the tests expect of
 * the ibsim-*.net files.
 */
#ifndef IBSCOPE_TEST_FORMATS_H
#define IBSCOPE_TEST_FORMATS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "tests/unit/shared_b.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/readers.h"

#define FILES "tests/fabrics/formats/"

static inline struct fabric *load(const char *file)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (fabric_load(file, &f, NULL, &e))
		fail_msg("%s", e.msg);
	return f;
}

static inline struct fabric *parse(const char *text)
{
	struct fabric *f = NULL;
	struct err e = {0};

	if (fabric_parse("x", text, strlen(text), &f, &e))
		fail_msg("%s", e.msg);
	return f;
}

/* The text must be refused with a message that holds `part`. */
static inline void refused_n(const char *data, size_t n, const char *part)
{
	struct fabric *f = NULL;
	struct err e = {0};

	assert_int_equal(fabric_parse("x", data, n, &f, &e), -1);
	assert_null(f);
	if (!strstr(e.msg, part))
		fail_msg("expected \"%s\" in \"%s\"", part, e.msg);
}

static inline void refused(const char *text, const char *part)
{
	refused_n(text, strlen(text), part);
}

static inline unsigned count_warnings(const struct fabric *f, const char *kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < f->warnings.n; i++)
		n += !strcmp(f->warnings.w[i].kind, kind);
	return n;
}

/* Exactly one warning, of this kind, line and with this text in it. */
static inline void one_warning(const struct fabric *f, const char *kind, unsigned line, const char *part)
{
	assert_int_equal(f->warnings.n, 1);
	assert_string_equal(f->warnings.w[0].kind, kind);
	assert_int_equal(f->warnings.w[0].line, line);
	if (!strstr(f->warnings.w[0].text, part))
		fail_msg("expected \"%s\" in \"%s\"", part, f->warnings.w[0].text);
}

/* Kinds of warnings that make a fabric incomplete, wherever they come from. */
static inline bool stands_for_missing(const char *kind)
{
	static const char *const kinds[] = {"open port",	"silent port",	     "cut record",
					    "cut section",	"cut list",	     "incomplete fabric",
					    "unknown board",	"no such port",	     "dangling link",
					    "impossible value", "impossible node",   "unread line",
					    "duplicate name",	"contradicting link"};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i], kind))
			return true;
	return false;
}

/* The nth warning of a kind tells this; it makes the fabric incomplete when its kind does. */
static inline void warns(const struct fabric *f, const char *kind, unsigned n, const char *part)
{
	for (size_t i = 0; i < f->warnings.n; i++) {
		if (strcmp(f->warnings.w[i].kind, kind) || n--)
			continue;
		if (!strstr(f->warnings.w[i].text, part))
			fail_msg("expected \"%s\" in \"%s\"", part, f->warnings.w[i].text);
		if (f->warnings.w[i].missing != stands_for_missing(kind))
			fail_msg("\"%s\": found missing %d", kind, f->warnings.w[i].missing);
		return;
	}
	fail_msg("no such warning: %s", kind);
}

static inline uint32_t node(const struct fabric *f, uint64_t guid)
{
	uint32_t n = fabric_node_by_guid(f, guid);

	assert_int_not_equal(n, NO_ID);
	return n;
}

static inline uint32_t port(const struct fabric *f, uint64_t guid, unsigned num)
{
	uint32_t n = node(f, guid);

	assert_in_range(num, 0, f->node_nports[n]);
	return f->node_port[n] + num;
}

static inline void linked(const struct fabric *f, uint64_t g1, unsigned p1, uint64_t g2, unsigned p2)
{
	assert_int_equal(f->port_peer[port(f, g1, p1)], port(f, g2, p2));
	assert_int_equal(f->port_peer[port(f, g2, p2)], port(f, g1, p1));
}

static inline const char *desc(const struct fabric *f, uint64_t guid)
{
	return f->node_desc[node(f, guid)];
}

static inline char *read_all(const char *path, size_t *size)
{
	struct err e = {0};
	char *data;

	if (read_file(path, NULL, &data, size, &e))
		fail_msg("%s", e.msg);
	data = mem_resize(data, *size + 1, 1);
	data[*size] = 0;
	return data;
}

static inline uint64_t sm_node(const struct fabric *f)
{
	assert_int_not_equal(f->sm_endport, NO_ID);
	return f->node_guid[endport_node(f, f->sm_endport)];
}

/* Two fabrics are the same but for source, format and warnings. */
static inline void same_fabric(const struct fabric *a, const struct fabric *b)
{
	assert_int_equal(a->n_nodes, b->n_nodes);
	assert_int_equal(a->n_ports, b->n_ports);
	assert_int_equal(a->n_links, b->n_links);
	assert_int_equal(a->n_endports, b->n_endports);
	assert_int_equal(a->sm_endport, b->sm_endport);
	for (uint32_t n = 0; n < a->n_nodes; n++) {
		assert_int_equal(a->node_type[n], b->node_type[n]);
		assert_int_equal(a->node_guid[n], b->node_guid[n]);
		assert_int_equal(a->node_sysguid[n], b->node_sysguid[n]);
		assert_int_equal(a->node_vendor[n], b->node_vendor[n]);
		assert_int_equal(a->node_device[n], b->node_device[n]);
		assert_string_equal(a->node_desc[n], b->node_desc[n]);
	}
	for (uint32_t p = 0; p < a->n_ports; p++) {
		assert_int_equal(a->port_guid[p], b->port_guid[p]);
		assert_int_equal(a->port_peer[p], b->port_peer[p]);
		assert_int_equal(a->port_lid[p], b->port_lid[p]);
		assert_int_equal(a->port_lmc[p], b->port_lmc[p]);
		assert_int_equal(a->port_width[p], b->port_width[p]);
		assert_int_equal(a->port_speed[p], b->port_speed[p]);
	}
	for (uint32_t s = 0; s < a->n_switches; s++)
		assert_int_equal(a->switch_esp0[s], b->switch_esp0[s]);
}

static inline struct fabric *written(const struct fabric *f)
{
	struct fabric *g = NULL;
	struct err e = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(write_ibnetdiscover(out, f, NULL, NULL, NULL), 0);
	fclose(out);
	if (fabric_parse("written", text, size, &g, &e))
		fail_msg("%s", e.msg);
	free(text);
	return g;
}

static inline void round_trip(const char *file)
{
	struct fabric *f = load(file), *g = written(f);

	same_fabric(f, g);
	assert_int_equal(g->warnings.n, count_warnings(f, "slow link"));
	fabric_unref(f);
	fabric_unref(g);
}

/* Records of ibnetdiscover: one switch, one CA. */
#define SW_HEAD "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xa0\nswitchguid=0xa1(a1)\n"
#define SW_LINE "Switch\t4 \"S-00000000000000a1\"\t\t# \"sw\" enhanced port 0 lid 3 lmc 0\n"
#define CA_RECORD                                                    \
	"vendid=0x2c9\ndevid=0x101b\nsysimgguid=0xb0\ncaguid=0xb1\n" \
	"Ca\t1 \"H-00000000000000b1\"\t\t# \"host\"\n"               \
	"[1](b2) \t\"S-00000000000000a1\"[1]\t\t# lid 4 lmc 1 \"sw\" lid 3 4xHDR\n"
#define SW_PORT "[1]\t\"H-00000000000000b1\"[1](b2) \t\t# \"host\" lid 4 4xHDR\n"

/* Lines that are understood, so that one that is not is less than one in ten: two hosts cabled to each other.
 */
#define MORE_RECORDS                                                                                 \
	"\nvendid=0x2c9\ndevid=0x101b\nsysimgguid=0xe0\ncaguid=0xe1\nCa\t1 \"H-00000000000000e1\"\n" \
	"[1](e2) \"H-00000000000000f1\"[1](f2)\n\n"                                                  \
	"vendid=0x2c9\ndevid=0x101b\nsysimgguid=0xf0\ncaguid=0xf1\nCa\t1 \"H-00000000000000f1\"\n"   \
	"[1](f2) \"H-00000000000000e1\"[1](e2)\n\n"
/* The same in ibsim's way and in db_csv: twenty nodes without a cable. */
#define MORE_IBSIM                                                                                           \
	"\nHca 1 \"q1\"\n\nHca 1 \"q2\"\n\nHca 1 \"q3\"\n\nHca 1 \"q4\"\n\nHca 1 \"q5\"\n\nHca 1 \"q6\"\n\n" \
	"Hca 1 \"q7\"\n\nHca 1 \"q8\"\n\nHca 1 \"q9\"\n\nHca 1 \"r1\"\n\nHca 1 \"r2\"\n\nHca 1 \"r3\"\n\n"   \
	"Hca 1 \"r4\"\n\nHca 1 \"r5\"\n\nHca 1 \"r6\"\n\nHca 1 \"r7\"\n\nHca 1 \"r8\"\n\nHca 1 \"r9\"\n\n"   \
	"Hca 1 \"s1\"\n\nHca 1 \"s2\"\n\n"
#define MORE_NODES                                                                                         \
	"START_NODES\nNodeGUID,NodeType,NumPorts\n0xe01,1,1\n0xe02,1,1\n0xe03,1,1\n0xe04,1,1\n0xe05,1,1\n" \
	"0xe06,1,1\n0xe07,1,1\n0xe08,1,1\n0xe09,1,1\n0xe10,1,1\n0xe11,1,1\n0xe12,1,1\n0xe13,1,1\n"         \
	"0xe14,1,1\n0xe15,1,1\n0xe16,1,1\n0xe17,1,1\n0xe18,1,1\n0xe19,1,1\n0xe20,1,1\nEND_NODES\n"

/* One end of a link in opensm-subnet.lst. */
#define LST_END(type, guid, pguid, desc, lid, pn)                                           \
	"{ " type " Ports:02 SystemGUID:0000000000000000 NodeGUID:" guid " PortGUID:" pguid \
	" VenID:0002C9 DevID:1003 Rev:000000A1 {" desc "} LID:" lid " PN:" pn " }"
#define MORE_LST_CABLE(pn)                       \
	LST_END("SW", "e1", "e1", "e", "E1", pn) \
	" " LST_END("SW", "f1", "f1", "f", "F1", pn) " PHY=4x LOG=ACT SPD=10\n"
#define LST_CABLES(a, b, c, d) MORE_LST_CABLE(a) MORE_LST_CABLE(b) MORE_LST_CABLE(c) MORE_LST_CABLE(d)
#define MORE_LST_LOW LST_CABLES("01", "02", "03", "04") LST_CABLES("05", "06", "07", "08")
#define MORE_LST_HIGH LST_CABLES("09", "0A", "0B", "0C") LST_CABLES("0D", "0E", "0F", "10")
#define MORE_LST MORE_LST_LOW MORE_LST_HIGH

#endif
