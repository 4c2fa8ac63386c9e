# ibscope: `make demo` opens the explorer on a bundled fabric, `make check` runs all tests.
# Both install what is missing.  Everything built goes to build/.

PREFIX  ?= /usr/local
CC      ?= cc
V       ?= 0

VERSION := 0.1.0
BUILD   := build
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
CPPFLAGS += -D_GNU_SOURCE -I. -DVERSION='"$(VERSION)"' -DKEYMAPDIR='"$(PREFIX)/share/ibscope/keymaps"'
STD     := -std=c11
LIBS    := -libnetdisc -libmad -libumad -ljansson -lpthread -lm
UILIBS  := -lncursesw -lreadline
SAN     := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

LIBSRC  := $(shell find core engines -name '*.c' | sort)
UISRC   := $(shell find views tui -name '*.c' | sort)
MAINSRC := tui/main.c
UIOBJSRC := $(filter-out $(MAINSRC),$(UISRC))
FUZZ    := $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
UNIT    := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test_*.c)))

Q := $(if $(filter 1,$(V)),,@)

# Debian packages by name: to build, to test, to look over the code, to fuzz.
DEPS_BUILD := gcc libc6-dev libncurses-dev libreadline-dev libibnetdisc-dev libibmad-dev libibumad-dev libjansson-dev
DEPS_CHECK := libcmocka-dev opensm ibsim-utils infiniband-diags python3 tmux xz-utils graphviz procps
DEPS_LINT  := cppcheck clang-tidy clang-format
DEPS_FUZZ  := clang libclang-rt-dev

.PHONY: all deps deps-check deps-lint deps-fuzz demo check check-unit check-parity check-live check-cli check-tui bench fuzz \
	lint format install uninstall clean
all: $(BUILD)/ibscope $(BUILD)/ibscope.1

# --- set-up: installs what is missing, says which ------------------------------
define install_missing
	@missing=; for p in $(1); do \
		dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q '^install ok installed' || missing="$$missing $$p"; \
	done; \
	if [ -n "$$missing" ]; then \
		echo "Installing missing packages:$$missing"; \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing; \
	fi
endef

deps:
	$(call install_missing,$(DEPS_BUILD))
deps-check:
	$(call install_missing,$(DEPS_BUILD) $(DEPS_CHECK))
deps-lint:
	$(call install_missing,$(DEPS_BUILD) $(DEPS_LINT))
deps-fuzz:
	$(call install_missing,$(DEPS_BUILD) $(DEPS_FUZZ))

demo: deps
	@$(MAKE) --no-print-directory all
	$(BUILD)/ibscope -R minhop tests/fabrics/demo-3level.ibnet

# --- tests -----------------------------------------------------------------------
check: deps-check
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BUILD)/ibscope-san $(BUILD)/live/probe \
		$(UNIT:%=$(BUILD)/unit/%) $(FUZZ:%=$(BUILD)/replay/%)
	@BUILD=$(BUILD) tests/run.sh includes docs unit fuzz-corpus large parity live cli tui
check-unit: $(UNIT:%=$(BUILD)/unit/%)
	@BUILD=$(BUILD) tests/run.sh unit
check-parity: $(BUILD)/ibscope-san
	@BUILD=$(BUILD) tests/run.sh parity
check-live: $(BUILD)/ibscope $(BUILD)/live/probe
	@BUILD=$(BUILD) tests/run.sh live
check-cli: $(BUILD)/ibscope
	@BUILD=$(BUILD) tests/run.sh cli
check-tui: $(BUILD)/ibscope
	@BUILD=$(BUILD) tests/run.sh tui
bench: deps-check
	@$(MAKE) --no-print-directory $(BUILD)/ibscope
	@IBSCOPE=$(BUILD)/ibscope tests/bench/run.py

# --- looking over -------------------------------------------------------------------
SOURCES := $(LIBSRC) $(UISRC)
lint: deps-lint
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem --suppress=unusedStructMember -D_GNU_SOURCE -I. $(SOURCES)
	clang-tidy --quiet --warnings-as-errors='*' $(SOURCES) -- $(STD) $(CPPFLAGS) 2>/dev/null
format: deps-lint
	clang-format -i $(SOURCES) $(shell find core engines views tui -name '*.h')

