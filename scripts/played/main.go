// Command played plays the commands that documents show, each in a form of a minute or two, and looks at what they
// print. A command is given as it is where it is short, and else in a form with less to do. What a spec or CI plays is
// not played here again; the form names it.
//
//	go run ./scripts/played [-only PATTERN] [-list]
//
// Commands are those of README.md, CONTRIBUTING.md, RELIABILITY.md, BENCHMARKS.md, SECURITY.md and docs/. Blocks of docs/ that are
// marked as sh are not read: the specs of server/cmd/tollkeeper play them. Each command must have a form in forms.go.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	only := flag.String("only", "", "play only forms of which this pattern matches a command of the documents")
	list := flag.Bool("list", false, "print the commands and their forms, and play nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Stdout, *only, *list); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "played:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, out io.Writer, only string, list bool) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	shown, err := documented(".")
	if err != nil {
		return err
	}
	chosen, err := choose(shown, forms, wanted)
	if err != nil {
		return err
	}
	if list {
		for _, c := range shown {
			_, _ = fmt.Fprintf(out, "%s: %s\n    %s\n", c.document, c.text, formOf(c, forms))
		}
		return nil
	}
	return play(ctx, out, ".data/played", chosen)
}

// formOf returns the first form of a command, nil if there is none.
func formOf(c shown, forms []form) *form {
	for i := range forms {
		if forms[i].of.MatchString(c.text) {
			return &forms[i]
		}
	}
	return nil
}

// choose returns the forms to play, once each, of the commands that a pattern matches. A command without a form is an
// error, and so is a pattern that chooses nothing.
func choose(commands []shown, forms []form, wanted *regexp.Regexp) (chosen []*form, err error) {
	var errs []error
	taken := map[*form]bool{}
	for _, c := range commands {
		f := formOf(c, forms)
		switch {
		case f == nil:
			errs = append(errs, fmt.Errorf("%s: %s has no form in scripts/played/forms.go", c.document, c.text))
		case f.plays != "" && !taken[f] && wanted.MatchString(c.text):
			taken[f] = true
			chosen = append(chosen, f)
		}
	}
	if len(errs) == 0 && len(chosen) == 0 {
		errs = append(errs, errors.New("no command is played"))
	}
	return chosen, errors.Join(errs...)
}

// play plays forms one after the other, in a scratch directory $WORK. It goes on after one that fails. A directory gets
// what each printed.
func play(ctx context.Context, out io.Writer, logs string, chosen []*form) error {
	if err := errors.Join(os.RemoveAll(logs), os.MkdirAll(logs, 0o700)); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "played-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	var errs []error
	for n, f := range chosen {
		began := time.Now()
		_, _ = fmt.Fprintf(out, "%s\n", strings.TrimSpace(f.plays))
		found, text, err := f.play(ctx, work)
		if err := os.WriteFile(filepath.Join(logs, fmt.Sprintf("%02d.log", n+1)), []byte(f.plays+"\n"+text), 0o600); err != nil {
			return err
		}
		if err != nil {
			errs = append(errs, err)
			_, _ = fmt.Fprintf(out, "    failed after %.0f s: %v\n", time.Since(began).Seconds(), err)
			continue
		}
		_, _ = fmt.Fprintf(out, "    as it should, %.0f s: %s\n", time.Since(began).Seconds(), found)
		if ctx.Err() != nil {
			break
		}
	}
	_, _ = fmt.Fprintf(out, "%d commands played, %d failed; %s has what they printed\n", len(chosen), len(errs), logs)
	return errors.Join(append(errs, ctx.Err())...)
}

