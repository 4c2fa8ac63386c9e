/*
 * Facts that make knew when it built the program. They are in a file of their own, so that a new version,
 * revision or prefix compiles only one file.
 */
#ifndef IBSCOPE_ABOUT_H
#define IBSCOPE_ABOUT_H

struct about {
	const char *version;  /* "0.1.0" */
	const char *revision; /* of git, with "-dirty" if files differed from it; "" = unknown */
	const char *keymaps;  /* folder of the keymaps after `make install` */
};

extern const struct about about;

#endif
