/*
 * SLs of paths and SL-to-VL maps that come from outside the engine: from files, as the switches of a live
 * fabric hold them, or as the subnet manager programs them with quality of service.  Values that are not
 * given here come from the engine (struct routing_ops); without one they are SL 0 and VL = SL.
 */
#ifndef IBSCOPE_SL_TABLES_H
#define IBSCOPE_SL_TABLES_H

#include "core/base/defs.h"
#include "core/fabric/fabric.h"

#define SL_TABLES_NO_SL 255
#define SL_TABLES_IDENTITY UINT64_C(0xfedcba9876543210)

/* A map of SLs to VLs: bits 4n .. 4n + 3 are the VL of SL n. */
typedef uint64_t sl2vl_map;

struct sl_tables {
	atomic_uint refs;
	uint32_t n_switches, n_endports;
	uint8_t *ports; /* [n_switches] */
	/* [n_switches] maps by port in and port out, at in * (ports + 1) + out; NULL: not known, VL = SL. */
	sl2vl_map **map;
	uint32_t n_maps; /* switches with one */
	sl2vl_map **out; /* [n_switches] maps by port out alone; used where map is NULL */
	bool one;	 /* every switch port has the map `all`; map and out are not looked at */
	sl2vl_map all;
	sl2vl_map *endport; /* [n_endports] maps of CA and router ports and of enhanced ports 0; NULL: not
			       known */
	uint8_t *
		*sl; /* [n_endports] of the source: SL by DLID, up to top; SL_TABLES_NO_SL, NULL: not given */
	bool assumed; /* `all` is VL 0 for want of knowledge: the engine's layers are not in force */
	/*
	 * The subnet manager programs the maps and uses them: its SA gives no path where SL 0 leads to VL
	 * 15.  closed: out of switches.
	 */
	bool programmed, closed;
	uint16_t top;
	uint64_t n_sls; /* pairs with one */
};

/* For a fabric's switches and endports, empty at first.  top: highest DLID that may get SLs. */
struct sl_tables *sl_tables_new(const struct fabric *f, uint16_t top);
struct sl_tables *sl_tables_ref(const struct sl_tables *l);
void sl_tables_unref(const struct sl_tables *l); /* NULL is fine */

/* Port numbers must be those of the switch.  What is not set for a switch stays VL = SL. */
void sl_tables_set_map(struct sl_tables *l, uint32_t sw, unsigned in, unsigned out, sl2vl_map m);
/* false: the endport or LID is not there. */
bool sl_tables_set_sl(struct sl_tables *l, uint32_t source, unsigned dlid, unsigned sl);

/* One map for all incoming ports.  A switch has either such maps or those of sl_tables_set_map(). */
void sl_tables_set_out(struct sl_tables *l, uint32_t sw, unsigned out, sl2vl_map m);
/* One for all ports of all switches. */
void sl_tables_set_all(struct sl_tables *l, sl2vl_map m);
/* Of a CA or router port, or of an enhanced port 0. */
void sl_tables_set_endport(struct sl_tables *l, uint32_t ep, sl2vl_map m);

/* Take the maps of another set for the same fabric instead of its own. */
void sl_tables_copy_maps(struct sl_tables *l, const struct sl_tables *from);

/* The maps, without SLs, on another fabric: found by GUID and port.  A new object. */
struct sl_tables *sl_tables_maps_on(const struct sl_tables *l, const struct fabric *from,
				    const struct fabric *to);

static inline sl2vl_map sl_tables_map(const struct sl_tables *l, uint32_t sw, unsigned in, unsigned out)
{
	unsigned ports = l->ports[sw];

	if (l->one)
		return l->all;
	if (l->map[sw] && in <= ports && out <= ports)
		return l->map[sw][in * (ports + 1) + out];
	return l->out[sw] && out <= ports ? l->out[sw][out] : SL_TABLES_IDENTITY;
}

static inline unsigned sl2vl_of(sl2vl_map m, unsigned sl)
{
	return m >> (4 * (sl & 15)) & 15;
}

/* From the eight bytes of an SLtoVLMappingTable: two VLs in a byte; the upper half is for the lower SL. */
static inline sl2vl_map sl2vl_of_bytes(const uint8_t bytes[8])
{
	sl2vl_map m = 0;

	for (unsigned i = 0; i < 8; i++)
		m |= (sl2vl_map)(bytes[i] >> 4 | (bytes[i] & 15) << 4) << 8 * i;
	return m;
}

/* SL_TABLES_NO_SL: not given. */
static inline unsigned sl_tables_sl(const struct sl_tables *l, uint32_t source, unsigned dlid)
{
	return l->sl[source] && dlid <= l->top ? l->sl[source][dlid] : SL_TABLES_NO_SL;
}

#endif
