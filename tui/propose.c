/*
 * The engine that is proposed for a fabric which no engine has routed: the one of an opensm.conf beside the
 * file; where the switches' tables are known, the one by which `drift` explains them best; else Min Hop.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/formats/conf.h"
#include "tui/ui.h"
#include "views/analysis/drift.h"
#include "views/base/question.h"

/* Are the tables in force those that were read? */
static bool propose_tables_read(const struct scene *sc)
{
	const struct routing *r = scene_real_routing(sc);

	return r && (!strcmp(r->engine, "tables") || !strcmp(r->engine, "live"));
}

static bool propose_wanted(const struct scene *sc)
{
	return sc->fabric && !sc->moment && worker_idle() &&
	       (!scene_real_routing(sc) || propose_tables_read(sc));
}

/* The opensm.conf in the folder of the file, or in the folder that was loaded; NULL = none. Owned. */
static char *conf_beside(const char *source)
{
	const char *slash = strrchr(source, '/');
	struct stat st;
	char *path;

	if (stat(source, &st))
		return NULL;
	if (S_ISDIR(st.st_mode))
		path = str_printf("%s/opensm.conf", source);
	else
		path = slash ? str_printf("%.*s/opensm.conf", (int)(slash - source), source)
			     : str_dup("opensm.conf");
	if (!stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

/* Its line. False: the file cannot be used. */
static bool from_conf(const struct scene *sc, const char *path, struct text *line, struct text *why)
{
	struct options *o = options_copy(sc->event->setup->options);
	char *engines = NULL;
	int rc = conf_read(o, path, NULL, &engines, NULL, NULL);

	if (!rc) {
		text_add(line, "config ");
		word_text(path, line);
		if (!engines)
			text_add(line, "; route minhop");
		text_add(why, engines ? "%s names %s" : "%s names no engine: OpenSM takes %s", path,
			 engines ? engines : "minhop");
	}
	options_free(o);
	free(engines);
	return !rc;
}

/* The question to drift, kept as long as it is the same. */
static struct ask ask_drift(struct scene *sc)
{
	static const struct result *question;

	question = result_keep(question, sc->fabric ? sweep_question_new(sc) : NULL, &task_sweep_question);
	return (struct ask){.task = &task_drift, .sweep = sc->real, .base = question};
}

/* Is drift to be asked? The file of options comes first. */
static bool asks_drift(const struct scene *sc)
{
	char *conf;

	if (!propose_wanted(sc) || !propose_tables_read(sc))
		return false;
	conf = conf_beside(sc->fabric->source);
	free(conf);
	return !conf;
}

bool propose_ask(struct ask *a)
{
	if (!ui.scene.fabric || str_same(ui.proposed_for, ui.scene.fabric->source) || !asks_drift(&ui.scene))
		return false;
	*a = ask_drift(&ui.scene);
	return a->base && !scene_result(&ui.scene, a);
}

static bool from_drift(struct scene *sc, struct text *line, struct text *why)
{
	struct ask a = ask_drift(sc);
	const struct result *r = a.base ? scene_result(sc, &a) : NULL;
	const struct drift_answer *x = r ? r->value : NULL;

	if (!x)
		return false;
	text_add(line, "route %s", x->d->engine);
	text_add(why, "it explains %.1f %% of the tables", 100 * drift_agreement(x->d));
	return true;
}

bool propose_line(struct text *line, struct text *why)
{
	struct scene *sc = &ui.scene;
	char *conf;
	bool any;

	if (!propose_wanted(sc))
		return false;
	conf = conf_beside(sc->fabric->source);
	any = conf && from_conf(sc, conf, line, why);
	free(conf);
	if (any)
		return true;
	if (propose_tables_read(sc))
		return from_drift(sc, line, why);
	text_add(line, "route minhop");
	text_add(why, "OpenSM's default");
	return true;
}

void propose_tell(void)
{
	const struct binding *b = keymap_which(&ui.keys, "all", "propose");
	struct text line = {0}, why = {0};
	char key[64];

	if (!b || !ui.scene.fabric || str_same(ui.proposed_for, ui.scene.fabric->source))
		return;
	if (propose_line(&line, &why)) {
		repl_printf("%s: press %s for  %s  (%s)\n",
			    propose_tables_read(&ui.scene) ? "These tables were read" : "Not routed yet",
			    keys_text(b->key, b->n, key, sizeof(key)), text_str(&line), text_str(&why));
		free(ui.proposed_for);
		ui.proposed_for = str_dup(ui.scene.fabric->source);
	}
	text_free(&line);
	text_free(&why);
}
