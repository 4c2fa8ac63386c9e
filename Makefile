# ibscope: `make demo` opens the explorer on a bundled fabric, `make check` runs all tests.
# Both install what is missing.  Everything built goes to build/.

VERSION := 0.1.0
# empty where the sources did not come with git
REVISION := $(shell [ -e .git ] && git describe --always --dirty --exclude '*' 2>/dev/null)

PREFIX  ?= /usr/local
CC      ?= cc
OBJCOPY ?= objcopy
V       ?= 0

BUILD   := build
CFLAGS  ?= -O2 -g
STD     := -std=c11 -D_GNU_SOURCE -I.
WARN    := -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
LIBS    := -libnetdisc -libmad -libumad -ljansson -lexpat -lpthread -lm
UILIBS  := -lncursesw -lreadline
# UBSan traps: told in words, its places would be 16 MB of data that ASan and the search for leaks walk at each start and end
SAN     := -fsanitize=address,undefined -fsanitize-undefined-trap-on-error -fno-sanitize-recover=all -fno-omit-frame-pointer
SANLINK := -g $(SAN) -no-pie $(BUILD)/san/tests/soak/options.o
TSAN    := -fsanitize=thread -fno-omit-frame-pointer
FUZZCC  ?= clang
FUZZSAN := -fsanitize=address,undefined
CLANG   ?= clang

LIBSRC  := $(shell find core engines -name '*.c' | sort)
# main() and what is made anew with every revision stay out of the unit tests
MAINSRC := tui/main.c tui/about.c
UISRC   := $(filter-out $(MAINSRC),$(shell find views tui -name '*.c' | sort))
FUZZ    := $(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
UNIT    := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test_*.c)))

# $(call takes,FLAGS,TEXT): FLAGS, when the compiler takes them without a word for a file that holds TEXT
takes = $(shell printf '%b\n' '$(2)' | $(CC) $(CPPFLAGS) $(CFLAGS) $(1) -Werror -x c -c -o /dev/null - 2>/dev/null && echo '$(1)')
empty = \043include <stdio.h>
# the plain build is hardened (tests/build reads it in the program); sanitizers bring their own
ifeq ($(findstring -fsanitize,$(CFLAGS)),)
HARDEN  := -fPIE -fstack-protector-strong $(call takes,-fstack-clash-protection,$(empty)) $(call takes,-fcf-protection,$(empty))
ifeq ($(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),)
HARDEN  += $(or $(call takes,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3,$(empty)),$(call takes,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2,$(empty)))
endif
LDHARD  := -pie -Wl,-z,relro,-z,now,-z,noexecstack
endif
# libseccomp is used where it is
ifneq ($(call takes,-DHAVE_SECCOMP,\043include <seccomp.h>),)
STD     += -DHAVE_SECCOMP
LIBS    += -lseccomp
endif

Q := $(if $(filter 1,$(V)),,@)
COMMA := ,

.PHONY: all demo check check-long check-unit check-driver check-parity check-live check-cli check-stop check-keys check-tui check-tsan check-arm papers gallery bench soak mutate coverage fuzz lint linted format deb rpm static release \
	install uninstall clean FORCE
all: $(BUILD)/ibscope $(BUILD)/ibscope.1 $(BUILD)/ibscope-json.5

# --- set-up: installs what is missing, says which; .ci/packages names it ----------
deps-%:
	@missing=; for p in $$(sed -n 's/^$*: //p' .ci/packages); do \
		dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q '^install ok installed' || missing="$$missing $$p"; \
	done; \
	if [ -n "$$missing" ]; then \
		echo "Installing missing packages:$$missing"; \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing; \
	fi

# what the build does without when it can't be had
deps-optional:
	@$(MAKE) --no-print-directory deps-wanted || echo "Built without: $$(sed -n 's/^wanted: //p' .ci/packages)"

demo: deps-build deps-optional
	@$(MAKE) --no-print-directory all
	$(BUILD)/ibscope -R minhop tests/fabrics/demo-3level.ibnet

# --- what is built depends on how: a file for each line of flags, new when it changes ---
# $(call stamp,NAME,TEXT): $(BUILD)/stamp/NAME holds TEXT; made by `make -n` and `make -q` too, so that they tell the truth.
# Blanks do not count: GNU Make 4.3 leaves the newline in what it reads now and then.
define stamp
$(BUILD)/stamp/$(1): FORCE
	+@:$$(if $$(subst x$$(strip $(2))x,,x$$(strip $$(file <$$@))x),$$(shell mkdir -p $$(@D))$$(file >$$@,$(2)))
endef
$(eval $(call stamp,about,$$(VERSION) $$(REVISION) $$(PREFIX)))
$(eval $(call stamp,sources,$$(LIBSRC) $$(UISRC)))
$(eval $(call stamp,link,$$(CC) $$(SANLINK) $$(CFLAGS) $$(LDHARD) $$(LDFLAGS) $$(LIBS) $$(UILIBS)))

