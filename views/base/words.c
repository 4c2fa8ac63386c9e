/* Helpers that panes share: names as words of the command language, labels, bars. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/fabric/labels.h"
#include "views/base/view.h"

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->s)
		t->s[0] = 0;
}

void number_cell(int64_t n, struct text *t)
{
	text_add(t, n < 0 ? "-" : "%" PRId64, n);
}

unsigned digits(uint64_t n, unsigned least)
{
	unsigned d = 1;

	while (n >= 10) {
		n /= 10;
		d++;
	}
	return MAX(d, least);
}

const char *direction_sign(char direction, const char *none)
{
	return direction == 'U' ? "↑" : direction == 'D' ? "↓" : direction == '=' ? "↔" : none;
}

void word_text(const char *s, struct text *t)
{
	char *word = strpbrk(s, "*?[]%") ? NULL : word_quoted(s);

	if (word)
		text_add(t, "%s", word);
	else
		word_add_quoted(t, s);
	free(word);
}

/* Does the name alone mean this node? It must not be a number or pattern, and no other node may have it. */
static bool name_is_plain(const struct fabric *f, uint32_t node)
{
	const char *name = f->node_name[node];
	uint32_t n = f->n_nodes, lo = 0, hi = n;

	if (!*name || isdigit((unsigned char)*name) || strpbrk(name, "*?[]"))
		return false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcasecmp(f->node_name[f->by_name[mid]], name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && f->by_name[lo] == node &&
	       (lo + 1 == n || strcasecmp(f->node_name[f->by_name[lo + 1]], name));
}

void word_node(const struct fabric *f, uint32_t node, struct text *t)
{
	if (name_is_plain(f, node))
		word_text(f->node_name[node], t);
	else
		text_add(t, "0x%016" PRIx64, f->node_guid[node]);
}

void word_port(const struct fabric *f, uint32_t port, struct text *t)
{
	word_node(f, f->port_node[port], t);
	text_add(t, "[%u]", f->port_num[port]);
}

uint32_t ca_on_switch(const struct topo *tp, uint32_t sw)
{
	const struct fabric *f = tp->fabric;

	FOR_PORTS(f, sw, id) {
		uint32_t peer = tp->peer[id];

		if (peer != NO_ID && f->node_type[f->port_node[peer]] == NODE_CA)
			return peer;
	}
	return NO_ID;
}

void word_on_switch(const struct topo *tp, uint32_t sw, struct text *t)
{
	uint32_t ca = ca_on_switch(tp, sw);

	if (ca != NO_ID)
		word_port(tp->fabric, ca, t);
	else
		word_node(tp->fabric, tp->fabric->switch_node[sw], t);
}

void label_endport(const struct fabric *f, uint32_t ep, struct text *t)
{
	char buf[256];

	text_add(t, "%s", endport_label(f, ep, buf, sizeof(buf)));
}

void lid_label(const struct fabric *f, const struct lids *l, unsigned lid, struct text *t)
{
	uint32_t ep = lid_owner(l, lid);

	if (ep == NO_ID) {
		text_add(t, "LID %u (nobody's)", lid);
		return;
	}
	label_endport(f, ep, t);
	if (lid != l->base[ep])
		text_add(t, " +%u", lid - l->base[ep]);
}

void label_channel(const struct topo *tp, uint32_t port, bool arrival, struct text *t)
{
	const struct fabric *f = tp->fabric;
	uint32_t peer = tp->peer[port];
	char buf[256];

	text_add(t, "%s → ", port_label(f, port, buf, sizeof(buf)));
	if (peer == NO_ID)
		return;
	if (arrival)
		text_add(t, "[%s]", port_number(f, peer, buf, sizeof(buf)));
	text_add(t, "%s", f->node_name[f->port_node[peer]]);
}

uint8_t label_width(const struct fabric *f, uint32_t node, bool far)
{
	size_t most = 0;

	for (unsigned p = 1; node != NO_ID && p <= f->node_nports[node]; p++) {
		uint32_t own = f->node_port[node] + p, port = far ? f->port_peer[own] : own;
		const char *label = port == NO_ID ? NULL : fabric_port_label(f, port);
		size_t len = label ? strlen(label) : 0;

		most = MAX(len, most);
	}
	return most && most < strlen("label") ? (uint8_t)strlen("label") : (uint8_t)most;
}

void label_of_port(const struct fabric *f, uint32_t port, struct text *t)
{
	const char *label = fabric_port_label(f, port);

	text_add(t, "%s", label ? label : "");
}

void word_bar(uint64_t n, uint64_t most, unsigned cells, struct text *t)
{
	unsigned full = most ? (unsigned)((double)n / (double)most * cells + 0.5) : 0;

	for (unsigned i = 0; i < full; i++)
		text_add(t, "█");
	if (n && !full)
		text_add(t, "·");
}
