# Makefile - the short names for what CMake and the scripts in tools/ do.
PREFIX ?= /usr/local

.PHONY: demo pictures test golden golden-accept golden-all neon stress fuzz oracle soak resume bench format format-check tidy install clean

# Installs what is missing, builds the program and runs one scene with several solvers.
demo: build/release/cairn
	@tools/demo.sh

# Draws the pictures of README and manual anew.
pictures: build/release/cairn
	@tools/make_pictures.sh

# Everything continuous integration checks; the last line counts what passed and what failed.
test:
	@tools/install_dependencies.sh test
	@tools/test.sh

# Which of the golden runs have changed, from which step on, and by how much.
golden: build/release/tests/golden/golden
	$< --compare tests/golden/values.txt

# What the runs do now becomes what they shall do; the commit says why.
golden-accept: build/release/tests/golden/golden
	$< --write tests/golden/values.txt

# Every golden run by gcc and clang, -O0 and -O2, with 1, 2 and 4 threads: the same bits in all.
golden-all:
	@tools/install_dependencies.sh test
	@cmake --preset release -DCAIRN_TESTS=ON -DCAIRN_SAME_BITS=ON '-DCAIRN_GOLDEN_LEVELS=-O0;-O2' >/dev/null
	@cmake --build --preset release --target same_bits_golden -- --quiet
	tools/golden_all.sh build/release/same_bits 1 2 4

# The kernels of the real-time scheme on aarch64, in qemu-user: the same bits as here.
neon:
	@tools/install_dependencies.sh neon
	@tools/neon.sh

# Hostile bytes, FUZZ_SECONDS (600) for each kind.
fuzz:
	@tools/install_dependencies.sh test
	@tools/fuzz.sh

# Random calls, refused memory, spoilt files and 100,000 steps of bodies that come and go, under
# sanitizers: STRESS_MINUTES (10) in all, from STRESS_SEED (that of the hour) on.
stress:
	@tools/install_dependencies.sh test
	@tools/stress.sh

# Distances of a million pairs of shapes against brute force, ten minutes: ORACLE_PAIRS.
oracle: build/release/cairn
	build/release/tests/run_oracle $(or $(ORACLE_PAIRS),1000000)

# Machines of many joints for a minute of their time, ten minutes of ours: SOAK_SECONDS.
soak:
	@tools/install_dependencies.sh test
	@cmake --preset release -DCAIRN_TESTS=ON >/dev/null
	@cmake --build --preset release --target run_machines -- --quiet
	build/release/tests/run_machines $(or $(SOAK_SECONDS),60)

# 1,000 random stops of 30 runs and more, each cloned and restored, then 1,000 steps with the same bits.
resume:
	@tools/install_dependencies.sh test
	@cmake --preset release -DCAIRN_TESTS=ON >/dev/null
	@cmake --build --preset release --target resume -- --quiet
	build/release/tests/state/resume --stops $(or $(RESUME_STOPS),14) --after $(or $(RESUME_STEPS),1000)

# Beside other engines, which it installs. Single parts: cmake --build --preset release --target bench_broad_phase
bench:
	@tools/install_dependencies.sh bench
	@$(MAKE) --no-print-directory build/release/cairn
	build/release/cairn bench
	@cmake --build --preset release --target bench_rest bench_broad_phase bench_narrow_phase bench_real_time bench_machines
	@mkdir -p bench/results
	build/release/bench/bench_real_time --csv bench/results/real_time.csv --svg bench/results/real_time.svg
	build/release/bench/bench_rest
	build/release/bench/bench_broad_phase
	build/release/bench/bench_narrow_phase
	build/release/bench/bench_machines

format:
	@tools/install_dependencies.sh test
	@tools/format.sh

format-check:
	@tools/install_dependencies.sh test
	@tools/format.sh --check

tidy:
	@tools/install_dependencies.sh tidy
	@tools/tidy.sh

install: build/release/cairn
	@cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build

.PHONY: build/release/tests/golden/golden
build/release/tests/golden/golden:
	@tools/install_dependencies.sh test
	@cmake --preset release -DCAIRN_TESTS=ON >/dev/null
	@cmake --build --preset release --target golden -- --quiet

# Always asked for: CMake knows better than make whether something changed.
.PHONY: build/release/cairn
build/release/cairn:
	@tools/install_dependencies.sh build
	@tools/build.sh
