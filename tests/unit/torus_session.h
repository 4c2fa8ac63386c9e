/* A session with all panes in which torus-2QoS routed, by a configuration that torus-conf made. */
#ifndef IBSCOPE_TEST_TORUS_SESSION_H
#define IBSCOPE_TEST_TORUS_SESSION_H

#include "fixture.h"
#include "views/views.h"

static inline struct session *torus_session(const char *spec)
{
	static const struct command *const commands[] = {
#include "core/session/core_commands.def"
		view_commands, NULL};
	struct session *s = session_new(all_engines, commands);
	char path[] = "/tmp/test-torus-XXXXXX", line[200];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	snprintf(line, sizeof(line), "set torus_config %s", path);
	ok_line(s, line);
	ok_line(s, "set qos TRUE");
	snprintf(line, sizeof(line), "synth %s", spec);
	ok_line(s, line);
	snprintf(line, sizeof(line), "torus-conf %s", path);
	ok_line(s, line);
	line_says(s, "route torus-2QoS", "torus-2QoS routed");
	return s;
}

/* Let go of it and of the file it reads its configuration from. */
static inline void torus_session_end(struct session *s)
{
	unlink(options_file(s->setup->options, "torus_config"));
	session_free(s);
}

#endif