# the files that are in the program (core/base/builtin.h); $(call archive,NAME FILE ...)
WORDS   := $(sort $(shell find core engines views tui -regex '.*\.\(codes\|settings\|topics\|figures\|rules\|help\|deeds\|edits\)'))
BUILTIN := $(WORDS) $(sort $(wildcard keymaps/*.keys views/lessons/*)) tests/fabrics/demo-3level.ibnet tui/ibscope.1.in tui/ibscope-json.5.in \
	tui/ibscope.bash tui/ibscope.zsh tui/ibscope.fish LICENSE
archive = for f in $(1); do \
		case $$f in views/lessons/*) name=$${f\#views/} ;; tests/*) name=$${f\#tests/} ;; tui/ibscope*) name=$${f\#tui/} ;; *) name=$$f ;; esac; \
		echo "$$name $$(($$(wc -c <$$f)))"; cat $$f; \
	done
$(eval $(call stamp,builtin,$$(BUILTIN)))
$(BUILD)/builtin: $(BUILTIN) $(BUILD)/stamp/builtin
	$(Q)$(call archive,$(BUILTIN)) >$@.new && mv $@.new $@

# compilers run through ccache where it is (CCACHE= is without); what it compiles is the same, so it is in no stamp
ifeq ($(origin CCACHE),undefined)
CCACHE := $(if $(findstring ccache,$(CC)),,$(shell command -v ccache))
endif

# --- objects and libraries of each kind: obj (plain), san (ASan and UBSan), work (a call in each basic block), tsan, fuzz,
# cov (gcov), plain (unit tests without sanitizers) ---
# $(call kind,NAME,COMPILER AND FLAGS); DEFS is of one file, that which tells version and paths
ABOUT = -DVERSION='"$(VERSION)"' $(if $(REVISION),-DREVISION='"$(REVISION)"') -DKEYMAPDIR='"$(PREFIX)/share/ibscope/keymaps"'
define kind
$(call stamp,$(1),$(2))
$(BUILD)/$(1)/%.o: %.c $(BUILD)/stamp/$(1)
	@mkdir -p $$(@D)
	$$(Q)$$(CCACHE) $(2) $$(DEFS) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/core/base/builtin.o: $(BUILD)/builtin
$(BUILD)/$(1)/core/base/builtin.o: DEFS = -DBUILTIN_FILES='"$(BUILD)/builtin"'
$(BUILD)/$(1)/tui/about.o: $(BUILD)/stamp/about
$(BUILD)/$(1)/tui/about.o: DEFS = $$(ABOUT)
$(BUILD)/$(1)/core.a: $(LIBSRC:%.c=$(BUILD)/$(1)/%.o) $(BUILD)/stamp/sources
	$$(Q)rm -f $$@; $$(AR) rcs $$@ $$(filter %.o,$$^)
$(BUILD)/$(1)/ui.a: $(UISRC:%.c=$(BUILD)/$(1)/%.o) $(BUILD)/stamp/sources
	$$(Q)rm -f $$@; $$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(eval $(call kind,obj,$$(CC) $$(STD) $$(HARDEN) $$(CPPFLAGS) $$(CFLAGS) $$(WARN)))
$(eval $(call kind,san,$$(CC) $$(STD) $$(CPPFLAGS) -O1 -g1 $$(SAN) $$(WARN)))
$(BUILD)/san/core.a: | $(BUILD)/san/tests/soak/options.o
$(eval $(call kind,work,$$(CC) $$(STD) $$(CPPFLAGS) -O1 -g1 -fsanitize-coverage=trace-pc $$(WARN)))
$(eval $(call kind,tsan,$$(CC) $$(STD) $$(CPPFLAGS) -O1 -g1 $$(TSAN) $$(WARN)))
$(eval $(call kind,fuzz,$$(FUZZCC) $$(STD) $$(CPPFLAGS) -O1 -g $$(FUZZSAN) -fsanitize=fuzzer-no-link))
$(eval $(call kind,cov,$$(CC) $$(STD) $$(CPPFLAGS) -O0 -g --coverage $$(WARN)))

# warnings are told of the sanitized ones
$(eval $(call kind,plain,$$(CC) $$(STD) $$(CPPFLAGS) -O1 -w))

$(eval $(call kind,static,$$(CC) $$(STD) -DLINKED_IN $$(HARDEN) $$(CPPFLAGS) $$(CFLAGS) $$(WARN)))

# what is linked with what: objects and libraries among the prerequisites, in their order
LINKED = $(filter %.o %.a,$^)

$(BUILD)/ibscope: $(MAINSRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/ui.a $(BUILD)/obj/core.a $(BUILD)/stamp/link
	$(Q)$(CC) $(CFLAGS) $(LDHARD) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS)
$(BUILD)/ibscope-san: $(MAINSRC:%.c=$(BUILD)/san/%.o) $(BUILD)/san/ui.a $(BUILD)/san/core.a $(BUILD)/stamp/link
	$(Q)$(CC) $(SANLINK) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS)
$(BUILD)/ibscope-tsan: $(MAINSRC:%.c=$(BUILD)/tsan/%.o) $(BUILD)/tsan/ui.a $(BUILD)/tsan/core.a $(BUILD)/stamp/link
	$(Q)$(CC) -g $(TSAN) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS)

# one file with all its libraries, and the manual as text.  In place of libumad's functions come the program's (instead.h)
INSTEAD := $(patsubst %,-Wl$(COMMA)--wrap=umad_%,open_port close_port register send recv get_smi_gsi_pair_by_ca_name)
LINKEDIN := $(patsubst %,$(BUILD)/static/core/%.o,source/gate source/live_simulator source/confine base/builtin)
$(BUILD)/static/core/base/builtin.o: $(BUILD)/builtin-man
$(BUILD)/static/core/base/builtin.o: DEFS = -DBUILTIN_FILES='"$(BUILD)/builtin-man"'
$(BUILD)/ibscope.txt: $(BUILD)/ibscope.1
$(BUILD)/ibscope-json.txt: $(BUILD)/ibscope-json.5
$(BUILD)/%.txt:
	$(Q)groff -mandoc -Tutf8 -P-cbou $< >$@.new && mv $@.new $@
MANTEXT := $(BUILD)/ibscope.txt $(BUILD)/ibscope-json.txt
$(BUILD)/builtin-man: $(BUILD)/builtin $(MANTEXT)
	$(Q){ cat $<; for f in $(MANTEXT); do echo "$${f##*/} $$(($$(wc -c <$$f)))"; cat $$f; done; } >$@.new && mv $@.new $@
$(BUILD)/static/ibscope: $(LINKEDIN) $(MAINSRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/ui.a $(BUILD)/obj/core.a $(BUILD)/stamp/link
	$(Q)$(CC) $(CFLAGS) -static-pie -Wl,--no-warnings $(filter-out -pie,$(LDHARD)) $(LDFLAGS) $(INSTEAD) -o $@ $(LINKED) $(LIBS) $(UILIBS) -ltinfo
# the same with libc alone shared, whose functions a simulator replaces; it asks this libumad for the form of a MAD
LINKLIBC = $(CC) $(CFLAGS) $(LDHARD) $(LDFLAGS) $(INSTEAD) -o $@ $(LINKED) -Wl,-Bstatic $(filter-out -lpthread -lm,$(LIBS)) $(1) \
	-Wl,-Bdynamic -lpthread -lm -Wl,--export-dynamic-symbol='umad_*'
$(BUILD)/static/ibscope-libc: $(LINKEDIN) $(MAINSRC:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/ui.a $(BUILD)/obj/core.a $(BUILD)/stamp/link
	$(Q)$(call LINKLIBC,$(UILIBS) -ltinfo)
$(BUILD)/static/probe-libc: $(LINKEDIN) $(BUILD)/obj/tests/live/probe.o $(BUILD)/obj/core.a $(BUILD)/stamp/link
	$(Q)$(call LINKLIBC)

# with counters of what is run, for `make coverage`
$(BUILD)/cov/ibscope: $(MAINSRC:%.c=$(BUILD)/cov/%.o) $(BUILD)/cov/ui.a $(BUILD)/cov/core.a $(BUILD)/stamp/link
	$(Q)$(CC) --coverage $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS)
$(BUILD)/cov/unit/%: $(BUILD)/cov/tests/unit/%.o $(BUILD)/cov/ui.a $(BUILD)/cov/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) --coverage $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS) -lcmocka
$(BUILD)/cov/replay/%: $(BUILD)/cov/tests/fuzz/%.o $(BUILD)/cov/tests/fuzz/replay.o $(BUILD)/cov/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) --coverage $(LDFLAGS) -o $@ $(LINKED) $(LIBS)

