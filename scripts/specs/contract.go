package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tollkeeper/gen"
)

// checkContract refuses a whole run in which an operation of the contract was never called, and lists the
// documented statuses that were never seen. Each process of a suite wrote what it called into a file of dir,
// a line "operation status" each.
func checkContract(out io.Writer, dir string) error {
	seen, err := readExercised(dir)
	if err != nil {
		return err
	}
	if len(seen) == 0 {
		return errors.New("no suite noted which operations of the contract it called, so that check did not run")
	}
	document, err := gen.GetSpec()
	if err != nil {
		return err
	}
	var never, unseen, unrefused []string
	operations := 0
	for _, item := range document.Paths.Map() {
		for _, op := range item.Operations() {
			operations++
			id := op.OperationID
			if len(seen[id]) == 0 {
				never = append(never, id)
				continue
			}
			for status := range op.Responses.Map() {
				if code, err := strconv.Atoi(status); err == nil && !slices.Contains(seen[id], code) {
					unseen = append(unseen, id+" "+status)
				}
			}
			if !slices.ContainsFunc(seen[id], func(code int) bool { return code >= 400 }) {
				unrefused = append(unrefused, id)
			}
		}
	}
	slices.Sort(never)
	if len(never) > 0 {
		return fmt.Errorf("no spec calls %s", strings.Join(never, ", "))
	}
	slices.Sort(unseen)
	slices.Sort(unrefused)
	fmt.Fprintf(out, "The contract: all of its %d operations were called; %d were never refused; %d documented statuses were never seen.\n", operations, len(unrefused), len(unseen))
	for title, names := range map[string][]string{"documented but never seen": unseen, "never refused": unrefused} {
		if err := os.WriteFile(filepath.Join(logs, strings.ReplaceAll(title, " ", "-")+".txt"), []byte(strings.Join(names, "\n")+"\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// readExercised reads the statuses that were seen of each operation.
func readExercised(dir string) (map[string][]int, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	seen := map[string][]int{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return nil, err
		}
		for _, line := range strings.Fields(strings.ReplaceAll(string(text), " ", "=")) {
			operation, status, _ := strings.Cut(line, "=")
			code, err := strconv.Atoi(status)
			if err != nil {
				return nil, fmt.Errorf("%s: %q is no operation with a status", file.Name(), line)
			}
			seen[operation] = append(seen[operation], code)
		}
	}
	return seen, nil
}
