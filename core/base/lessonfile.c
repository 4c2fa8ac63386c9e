#include "core/base/lessonfile.h"
#include "core/base/builtin.h"
#include "core/base/memory.h"
#include "core/base/permit.h"
#include "core/base/text.h"
#include "core/base/order.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "lessons/" /* folder of the files in the program */
#define ENDING ".lesson"

/* Folders of lessons, relative to the program. Programs of tests and of building lie deeper. */
static const char *const places[] = {"lessons", "../views/lessons", "../share/ibscope/lessons",
				     "../../views/lessons"};
#define FOLDERS (1 + ARRAY_LEN(places))

static char *user_folder(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		return str_printf("%s/ibscope/lessons", config);
	return home && *home ? str_printf("%s/.config/ibscope/lessons", home) : NULL;
}

static char *folder_near_program(const char *place)
{
	char *self = realpath("/proc/self/exe", NULL), *slash = self ? strrchr(self, '/') : NULL, *path;

	path = slash ? str_printf("%.*s/%s", (int)(slash - self), self, place) : NULL;
	free(self);
	return path;
}

/* The i-th of FOLDERS, or NULL. */
static char *folder(size_t i)
{
	return i ? folder_near_program(places[i - 1]) : user_folder();
}

const char *lesson_name(const char *word)
{
	static const char mark[] = "lesson:";

	return strncmp(word, mark, sizeof(mark) - 1) ? NULL : word + sizeof(mark) - 1;
}

/* Does the path lead to a file directly in one of these folders? */
static bool lesson_has_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	bool has = false;

	for (size_t i = 0; slash && i < FOLDERS && !has; i++) {
		char *in = folder(i);

		has = in && strlen(in) == (size_t)(slash - path) && !strncmp(in, path, strlen(in));
		free(in);
	}
	return has;
}

/* A file without a name, which this program has made (memfd_create()). */
static bool is_own_memory(const char *path)
{
	char own[32], to[32];
	int len = snprintf(own, sizeof(own), "/proc/%d/fd/", (int)getpid());
	ssize_t n = strncmp(path, own, (size_t)len) ? 0 : readlink(path, to, sizeof(to));

	return n > 7 && !memcmp(to, "/memfd:", 7);
}

int permitted_to_read(const char *path, struct err *e)
{
	bool of_lessons = lesson_name(path) || lesson_has_file(path) || is_own_memory(path);

	return of_lessons ? 0 : permitted(DEED_READ, path, e);
}

static bool lessonfile_is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

char *lesson_file(const char *name, struct err *e)
{
	struct builtin b;
	char *path;

	if (!*name || *name == '.' || strchr(name, '/')) {
		err_set(e, "found \"%.100s\", expected the name of a file of the lessons", name);
		return NULL;
	}
	for (size_t i = 0; i < FOLDERS; i++) {
		char *in = folder(i);

		path = in ? str_printf("%s/%s", in, name) : NULL;
		free(in);
		if (path && lessonfile_is_file(path))
			return path;
		free(path);
	}
	path = str_printf(BUILTIN FOLDER "%s", name);
	if (builtin_find(path, &b))
		return path;
	free(path);
	err_set(e, "there is no file %.100s among the lessons (views/lessons, share/ibscope/lessons)", name);
	return NULL;
}

struct names {
	char **name;
	size_t n, cap;
};

static void lessonfile_add_name(struct names *l, char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->name[i], name)) {
			free(name);
			return;
		}
	GROW(l->name, l->n, l->cap);
	l->name[l->n++] = name;
}

/* Adds a file of the lessons, if it is a lesson. */
static void add_file(struct names *l, const char *file, size_t len)
{
	const size_t ending = strlen(ENDING);

	if (*file != '.' && len > ending && !memcmp(file + len - ending, ENDING, ending))
		lessonfile_add_name(l, str_printf("%.*s", (int)(len - ending), file));
}

char **lesson_names(void)
{
	struct names l = {0};
	struct builtin b;

	for (size_t i = 0; builtin_at(i, &b); i++)
		if (b.name_len > strlen(FOLDER) && !memcmp(b.name, FOLDER, strlen(FOLDER)))
			add_file(&l, b.name + strlen(FOLDER), b.name_len - strlen(FOLDER));
	for (size_t i = 0; i < FOLDERS; i++) {
		char *in = folder(i);

		if (in) {
			DIR *dp = opendir(in);
			struct dirent *d;

			while (dp && (d = readdir(dp)))
				add_file(&l, d->d_name, strlen(d->d_name));
			if (dp)
				closedir(dp);
		}
		free(in);
	}
	if (l.n)
		qsort(l.name, l.n, sizeof(*l.name), order_texts);
	GROW(l.name, l.n, l.cap);
	l.name[l.n] = NULL;
	return l.name;
}
