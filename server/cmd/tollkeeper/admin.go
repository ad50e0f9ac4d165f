package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"golang.org/x/net/netutil"

	"tollkeeper/server"
)

// mostAdmins bounds the connections of those who monitor the server.
const mostAdmins = 64

// checkAdminAddr refuses an address of probes that is the public one.
func (e environment) checkAdminAddr() error {
	if e.AdminAddr == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(e.AdminAddr)
	if err != nil {
		return fmt.Errorf("TOLLKEEPER_ADMIN_ADDR: %w", err)
	}
	publicHost, publicPort, err := net.SplitHostPort(e.Addr)
	if err != nil {
		return fmt.Errorf("TOLLKEEPER_ADDR: %w", err)
	}
	if port != publicPort || port == "0" { // the system chooses a port each time
		return nil
	}
	if everywhere(host) || everywhere(publicHost) || host == publicHost || isLoopback(host) && isLoopback(publicHost) {
		return fmt.Errorf("TOLLKEEPER_ADMIN_ADDR: is the address of TOLLKEEPER_ADDR (%s); give it another port, such as %s", e.Addr, net.JoinHostPort(host, "9090"))
	}
	return nil
}

// everywhere reports a host that stands for all addresses of the machine.
func everywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// serveAdmin serves the probes at the listener until ctx ends, without TLS: monitoring reaches it in a network
// of yours. Without a listener it waits.
func serveAdmin(ctx context.Context, s *server.Server, log *slog.Logger, listener net.Listener) error {
	if listener == nil {
		<-ctx.Done()
		return nil
	}
	admin := server.NewHTTPServer(listener.Addr().String(), s.AdminHandler())
	admin.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	stopped := context.AfterFunc(ctx, func() { _ = admin.Close() }) // no answer there takes long
	defer stopped()
	if err := admin.Serve(netutil.LimitListener(listener, mostAdmins)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
