package main

import (
	"cmp"
	"regexp"
	"strings"
)

// form is how commands of documents are played: here, or elsewhere.
type form struct {
	of     *regexp.Regexp // commands of documents
	plays  string         // for bash, in the repository, with a scratch directory $WORK; "" where the command is played elsewhere
	prints *regexp.Regexp // what it must print
	misses bool           // a target of scripts/bench may be missed
	by     string         // a file that plays it instead; "" where nothing does
	as     string         // the text of that file that does, or the reason that nothing does
}

func (f *form) String() string { return cmp.Or(f.plays, strings.TrimPrefix(f.by+": "+f.as, ": ")) }

// here is a form that is played.
func here(of, plays, prints string) form {
	return form{of: regexp.MustCompile(`^(?:` + of + `)$`), plays: plays, prints: regexp.MustCompile(`(?m)` + prints)}
}

// bench is a form that may miss targets.
func bench(of, plays, prints string) form {
	f := here(of, plays, prints)
	f.misses = true
	return f
}

// elsewhere is a form that a file plays, by a text that it has.
func elsewhere(of, by, as string) form {
	return form{of: regexp.MustCompile(`^(?:` + of + `)$`), by: by, as: as}
}

// nowhere is a form that nothing plays, for a reason.
func nowhere(of, reason string) form { return elsewhere(of, "", reason) }

// served starts a target of make that serves, and ends it once it has printed its address. Its data is in a folder of that
// name in the scratch directory.
func served(target string) string {
	return strings.ReplaceAll(`
		export TOLLKEEPER_ADDR=127.0.0.1:0 TOLLKEEPER_DATABASE_URL= TOLLKEEPER_DATA_DIR="$WORK/TARGET"
		set -m
		make TARGET > "$WORK/TARGET.log" 2>&1 &
		for _ in $(seq 1200); do
			! grep -q "answers at" "$WORK/TARGET.log" || break
			kill -0 $! 2> /dev/null || break
			sleep 0.5
		done
		kill -INT -- -$!
		wait $! || true
		cat "$WORK/TARGET.log"`, "TARGET", target)
}

// ginkgo are flags that a spec must be there for.
const ginkgo = ` -timeout 1h -ginkgo.timeout 1h -ginkgo.fail-on-empty`

// small are arguments with which scripts/bench measures in a minute or two.
const small = ` -rounds 1 -subscriptions 100`

