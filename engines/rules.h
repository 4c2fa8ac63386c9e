/*
 * Where OpenSM 3.3.23 and its manual (opensm(8), torus-2QoS.conf(5)) differ in the routes they make. `set
 * rules opensm` and `set rules manual` choose. `help rules` and the manual page show this table.
 */
#ifndef IBSCOPE_RULES_H
#define IBSCOPE_RULES_H

struct rule_difference {
	const char *what;    /* engine and option: "lash, lmc above 0" */
	const char *program; /* one sentence each */
	const char *manual;
	const char *shows; /* a command that gives another result after `set rules manual` */
};

/* Ended by an entry whose `what` is NULL. */
extern const struct rule_difference rule_differences[];

#endif
