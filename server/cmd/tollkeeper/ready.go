package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// readyWithin is how long a server may take to say whether it is ready.
const readyWithin = 5 * time.Second

// ready is a command, for what supervises a server in an image that holds no other program.
type ready struct{}

// Run asks the server at TOLLKEEPER_ADDR, on this machine, whether it is ready.
func (ready) Run(ctx context.Context, env environment, out io.Writer) error {
	host, port, err := net.SplitHostPort(env.Addr)
	if err != nil {
		return fmt.Errorf("TOLLKEEPER_ADDR: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	url := "http://"
	if env.TLSCert != "" {
		url = "https://"
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	// The certificate is for the name that clients use, not for localhost. Nothing secret is sent.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // see above
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	said, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(strings.TrimSpace(string(said)))
	}
	_, err = out.Write(said)
	return err
}
