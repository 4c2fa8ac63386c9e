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
UNIT    := $(patsubst tests/unit/%.c,%,$(sort $(wildcard tests/unit/test_*.c)))

Q := $(if $(filter 1,$(V)),,@)

.PHONY: all clean
all: $(BUILD)/ibscope

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

# --- unit tests: one program a module, under the sanitizers ------------------
$(BUILD)/unit/%: $(BUILD)/san/tests/unit/%.o $(BUILD)/libibscope-san.a
	@mkdir -p $(@D)
	$(Q)$(CC) -g $(SAN) -o $@ $^ $(LIBS) -lcmocka

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
