/*
 * Options of every program under the sanitizers; ASAN_OPTIONS comes after them.
 * Undefined behaviour is a SIGILL (-fsanitize-undefined-trap-on-error): ASan tells its place, whatever
 * handler the program has.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_sigill=2:quarantine_size_mb=32";
}
