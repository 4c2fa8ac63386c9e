/*
 * The line of the first screen: what doctor would tell about a fabric that was just loaded. It is computed
 * when nothing else is to do, and printed once. Artificial fabrics (by `synth`, or files of a simulator) have
 * none.
 */
#include <stdlib.h>
#include <string.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "tui/ui.h"
#include "views/analysis/doctor.h"

/* Is there something to tell that was not told yet? */
static bool tui_summary_wanted(const struct scene *sc)
{
	return sc->fabric &&
	       (strcmp(sc->fabric->format, "synthetic") && strcmp(sc->fabric->format, "ibsim")) &&
	       !(ui.told_source && !strcmp(ui.told_source, sc->fabric->source)) && worker_idle();
}

bool summary_ask(struct ask *a)
{
	struct scene *sc = &ui.scene;

	if (!tui_summary_wanted(sc))
		return false;
	*a = (struct ask){.task = &task_doctor, .sweep = sc->real, .base = doctor_question(sc)};
	return a->base && !scene_result(sc, a);
}

void summary_take(void)
{
	struct scene *sc = &ui.scene;
	struct ask a = {.task = &task_doctor, .sweep = sc->real};
	const struct result *r;

	if (!tui_summary_wanted(sc))
		return;
	a.base = doctor_question(sc);
	r = a.base ? scene_result(sc, &a) : NULL;
	if (!r)
		return;
	if (r->value) {
		const struct diagnosis *d = r->value;
		const struct binding *b = keymap_which(&ui.keys, "all", ":pane doctor");
		char key[64];
		struct text t = {0};

		text_add(&t, "Doctor: ");
		if (!d->count[SEVERITY_ERROR] && !d->count[SEVERITY_WARNING])
			text_add(&t, "nothing wrong found%s", d->n ? ", " : "");
		if (d->n)
			diagnosis_tell_counts(d, &t);
		if (b)
			text_add(&t, ": press %s", keys_text(b->key, b->n, key, sizeof(key)));
		text_putc(&t, '\n');
		repl_print(text_str(&t), t.len);
		text_free(&t);
	}
	free(ui.told_source);
	ui.told_source = str_dup(sc->fabric->source);
}
