#include "views/analysis/cause_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mix.h"
#include "core/session/commands/commands.h"

void cause_rows_load(struct view *v, struct cause_rows *r, const struct cause *c, size_t n)
{
	const struct last_seen seen = session_last_seen(v->scene->session);

	v->n_rows = (uint32_t)n;
	*r = (struct cause_rows){c, v->n_rows, VIEW_ARRAY(v, n, char *)};
	for (uint32_t i = 0; i < r->n; i++)
		if (c[i].kind == CAUSE_PORT && !c[i].last)
			r->last[i] = seen.peer(seen.ctx, v->scene->fabric->node_guid[c[i].node], c[i].port);
}

void cause_rows_free(struct cause_rows *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		free(r->last[i]);
}

void cause_cell(const struct cause_rows *r, uint32_t row, const struct column *col, struct text *t)
{
	if (r->last[row] && !strcmp(col->name, "last peer"))
		text_add(t, "%s", r->last[row]);
	else
		field_cell(field_of_column(cause_fields, col->name), &r->c[row], t);
}

int64_t cause_number(const struct cause_rows *r, uint32_t row, const struct column *col)
{
	return field_number(field_of_column(cause_fields, col->name), &r->c[row]);
}

unsigned cause_marks(const struct cause *c)
{
	return c->pairs || c->kind < CAUSE_RULE ? MARK_DOWN : MARK_CHANGED;
}

bool cause_about(const struct view *v, const struct cause *c, struct subject *s)
{
	s->key = mix(c->kind, c->key);
	for (const char *w = c->why; *w; w++)
		s->key = mix(s->key, (unsigned char)*w);
	if (c->node == NO_ID)
		return false;
	if (c->port)
		subject_port(v, v->scene->fabric->node_port[c->node] + c->port, s);
	else
		subject_node(v, c->node, s);
	return true;
}
