package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Tools for assistants, at the command line", func() {
	It("are served to the program that starts the command, with the key of the environment", NodeTimeout(5*time.Minute), func(ctx SpecContext) {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"asked": "` + r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("Authorization") + `"}`))
		}))
		DeferCleanup(api.Close)
		test, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		program := filepath.Join(GinkgoT().TempDir(), itself)
		Expect(os.Symlink(test, program)).To(Succeed())
		command := exec.Command(program, "mcp", "--only", "invoices")
		command.Env = append(os.Environ(), "TOLLKEEPER_ADDR="+api.Listener.Addr().String(), "TOLLKEEPER_API_KEY=tk_test_key_of_an_assistant")
		command.Stderr = GinkgoWriter

		session, err := sdk.NewClient(&sdk.Implementation{Name: "spec", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: command}, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(session.InitializeResult().ServerInfo.Name).To(Equal("tollkeeper"))
		result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "listInvoices", Arguments: map[string]any{"limit": 2}})
		Expect(err).NotTo(HaveOccurred())
		Expect(result.Content[1].(*sdk.TextContent).Text).To(Equal(`{"asked": "GET /v1/invoices?limit=2 Bearer tk_test_key_of_an_assistant"}`))
		Expect(session.Close()).To(Succeed()) // the command ends with its input
	})

	It("need a key", func() {
		err := mcp{}.Run(context.Background(), environment{Addr: "127.0.0.1:1"})
		Expect(err).To(MatchError(HavePrefix("TOLLKEEPER_API_KEY: ")))
		err = mcp{}.Run(context.Background(), environment{Addr: "8080", APIKey: "k"})
		Expect(err).To(MatchError(HavePrefix("TOLLKEEPER_ADDR: ")))
	})
})