# the manual pages: their lists are filled in by the program, from the tables that `help` and `schema` show
$(BUILD)/ibscope.1 $(BUILD)/ibscope-json.5: $(BUILD)/%: tui/%.in keymaps/default.keys $(BUILD)/ibscope
	$(Q)$(BUILD)/ibscope --manual $< >$@.new && mv $@.new $@

# a program with a race: the test of the test
$(BUILD)/racy: $(BUILD)/tsan/tests/tui/racy.o $(BUILD)/stamp/link
	$(Q)$(CC) -g $(TSAN) $(LDFLAGS) -o $@ $(LINKED) -lpthread

# every short sequence of keys, typed into the REPL
$(BUILD)/keys: $(BUILD)/san/tests/tui/keys.o $(BUILD)/san/ui.a $(BUILD)/san/core.a $(BUILD)/stamp/link
	$(Q)$(CC) $(SANLINK) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS)

# times frames of the map: make build/bench/map && build/bench/map
$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/obj/ui.a $(BUILD)/obj/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDHARD) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS)

# how dfsssp spreads layers over lanes, for tests/papers
$(BUILD)/papers/lanes: $(BUILD)/obj/tests/papers/lanes.o $(BUILD)/obj/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDHARD) $(LDFLAGS) -o $@ $(LINKED) $(LIBS)

