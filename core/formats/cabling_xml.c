/* ibfabricconf.xml: for each node a list of ports with the port and node at the other end. */
#include "core/base/memory.h"
#include "core/base/progress.h"
#include "core/formats/cabling.h"
#include "core/formats/readers.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

/* Expat 2.9 deprecates XML_GetCurrentLineNumber. */
#if XML_MAJOR_VERSION * 100 + XML_MINOR_VERSION >= 209
#define CURRENT_LINE(xml) ((unsigned)XML_GetCurrentLineNumber64(xml))
#else
#define CURRENT_LINE(xml) ((unsigned)XML_GetCurrentLineNumber(xml))
#endif

#define PIECE (1 << 20) /* bytes between two checks for cancelling */

struct rate {
	uint8_t width, speed;
};

struct cabling_xml_reader {
	struct cabling *c;
	XML_Parser xml;
	/* of <fabric>, <linklist>, <port>; an element without a rate has that of the one around it */
	struct rate all, list, cable;
	char *node, *port; /* present ones */
	struct text peer_port, peer_node;
	struct text *into; /* receives the text of the present element */
	unsigned line;
	bool known; /* the outermost element was <fabric> or <linklist> */
};

static const char *attribute(const char **list, const char *name)
{
	for (; *list; list += 2)
		if (!strcmp(*list, name))
			return list[1];
	return NULL;
}

static struct rate cabling_xml_rate_of(struct rate around, const char **list)
{
	const char *width = attribute(list, "width"), *speed = attribute(list, "speed");

	if (width)
		around.width = link_width_parse(width, strlen(width));
	if (speed)
		around.speed = link_speed_parse(speed, strlen(speed));
	return around;
}

static void cabling_xml_keep(char **to, const char *text)
{
	free(*to);
	*to = text ? str_dup(text) : NULL;
}

static void cabling_xml_begin(void *ctx, const char *name, const char **list)
{
	struct cabling_xml_reader *r = ctx;

	if (!strcmp(name, "fabric")) {
		r->known = true;
		r->all = cabling_xml_rate_of(r->all, list);
	} else if (!strcmp(name, "linklist")) {
		r->known = true;
		cabling_xml_keep(&r->node, attribute(list, "name"));
		r->list = cabling_xml_rate_of(r->all, list);
	} else if (!strcmp(name, "port")) {
		cabling_xml_keep(&r->port, attribute(list, "num"));
		r->cable = cabling_xml_rate_of(r->list, list);
		r->line = CURRENT_LINE(r->xml);
		text_free(&r->peer_port);
		text_free(&r->peer_node);
	}
	r->into = !strcmp(name, "r_port") ? &r->peer_port : !strcmp(name, "r_node") ? &r->peer_node : NULL;
}

static void cabling_xml_end(void *ctx, const char *name)
{
	struct cabling_xml_reader *r = ctx;
	struct cursor text[4] = {cur_text(r->node), cur_text(r->port), cur_text(text_str(&r->peer_node)),
				 cur_text(text_str(&r->peer_port))};

	r->into = NULL;
	if (strcmp(name, "port"))
		return;
	if (!r->port || !cabling_add(r->c, text, r->cable.width, r->cable.speed, r->line))
		cabling_odd(r->c, r->line,
			    "<port num=...> with <r_port> and <r_node> in a <linklist name=...>",
			    cur_text("<port>"));
}

static void cabling_xml_characters(void *ctx, const char *s, int len)
{
	struct cabling_xml_reader *r = ctx;

	if (r->into && r->into->len < LINE_BYTES_MOST)
		text_add(r->into, "%.*s", len, s);
}

int cabling_xml(const struct input *in, struct cabling *c, struct err *e)
{
	struct cabling_xml_reader r = {.c = c, .xml = XML_ParserCreate(NULL)};
	enum XML_Status status = XML_STATUS_OK;
	int rc = 0;

	if (!r.xml)
		mem_exhausted(PIECE);
	c->format = "ibfabricconf";
	XML_SetUserData(r.xml, &r);
	XML_SetElementHandler(r.xml, cabling_xml_begin, cabling_xml_end);
	XML_SetCharacterDataHandler(r.xml, cabling_xml_characters);
	for (size_t at = 0; at < in->size && status == XML_STATUS_OK && !progress_cancelled(in->progress);) {
		size_t n = in->size - at < PIECE ? in->size - at : PIECE;

		status = XML_Parse(r.xml, in->data + at, (int)n, at + n == in->size);
		at += n;
	}
	if (status != XML_STATUS_OK)
		rc = err_set(e, "%s:%u: found %s, expected XML with <fabric> and <linklist>", in->name,
			     CURRENT_LINE(r.xml), XML_ErrorString(XML_GetErrorCode(r.xml)));
	else if (!r.known)
		rc = err_set(e, "%s: found other XML, expected <fabric> with <linklist name=...>", in->name);
	XML_ParserFree(r.xml);
	free(r.node);
	free(r.port);
	text_free(&r.peer_port);
	text_free(&r.peer_node);
	return rc;
}
