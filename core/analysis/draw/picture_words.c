/* What is told of switches and cables to a reader who does not see the drawing, and to a program. */
#include <inttypes.h>

#include "core/analysis/draw/picture.h"
#include "core/base/text.h"
#include "core/routing/routing.h"

/* A second element of the same thing has a number behind its id. */
static void end_id(FILE *to, unsigned again)
{
	if (again)
		fprintf(to, "-%u", again);
	putc('"', to);
}

void picture_switch_id(FILE *to, const struct fabric *f, uint32_t sw, unsigned again)
{
	uint64_t guid = f->node_guid[f->switch_node[sw]];

	fprintf(to, " id=\"node-%016" PRIx64, guid);
	end_id(to, again);
	fprintf(to, " data-guid=\"0x%016" PRIx64 "\"", guid);
}

void picture_switch_words(FILE *to, const struct fabric *f, const struct picture_look *look, uint32_t sw)
{
	const struct routing *r = look->ranks;
	unsigned lid = node_lid(f, look->lids, f->switch_node[sw]);
	uint32_t rank = r && r->ops->rank && switch_up(r->topo, sw) ? r->ops->rank(r, sw) : NO_RANK;

	svg_text(to, switch_name(f, sw));
	putc(':', to);
	if (lid)
		fprintf(to, " LID %u,", lid);
	if (rank != NO_RANK)
		fprintf(to, " rank %u,", rank);
}

/* Numbers of these ports, or of those at the other ends of their cables. */
static void picture_words_put_numbers(FILE *to, const struct fabric *f, const uint32_t *port, uint32_t n,
				      bool peers)
{
	for (uint32_t k = 0; k < n; k++)
		fprintf(to, k ? " %u" : "%u", f->port_num[peers ? f->port_peer[port[k]] : port[k]]);
}

void picture_cables_id(FILE *to, const struct fabric *f, const char *kind, const uint32_t *port, uint32_t n,
		       unsigned again)
{
	uint64_t guid = f->node_guid[f->port_node[*port]],
		 peer = f->node_guid[f->port_node[f->port_peer[*port]]];

	fprintf(to, " id=\"%s-%016" PRIx64 "-%u", kind, guid, f->port_num[*port]);
	end_id(to, again);
	fprintf(to, " data-guid=\"0x%016" PRIx64 "\" data-port=\"", guid);
	picture_words_put_numbers(to, f, port, n, false);
	fprintf(to, "\" data-peer-guid=\"0x%016" PRIx64 "\" data-peer-port=\"", peer);
	picture_words_put_numbers(to, f, port, n, true);
	putc('"', to);
}

void picture_cables_words(FILE *to, const struct fabric *f, const uint32_t *port, uint32_t n)
{
	svg_text(to, f->node_name[f->port_node[*port]]);
	putc('[', to);
	picture_words_put_numbers(to, f, port, n, false);
	fputs("] to ", to);
	svg_text(to, f->node_name[f->port_node[f->port_peer[*port]]]);
	putc('[', to);
	picture_words_put_numbers(to, f, port, n, true);
	putc(']', to);
}
