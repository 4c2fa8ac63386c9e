/* The outage in words. */
#include <inttypes.h>

#include "core/analysis/compare/outage.h"
#include "core/base/text.h"

void outage_tell(const struct outage *x, struct text *t)
{
	text_add(t, "Until the next sweep %s", PLURAL(x->cut, "pair"));
	if (x->n_hosts)
		text_add(t, " of %s", PLURAL(x->n_hosts, "host port"));
	text_add(t, " %s cut", x->cut == 1 ? "is" : "are");
	if (x->end_down)
		text_add(t, " (%" PRIu64 " with an end that is down)", x->end_down);
	if (x->after == OUTAGE_NO_AFTER)
		text_add(t, "; no tables come after it.");
	else
		text_add(t, "; after it %" PRIu64 ".", x->after);
	if (x->hit > x->cut)
		text_add(t, " %s %s on by another port of the group (local_repair).",
			 PLURAL(x->hit - x->cut, "other pair"), x->hit - x->cut == 1 ? "goes" : "go");
	if (x->looping)
		text_add(t, " %" PRIu64 " of the cut ones loop behind a repair.", x->looping);
	if (x->adaptive)
		text_add(t, " Of packets that may be spread, %s can lose some.", PLURAL(x->spread, "pair"));
	if (x->all_peers)
		text_add(t, " %s of hosts with several ports %s cut on all paths.",
			 PLURAL(x->all_peers, "pair"), x->all_peers == 1 ? "is" : "are");
}

void outage_lids(const struct outage *x, const struct outage_port *p, struct text *t)
{
	const struct outage_entry *e = x->entry + p->first;

	for (uint32_t i = 0, n; i < p->lids; i += n) {
		for (n = 1; i + n < p->lids && e[i + n].lid == e[i].lid + n;)
			n++;
		text_add(t, n == 1 ? "%s%u" : "%s%u-%u", i ? " " : "", e[i].lid, e[i].lid + n - 1);
	}
}

const struct field outage_port_fields[] = {
	FIELD_BY_CODE("switch", "port", "the switch, and its port that leads nowhere; 0: it has no entry"),
	FIELD("pairs", struct outage_port, pairs, NULL, "pairs", "pairs that are lost there"),
	FIELD_BY_CODE("lids[]", "lid", "LIDs whose packets are lost there"),
	{.key = NULL},
};

const struct field outage_host_fields[] = {
	FIELD_BY_CODE("host", "endport", "the host port"),
	FIELD("pairs", struct outage_host, pairs, NULL, "pairs", "pairs of its own that are cut"),
	FIELD("sends", struct outage_host, sends, NULL, "from it", "of these: from it to others"),
	FIELD("receives", struct outage_host, receives, NULL, "to it", "of these: from others to it"),
	FIELD("down", struct outage_host, down, NULL, NULL, "it is down, or its cable or switch is"),
	{.key = NULL},
};

const struct field outage_peers_fields[] = {
	FIELD_BY_CODE("from", "node", "a host"),
	FIELD_BY_CODE("to", "node", "the other; one of the two at least has several ports"),
	FIELD("paths", struct outage_peers, paths, NULL, "paths",
	      "paths from its ports to LIDs of the other; all pass what failed"),
	{.key = NULL},
};

const struct field outage_job_fields[] = {
	FIELD("job", struct outage_job, name, NULL, "job", "number or name"),
	FIELD("hosts", struct outage_job, hosts, NULL, "hosts", "its host ports in the fabric"),
	FIELD("seen_by", struct outage_job, seen, NULL, "seen by", "of these: with pairs that are cut"),
	FIELD("pairs", struct outage_job, pairs, NULL, "pairs", "pairs between its hosts that are cut"),
	FIELD("end_down", struct outage_job, end_down, NULL, "end down", "of these: an end is down"),
	{.key = NULL},
};
