package main

import (
	"errors"
	"io"
	"log/slog"
)

// logger writes what happens in the form and from the level on that the environment asks for.
func (e environment) logger(out io.Writer) (*slog.Logger, error) {
	var options slog.HandlerOptions
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	level, known := levels[e.LogLevel]
	if !known {
		return nil, errors.New("TOLLKEEPER_LOG_LEVEL: must be debug, info, warn or error")
	}
	options.Level = level
	switch e.Log {
	case "text":
		return slog.New(slog.NewTextHandler(out, &options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, &options)), nil
	}
	return nil, errors.New("TOLLKEEPER_LOG: must be text or json")
}
