package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is what a server shows of itself, from two files. They may be replaced while it
// runs, as a renewal does: then connections from then on are shown the new one.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	as     [2]time.Time // when the files were last changed, as loaded
}

// tlsConfig returns nil where the environment names no certificate.
func (e environment) tlsConfig(log *slog.Logger) (*tls.Config, error) {
	if e.TLSCert == "" && e.TLSKey == "" {
		return nil, nil
	}
	if e.TLSCert == "" || e.TLSKey == "" {
		return nil, errors.New("TOLLKEEPER_TLS_CERT, TOLLKEEPER_TLS_KEY: must be set together")
	}
	c := &certificate{certFile: e.TLSCert, keyFile: e.TLSKey, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("TOLLKEEPER_TLS_CERT, TOLLKEEPER_TLS_KEY: %w", err)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current(), nil
		},
	}, nil
}

// current is the certificate of the files as they are. While they cannot be read, or do not
// fit each other, it is the one before.
func (c *certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(); err != nil {
		c.log.Warn("the new certificate cannot be used; the one before stays", "error", err)
	}
	return c.loaded
}

// load reads the files unless they are as they were when it last did.
func (c *certificate) load() error {
	var changed [2]time.Time
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		changed[i] = info.ModTime()
	}
	if c.loaded != nil && changed == c.as {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.loaded, c.as = &pair, changed
	return nil
}