# --- objects: build/obj (plain) and build/san (ASan + UBSan) ----------------
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP -c -o $@ $<

$(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) -O1 -g $(SAN) $(WARN) -MMD -MP -c -o $@ $<

$(BUILD)/libibscope.a: $(LIBSRC:%.c=$(BUILD)/obj/%.o)
	$(Q)rm -f $@; ar rcs $@ $^
$(BUILD)/libibscope-san.a: $(LIBSRC:%.c=$(BUILD)/san/%.o)
	$(Q)rm -f $@; ar rcs $@ $^

$(BUILD)/ibscope: $(UISRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/libibscope.a
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(UILIBS)
$(BUILD)/ibscope-san: $(UISRC:%.c=$(BUILD)/san/%.o) $(BUILD)/libibscope-san.a
	$(Q)$(CC) -g $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS) $(UILIBS)

# the manual page: its lists are filled in by the program, from the tables that `help` shows
$(BUILD)/ibscope.1: tui/ibscope.1.in keymaps/default.keys $(BUILD)/ibscope
	$(Q)$(BUILD)/ibscope --manual tui/ibscope.1.in >$@.new && mv $@.new $@

# --- unit tests: one program a module, under the sanitizers ------------------
$(BUILD)/libibscope-ui-san.a: $(UIOBJSRC:%.c=$(BUILD)/san/%.o)
	$(Q)rm -f $@; ar rcs $@ $^
$(BUILD)/unit/%: $(BUILD)/san/tests/unit/%.o $(BUILD)/libibscope-ui-san.a $(BUILD)/libibscope-san.a
	@mkdir -p $(@D)
	$(Q)$(CC) -g $(SAN) -o $@ $^ $(LIBS) $(UILIBS) -lcmocka

# --- fuzzing: `make fuzz` runs every target for FUZZ_SECONDS ------------------------
FUZZ_SECONDS ?= 60
FUZZCC ?= clang

$(BUILD)/fz/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(FUZZCC) $(STD) $(CPPFLAGS) -O1 -g -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<
$(BUILD)/libibscope-fuzz.a: $(LIBSRC:%.c=$(BUILD)/fz/%.o)
	$(Q)rm -f $@; ar rcs $@ $^
$(BUILD)/fuzz/%: $(BUILD)/fz/tests/fuzz/%.o $(BUILD)/libibscope-fuzz.a
	@mkdir -p $(@D)
	$(Q)$(FUZZCC) -g -fsanitize=fuzzer,address,undefined -o $@ $^ $(LIBS)
fuzz: deps-fuzz
	@$(MAKE) --no-print-directory $(FUZZ:%=$(BUILD)/fuzz/%)
	@for t in $(FUZZ); do \
		mkdir -p $(BUILD)/fuzz/corpus-$$t; \
		$(BUILD)/fuzz/$$t -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -close_fd_mask=0 \
			$(BUILD)/fuzz/corpus-$$t tests/fuzz/corpus/$${t#fuzz_} || exit 1; \
	done
# the same targets without libFuzzer: replay files under the sanitizers
$(BUILD)/replay/%: $(BUILD)/san/tests/fuzz/%.o $(BUILD)/san/tests/fuzz/replay.o $(BUILD)/libibscope-san.a
	@mkdir -p $(@D)
	$(Q)$(CC) -g $(SAN) -o $@ $^ $(LIBS)

# --- installing -----------------------------------------------------------------------
install: all
	install -Dm755 $(BUILD)/ibscope $(DESTDIR)$(PREFIX)/bin/ibscope
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/ibscope/keymaps keymaps/*.keys
	install -Dm644 $(BUILD)/ibscope.1 $(DESTDIR)$(PREFIX)/share/man/man1/ibscope.1
	install -Dm644 tui/ibscope.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ibscope
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ibscope $(DESTDIR)$(PREFIX)/share/man/man1/ibscope.1 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/ibscope
	rm -rf $(DESTDIR)$(PREFIX)/share/ibscope

# drives live discovery for tests/live; not sanitized: the simulator's library reads beyond its own buffers
$(BUILD)/live/probe: $(BUILD)/obj/tests/live/probe.o $(BUILD)/libibscope.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
