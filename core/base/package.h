/* The package of something that this program needs and does not find. */
#ifndef IBSCOPE_PACKAGE_H
#define IBSCOPE_PACKAGE_H

enum package {
	PACKAGE_OPENSM,
	PACKAGE_IBSIM,
	PACKAGE_TERMINFO,
	PACKAGE_LOCALE,
	PACKAGE_GRAPHVIZ,
	PACKAGE_RSVG,
	PACKAGE_RDMA
};

/*
 * "package opensm": by the name that the system of this machine gives it, as /etc/os-release tells (Debian
 * and Ubuntu, RHEL and Rocky and Fedora, SLES and openSUSE); of another system all three names.  Static.
 */
const char *package_of(enum package what);

/* The same for a text of os-release; NULL: there is none. */
const char *package_on(enum package what, const char *os_release);

#endif