# unit tests, under the sanitizers: one program a module ...
$(BUILD)/unit/%: $(BUILD)/san/tests/unit/%.o $(BUILD)/san/ui.a $(BUILD)/san/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANLINK) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS) -lcmocka
# ... and all in one, linked once: `build/unit-tests test_X`
UNITS := $(foreach u,$(UNIT),X($u))
$(eval $(call stamp,units,$$(UNITS)))
$(BUILD)/san/tests/unit/all.o: DEFS = -DUNITS='"$(BUILD)/stamp/units"'
$(BUILD)/san/tests/unit/all.o: $(BUILD)/stamp/units
$(BUILD)/san/main/%.o: $(BUILD)/san/tests/unit/%.o
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) --redefine-sym main=main_$* $< $@
$(BUILD)/unit-tests: $(BUILD)/san/tests/unit/all.o $(UNIT:%=$(BUILD)/san/main/%.o) $(BUILD)/san/ui.a $(BUILD)/san/core.a $(BUILD)/stamp/link
	$(Q)$(CC) $(SANLINK) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS) -lcmocka

# the same without sanitizers; `make mutate` links a mutant's object before the program's libraries
$(BUILD)/plain/tests/unit/all.o: DEFS = -DUNITS='"$(BUILD)/stamp/units"'
$(BUILD)/plain/tests/unit/all.o: $(BUILD)/stamp/units
$(BUILD)/plain/main/%.o: $(BUILD)/plain/tests/unit/%.o
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) --redefine-sym main=main_$* $< $@
$(BUILD)/plain/unit-tests: $(BUILD)/plain/tests/unit/all.o $(UNIT:%=$(BUILD)/plain/main/%.o) $(BUILD)/obj/ui.a $(BUILD)/obj/core.a $(BUILD)/stamp/link
	$(Q)$(CC) $(CFLAGS) $(LDHARD) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS) -lcmocka

# drives live discovery for tests/live; not sanitized: the simulator's library reads beyond its own buffers
$(BUILD)/live/probe: $(BUILD)/obj/tests/live/probe.o $(BUILD)/obj/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDHARD) $(LDFLAGS) -o $@ $(LINKED) $(LIBS)

# between the program and a device: capture.so writes down what is sent, lie.so rewrites what is answered
$(BUILD)/live/%.so: tests/live/%.c $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(WARN) -fPIC -shared $(LDFLAGS) -o $@ $< -libumad

# put before the program, it lets allocations fail
$(BUILD)/memory/fail.so: tests/memory/fail.c $(BUILD)/stamp/obj
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(WARN) -shared -fPIC -o $@ $<

$(BUILD)/trouble/clock.so: tests/trouble/clock.c $(BUILD)/stamp/obj
$(BUILD)/tui/hold.so: tests/tui/hold.c $(BUILD)/stamp/obj
$(BUILD)/tui/quick.so: tests/tui/quick.c $(BUILD)/stamp/obj
$(BUILD)/trouble/clock.so $(BUILD)/tui/hold.so $(BUILD)/tui/quick.so:
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(WARN) -shared -fPIC -o $@ $<

# tells how much commands work without looking whether they were cancelled, for tests/stop
$(BUILD)/stop/looks: $(BUILD)/obj/tests/stop/looks.o $(BUILD)/work/ui.a $(BUILD)/work/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -no-pie -Wl,--wrap=progress_step,--wrap=progress_cancelled,--wrap=poll -o $@ $(LINKED) $(LIBS) $(UILIBS)

# tell which of their blocks run, for `make mutate`
$(BUILD)/reach/ibscope: $(BUILD)/obj/tests/mutate/reach.o $(MAINSRC:%.c=$(BUILD)/work/%.o) $(BUILD)/work/ui.a $(BUILD)/work/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -no-pie -o $@ $(LINKED) $(LIBS) $(UILIBS)
$(BUILD)/reach/unit-tests: $(BUILD)/obj/tests/mutate/reach.o $(BUILD)/plain/tests/unit/all.o $(UNIT:%=$(BUILD)/plain/main/%.o) $(BUILD)/work/ui.a $(BUILD)/work/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -no-pie -o $@ $(LINKED) $(LIBS) $(UILIBS) -lcmocka
$(BUILD)/reach/live/probe: $(BUILD)/obj/tests/mutate/reach.o $(BUILD)/obj/tests/live/probe.o $(BUILD)/work/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -no-pie -o $@ $(LINKED) $(LIBS)

