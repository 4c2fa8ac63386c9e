#include "tui/program_options.h"

#include <getopt.h>
#include <string.h>
#include "core/base/defs.h"
#include "core/base/wrap.h"

#define HELP_INDENT "                           "
#define HELP_COLUMN (sizeof(HELP_INDENT) - 1)

const struct program_option program_options[] = {
	{"live", 'L', "[=CA[:PORT]]", NULL, "discover the fabric this machine is connected to"},
	{"routing-engine", 'R', "E[,E...]", "ENGINE[,ENGINE...]", "route at start (names as in opensm -R)"},
	{"config", 'F', "FILE", "FILE", "take routing options from an opensm.conf"},
	{"execute", 'e', "COMMANDS", NULL, "run commands (';' between them), print, exit; repeatable"},
	{"script", 'x', "FILE", "FILE|-", "the same from a file, '-' for standard input"},
	{"keymap", 'k', "NAME|FILE", "FILE", "default, vi, emacs, or a file of key bindings"},
	{"node-name-map", OPT_NAMES, "FILE", "FILE", "names for GUIDs, as infiniband-diags take them"},
	{"no-node-name-map", OPT_NO_MAP, NULL, NULL, "do not look for a map where infiniband-diags do"},
	{"rc", OPT_RC, NULL, NULL,
	 "run the rc files /etc/ibscope/rc and ~/.config/ibscope/rc first, with -e and -x too"},
	{"no-rc", OPT_NO_RC, NULL, NULL, "do not run the rc files; the explorer runs them without this"},
	{"json", OPT_JSON, NULL, NULL, "-e and -x print a JSON object for each command"},
	{"no-text", OPT_NO_TEXT, NULL, NULL, "with --json: no lines of text in the objects"},
	{"no-timing", OPT_NO_TIMING, NULL, NULL,
	 "nothing that differs between runs: no time, no milliseconds"},
	{"serve", OPT_SERVE, NULL, NULL,
	 "answer requests on standard input, a JSON object a line, until it ends"},
	{"read-only", OPT_READ_ONLY, NULL, NULL, "write no file, run no program, touch no InfiniBand device"},
	{"help", 'h', NULL, NULL, "this text; `ibscope -e help` lists the commands"},
	{"man", OPT_MAN, "[json]", "json",
	 "the manual, as for `| less` or `| man -l -`; json: the page of JSON objects"},
	{"completion", OPT_COMPLETION, "[SHELL]", "bash|zsh|fish",
	 "completion for bash, zsh or fish; in a shell's rc file: `source <(ibscope --completion bash)`"},
	{"licences", OPT_LICENCES, NULL, NULL, "the terms of the program and of what is in it"},
	{"version", 'V', NULL, NULL, "the version and the terms in short"},
	{NULL, 0, NULL, NULL, NULL},
};

bool option_takes_next(const struct program_option *o)
{
	return o->arg && strncmp(o->arg, "[=", 2) != 0;
}

void options_usage(FILE *f)
{
	struct text all = {0};

	for (const struct program_option *o = program_options; o->name; o++) {
		struct text t = {0};

		if (o->code < OPT_NAMES)
			text_add(&t, "  -%c, ", o->code);
		else
			text_add(&t, "      ");
		text_add(&t, "--%s", o->name);
		if (o->arg)
			text_add(&t, "%s%s", option_takes_next(o) ? " " : "", o->arg);
		if (t.len >= HELP_COLUMN) {
			text_add(&all, "%s\n", text_str(&t));
			text_free(&t);
		}
		text_add(&t, "%*s", (int)(HELP_COLUMN - t.len), "");
		wrap_text(&all, o->help, 80, text_str(&t), HELP_INDENT);
		text_free(&t);
	}
	fputs(text_str(&all), f);
	text_free(&all);
}

int option_next(int argc, char **argv)
{
	static struct option names[ARRAY_LEN(program_options)];
	static char letters[3 * ARRAY_LEN(program_options)];

	for (size_t i = 0, n = 0; i < ARRAY_LEN(program_options) && program_options[i].name; i++) {
		const struct program_option *o = &program_options[i];
		int has = !o->arg || (*o->arg == '[' && option_takes_next(o)) ? no_argument
			  : *o->arg == '['				      ? optional_argument
									      : required_argument;

		names[i] = (struct option){o->name, has, NULL, o->code};
		if (o->code >= OPT_NAMES)
			continue;
		letters[n++] = (char)o->code;
		for (int k = 0; k < has; k++)
			letters[n++] = ':';
		letters[n] = 0;
	}
	return getopt_long(argc, argv, letters, names, NULL);
}

const char *option_word(int argc, char **argv)
{
	return optind < argc && *argv[optind] != '-' ? argv[optind++] : NULL;
}
