/* The state of the user interface, which all its files use. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "tui/ui.h"
#include "core/base/err.h"

struct ui ui = {.scene.panes = all_views, .scene.places = all_places};

static int wake_pipe[2] = {-1, -1};

/* Also called from signal handlers. */
void ui_wake(void)
{
	int saved = errno;
	ssize_t n = write(wake_pipe[1], "", 1);

	(void)n;
	errno = saved;
}

void ui_message(bool bad, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui.message, sizeof(ui.message), fmt, ap);
	va_end(ap);
	ui.message_bad = bad;
}

void draw_cursor(int y, int x)
{
	ui.cursor_y = y;
	ui.cursor_x = x;
}

int ui_open(struct err *e)
{
	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK))
		return err_set_kind(e, ERR_IO, "cannot make a pipe: %s", strerror(errno));
	return 0;
}

short ui_wait(int most)
{
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = wake_pipe[0], .events = POLLIN}};
	char drain[256];

	poll(fds, 2, most);
	while (read(wake_pipe[0], drain, sizeof(drain)) > 0)
		;
	return fds[0].revents;
}