# random command lines, and files changed at random for the fuzz targets' functions
$(BUILD)/soak/driver: $(patsubst %,$(BUILD)/san/tests/soak/%.o,driver lines mutate) $(BUILD)/san/ui.a $(BUILD)/san/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANLINK) $(LDFLAGS) -o $@ $(LINKED) $(LIBS) $(UILIBS)
$(BUILD)/soak/fuzz_%: $(BUILD)/san/tests/fuzz/fuzz_%.o $(patsubst %,$(BUILD)/san/tests/soak/%.o,mutator mutate) $(BUILD)/san/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANLINK) $(LDFLAGS) -o $@ $(LINKED) $(LIBS)

# fuzz targets, and the same without libFuzzer: they replay files under the sanitizers
$(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o $(BUILD)/fuzz/core.a $(BUILD)/stamp/link
	$(Q)$(FUZZCC) -g $(FUZZSAN) -fsanitize=fuzzer $(LDFLAGS) -o $@ $(LINKED) $(LIBS)
$(BUILD)/replay/%: $(BUILD)/san/tests/fuzz/%.o $(BUILD)/san/tests/fuzz/replay.o $(BUILD)/san/core.a $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANLINK) $(LDFLAGS) -o $@ $(LINKED) $(LIBS)

.SECONDARY: $(UNIT:%=$(BUILD)/cov/tests/unit/%.o) $(FUZZ:%=$(BUILD)/cov/tests/fuzz/%.o) $(BUILD)/cov/tests/fuzz/replay.o \
	$(UNIT:%=$(BUILD)/plain/tests/unit/%.o) $(UNIT:%=$(BUILD)/san/tests/unit/%.o) $(FUZZ:%=$(BUILD)/san/tests/fuzz/%.o) $(BUILD)/san/tests/fuzz/replay.o \
	$(patsubst tests/%.c,$(BUILD)/san/tests/%.o,$(wildcard tests/soak/*.c)) \
	$(FUZZ:%=$(BUILD)/fuzz/tests/fuzz/%.o)

# --- tests -----------------------------------------------------------------------
TESTED := $(BUILD)/ibscope $(BUILD)/ibscope.1 $(BUILD)/ibscope-json.5 $(BUILD)/ibscope-san $(BUILD)/keys $(BUILD)/live/probe \
	$(BUILD)/live/capture.so $(BUILD)/live/lie.so $(BUILD)/memory/fail.so $(BUILD)/trouble/clock.so $(BUILD)/tui/hold.so \
	$(BUILD)/tui/quick.so $(BUILD)/stop/looks $(BUILD)/soak/driver \
	$(BUILD)/static/ibscope $(BUILD)/static/ibscope-libc $(BUILD)/static/probe-libc $(BUILD)/static/licences \
	$(BUILD)/unit-tests $(FUZZ:%=$(BUILD)/replay/%)
RUN := BUILD='$(BUILD)' CC='$(CC)' CFLAGS='$(CFLAGS)' tests/run.sh

# SUITES="unit cli": these alone
check: deps-build deps-optional deps-check deps-static
	@$(MAKE) --no-print-directory -j$$(nproc) $(TESTED)
	@$(RUN) $(SUITES)
# with the long random parts and ThreadSanitizer: nightly
check-long: deps-build deps-optional deps-check deps-static deps-rpm
	@$(MAKE) --no-print-directory -j$$(nproc) $(TESTED) $(BUILD)/ibscope-tsan $(BUILD)/racy
	@LONG=1 $(RUN) $(SUITES)
check-driver: $(BUILD)/soak/driver
	@$(RUN) driver
check-unit: $(BUILD)/unit-tests
	@$(RUN) unit
check-parity: $(BUILD)/ibscope $(BUILD)/ibscope-san $(BUILD)/live/capture.so
	@$(RUN) parity
check-live: $(BUILD)/ibscope $(BUILD)/live/probe $(BUILD)/live/capture.so
	@$(RUN) live
check-cli: $(BUILD)/ibscope
	@$(RUN) cli
check-stop: $(BUILD)/ibscope $(BUILD)/stop/looks
	@$(RUN) stop
check-keys: $(BUILD)/keys
	@$(RUN) keys
check-tui: $(BUILD)/ibscope $(BUILD)/tui/hold.so $(BUILD)/tui/quick.so
	@$(RUN) tui
check-tsan: $(BUILD)/ibscope-tsan $(BUILD)/racy
	@$(RUN) tsan
# nightly: for aarch64, under emulation: unit programs, and tables and paths of all engines equal to this program's
check-arm: deps-build deps-check deps-arm64
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/ibscope
	@tests/arm/root.sh '$(BUILD)/arm/root'
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD='$(BUILD)/arm' CC='aarch64-linux-gnu-gcc --sysroot=$(abspath $(BUILD))/arm/root' AR=aarch64-linux-gnu-ar OBJCOPY=aarch64-linux-gnu-objcopy \
		'$(BUILD)/arm/ibscope' '$(BUILD)/arm/plain/unit-tests'
	@BUILD='$(BUILD)' tests/arm/run.py
# published figures beside computed ones: tests/papers/README.md has the table
papers: $(BUILD)/ibscope $(BUILD)/papers/lanes
	@IBSCOPE='$(BUILD)/ibscope' LANES='$(BUILD)/papers/lanes' python3 tests/papers/run.py $(PAPERS)
# pictures of the running program: build/gallery/*.svg, six of them tests/tui/gallery/*.svg
gallery: deps-build deps-check
	@$(MAKE) --no-print-directory $(BUILD)/ibscope
	@IBSCOPE='$(BUILD)/ibscope' BUILD='$(BUILD)' python3 tests/tui/gallery.py
bench: deps-build deps-check
	@$(MAKE) --no-print-directory $(BUILD)/ibscope
	@IBSCOPE=$(BUILD)/ibscope tests/bench/run.py
	@$(MAKE) --no-print-directory $(BUILD)/bench/step
	@$(BUILD)/bench/step

# what check-long does, then long random runs of all parts, SOAK_SECONDS together; what they tried and found as one table
SOAK := $(BUILD)/soak/driver $(FUZZ:%=$(BUILD)/soak/%) $(FUZZ:%=$(BUILD)/replay/%) $(FUZZ:%=$(BUILD)/fuzz/%) $(BUILD)/ibscope \
	$(BUILD)/ibscope-san $(BUILD)/ibscope-tsan $(BUILD)/racy $(BUILD)/keys
soak: deps-build deps-optional deps-check deps-fuzz
	@$(MAKE) --no-print-directory -j$$(nproc) $(SOAK)
	@$(MAKE) --no-print-directory check-long; long=$$?; BUILD='$(BUILD)' tests/soak/run.py && exit $$long

# lines and branches that unit tests, corpora and parity reach; gcov comes with gcc
coverage: deps-build deps-optional deps-check
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/cov/ibscope $(UNIT:%=$(BUILD)/cov/unit/%) $(FUZZ:%=$(BUILD)/cov/replay/%)
	@BUILD='$(BUILD)' tests/coverage/run.py

# MUTANTS random mutations of the program (SEED), and whether the nearest tests notice them; nightly.  The linker that is quickest.
LLD = $(if $(shell command -v ld.lld),-fuse-ld=lld)
MUTATED := $(TESTED) $(BUILD)/plain/tests/unit/all.o $(UNIT:%=$(BUILD)/plain/main/%.o) $(BUILD)/reach/ibscope $(BUILD)/reach/unit-tests $(BUILD)/reach/live/probe
mutate: deps-build deps-optional deps-check deps-static
	@$(MAKE) --no-print-directory -j$$(nproc) $(MUTATED)
	@BUILD='$(BUILD)' COMPILE='$(CC) $(STD) $(HARDEN) $(CPPFLAGS) $(filter-out -g,$(CFLAGS))' LINK='$(CC) $(CFLAGS) $(LDHARD) $(LDFLAGS) $(LLD) -Wl,-S' \
		SANCOMPILE='$(CC) $(STD) $(CPPFLAGS) -O1 -g1 $(SAN)' SANLINK='$(CC) $(SANLINK) $(LDFLAGS) $(LLD)' LIBS='$(LIBS) $(UILIBS)' \
		tests/mutate/run.py

# every fuzz target for FUZZ_SECONDS
FUZZ_SECONDS ?= 60
fuzz: deps-build deps-fuzz
	@$(MAKE) --no-print-directory $(FUZZ:%=$(BUILD)/fuzz/%)
	@for t in $(FUZZ); do \
		mkdir -p $(BUILD)/fuzz/corpus-$$t; \
		$(BUILD)/fuzz/$$t -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -close_fd_mask=0 \
			$(BUILD)/fuzz/corpus-$$t tests/fuzz/corpus/$${t#fuzz_} || exit 1; \
	done

# --- looking over: a file is read again when it, or a header it includes, has changed ---
SOURCES := $(LIBSRC) $(UISRC) $(MAINSRC)
TESTSRC := $(sort $(wildcard tests/*/*.c))
HEADERS := $(shell find core engines views tui tests -name '*.h')
# gcc compiles the tests as `make check` does, so that nothing is compiled twice
SANTEST := $(filter tests/unit/% tests/fuzz/% tests/soak/%,$(TESTSRC))
LINTED  := $(BUILD)/lint/format $(BUILD)/lint/reads $(SOURCES:%=$(BUILD)/lint/%.tidy) $(SOURCES:%=$(BUILD)/lint/%.check) $(TESTSRC:%=$(BUILD)/lint/%.clang) \
	$(patsubst %.c,$(BUILD)/obj/%.o,$(SOURCES) $(filter-out $(SANTEST),$(TESTSRC))) $(SANTEST:%.c=$(BUILD)/san/%.o)
