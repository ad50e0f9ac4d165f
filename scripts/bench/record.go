package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// record writes figures into a document, between two comments that name what was measured. The
// document must have them.
func record(document, mode, figures string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	begin, end := fmt.Sprintf("<!-- %s -->\n", mode), fmt.Sprintf("<!-- end of %s -->\n", mode)
	before, rest, some := strings.Cut(string(text), begin)
	_, after, also := strings.Cut(rest, end)
	if !some || !also {
		return fmt.Errorf("%s has no place for the figures of %s", document, mode)
	}
	commit, err := measuredCommit()
	if err != nil {
		return err
	}
	figures = fmt.Sprintf("%s, commit %s, %s\n%s", time.Now().UTC().Format(time.DateOnly), commit, processors(), trimLines(figures))
	return os.WriteFile(document, []byte(before+begin+"```text\n"+figures+"```\n"+end+after), 0o644)
}

// measuredCommit is the commit of this checkout, with -dirty after it where files differ from that.
func measuredCommit() (string, error) {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "", fmt.Errorf("the commit that is measured: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// trimLines is text without spaces at the ends of its lines.
func trimLines(text string) string {
	var trimmed strings.Builder
	for line := range strings.Lines(text) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return trimmed.String()
}
