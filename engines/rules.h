/*
 * Where OpenSM 3.3.23 and its manual (opensm(8), torus-2QoS.conf(5)) differ in the routes they make.  `set
 * rules opensm` and `set rules manual` choose.  `help rules` and the manual page tell this table.
 */
#ifndef IBSCOPE_RULES_H
#define IBSCOPE_RULES_H

struct rule_difference {
	const char *what;    /* engine and option: "lash, lmc above 0" */
	const char *program; /* a sentence each */
	const char *manual;
	const char *shows; /* a command line; `set rules manual` behind it changes the routes, or the engine
			      refuses */
};

/* Ended by what NULL. */
extern const struct rule_difference rule_differences[];

#endif
