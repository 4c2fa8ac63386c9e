/* What make knew when it built this.  Kept apart: another version, revision or prefix compiles one file. */
#ifndef IBSCOPE_ABOUT_H
#define IBSCOPE_ABOUT_H

struct about {
	const char *version;  /* "0.1.0" */
	const char *revision; /* of git, with "-dirty" when files differed from it; "" = unknown */
	const char *keymaps;  /* folder of the keymaps after `make install` */
};

extern const struct about about;

#endif
