package account

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
)

// kind is how the value of a setting is written.
type kind struct {
	read    func(text string) (value any, err error) // err says what the text must be
	choices []string                                 // all values, where there are few
}

func text(value string) (any, error) {
	if value = strings.TrimSpace(value); value == "" {
		return nil, errors.New("must not be empty")
	}
	return value, nil
}

func zone(value string) (any, error) {
	_, err := period.LoadZone(value)
	return value, err
}

// longest is the longest duration of a setting. It keeps an instant plus a duration in range.
const longest = 366 * 24 * time.Hour

func seconds(value string) (any, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > longest || d%time.Second != 0 {
		return nil, fmt.Errorf("must be a duration of whole seconds from 0s to %s, such as 12h", longest)
	}
	return int64(d / time.Second), nil
}

var boolean = kind{choices: []string{"true", "false"}, read: func(value string) (any, error) {
	switch value {
	case "true", "on":
		return true, nil
	case "false", "off":
		return false, nil
	}
	return nil, errors.New("must be true or false")
}}

func oneOf(values ...string) kind {
	return kind{choices: values, read: func(value string) (any, error) {
		if !slices.Contains(values, value) {
			return nil, errors.New("must be " + strings.Join(values, " or "))
		}
		return value, nil
	}}
}

var sixLetters = regexp.MustCompile(`^[A-Z]{6}$`)

func prefix(value string) (any, error) {
	if !sixLetters.MatchString(value) {
		return nil, errors.New("must be six letters from A to Z")
	}
	return value, nil
}

func count(value string) (any, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n < 1 {
		return nil, errors.New("must be a whole number from 1")
	}
	return n, nil
}

// A payment is tried again at most mostRetries times, at most lastRetry days after its due date.
const (
	mostRetries = 10
	lastRetry   = 365 // days
)

func retryDays(value string) (any, error) {
	wrong := fmt.Errorf("must be at most %d numbers of days up to %d, each larger than the one before, such as 1,4,9", mostRetries, lastRetry)
	if value == "" {
		return value, nil
	}
	days := strings.Split(value, ",")
	before := 0
	for _, text := range days {
		n, err := strconv.Atoi(text)
		if err != nil || n <= before || n > lastRetry || len(days) > mostRetries || text != strconv.Itoa(n) {
			return nil, wrong
		}
		before = n
	}
	return value, nil
}

// A webhook is tried again at most mostAttempts times.
const mostAttempts = 20

func retryWaits(value string) (any, error) {
	if value == "" {
		return value, nil
	}
	all := strings.Split(value, ",")
	for _, text := range all {
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Second || d > longest || d%time.Second != 0 || len(all) > mostAttempts {
			return nil, fmt.Errorf("must be up to %d durations from 1s to %s, such as 1m,5m,2h", mostAttempts, longest)
		}
	}
	return value, nil
}

func amount(value string) (any, error) {
	d, err := money.Parse(value)
	if err != nil || d.Sign() < 0 {
		return nil, errors.New("must be an amount of money from 0")
	}
	return d, nil
}

// unbounded is the text of a setting without a bound.
const unbounded = "none"

func bound(value string) (any, error) {
	if value == unbounded {
		return nil, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		return nil, errors.New("must be a whole number of bytes from 1, or " + unbounded)
	}
	return n, nil
}

// mostPerSecond is the highest rate limit.
const mostPerSecond = 1_000_000

func perSecond(value string) (any, error) {
	if value == unbounded {
		return nil, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > mostPerSecond {
		return nil, fmt.Errorf("must be a whole number of requests from 1 to %d, or %s", mostPerSecond, unbounded)
	}
	return n, nil
}

func showPerSecond(n *int) string {
	if n == nil {
		return unbounded
	}
	return strconv.Itoa(*n)
}

func showBound(a Account) string {
	if a.LargestIngestBytes == nil {
		return unbounded
	}
	return strconv.FormatInt(*a.LargestIngestBytes, 10)
}
