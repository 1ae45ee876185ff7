# make serve    builds Basalt and starts it on its default ports
# make test     installs what the tests lack (Debian, as root) and runs all of them
# make build    ./bin/basalt
# make unit     the Go tests alone
# make lint     gofmt, vet, staticcheck
# make race     the Go tests under the race detector
# make fuzz     every fuzz test for FUZZTIME (30s)
# make bench    the Go benchmarks

GO       ?= go
FUZZTIME ?= 30s
ARGS     ?=

.PHONY: build serve test unit lint race fuzz bench clean

build:
	$(GO) build -o bin/basalt ./cmd/basalt

serve: build
	./bin/basalt serve $(ARGS)

test:
	./test/run.sh

unit:
	$(GO) test -timeout 20m ./...

lint:
	@test -z "$$(gofmt -l cmd internal client basalttest test)" || { gofmt -l cmd internal client basalttest test; echo 'gofmt: the files above are not formatted'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

race:
	$(GO) test -race -timeout 40m ./...

fuzz:
	./test/fuzz.sh $(FUZZTIME)

bench:
	$(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./internal/...

clean:
	rm -rf bin
