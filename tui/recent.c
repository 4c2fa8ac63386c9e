/* The files loaded last, for the pane `start`. They are kept where the history is, for the person alone. */
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
#include "core/base/text.h"
#include "tui/ui.h"

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
	char *path = state_file("files");
	struct stat st;
	FILE *f = path && !stat(path, &st) && S_ISREG(st.st_mode) ? infile_open(path, NULL) : NULL;
	struct text line = {0};

	while (f && n_files < RECENT_MOST && read_text_line(f, path, &line, NULL) > 0) {
		line.s[strcspn(line.s, "\n")] = 0;
		if (*line.s == '/' && !access(line.s, R_OK))
			file[n_files++] = str_dup(line.s);
	}
	text_free(&line);
	if (f)
		fclose(f);
	free(path);
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
	char *path = state_file("files"), *temp = state_file("files.new");
	int fd = -1;
	FILE *f;
	bool good;

	if (path && !unlink(temp))
		errno = 0; /* left by a program that died */
	if (path)
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f) {
		for (size_t i = 0; i < n_files; i++)
			fprintf(f, "%s\n", file[i]);
		good = !ferror(f);
		good &= !fclose(f);
		if (!good || rename(temp, path))
			unlink(temp);
	}
	free(path);
	free(temp);
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
