package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// played is what came of a seed: a line of the state file.
type played struct {
	Seed      uint64         `json:"seed"`
	Faults    map[string]int `json:"faults"` // by kind
	Histories int            `json:"histories"`
	Events    int            `json:"events"`   // that were answered
	Weeks     int            `json:"weeks"`    // subscriptions that are billed each week
	Webhooks  int            `json:"webhooks"` // customers that were answered, each of them told
	Slowest   int64          `json:"slowest"`  // milliseconds from a fault until a server is ready
}

func (p played) count() (n int) {
	for _, times := range p.Faults {
		n += times
	}
	return n
}

// idle names the parts of the load of which nothing was answered. Nothing was checked of them.
func (p played) idle() (findings []string) {
	for _, part := range []struct {
		name  string
		times int
	}{{"faults", p.count()}, {"histories", p.Histories}, {"events", p.Events}, {"weekly subscriptions", p.Weeks}, {"webhooks", p.Webhooks}} {
		if part.times == 0 {
			findings = append(findings, "no "+part.name+" were played")
		}
	}
	return findings
}

func (p played) String() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(p.Faults)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", p.Faults[kind], kind))
	}
	return fmt.Sprintf("%d faults (%s); %d histories, %d events, %d weekly subscriptions, %d webhooks; ready again within %s",
		p.count(), strings.Join(kinds, ", "), p.Histories, p.Events, p.Weeks, p.Webhooks, time.Duration(p.Slowest)*time.Millisecond)
}

// progress is the state file, so that a run that was cut short goes on.
type progress struct {
	file *os.File
	done []played
}

func openProgress(path string) (*progress, error) {
	p := &progress{}
	if path == "" {
		return p, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	p.file = file
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one played
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		p.done = append(p.done, one)
	}
	return p, nil
}

func (p *progress) has(seed uint64) bool {
	return slices.ContainsFunc(p.done, func(one played) bool { return one.Seed == seed })
}

func (p *progress) add(one played) error {
	p.done = append(p.done, one)
	if p.file == nil {
		return nil
	}
	text, err := json.Marshal(one)
	if err == nil {
		_, err = p.file.Write(append(text, '\n'))
	}
	return err
}

// total says what all seeds of the file amount to.
func (p *progress) total() string {
	sum := played{Faults: map[string]int{}}
	for _, one := range p.done {
		for kind, times := range one.Faults {
			sum.Faults[kind] += times
		}
		sum.Histories += one.Histories
		sum.Events += one.Events
		sum.Weeks += one.Weeks
		sum.Webhooks += one.Webhooks
		sum.Slowest = max(sum.Slowest, one.Slowest)
	}
	return fmt.Sprintf("all %d seeds: %s", len(p.done), sum)
}

func (p *progress) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}
