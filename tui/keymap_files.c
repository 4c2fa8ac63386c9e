/* Where keymaps are found. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/base/builtin.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "tui/keymap.h"

char *keymap_user_folder(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		return str_printf("%s/ibscope", config);
	return home && *home ? str_printf("%s/.config/ibscope", home) : NULL;
}

static bool keymap_files_is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

/* NAME.keys in a folder, or NULL when there is no such file. */
static char *in_folder(const char *folder, const char *name)
{
	char *path = str_printf("%s/%s.keys", folder, name);

	if (keymap_files_is_file(path))
		return path;
	free(path);
	return NULL;
}

/* Near the program: beside it (a copied program), above it (the build folder), or where it is installed. */
static char *near_program(const char *program, const char *name)
{
	static const char *const places[] = {"keymaps", "../keymaps", "../share/ibscope/keymaps"};
	char *self = realpath(program, NULL), *slash = self ? strrchr(self, '/') : NULL, *path = NULL;

	if (slash)
		*slash = 0;
	for (size_t i = 0; slash && !path && i < sizeof(places) / sizeof(*places); i++) {
		char *folder = str_printf("%s/%s", self, places[i]);

		path = in_folder(folder, name);
		free(folder);
	}
	free(self);
	return path;
}

/* In the install folder, else in the program itself. NULL: nowhere. */
static char *installed_or_builtin(const char *folder, const char *name)
{
	char *path = in_folder(folder, name);
	struct builtin b;

	if (path)
		return path;
	path = str_printf(BUILTIN "keymaps/%s.keys", name);
	if (builtin_find(path, &b))
		return path;
	free(path);
	return NULL;
}

char *keymap_path(const char *name, const char *program, const char *installed)
{
	char *user, *path;

	if (keymap_files_is_file(name))
		return str_dup(name);
	user = keymap_user_folder();
	path = user ? in_folder(user, name) : NULL;
	free(user);
	if (!path)
		path = near_program(program, name);
	return path ? path : installed_or_builtin(installed, name);
}

char *keymap_given(const char *file, const char *program, const char *installed)
{
	size_t len = strlen(file);
	char *name, *path = NULL;

	if (len < 6 || strcmp(file + len - 5, ".keys") || strchr(file, '/'))
		return NULL;
	name = str_printf("%.*s", (int)len - 5, file);
	path = near_program(program, name);
	if (!path)
		path = installed_or_builtin(installed, name);
	free(name);
	return path;
}