CPPCHECK := cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	--suppress=missingIncludeSystem --suppress=unusedStructMember -D_GNU_SOURCE -I.
$(eval $(call stamp,cppcheck,$$(CPPCHECK)))

CLANGONLY := $(CLANG) $(STD) $(CPPFLAGS) $(WARN) -fsyntax-only
$(eval $(call stamp,clang,$$(CLANGONLY)))

# once more as if for 32 bits, where "%lu" is no uint64_t: x86_64's headers are i386's, but for one that is empty here
ifeq ($(shell uname -m),x86_64)
NARROW = $(CLANGONLY) --target=i386-linux-gnu -idirafter $(BUILD)/lint/i386 -idirafter /usr/include/x86_64-linux-gnu
endif
$(BUILD)/lint/i386/gnu/stubs-32.h:
	@mkdir -p $(@D) && : >$@

# DEEP=1: clang's analyzer follows calls to any depth and 225,000 steps of a function instead of 20,000, which takes ten
# times as long; else it does not see what makes a divisor greater than 0
SHALLOW := --checks=-clang-analyzer-core.DivideZero \
	$(foreach a,-Xclang -analyzer-config -Xclang mode=shallow -Xclang -analyzer-config -Xclang max-nodes=20000,--extra-arg=$a)
# memory taken 64 MB at a time, none given back: a fifth of its time
TIDY := env MALLOC_TOP_PAD_=67108864 MALLOC_TRIM_THRESHOLD_=1073741824 clang-tidy --quiet --warnings-as-errors='*' $(if $(filter 1,$(DEEP)),,$(SHALLOW))
$(eval $(call stamp,tidy,$$(TIDY)))