// forms are how all commands are played. The first one that matches counts.
var forms = []form{
	here(`make`, `make`, `^  bench-full +`),
	here(`make run`, served("run"), `answers at http:.*`),
	here(`make demo`, served("demo"), `answers at http:.*`),
	elsewhere(`make lint`, ".ci/run", "scripts/lint"),
	elsewhere(`make test`, ".ci/run", "make test"),
	elsewhere(`make race`, ".ci/run", "scripts/race"),
	elsewhere(`make check`, "scripts/check", "exec scripts/test"), // after scripts/lint, and CI plays both
	elsewhere(`make generate`, "scripts/lint", "scripts/generate"),
	here(`(SPEC_PAGES=\S+ )?make pictures`, `
		scripts/chromium || exit 0
		git clone -q . "$WORK/pictures" && cd "$WORK/pictures"
		SPEC_PAGES=/console/plans make pictures`, `^Took [1-9]\d* pictures of pages .* and the 3 of README.md|^There is no Chromium: .* are left out`),
	bench(`make bench`, `
		cp BENCHMARKS.md "$WORK"
		status=0
		go run ./scripts/bench -present 2000 -huge 1 -record "$WORK/BENCHMARKS.md"`+small+` || status=$?
		if cmp -s BENCHMARKS.md "$WORK/BENCHMARKS.md"; then
			echo 'WRONG: no figures were recorded'
			exit 2
		fi
		exit $status`, `(?s)invoices issued, 2 at once, credits .*invoices issued, 2 at once, varied .*rating a line: matrix`),
	bench(`make bench-full`, `go run ./scripts/bench -full -present 20000`+small, `invoices issued, 2 at once, varied +[\d.]+ /s`),
	here(`go run ./scripts/bench -h`, `go run ./scripts/bench -h`, `-shares`),
	bench(`go run ./scripts/bench -shares`, `go run ./scripts/bench -shares -rounds 1`, `^p99 beside an account's worst +[\d.]+ times`),
	bench(`go run ./scripts/bench -costly`, `go run ./scripts/bench -costly -for 2s`, `memory, sign-ins +[\d.]+ MB`),
	bench(`go run ./scripts/bench -verify`, `go run ./scripts/bench -verify -present 20000`, `7 of 7 damages found`),
	here(`make fuzz`, `scripts/fuzz 2s domain/period`, `^fuzz: elapsed: 2s.*`),
	here(`make release|go run ./scripts/release( -version \S+)?|tar xzf .*`, `
		go run ./scripts/release -platform "linux/$(go env GOARCH)" -out "$WORK/dist"
		(cd "$WORK/dist" && sha256sum -c checksums.txt && tar xzf tollkeeper_*_linux_*.tar.gz && ./tollkeeper_*_linux_*/tollkeeper version)`, `(?s)_image.tar: OK.*^tollkeeper .*\w`),
	here(`scripts/deployable|helm install .*`, `scripts/deployable`, `^chart: [1-9]\d* cases of options hold`),
	elsewhere(`scripts/firststart dist|docker (load|run|compose) ?.*|podman load|sha256sum .*`, "scripts/long", "scripts/firststart .data/release"),
	elsewhere(`go run ./scripts/played`, "scripts/long", "go run ./scripts/played\n"),
	here(`make long`, `scripts/long --part 1 properties`, `^properties: \d+ s`),
	elsewhere(`scripts/long --part SEED`, ".ci/run", "scripts/long --part"),
	elsewhere(`scripts/matrix --without-upgrade 15,18`, ".ci/run", "scripts/matrix --without-upgrade 15,18"),
	elsewhere(`scripts/matrix( 15,18)?( && go run ./scripts/upgrade -control)?`, "scripts/long", "scripts/matrix\n"),
	elsewhere(`go run ./scripts/upgrade -control`, "scripts/long", "go run ./scripts/upgrade -control"),
	here(`make sdk|npm install orb-billing|go run github.com/oapi-codegen/.*`, `
		if ! command -v npm > /dev/null; then
			echo 'There is no npm: clients in TypeScript are left out.'
			exit 0
		fi
		make sdk`, `^The Go client read back a plan with 35 models.*|^There is no npm: .*`),

	here(`go test ./domain/credit( -ginkgo.seed=1234)?`, `go test ./domain/credit -ginkgo.seed=1234`, `^ok .*`),
	here(`go test ./domain/rating -run TestRating .*`, `go test ./domain/rating -run TestRating -rapid.checks=200`, `^ok .*`),
	here(`scripts/test .*`, `scripts/test ./domain/credit ./domain/money`, `(?s)2 packages in .*^[1-9]\d* passed, 0 failed`),
	here(`scripts/race .*`, `scripts/race ./domain/event`, `(?s)1 packages in .*^[1-9]\d* passed, 0 failed`),
	here(`SPEC_KILLS=\d+ go test ./server/crash.*`, `SPEC_KILLS=6 go test ./server/crash`+ginkgo, `^ok .*`),
	here(`SPEC_POSTGRES=18 SPEC_OWNER=NOCREATEROLE go test ./domain/event`, `SPEC_POSTGRES=18 SPEC_OWNER=NOCREATEROLE go test ./domain/event`, `^ok .*`),
	here(`SPEC_UPDATE=1 go test ./server .*|git diff openapi.yaml`, `
		cp openapi.yaml "$WORK"
		SPEC_UPDATE=1 go test ./server -ginkgo.focus='The examples of openapi.yaml are what is sent'`+ginkgo+`
		diff "$WORK/openapi.yaml" openapi.yaml`, `^ok .*`),
	here(`SPEC_STRIDE=1 go test ./server .*`, `SPEC_STRIDE=14 go test ./server -ginkgo.focus='audit log of the contract'`+ginkgo, `^ok .*`),
	here(`SPEC_REQUESTS=.* go test ./server .*`, `SPEC_REQUESTS=3000 SPEC_REQUESTS_DONE=$WORK/requests.done go test ./server -ginkgo.focus='made up from the contract'`+ginkgo+`
		cat "$WORK/requests.done"`, `(?s)^ok .*\d`),
	here(`SPEC_FAILOVERS=20 go test ./server/cmd/tollkeeper .*`, `SPEC_FAILOVERS=2 go test ./server/cmd/tollkeeper -ginkgo.focus='Failover'`+ginkgo, `^ok .*`),
	here(`go test ./server -ginkgo.focus='many change at once'`, `go test ./server -ginkgo.focus='many change at once'`+ginkgo, `^ok .*`),
	here(`go test ./server -ginkgo.focus-file=coupons_test.go`, `go test ./server -ginkgo.focus-file=coupons_test.go`+ginkgo, `^ok .*`),
	here(`go test ./server -ginkgo.focus='neither see nor .*`, `go test ./server -ginkgo.focus='neither see nor change anything of each other'`+ginkgo, `^ok .*`),

	here(`go run ./scripts/faults (-seed .*|-controls)`, `go run ./scripts/faults -seed 1 -faults 5 -state "$WORK/faults.jsonl" -controls`, `(?s)seed 1: 5 faults .*planted events folded twice into buckets: found`),
	here(`go run ./scripts/faults -soak .*`, `go run ./scripts/faults -soak 1m -rest 6`, `^[1-9]\d* events answered`),
	here(`go run ./scripts/histories.*`, `go run ./scripts/histories -whole -quick -seed 1 -steps 10`, `^1 histories with .*`),
	elsewhere(`go run ./scripts/bill-trace FILE...`, "scripts/bill-trace/bill_test.go", "run(ctx, "),

	elsewhere(`(pg_dump|psql) .*`, "server/cmd/tollkeeper/restored_dump_test.go", `"docs/production.md"`),
	nowhere(`git fetch --unshallow|echo "\d+\.\d+\.\d+ \$\(git rev-parse .*`, "they change the repository that is released; scripts/compatible reads what they make"),
	nowhere(`(kubectl|systemctl) .*`, "they need a cluster and systemd, whose own checkers read deploy/ in scripts/deployable"),
}
