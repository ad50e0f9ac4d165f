package rig

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A process that serves nothing, beside a server of the spec that answers at the address.
var _ = Describe("A server", func() {
	shell := func(script string) *Server {
		GinkgoHelper()
		addr, err := FreeAddr()
		Expect(err).NotTo(HaveOccurred())
		s := &Server{Binary: "/bin/sh", Args: []string{"-c", script}, Addr: addr}
		DeferCleanup(s.Kill)
		return s
	}
	const idle = "exec sleep 600"

	It("is waited for until it is ready", func(ctx SpecContext) {
		var times atomic.Int32
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readyz" || times.Add(1) < 3 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		DeferCleanup(front.Close)
		s := shell(idle)
		s.Addr = strings.TrimPrefix(front.URL, "http://")
		Expect(s.StartReady(ctx, time.Minute)).To(Succeed())
		Expect(times.Load()).To(BeEquivalentTo(3))
		Expect(s.Exited()).NotTo(BeClosed())
	})

	It("is not waited for once it has ended", func(ctx SpecContext) {
		Expect(shell("exit 3").StartReady(ctx, 0)).To(MatchError(ContainSubstring("ended before it was ready: exit status 3")))
	})

	It("is killed where it is not ready in time", func(ctx SpecContext) {
		s := shell(idle)
		Expect(s.StartReady(ctx, 50*time.Millisecond)).To(MatchError(ContainSubstring("is not ready")))
		Expect(s.Exited()).To(BeClosed())
		Expect(s.ExitCode()).To(Equal(-1))
	})

	It("gets its settings after those of this process", func(ctx SpecContext) {
		var said bytes.Buffer
		s := shell(`echo "$TOLLKEEPER_ADDR $TOLLKEEPER_DATABASE_URL $HOME"`)
		s.Database, s.Env, s.Log = "postgres://db", []string{"HOME=/elsewhere"}, &said
		Expect(s.Start(ctx)).To(Succeed())
		Eventually(s.Exited()).WithTimeout(time.Minute).Should(BeClosed())
		Expect(said.String()).To(Equal(s.Addr + " postgres://db /elsewhere\n"))
	})

	It("says how it ended when it is stopped, and can be started again", func(ctx SpecContext) {
		front := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		DeferCleanup(front.Close)
		marked := filepath.Join(GinkgoT().TempDir(), "marked")
		s := shell(`trap "exit 7" TERM; touch ` + marked + `; while :; do sleep 0.02; done`)
		for range 2 {
			Expect(s.Start(ctx)).To(Succeed())
			Eventually(marked).WithTimeout(time.Minute).Should(BeAnExistingFile())
			var exited *exec.ExitError
			Expect(errors.As(s.Stop(), &exited)).To(BeTrue())
			Expect(exited.ExitCode()).To(Equal(7))
			Expect(s.Stop()).To(MatchError(os.ErrProcessDone))
			Expect(os.Remove(marked)).To(Succeed())
		}
	})

	It("can be killed and signalled where none runs", func() {
		s := shell(idle)
		s.Kill()
		Expect(s.Signal(syscall.SIGTERM)).To(MatchError(os.ErrProcessDone))
	})
})
