.DEFAULT_GOAL := help
.PHONY: help generate lint compatible test run demo pictures check race vuln bench bench-full sdk long fuzz release

help:       ## List the targets (the default)
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
generate:   ## Regenerate gen/ from openapi.yaml, and the pages of the console
	@scripts/generate
lint:       ## Format, golangci-lint, import directions, cited rules
	@scripts/lint
compatible: ## Whether openapi.yaml breaks clients of the last release
	@scripts/compatible
test:       ## All specs, each package on a throwaway PostgreSQL of its own
	@scripts/test
run:        ## Build and serve on 127.0.0.1:8080, on a private PostgreSQL in .data/
	@scripts/run
demo:       ## Serve a test account with 20 customers and 90 days of usage, in .data/demo
	@scripts/demo
pictures:   ## Pictures of each page of the console, in .data/pictures (needs a Chromium)
	@scripts/pictures
check:      ## Before a commit: lint, generated files, every spec once
	@scripts/check
race:       ## The race detector where there are goroutines; CI has it in place of plain runs
	@scripts/race
release:    ## Archives, container images and checksums in dist/; checks deploy/
	@go run ./scripts/release
	@scripts/deployable
vuln:       ## Look the modules up in the database of known vulnerabilities
	@scripts/vuln
bench:      ## Events and invoices per second, beside their floors
	@go run ./scripts/bench
bench-full: ## Costs, backfills and keys where twenty million events are (an hour, 40 GB)
	@go run ./scripts/bench -full
sdk:        ## Check the contract with TypeScript and the official client (needs node)
	@scripts/sdk/run
long:       ## Specs that take too long for CI
	@scripts/long
fuzz:       ## Feed made-up input to every reader, a minute each
	@scripts/fuzz
