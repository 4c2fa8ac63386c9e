/* What OpenSM needs to route as advised. */
#include <string.h>

#include "core/analysis/advise/advise.h"

/* A list of GUIDs of the setup, without its first line, which is its name. */
static void advise_files_add_list(const struct advice_row *r, const char *option, const char *suffix,
				  struct text *conf, const char *path, struct advice_file *file, unsigned *n)
{
	const char *list = options_file(r->setup->options, option);
	const char *lines = list ? strchr(list, '\n') : NULL;

	if (!lines)
		return;
	text_add(conf, "%s %s%s\n", option, path, suffix);
	file[*n] = (struct advice_file){.suffix = suffix};
	text_add(&file[(*n)++].text, "%s", lines + 1);
}

unsigned advice_files(const struct advice *a, const struct advice_row *r, const char *path,
		      struct advice_file file[ADVICE_FILES])
{
	const struct options *o = r->setup->options;
	struct text *conf = &file[0].text;
	unsigned n = 1;

	file[0] = (struct advice_file){.suffix = ""};
	text_add(conf, "# advised by ibscope; lines for opensm.conf\nrouting_engine %s\n", r->kind->engine);
	if (options_bool(o, "qos"))
		text_add(conf, "qos TRUE\n");
	if (r->kind->option) {
		size_t len = strcspn(r->kind->option, "=");

		text_add(conf, "%.*s %s\n", (int)len, r->kind->option, r->kind->option + len + 1);
	}
	if (r->kind->files & CANDIDATE_ROOTS)
		advise_files_add_list(r, "root_guid_file", ".roots", conf, path, file, &n);
	if (r->kind->files & CANDIDATE_COMPUTE) {
		advise_files_add_list(r, "cn_guid_file", ".cn", conf, path, file, &n);
		advise_files_add_list(r, "io_guid_file", ".io", conf, path, file, &n);
	}
	if (r->kind->files & CANDIDATE_TORUS) {
		text_add(conf, "torus_config %s.torus\n", path);
		file[n] = (struct advice_file){.suffix = ".torus"};
		text_add(&file[n++].text, "%s", text_str(&a->torus));
	}
	return n;
}
