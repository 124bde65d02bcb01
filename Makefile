# GNU make. The extension is built by PGXS; everything else is handed over to cmake and to tests/.
# PG_CONFIG picks the server: make PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config (after a make clean).
# CXX=clang++ works as well; packagers switch warnings back from errors by WERROR=.

EXTENSION  = extension/pg_coord
EXTVERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" $(EXTENSION).control)
MODULE_big = pg_coord
OBJS       = $(patsubst %.cpp,%.o,$(sort $(wildcard extension/*.cpp)))

# The install script: the header, then the parts in the order of their dependencies.
SQL_PARTS   = schema member shutdown election fence guard assignment lock views access
INSTALL_SQL = $(EXTENSION)--$(EXTVERSION).sql
DATA        = $(wildcard $(EXTENSION)--*--*.sql)
DATA_built  = $(INSTALL_SQL)

REGRESS        = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS   = --load-extension=pg_coord
ISOLATION      = $(patsubst tests/isolation/specs/%.spec,%,$(sort $(wildcard tests/isolation/specs/*.spec)))
ISOLATION_OPTS = --inputdir=tests/isolation --load-extension=pg_coord

WERROR     ?= -Werror
PG_CONFIG  ?= pg_config
PG_CPPFLAGS = -isystem $(shell $(PG_CONFIG) --includedir-server) -Iclient/include -DCOORD_VERSION='"$(EXTVERSION)"'
# The server's macros increment volatiles, which clang++ deprecates where they are used.
PG_CXXFLAGS = -std=c++20 -Wextra $(WERROR) -Wno-unknown-warning-option -Wno-deprecated-volatile \
  -fvisibility=hidden -fvisibility-inlines-hidden -MMD -MP
EXTRA_CLEAN = $(OBJS:.o=.d) build results output_iso regression.diffs regression.out

override COMPILER = $(CXX) $(CXXFLAGS)  # link as C++
override with_llvm = no                 # JIT inlining gains nothing here, and would need clang

.DEFAULT_GOAL = all
PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))
ifneq ($(PGXS),)
include $(PGXS)
else # make test and make demo install it; they must get that far
all install stage:
	@echo "no PGXS by $(PG_CONFIG): install postgresql-server-dev, or set PG_CONFIG" >&2; exit 1
endif

$(INSTALL_SQL): extension/header.sql $(SQL_PARTS:%=extension/%.sql) $(EXTENSION).control Makefile
	cat $(filter %.sql,$^) > $@.tmp && mv $@.tmp $@

$(OBJS): $(EXTENSION).control Makefile
-include $(OBJS:.o=.d)

SUITES = lint unit fuzz regress pgtap isolation upgrade docs integration chaos
JOBS  ?= $(shell nproc)
.PHONY: stage client prepare demo test test-matrix test-pg-upgrade test-patroni test-sanitize chaos mutations bench lint format help $(SUITES:%=test-%)

ifneq ($(PGXS),)
stage: ## install into build/stage, to be used by extension_destdir
	+$(MAKE) DESTDIR=$(CURDIR)/build/stage install
endif
client: ## the client library and the pgcoord tool, in build/client
	cmake -S client -B build/client -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo $(CMAKE_OPTIONS)
	cmake --build build/client -j $(JOBS)
prepare: ## install what is missing of the Debian packages (root), or say what is
	tests/prepare
demo: prepare ## fail-over and fencing on a private server, in a minute
	tests/demo
test: prepare ## every suite; test-lint, test-unit, … run one
	tests/run $(SUITES)
$(SUITES:%=test-%): prepare
	tests/run $(@:test-%=%)
chaos: prepare ## a long run of the chaos suite: make chaos SECONDS=600 SEED=7
	PGCOORD_CHAOS_SECONDS=$(or $(SECONDS),600) PGCOORD_SEED=$(SEED) tests/run chaos
test-matrix: ## build and test on PostgreSQL 15, 17, 18 and 19, in small systems of their own (root); VERSIONS=17
	tests/matrix/run $(VERSIONS)
test-pg-upgrade: ## databases with the extension taken from PostgreSQL 15 to 17 by pg_upgrade, in two of these systems (root)
	tests/matrix/pg_upgrade
test-patroni: ## fail-over and switch-over under Patroni, with an etcd
	tests/patroni/run
test-sanitize: ## sanitizers, valgrind, clang++ and clang-tidy; KIND=thread runs one: tests/sanitize/README.md
	tests/sanitize/run $(KIND)
mutations: prepare ## break the product by each patch of tests/mutations: a test must notice
	tests/mutations/run
bench: prepare ## measure; prints the machine with the numbers
	tests/bench/run
lint: test-lint ## the checks of tests/lint
format: ## lay the C++ sources out as tests/lint/format.sh wants them
	find extension client tests -name '*.[ch]pp' -exec clang-format -i {} +
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile
	@echo "make all, install, uninstall, clean, installcheck: as with every PGXS extension"