# what editors and clangd ask: each file with the flags it is compiled by
COMMA := ,
COMPILED = {"directory": "$(CURDIR)", "file": "$(1)", "command": "$(subst ",\",$(CC) $(STD) $(2) -c $(1))"}
compile_commands.json: FORCE
	@: $(file >$@,[)$(foreach f,$(SOURCES),$(file >>$@,$(call COMPILED,$f,$(HARDEN) $(CPPFLAGS) $(CFLAGS) $(WARN) $(if $(filter tui/about.c,$f),$(ABOUT)))$(COMMA)))
	@: $(foreach f,$(TESTSRC),$(file >>$@,$(call COMPILED,$f,$(CPPFLAGS) -O1 -g1 $(SAN) $(WARN) $(if $(filter %/all.c,$f),-DUNITS='"$(BUILD)/stamp/units"'))$(COMMA)))
	@sed -i -e '$$s/,$$//' -e '$$a ]' $@

lint: deps-build deps-check deps-lint
	@clang-format --version | grep -q ' version $(FORMATTER)\.' || \
		echo "the format is not judged: it is that of clang-format $(FORMATTER)"
	@$(MAKE) --no-print-directory -k -j$$(nproc) linted
linted: $(LINTED)

# gcc's object stands for the file and all it includes; clang-tidy tells clang's own warnings, too
$(BUILD)/lint/tui/about.c.tidy: DEFS = $(ABOUT)
$(BUILD)/lint/%.c.tidy: $(BUILD)/obj/%.o .clang-tidy $(BUILD)/stamp/tidy $(BUILD)/stamp/clang | $(BUILD)/lint/i386/gnu/stubs-32.h
	@mkdir -p $(@D)
	$(if $(NARROW),$(Q)$(NARROW) $(DEFS) $*.c)
	$(Q)$(TIDY) $*.c -- $(STD) $(CPPFLAGS) $(DEFS) $(WARN) \
		2>$@.log || { cat $@.log; exit 1; }
	@touch $@
# clang alone where clang-tidy does not look, as if for 32 bits where that can be: for 64 gcc compiles the tests
$(BUILD)/lint/tests/unit/all.c.clang: DEFS = -DUNITS='"$(BUILD)/stamp/units"'
$(BUILD)/lint/tests/unit/all.c.clang: $(BUILD)/stamp/units
$(BUILD)/lint/%.c.clang: %.c $(BUILD)/stamp/clang | $(BUILD)/lint/i386/gnu/stubs-32.h
	@mkdir -p $(@D)
	$(Q)$(or $(NARROW),$(CLANGONLY)) $(DEFS) -MMD -MP -MT $@ -MF $@.d $<
	@touch $@
$(BUILD)/lint/%.c.check: $(BUILD)/obj/%.o $(BUILD)/stamp/cppcheck
	@mkdir -p $(@D)
	$(Q)$(CPPCHECK) $*.c
	@touch $@
# versions of clang-format differ in what they make of a file: one judges
FORMATTER := 14
$(BUILD)/lint/format: $(SOURCES) $(TESTSRC) $(HEADERS) .clang-format
	@mkdir -p $(@D)
	$(Q)case "$$(clang-format --version)" in *' version $(FORMATTER).'*) \
		clang-format --dry-run -Werror $(filter %.c %.h,$(if $(filter .clang-format,$?),$^,$?)) ;; esac
	@touch $@
