#include "core/base/package.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/base/cursor.h"
#include "core/base/err.h"
#include "core/base/memory.h"

enum family { DEBIAN, RHEL, SUSE, OTHER };

static const char *const names[][OTHER + 1] = {
	[PACKAGE_OPENSM] = {"package opensm", "package opensm", "package opensm", "package opensm"},
	[PACKAGE_IBSIM] = {"package ibsim-utils", "package ibsim", "package ibsim",
			   "package ibsim-utils of Debian, ibsim of RHEL and SUSE"},
	[PACKAGE_TERMINFO] = {"packages ncurses-base and ncurses-term",
			      "packages ncurses-base and ncurses-term", "packages terminfo-base and terminfo",
			      "packages ncurses-base and ncurses-term of Debian and RHEL, terminfo-base and "
			      "terminfo of SUSE"},
	[PACKAGE_LOCALE] =
		{"package libc-bin", "package glibc-minimal-langpack", "package glibc-locale-base",
		 "package libc-bin of Debian, glibc-minimal-langpack of RHEL, glibc-locale-base of "
		 "SUSE"},
	[PACKAGE_GRAPHVIZ] = {"package graphviz", "package graphviz", "package graphviz", "package graphviz"},
	[PACKAGE_RSVG] = {"package librsvg2-bin", "package librsvg2-tools", "package rsvg-convert",
			  "package librsvg2-bin of Debian, librsvg2-tools of RHEL, rsvg-convert of SUSE"},
	[PACKAGE_RDMA] = {"package rdma-core", "package rdma-core", "package rdma-core", "package rdma-core"},
};

/* Found by ID and ID_LIKE, as ID=rocky, ID_LIKE="rhel centos fedora". */
static enum family family_of(const char *os_release)
{
	static const struct {
		const char *word;
		enum family family;
	} known[] = {{"debian", DEBIAN}, {"ubuntu", DEBIAN}, {"rhel", RHEL},
		     {"fedora", RHEL},	 {"suse", SUSE},     {"sles", SUSE}};

	for (const char *line = os_release; line && *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (strncmp(line, "ID=", 3) && strncmp(line, "ID_LIKE=", 8))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			if (memmem(line, len, known[i].word, strlen(known[i].word)))
				return known[i].family;
	}
	return OTHER;
}

const char *package_on(enum package what, const char *os_release)
{
	return names[what][family_of(os_release)];
}

const char *package_of(enum package what)
{
	static const char *const places[] = {"/etc/os-release", "/usr/lib/os-release"};
	const char *found = names[what][OTHER];
	char *data, *text;
	struct err e;
	size_t size;

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (read_file(places[i], NULL, &data, &size, &e))
			continue;
		text = strndup(data, size);
		if (text)
			found = package_on(what, text);
		free(text);
		free(data);
		break;
	}
	return found;
}
