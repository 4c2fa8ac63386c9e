/* Command why: why.c an entry and its ports, why_path.c paths, why_step.c at a step of a walk. */
#ifndef IBSCOPE_WHY_H
#define IBSCOPE_WHY_H

#include "core/analysis/credit/turns.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/fabric/labels.h"
#include "core/session/commands/commands.h"
#include "core/sm/ucast_cache.h"
#include "core/trace/walk.h"

/* What an engine told about one entry. */
struct why_heard {
	bool told;
	bool passed_by; /* the engine told its candidates, and the port that is asked about is none */
	uint8_t port;
	struct decided decided, against;
};

void why_heard_free(struct why_heard *h);
/* Take a choice in; the last one counts. */
void why_hear(struct why_heard *h, const struct rec_choice *c);
/* Give an entry its rule where the engine told none. */
void why_settle(const struct sweep *w, uint32_t sw, unsigned lid, struct why_heard *h);

struct why {
	struct session *s;
	const struct sweep *w;	 /* at a step: that step */
	const struct walk *walk; /* NULL: the present is told of */
	struct out *o;
	uint32_t sw;
	unsigned lid;
	bool quiet; /* the choice is recorded, but not printed */
	struct why_heard heard;
};

/* Let the engine tell about the entry of y->sw for y->lid again; via: also against this port (0: none). */
int why_listen(struct why *y, unsigned via, struct err *e);
/* Run the engine once more with a question: that in force, or that of the walk. */
int why_repeat(const struct why *y, const struct rec_ask *q, struct err *e);
/* Is an entry undecided at the step? Then t says until when.  *when: the step that decides it, 0: none. */
bool why_open(const struct why *y, uint32_t sw, unsigned lid, struct text *t, size_t *when);
/* Say so of the entry of y->sw for y->lid, or that it is decided again later.  False: neither is so. */
bool why_entry_open(struct why *y);
bool why_entry_early(struct why *y);
/* "Decided: RULE: sentence", and the same as JSON. */
void why_end(const struct why *y, const struct decided *d);
/* Weigh a port of y->sw for y->lid; end with the rule against it, or for it.  tell: say all of it. */
int why_port(struct why *y, unsigned port, bool tell, struct err *e);

/* "leaf-01[5] -U-> spine-01[3] -D-> leaf-02"; a plain arrow where there is no direction. */
void why_add_way(const struct routing *r, const struct path_hop *hop, unsigned n, struct text *t);
/* Where a way breaks the rule of up and down, in words and as JSON.  Nothing when it keeps the rule. */
void why_turn(const struct why *y, const struct path_hop *hop, unsigned n);

int why_pair(struct why *y, const struct args *args, struct err *e);  /* why HOST DST */
int why_given(struct why *y, const struct args *args, struct err *e); /* why NODE NODE NODE... */
/*
 * One line for each switch of a path, with its rule (tell), and at the end the rule that mattered most.  The
 * engine is asked for the rule of the layer.
 */
int why_story(struct why *y, const struct path *p, bool tell, struct err *e);

#endif
