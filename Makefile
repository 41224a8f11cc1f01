# `make` lists the targets. Each makes .venv from requirements.lock first where that is needed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help leaderboard test check site format schemas lock clean

BIN := .venv/bin
PYTHON_CODE := benchmark contrib perf scripts tests
# A schema that check-jsonschema brings along, by the rest of its name.
SCHEMA := check-jsonschema --quiet --builtin-schema vendor
# What `make leaderboard` scores, and further options of pytest.
ENTRY ?= contrib/conditional_probe
TESTS ?=

ifdef PYTHON
export PYTHON
endif

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

leaderboard: ## Set up, score one entry with the quick suite, and build the site
	@scripts/setup.sh venv bubblewrap
	$(BIN)/python scripts/score.py $(ENTRY) --quick
	$(BIN)/python scripts/build_site.py
	@echo "Open this file in a browser: $(CURDIR)/public/index.html"

test: ## Set up, and run every test (TESTS="-k name" for some)
	@scripts/setup.sh venv bubblewrap browser
	@export CHROMIUM="$$(scripts/setup.sh --browser)"; \
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 -m "$$(scripts/setup.sh --selection)" $(TESTS)

check: ## Check lint, formatting, types, entries, results, schemas and workflows, all of them whatever fails
	@scripts/setup.sh venv
	@failed=0; \
	for step in "ruff check ." "ruff format --check ." mypy "python scripts/check.py" \
		"python scripts/export_schemas.py --check" \
		"$(SCHEMA).github-workflows .github/workflows/*.yml" \
		"$(SCHEMA).github-actions .github/actions/*/action.yml" \
		"$(SCHEMA).dependabot .github/dependabot.yml" \
		"$(SCHEMA).github-issue-forms .github/ISSUE_TEMPLATE/[0-9]*.yml" \
		"$(SCHEMA).github-issue-config .github/ISSUE_TEMPLATE/config.yml" \
		"zizmor --offline --quiet --strict-collection --persona pedantic .github"; do \
		echo "$(BIN)/$$step"; $(BIN)/$$step || failed=1; \
	done; \
	exit $$failed

site: ## Build the site from the committed results, and check its links
	@scripts/setup.sh venv
	$(BIN)/python scripts/build_site.py
	$(BIN)/python scripts/check_links.py
	@echo "Open this file in a browser: $(CURDIR)/public/index.html"

format: ## Format the code, and mend what lint can mend
	@scripts/setup.sh venv
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schemas: ## Export the JSON Schemas anew
	@scripts/setup.sh venv
	$(BIN)/python scripts/export_schemas.py

lock: ## Choose the newest versions that pyproject.toml allows, and pin them
	@scripts/lock.sh

clean: ## Remove what was made: .venv, the site, local scores, caches
	rm -rf .venv .cache public scores site/leaderboard *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find $(wildcard $(PYTHON_CODE)) -name __pycache__ -prune -exec rm -rf {} +
