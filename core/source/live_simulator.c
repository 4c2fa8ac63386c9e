#include "core/source/live.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "core/base/outfile.h"
#include "core/source/instead.h"

bool live_simulated(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "umad2sim");
}

/* This sends nothing. /proc/net/unix may miss an entry while others come and go. */
bool live_simulator_gone(char *name, size_t size)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	const char *given = getenv("IBSIM_SOCKNAME");

	snprintf(name, size, "%s", given && *given ? given : "sim");
	if (!live_simulated() || getenv("IBSIM_SERVER_NAME"))
		return false;
	/* an abstract name: it begins with a NUL, and ibsim's also ends with one */
	size_t len = (size_t)snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, "%s:ctl", name) + 2;
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s < 0 || len > sizeof(to.sun_path)) {
		if (s >= 0)
			close(s);
		return false;
	}
	bool gone = connect(s, (struct sockaddr *)&to,
			    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) &&
		    errno == ECONNREFUSED;
	close(s);
	return gone;
}

void live_remove_folder(pid_t pid)
{
	char path[32];

	if (!live_simulated())
		return;
	snprintf(path, sizeof(path), "./sys-%ld", (long)pid);
	remove_tree(path);
}

INSTEAD_OF(umad_get_smi_gsi_pair_by_ca_name)
(const char *ca, uint8_t port, struct live_ca_pair *out, unsigned enforce_smi)
{
	if (live_simulated()) {
		*out = (struct live_ca_pair){.smi_port = port, .gsi_port = port};
		snprintf(out->smi_ca, sizeof(out->smi_ca), "%s", ca ? ca : "");
		snprintf(out->gsi_ca, sizeof(out->gsi_ca), "%s", ca ? ca : "");
		return 0;
	}
	ORIGINAL(umad_get_smi_gsi_pair_by_ca_name, ca, port, out, enforce_smi);
}
