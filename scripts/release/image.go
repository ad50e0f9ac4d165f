package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	imagefile "github.com/google/go-containerregistry/pkg/v1/tarball"
)

// unprivileged is the user in the image. No file belongs to it.
const unprivileged = "65532"

// image writes a container image with the binary alone, in the form that docker load, podman
// load and crane push read. Time zones and certificates are in the binary; certificates that
// are mounted at /etc/ssl/certs are taken instead.
func (r *release) image(p platform, binary string) error {
	layer, err := r.layer(binary)
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config.OS, config.Architecture = p.os, p.arch
	config.Created = v1.Time{Time: r.made}
	config.History = []v1.History{{Created: v1.Time{Time: r.made}, CreatedBy: "scripts/release"}}
	config.Config = v1.Config{
		User:         unprivileged + ":" + unprivileged,
		Entrypoint:   []string{"/tollkeeper"},
		Cmd:          []string{"serve"},
		WorkingDir:   "/",
		Env:          []string{"PATH=/", "TOLLKEEPER_ADDR=0.0.0.0:8080"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Tollkeeper",
			"org.opencontainers.image.description": "Usage-based billing: usage events in, exact invoices out.",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.revision":    r.commit,
			"org.opencontainers.image.created":     r.made.Format("2006-01-02T15:04:05Z"),
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	tag, err := name.NewTag("tollkeeper:" + tagOf(r.version))
	if err != nil {
		return err
	}
	return imagefile.WriteToFile(filepath.Join(r.out, r.name(p)+"_image.tar"), tag, image)
}

// tagOf is a version as a tag, in which a + is not allowed.
func tagOf(version string) string {
	return string(bytes.ReplaceAll([]byte(version), []byte("+"), []byte("-")))
}

// layer holds the binary, its licenses, the names of the users, and the directory for temporary files.
func (r *release) layer(binary string) (v1.Layer, error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	terms, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	to := newTarball(&packed, r.made)
	for _, file := range []struct {
		name    string
		mode    int64
		content []byte
	}{
		{"etc/group", 0o644, []byte("root:x:0:\ntollkeeper:x:" + unprivileged + ":\n")},
		{"etc/passwd", 0o644, []byte("root:x:0:0:root:/:/sbin/nologin\ntollkeeper:x:" + unprivileged + ":" + unprivileged + ":Tollkeeper:/:/sbin/nologin\n")},
		{"licenses/LICENSE", 0o644, terms},
		{"licenses/LICENSES-OF-MODULES", 0o644, r.notices},
		{"tollkeeper", 0o755, program},
	} {
		if err := to.add(file.name, file.mode, file.content); err != nil {
			return nil, err
		}
	}
	if err := to.addDir("tmp", 0o1777); err != nil { // for temporary files, or for what is mounted in its place
		return nil, err
	}
	if err := to.Close(); err != nil {
		return nil, err
	}
	return imagefile.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil })
}
