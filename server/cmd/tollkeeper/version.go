package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// release and commit are set by the linker: -X main.release=1.2.3 -X main.commit=0123456789ab.
var (
	release = "development"
	commit  = "" // what the build knows by itself
)

// version is a command.
type version struct {
	JSON bool `help:"Print JSON."`
}

// Run tells which build this is. It needs no database and no settings.
func (v version) Run(out io.Writer) error {
	build := struct {
		Version  string `json:"version"`
		Commit   string `json:"commit"` // "" when the build does not know
		Go       string `json:"go"`
		Platform string `json:"platform"`
	}{release, cmp.Or(commit, commitOf(debug.ReadBuildInfo())), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if v.JSON {
		return printJSON(out, build)
	}
	text := "tollkeeper " + build.Version
	if build.Commit != "" {
		text += " (" + build.Commit + ")"
	}
	_, err := fmt.Fprintf(out, "%s, %s, %s\n", text, build.Go, build.Platform)
	return err
}

// versionFlag prints the same as the command.
type versionFlag bool

// BeforeReset is called by kong before it asks for a command.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	if err := (version{}).Run(k.Stdout); err != nil {
		return err
	}
	k.Exit(0)
	return nil
}

// commitOf returns the commit that was built; "-dirty" follows where files were changed.
func commitOf(info *debug.BuildInfo, known bool) (commit string) {
	if !known {
		return ""
	}
	changed := ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			commit = setting.Value[:min(len(setting.Value), 12)]
		case "vcs.modified":
			if setting.Value == "true" {
				changed = "-dirty"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changed
}
