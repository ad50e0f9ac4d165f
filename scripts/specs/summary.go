package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/types"
)

// lines is how much is printed of a spec that failed.
const lines = 10

// summarize prints the specs that failed, with their reasons, and counts all. It reports whether any failed.
func summarize(out io.Writer, all []outcome, took time.Duration) (failed bool) {
	var passed, broken, skipped int
	var cpu time.Duration
	for _, o := range all {
		cpu += o.cpu
		reports, err := readReports(o.report)
		told := false
		for _, report := range reports {
			for _, spec := range report.SpecReports {
				switch {
				case spec.State.Is(types.SpecStateFailureStates):
					broken++
					told = true
					printFailure(out, o, spec)
				case spec.LeafNodeType != types.NodeTypeIt:
				case spec.State == types.SpecStatePassed:
					passed++
				case spec.State == types.SpecStateSkipped && report.SuiteSucceeded && o.files != "": // of other files
				default:
					skipped++
				}
			}
		}
		if o.err != nil && !told {
			broken++
			fmt.Fprintf(out, "\nFAILED %s: %v %v\n%s\n", o.folder, o.err, orNothing(err), tail(o.log))
		}
	}
	fmt.Fprintf(out, "\n%d packages in %s, %s of processor without the databases\n", len(all), took.Round(time.Second), cpu.Round(time.Second))
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", passed, broken, skipped)
	return broken > 0
}

func orNothing(err error) string {
	if err == nil {
		return ""
	}
	return "(" + err.Error() + ")"
}

func readReports(path string) (reports []types.Report, err error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil // a package without a suite of ginkgo, or one that does not compile
	}
	if err != nil {
		return nil, err
	}
	return reports, json.Unmarshal(text, &reports)
}

// printFailure names a spec, its place and its reason, in ten lines. What failed while it was cleaned up
// comes after what failed first.
func printFailure(out io.Writer, o outcome, spec types.SpecReport) {
	name := spec.FullText()
	if name == "" {
		name = spec.LeafNodeType.String()
	}
	fmt.Fprintf(out, "\nFAILED %s: %s\n  %s\n", o.folder, name, spec.Failure.Location)
	reason := strings.Split(strings.TrimSpace(spec.Failure.Message+"\n"+spec.Failure.ForwardedPanic), "\n")
	if len(reason) > lines-2 {
		reason = append(reason[:lines-3], "… "+o.log+" has the rest")
	}
	for _, line := range reason {
		fmt.Fprintf(out, "    %.300s\n", line)
	}
}

// tail returns the lines of a log that say why a process ended: those from a panic on, else the last.
func tail(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = file.Close() }()
	var last []string
	panicked := false
	for in := bufio.NewScanner(file); in.Scan(); {
		line := in.Text()
		if !panicked && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")) {
			panicked, last = true, nil
		}
		if panicked && len(last) == lines-1 {
			break
		}
		if last = append(last, fmt.Sprintf("    %.300s", line)); len(last) > lines-1 {
			last = last[1:]
		}
	}
	return strings.Join(last, "\n")
}
