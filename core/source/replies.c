#include "core/source/replies.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include "core/fabric/builder.h"

#define SLOTS 64 /* requests remembered, by number; far fewer are under way */

static struct {
	uint32_t number, modifier;
	uint16_t attribute;
} asked[SLOTS];
static struct fabric_builder *seen; /* nodes by their first NodeInfo */

static uint32_t number_of_mad(void *mad)
{
	return (uint32_t)mad_get_field64(mad, 0, IB_MAD_TRID_F);
}

void reply_expected(void *mad)
{
	uint32_t number = number_of_mad(mad), at = number % SLOTS;

	asked[at].number = number;
	asked[at].attribute = (uint16_t)mad_get_field(mad, 0, IB_MAD_ATTRID_F);
	asked[at].modifier = mad_get_field(mad, 0, IB_MAD_ATTRMOD_F);
}

/* What is wrong with a NodeInfo; NULL: nothing. */
static const char *wrong_node(void *info)
{
	uint64_t guid = mad_get_field64(info, 0, IB_NODE_GUID_F);
	unsigned type = mad_get_field(info, 0, IB_NODE_TYPE_F),
		 nports = mad_get_field(info, 0, IB_NODE_NPORTS_F);
	uint32_t at;

	if (mad_get_field(info, 0, IB_NODE_LOCAL_PORT_F) > nports)
		return "it came in by a port that the node does not have";
	seen = seen ? seen : fb_new();
	at = fb_find(seen, guid);
	if (at == NO_ID && seen->n == MAX_LID)
		return "there are more nodes than a subnet has LIDs";
	if (at == NO_ID)
		at = fb_add(seen, type, guid, nports, NULL);
	return seen->node[at].type == type && seen->node[at].nports == nports
		       ? NULL
		       : "another node of this GUID has another type or number of ports";
}

void reply_look_at(void *umad)
{
	uint8_t *mad = umad_get_mad(umad), *data = mad + IB_SMP_DATA_OFFS;
	uint32_t number = number_of_mad(mad), at = number % SLOTS;
	const char *wrong = NULL;

	if (umad_status(umad) || !asked[at].attribute || asked[at].number != number)
		return;
	if (mad_get_field(mad, 0, IB_MAD_ATTRID_F) != asked[at].attribute ||
	    mad_get_field(mad, 0, IB_MAD_ATTRMOD_F) != asked[at].modifier)
		wrong = "it answers what was not asked";
	else if (asked[at].attribute == IB_ATTR_NODE_INFO && !mad_get_field(mad, 0, IB_DRSMP_STATUS_F))
		wrong = wrong_node(data);
	if (!wrong)
		return;
	fprintf(stderr, "a reply is not taken (attribute 0x%04x, node 0x%016" PRIx64 "): %s\n",
		asked[at].attribute,
		asked[at].attribute == IB_ATTR_NODE_INFO ? mad_get_field64(data, 0, IB_NODE_GUID_F) : 0,
		wrong);
	mad_set_field(mad, 0, IB_MAD_ATTRID_F, asked[at].attribute);
	mad_set_field(mad, 0, IB_MAD_ATTRMOD_F, asked[at].modifier);
	((struct ib_user_mad *)umad)->status = EPROTO;
}
