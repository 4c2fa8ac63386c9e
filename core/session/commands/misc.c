/* Scripts, help, quitting. */
#include <errno.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/infile.h"
#include "core/base/text.h"
#include "core/session/commands/commands.h"

static int cmd_source(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	const char *path = args->arg[0].word;
	struct command_run *r = o->run;
	bool whole = args_has(args, "whole");
	struct text errors = {0};
	size_t n = 0;
	FILE *f;
	int rc;

	(void)s;
	if (r->depth >= MAX_SOURCE_DEPTH)
		return err_set_kind(e, ERR_LIMIT, "%s: scripts call each other more than %d deep", path,
				    MAX_SOURCE_DEPTH);
	f = infile_open(path, r->progress);
	if (!f)
		return err_system(e, path, errno);
	r->depth++;
	rc = whole ? run_whole_script(r, f, path, &errors, e) : run_script(r, f, path, e);
	r->depth--;
	fclose(f);
	if (r->errors)
		fputs(text_str(&errors), r->errors);
	else
		out_text(o, "%s", text_str(&errors));
	for (const char *c = text_str(&errors); (c = strchr(c, '\n')); c++)
		n++;
	text_free(&errors);
	if (!rc && n)
		rc = err_set(e, "%s: %s of it failed", path, PLURAL(n, "command"));
	return rc;
}

static int cmd_quit(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)args;
	(void)s;
	(void)e;
	o->run->in->quit = true;
	return 0;
}

static int cmd_echo(struct session *s, const struct args *args, struct out *o, struct err *e)
{
	(void)s;
	(void)e;
	for (int i = 0; i < args->n; i++)
		out_text(o, "%s%s", i ? " " : "", args->arg[i].word);
	out_text(o, "\n");
	return 0;
}

const struct command session_commands[] = {
	{.name = "source",
	 .group = FILES,
	 .syntax = "source FILE [whole]",
	 .deeds = DEED_LEAVE,
	 .help = "run commands from a file and stop at the first failure; whole: run all, then list the "
		 "failures",
	 .run = cmd_source},
	{.name = "echo",
	 .group = TEACH,
	 .syntax = "echo [TEXT...]",
	 .help = "print the words",
	 .run = cmd_echo},
	{.name = "help",
	 .group = TEACH,
	 .syntax = "help [COMMAND|TOPIC]...",
	 .help = "list commands and topics, or explain one of them",
	 .details = "  A topic is a word of the field (lid, rank, credit loop, layer) or an engine.  Also "
		    "explained: options, panes, their\n"
		    "  columns, keys, actions, words of bindings (%switch), limits, synthetic fabrics, rules "
		    "(where OpenSM and its\n"
		    "  manual differ), figures (what each counts).  `help options`, `help rules` and so on "
		    "list all of a kind.\n",
	 .json = "commands[] object commands\n"
		 "commands[].name string its name\n"
		 "commands[].group string(Look/What if/Explain/Judge/Teach/Files) what it is for\n"
		 "commands[].syntax string how it is typed\n"
		 "commands[].help string what it does\n"
		 "commands[].details string? more about the command that you asked for\n"
		 "commands[].finds string? when the exit status in batch is 1 although the command did not "
		 "fail\n"
		 "commands[].screen boolean it needs the screen\n"
		 "topics[] object? topics; an empty list if the word is no topic\n"
		 "topics[].name string its name\n"
		 "topics[].also[] string other words that lead to it\n"
		 "topics[].text string what it is\n"
		 "topics[].source string? where that is written\n"
		 "topics[].try string a command line that shows it\n"
		 "names[] object? other things with this name, or of this kind\n"
		 "names[].kind string(option/pane/column/key/action/word/rule/figure/limit/fabric) what it "
		 "is\n"
		 "names[].name string its name\n"
		 "names[].place string? of a column its pane, of a key where it holds\n"
		 "names[].syntax string? what is typed behind it\n"
		 "names[].text string what it tells\n",
	 .run = cmd_help},
	{.name = "schema",
	 .group = TEACH,
	 .syntax = "schema [COMMAND] | schema json-schema",
	 .help = "print the keys of the JSON objects, with their types; of all commands, or of one",
	 .details = "  With --json it prints them as JSON.  The version goes up when a key goes away or "
		    "changes its meaning; new keys\n"
		    "  can come at any time.\n"
		    "  json-schema: one JSON Schema (draft 2020-12) for the object of any command.\n",
	 .json = "version integer(1..)? version of the keys\n"
		 "json_schema any? the JSON Schema\n"
		 "common[] object? keys that all objects have\n"
		 "common[].key string where it stands: a.b, a[] for elements of lists, * for any key\n"
		 "common[].type string string, integer, number, boolean, object, null, with | between; any\n"
		 "common[].kind string? the kind of value that the type stands for\n"
		 "common[].min integer(..)? of a number: it is not less\n"
		 "common[].max integer? nor more\n"
		 "common[].words[] string? the only words it may be\n"
		 "common[].pattern string? or what matches this regular expression\n"
		 "common[].optional boolean it may be missing\n"
		 "common[].help string what it tells\n"
		 "commands[] object? commands\n"
		 "commands[].name string its name\n"
		 "commands[].keys[] object keys of its object when it did not fail\n"
		 "commands[].keys[].key string as in common\n"
		 "commands[].keys[].type string as in common\n"
		 "commands[].keys[].kind string? as in common\n"
		 "commands[].keys[].min integer(..)? as in common\n"
		 "commands[].keys[].max integer? as in common\n"
		 "commands[].keys[].words[] string? as in common\n"
		 "commands[].keys[].pattern string? as in common\n"
		 "commands[].keys[].optional boolean as in common\n"
		 "commands[].keys[].help string as in common\n",
	 .prints = prints_schema,
	 .run = cmd_schema},
	{.name = "quit",
	 .group = FILES,
	 .syntax = "quit",
	 .deeds = DEED_LEAVE,
	 .help = "leave",
	 .run = cmd_quit},
	{.name = NULL},
};
