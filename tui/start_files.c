#include "tui/start_files.h"
#include "core/base/text.h"
#include "tui/keymap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
	char *user = keymap_user_folder();
	size_t n = 0;

	path[n] = in_etc("ibscope/rc");
	n += path[n] != NULL;
	path[n] = user ? if_file(str_printf("%s/rc", user)) : NULL;
	n += path[n] != NULL;
	free(user);
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