# files are read by core/base alone
$(BUILD)/lint/reads: $(SOURCES) tests/reads.py
	@mkdir -p $(@D)
	$(Q)python3 tests/reads.py $(filter %.c,$^)
	@touch $@
format: deps-lint
	clang-format -i $(SOURCES) $(TESTSRC) $(HEADERS)

# --- one file with all in it -----------------------------------------------------------
# with the terms of what is linked beside it, in build/static/
TERMS := libreadline-dev libibnetdisc-dev libibmad-dev libibumad-dev libncurses-dev libjansson-dev libexpat1-dev libseccomp-dev libc6-dev libgcc-s1
static: deps-build deps-optional deps-static
	@$(MAKE) --no-print-directory $(BUILD)/static/ibscope $(BUILD)/static/licences
	@echo $(BUILD)/static/ibscope
$(BUILD)/static/licences: LICENSE
	@rm -rf $@ $@.new && mkdir -p $@.new && cp LICENSE /usr/share/common-licenses/*GPL-[23]* $@.new/
	@for p in $(TERMS); do cp -L /usr/share/doc/$$p/copyright $@.new/$$p || exit 1; done
	@mv $@.new $@

# --- installing -----------------------------------------------------------------------
# where Debian's zsh looks: in a package's folder, and in that of what was built on the machine
ZSHDIR = zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
# The program without debug information, which is beside it, where debuggers look.
SYMBOLS = $(DESTDIR)$(PREFIX)/lib/debug/.build-id
install: all
	install -Dm755 $(BUILD)/ibscope $(DESTDIR)$(PREFIX)/bin/ibscope
	id=$$(readelf -n $(BUILD)/ibscope | sed -n 's/.*Build ID: //p'); [ -z "$$id" ] || { \
		mkdir -p $(SYMBOLS)/$${id%$${id#??}} && \
		objcopy --only-keep-debug $(BUILD)/ibscope $(SYMBOLS)/$${id%$${id#??}}/$${id#??}.debug; }
	strip --strip-debug $(DESTDIR)$(PREFIX)/bin/ibscope
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/ibscope/fabrics tests/fabrics/demo-3level.ibnet
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/ibscope/keymaps keymaps/*.keys
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/ibscope/lessons views/lessons/*
	install -Dm755 tui/ibscope-survey.slurm $(DESTDIR)$(PREFIX)/share/ibscope/ibscope-survey.slurm
	install -Dm644 tui/ibscope-watch.service $(DESTDIR)$(PREFIX)/share/ibscope/ibscope-watch.service
	install -Dm755 -t $(DESTDIR)$(PREFIX)/share/ibscope/examples tui/examples/*
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/doc/ibscope/engines/doc engines/doc/*.md
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/doc/ibscope/core/formats/doc core/formats/doc/*.md
	install -Dm644 $(BUILD)/ibscope.1 $(DESTDIR)$(PREFIX)/share/man/man1/ibscope.1
	install -Dm644 $(BUILD)/ibscope-json.5 $(DESTDIR)$(PREFIX)/share/man/man5/ibscope-json.5
	install -Dm644 tui/ibscope.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ibscope
	install -Dm644 tui/ibscope.zsh $(DESTDIR)$(PREFIX)/share/$(ZSHDIR)/_ibscope
	install -Dm644 tui/ibscope.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ibscope.fish
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ibscope $(DESTDIR)$(PREFIX)/share/man/man1/ibscope.1 \
		$(DESTDIR)$(PREFIX)/share/man/man5/ibscope-json.5 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/ibscope \
		$(DESTDIR)$(PREFIX)/share/$(ZSHDIR)/_ibscope $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/ibscope.fish
	rm -rf $(DESTDIR)$(PREFIX)/share/ibscope $(DESTDIR)$(PREFIX)/share/doc/ibscope
	id=$$(readelf -n $(BUILD)/ibscope | sed -n 's/.*Build ID: //p'); rm -f $(SYMBOLS)/$${id%$${id#??}}/$${id#??}.debug

# a Debian package in build/, and one of its symbols
deb: deps-build deps-deb
	+@.ci/package '$(BUILD)' '$(VERSION)'
# the static file as a package of the rpm family
rpm: static deps-rpm
	+@.ci/rpm '$(BUILD)' '$(VERSION)'
# all of what is handed on, from what is committed: the same bytes each time
release: deps-build deps-wanted deps-deb deps-static deps-rpm
	+@.ci/release '$(BUILD)' '$(VERSION)'

clean:
	rm -rf $(BUILD) compile_commands.json

-include $(shell find $(BUILD) -name '*.d' -type f 2>/dev/null)
