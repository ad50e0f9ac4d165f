package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"regexp"

	"github.com/labstack/echo/v4"
)

// files are the stylesheet, the scripts and the icons. htmx is version 2.0.8 as published.
//
//go:embed assets
var files embed.FS

// digest is of all files. It stands in their addresses, so that a browser keeps them for good.
var digest = func() string {
	sum := sha256.New()
	err := fs.WalkDir(files, "assets", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		sum.Write(text)
		return err
	})
	if err != nil {
		panic(err) // they are in the program
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}()

// asset returns the address of a file.
func asset(name string) string { return "/console/assets/" + digest + "/" + name }

// Stylesheet is the address of the stylesheet, which pages for customers share.
func Stylesheet() string { return asset("console.css") }

// Icon is the address of the icon, likewise.
func Icon() string { return asset("mark.svg") }

// mountAssets serves the files. They are public: the page to sign in needs them.
func (c *Console) mountAssets(g *echo.Group) {
	content, err := fs.Sub(files, "assets")
	if err != nil {
		panic(err)
	}
	serve := http.StripPrefix("/console/assets/"+digest+"/", http.FileServerFS(content))
	g.GET("/assets/"+digest+"/:file", func(ec echo.Context) error {
		ec.Response().Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		serve.ServeHTTP(ec.Response(), ec.Request())
		return nil
	})
}

// icons are the drawings of icons.svg by their names.
var icons = func() map[string]string {
	text, err := files.ReadFile("assets/icons.svg")
	if err != nil {
		panic(err)
	}
	drawings := map[string]string{}
	for _, found := range symbol.FindAllStringSubmatch(string(text), -1) {
		drawings[found[1]] = found[2]
	}
	return drawings
}()

var symbol = regexp.MustCompile(`(?s)<symbol id="([^"]+)"[^>]*>(.*?)</symbol>`)