// play runs a form and looks at what it prints. It returns the last line of what was looked for, and all.
func (f *form) play(ctx context.Context, work string) (found, text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	var printed bytes.Buffer
	bash := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", f.plays)
	bash.Env = append(os.Environ(), "WORK="+work)
	bash.Stdout, bash.Stderr = &printed, &printed
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that it ends with all that it started
	bash.Cancel = func() error { return syscall.Kill(-bash.Process.Pid, syscall.SIGTERM) }
	bash.WaitDelay = 20 * time.Second
	err = bash.Run()
	text = printed.String()
	if err != nil && f.misses && missedOnly(text) {
		err = nil
	}
	found = f.prints.FindString(text)
	switch {
	case err != nil:
		return "", text, fmt.Errorf("%s: %w\n%s", f.plays, err, end(text))
	case strings.Contains(text, "no tests to run") || strings.Contains(text, "no test files"):
		return "", text, fmt.Errorf("%s: runs no tests\n%s", f.plays, end(text))
	case found == "":
		return "", text, fmt.Errorf("%s: does not print %s\n%s", f.plays, f.prints, end(text))
	}
	return strings.TrimSpace(found[strings.LastIndex(found, "\n")+1:]), text, nil
}

// mostTime is what a form may take, with the time to compile it.
const mostTime = time.Hour

// missed is a target of scripts/bench that was missed, as the command says at its end.
var missed = regexp.MustCompile(`^(?:bench: )?.+: [\d.]+ .*, wanted [<>]= [\d.]+$`)

// missedOnly reports whether the last lines of scripts/bench are missed targets, and nothing was wrong.
func missedOnly(text string) bool {
	_, last, ended := strings.Cut("\n"+text, "\nbench: ")
	if !ended || strings.Contains(text, "WRONG:") {
		return false
	}
	for _, line := range strings.Split(strings.TrimSpace(last), "\n") {
		if !missed.MatchString(line) && !strings.HasPrefix(line, "exit status ") && !strings.HasPrefix(line, "make: ") {
			return false
		}
	}
	return true
}

// end returns the last lines of a text.
func end(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return "    " + strings.Join(lines[max(0, len(lines)-12):], "\n    ")
}

// shown is a command that a document shows.
type shown struct{ document, text string }

// A command is a line that is set in by four spaces or more, or a text between backticks. Comments, after # or three
// spaces, are no part of it.
var (
	indented = regexp.MustCompile(`(?m)^ {4,}(` + begin + `.*)$`)
	span     = regexp.MustCompile("`(" + begin + "[^`]*)`")
	comment  = regexp.MustCompile(`\s+# .*$|\s{2,}\S.*$`)
	fenced   = regexp.MustCompile("(?ms)^```.*?^```$")
	folder   = regexp.MustCompile(`^(scripts/[a-z-]+)(?: |$)`)
)

// begin is how commands begin: settings, and a program that is not tollkeeper itself, whose commands
// server/cmd/tollkeeper/documented_commands_test.go reads.
const begin = `(?:[A-Z_]+=\S+ )*(?:(?:make|go|git|tar|docker|podman|helm|kubectl|systemctl|npm|pg_dump|pg_basebackup|psql|echo|sha256sum) |make\b|scripts/[a-z-]+)`

// documented returns the commands of the documents of a directory. The name of a script without arguments is a mention.
func documented(root string) (all []shown, err error) {
	paths := []string{"README.md", "CONTRIBUTING.md", "RELIABILITY.md", "BENCHMARKS.md", "SECURITY.md"}
	guides, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, guide := range guides {
		paths = append(paths, "docs/"+filepath.Base(guide))
	}
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, err
		}
		found := commands(string(text), func(script string) bool { // a program in Go
			info, err := os.Stat(filepath.Join(root, script))
			return err == nil && info.IsDir()
		})
		for _, c := range found {
			all = append(all, shown{path, c})
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the documents show no command")
	}
	return all, nil
}

// commands returns the commands of a text. program reports whether a path is the folder of a program.
func commands(text string, program func(path string) bool) (all []string) {
	text = fenced.ReplaceAllString(text, "")
	for _, pattern := range []*regexp.Regexp{indented, span} {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			one := comment.ReplaceAllString(found[1], "")
			one = strings.Join(strings.Fields(one), " ")
			if name := folder.FindStringSubmatch(one); name != nil {
				if one == name[1] || strings.HasPrefix(one, name[1]+".") {
					continue // a mention
				}
				if program(name[1]) {
					one = "go run ./" + one
				}
			}
			if !strings.HasPrefix(one, "scripts/") || !strings.ContainsAny(strings.Fields(one)[0][len("scripts/"):], "/.") {
				all = append(all, one)
			}
		}
	}
	return all
}
