package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// longestShutdownDelay is enough for every balancer: the slow ones of clouds take five minutes.
const longestShutdownDelay = 10 * time.Minute

// errShutdownDelay says what the setting must be.
var errShutdownDelay = errors.New("TOLLKEEPER_SHUTDOWN_DELAY: must be a duration from 0 to 10m, such as 15s, or whole seconds")

// shutdownDelay returns how long the server still takes requests after it was told to stop.
func (e environment) shutdownDelay() (time.Duration, error) {
	delay, err := time.ParseDuration(e.ShutdownDelay)
	if seconds, notWhole := strconv.Atoi(e.ShutdownDelay); notWhole == nil {
		delay, err = time.Duration(min(max(seconds, -1), int(longestShutdownDelay/time.Second)+1))*time.Second, nil
	}
	if err != nil || delay < 0 || delay > longestShutdownDelay {
		return 0, errShutdownDelay
	}
	return delay, nil
}

// delayShutdown returns a context that ends a delay after ctx does. At the end of ctx it calls begin, so
// balancers see that the server stops before it refuses connections. Another signal during the delay
// ends the delay; the one after it ends the process, like the second one without a delay.
func delayShutdown(ctx context.Context, delay time.Duration, begin func()) (context.Context, context.CancelFunc) {
	if delay == 0 {
		return context.WithCancel(ctx)
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	// The signal that ends ctx is received here too. Were the channel made only then, the next signal
	// could find the process without a handler, which ends it.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer cancel()
		defer signal.Stop(signals)
		select {
		case <-serving.Done():
			return
		case <-ctx.Done():
		}
		begin()
		over := time.After(delay)
		for range cap(signals) {
			select {
			case <-signals:
			case <-over:
				return
			case <-serving.Done():
				return
			}
		}
	}()
	return serving, cancel
}
