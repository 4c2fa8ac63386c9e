#include "core/source/live_simulator.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool live_simulated(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "umad2sim");
}

/* The line of /proc/net/unix ends with the name, in which zeros are shown as '@'. */
static bool line_names(const char *line, const char *name)
{
	const char *at = strchr(line, '@');
	size_t n = strlen(name);

	return at && !strncmp(at + 1, name, n) && strspn(at + 1 + n, "@\n") == strlen(at + 1 + n);
}

bool live_simulator_gone(char *name, size_t size)
{
	const char *given = getenv("IBSIM_SOCKNAME");
	char line[512], control[128];
	bool found = false;
	FILE *f;

	snprintf(name, size, "%s", given && *given ? given : "sim");
	if (!live_simulated() || getenv("IBSIM_SERVER_NAME"))
		return false;
	f = fopen("/proc/net/unix", "re");
	if (!f)
		return false;
	snprintf(control, sizeof(control), "%s:ctl", name);
	while (!found && fgets(line, sizeof(line), f))
		found = line_names(line, control);
	fclose(f);
	return !found;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void live_remove_folder(pid_t pid)
{
	char path[32];

	if (!live_simulated())
		return;
	snprintf(path, sizeof(path), "./sys-%ld", (long)pid);
	nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
