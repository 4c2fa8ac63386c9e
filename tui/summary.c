/* What the first screen shows: the summary of a fabric, files loaded last, start files, the engine proposed.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/formats/conf.h"
#include "tui/keymap.h"
#include "tui/ui.h"
#include "views/analysis/doctor.h"
#include "views/base/view.h"

/* The line of the first screen: what doctor would tell about a fabric that was just loaded. It is computed
 * when nothing else is to do, and printed once. Artificial fabrics (by `synth`, or files of a simulator) have
 * none. */

/* Is there anything to report that was not reported yet? */
static bool tui_summary_wanted(const struct scene *sc)
{
	return sc->fabric &&
	       (strcmp(sc->fabric->format, "synthetic") && strcmp(sc->fabric->format, "ibsim")) &&
	       !(ui.told_source && !strcmp(ui.told_source, sc->fabric->source)) && worker_idle();
}

bool summary_first(void)
{
	const struct fabric *f = ui.scene.fabric;

	return f && (!strcmp(f->format, "live") || setup_tables(ui.session->setup));
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

	if (!tui_summary_wanted(sc))
		return;
	a.base = doctor_question(sc);
	const struct result *r = a.base ? scene_result(sc, &a) : NULL;
	if (!r)
		return;
	if (r->value) {
		const struct diagnosis *d = r->value;
		const struct binding *b = keymap_which(&ui.keys, "all", ":pane doctor");
		char key[64];
		AUTO_TEXT struct text t = {0};

		text_add(&t, "Doctor: ");
		if (!d->count[SEVERITY_ERROR] && !d->count[SEVERITY_WARNING])
			text_add(&t, "nothing wrong found%s", d->n ? ", " : "");
		if (d->n)
			diagnosis_tell_counts(d, &t);
		if (b)
			text_add(&t, ": press %s", keys_text(b->key, b->n, key, sizeof(key)));
		text_putc(&t, '\n');
		if (summary_first()) {
			triage_tell_not_looked(d, &t);
			text_putc(&t, '\n');
		}
		repl_print(text_str(&t), t.len);
	}
	free(ui.told_source);
	ui.told_source = str_dup(sc->fabric->source);
}

/* The files loaded last, for the pane `start`. They are kept where the history is, for the person alone. */

static char *file[RECENT_MOST];
static size_t n_files;

char *state_file(const char *name)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (permit_reads_only())
		return NULL;
	if (state && *state == '/')
		return str_printf("%s/ibscope/%s", state, name);
	return home && *home ? str_printf("%s/.local/state/ibscope/%s", home, name) : NULL;
}

static void recent_publish(void)
{
	ui.scene.recent = (const char *const *)file;
	ui.scene.n_recent = n_files;
}

void recent_start(void)
{
	AUTO_FREE char *path = state_file("files");
	struct stat st;
	FILE *f = path && !stat(path, &st) && S_ISREG(st.st_mode) ? infile_open(path, NULL) : NULL;
	struct text line = {0};

	assert(!n_files); /* once, or again after recent_stop() */
	while (f && n_files < RECENT_MOST && read_text_line(f, path, &line, NULL) > 0) {
		line.s[strcspn(line.s, "\n")] = 0;
		if (*line.s == '/' && !access(line.s, R_OK))
			file[n_files++] = str_dup(line.s);
	}
	text_free(&line);
	if (f)
		fclose(f);
	recent_publish();
}

void recent_stop(void)
{
	while (n_files)
		free(file[--n_files]);
	recent_publish();
}

/* Writes a new file and puts it in the place of the old one. Where that is not possible nothing is kept. */
static void recent_keep(void)
{
	AUTO_FREE char *path = state_file("files"), *temp = state_file("files.new");
	int fd = -1;

	if (path && !unlink(temp))
		errno = 0; /* left by a program that died */
	if (path)
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f) {
		for (size_t i = 0; i < n_files; i++)
			fprintf(f, "%s\n", file[i]);
		bool good = !ferror(f);
		good &= !fclose(f);
		if (!good || rename(temp, path))
			unlink(temp);
	}
}

void recent_note(const char *path)
{
	char real[PATH_MAX];
	size_t at = 0;

	if (!realpath(path, real) || strchr(real, '\n') || (n_files && !strcmp(file[0], real)))
		return;
	while (at < n_files && strcmp(file[at], real))
		at++;
	if (at == RECENT_MOST)
		at--;
	if (at < n_files)
		free(file[at]);
	else
		n_files++;
	memmove(file + 1, file, at * sizeof(*file));
	file[0] = str_dup(real);
	recent_publish();
	recent_keep();
}

/* Returns the path if it is a readable file, else NULL. Takes the path over. */
static char *if_file(char *path)
{
	struct stat st;

	if (path && !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

static char *in_etc(const char *name)
{
	const char *etc = getenv("IBSCOPE_ETC");

	return if_file(str_printf("%s/%s", etc && *etc ? etc : "/etc", name));
}

size_t rc_files(char *path[RC_FILES])
{
	AUTO_FREE char *user = keymap_user_folder();
	size_t n = 0;

	path[n] = in_etc("ibscope/rc");
	n += path[n] != NULL;
	path[n] = user ? if_file(str_printf("%s/rc", user)) : NULL;
	n += path[n] != NULL;
	return n;
}

char *default_node_names(void)
{
	/* Debian's infiniband-diags, OpenSM's tools, and the path of older packages */
	static const char *const names[] = {"rdma/ib-node-name-map", "opensm/ib-node-name-map",
					    "infiniband-diags/ib-node-name-map"};
	char *path = NULL;

	for (size_t i = 0; !path && i < sizeof(names) / sizeof(*names); i++)
		path = in_etc(names[i]);
	return path;
}

/* The engine that is proposed for a fabric which no engine has routed: the one of an opensm.conf beside the
 * file; where the switches' tables are known, the one by which `drift` explains them best; else Min Hop. */

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
	AUTO_OPTIONS struct options *o = options_copy(sc->event->setup->options);
	AUTO_FREE char *engines = NULL;
	int rc = conf_read(o, path, NULL, &engines, NULL, NULL);

	if (!rc) {
		text_add(line, "config ");
		word_text(path, line);
		if (!engines)
			text_add(line, "; route minhop");
		text_add(why, engines ? "%s names %s" : "%s names no engine: OpenSM takes %s", path,
			 engines ? engines : "minhop");
	}
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
	if (!propose_wanted(sc) || !propose_tables_read(sc))
		return false;
	AUTO_FREE char *conf = conf_beside(sc->fabric->source);
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

	if (!propose_wanted(sc))
		return false;
	AUTO_FREE char *conf = conf_beside(sc->fabric->source);
	bool any = conf && from_conf(sc, conf, line, why);
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
	AUTO_TEXT struct text line = {0}, why = {0};
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
}
