# Everyday commands over the CMake build in build/. `make help` lists them.
CMAKE ?= cmake
JOBS ?= $(shell nproc)

.PHONY: all configure demo test test-all lint format info bench docs install clean help deps deps-test deps-demo deps-matrix matrix

all: configure ## build everything into build/
	@$(CMAKE) --build build --parallel $(JOBS)

# The presets of CMakePresets.json, with Ninja where it is present.
configure: deps
	@scripts/configure.sh release

deps:
	@scripts/install-deps.sh build
deps-test:
	@scripts/install-deps.sh build test gpu mpi matrix
deps-matrix:
	@scripts/install-deps.sh build matrix
deps-demo:
	@scripts/install-deps.sh build demo

demo: deps-demo all ## reconstruct an image from radial MRI k-space that BART makes (build/demo/)
	@scripts/demo.sh

test: deps-test all ## sampled tests, sanitizers, 60 s of fuzzing, format and architecture checks
	@python3 scripts/run-tests.py

test-all: deps-test all ## every combination of every test
	@python3 scripts/run-tests.py --all

lint: deps-test configure ## format, shell, clang-tidy and architecture checks
	@scripts/lint.sh

format: ## clang-format every source in place
	@scripts/format.sh

matrix: deps-matrix all ## compile every GPU kernel for six architectures, without a device, into docs/kernels.csv
	@python3 scripts/matrix.py

info: all ## what was built
	@build/bin/offgrid info

bench: all ## time and verify a few problems (more: build/bin/offgrid bench --help)
	@scripts/bench.sh

docs: all ## regenerate docs/options.md from the options table
	@build/bin/offgrid info --options > build/options.md && mv build/options.md docs/options.md

install: all ## cmake --install build (PREFIX=/usr/local)
	@$(CMAKE) --install build --prefix $(or $(PREFIX),/usr/local)

clean: ## remove build/
	rm -rf build

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12
