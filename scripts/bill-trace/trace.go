package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The month that traces are billed for.
var (
	monthStart = time.Date(2023, 11, 1, 0, 0, 0, 0, time.UTC)
	monthEnd   = time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC)
)

// trace is one file of requests to a model.
type trace struct {
	ID              string // of its customer: the name and a digest of the content
	Name            string
	Rows            []row    // in the order of the file
	Context, Output *big.Int // tokens, summed over the rows
}

// row is one request: when it came, and the tokens it took in and gave out.
type row struct {
	Key             string // idempotency key of its event
	At              time.Time
	Context, Output *big.Int // never negative
}

var columns = []string{"TIMESTAMP", "ContextTokens", "GeneratedTokens"}

func readTrace(path string) (t trace, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	t = trace{ID: fmt.Sprintf("%s-%x", name, sha256.Sum256(content))[:len(name)+9], Name: name, Context: new(big.Int), Output: new(big.Int)}

	lines := csv.NewReader(bytes.NewReader(content))
	head, err := lines.Read()
	if err != nil || !slices.Equal(head, columns) {
		return t, fmt.Errorf("%s: the first line must be %s", path, strings.Join(columns, ","))
	}
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) && len(t.Rows) > 0 {
			return t, nil
		}
		if errors.Is(err, io.EOF) {
			return t, fmt.Errorf("%s: holds no rows", path)
		}
		if err == nil {
			err = t.add(fields)
		}
		if err != nil {
			return t, fmt.Errorf("%s: row %d: %w", path, len(t.Rows)+1, err)
		}
	}
}

func (t *trace) add(fields []string) error {
	at, err := time.Parse("2006-01-02 15:04:05", fields[0]) // takes fractions too
	if err != nil {
		return err
	}
	if at.Before(monthStart) || !at.Before(monthEnd) {
		return fmt.Errorf("%s is not in %s", fields[0], monthStart.Format("January 2006"))
	}
	r := row{Key: fmt.Sprintf("%s-%07d", t.ID, len(t.Rows)+1), At: at}
	if r.Context, err = tokens(fields[1]); err != nil {
		return err
	}
	if r.Output, err = tokens(fields[2]); err != nil {
		return err
	}
	t.Rows = append(t.Rows, r)
	t.Context.Add(t.Context, r.Context)
	t.Output.Add(t.Output, r.Output)
	return nil
}

func tokens(text string) (*big.Int, error) {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || n.Sign() < 0 {
		return nil, fmt.Errorf("%q is no number of tokens", text)
	}
	return n, nil
}
