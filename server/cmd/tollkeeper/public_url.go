package main

import (
	"errors"
	"net"
	"net/url"
)

// errPublicURL says what the setting must be.
var errPublicURL = errors.New("TOLLKEEPER_PUBLIC_URL: must be like https://billing.example, without a path")

// publicURL is where people reach the server: TOLLKEEPER_PUBLIC_URL; "" where that is not set.
func (e environment) publicURL() (string, error) {
	if e.PublicURL == "" {
		return "", nil
	}
	u, err := url.Parse(e.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Path != "" && u.Path != "/" {
		return "", errPublicURL
	}
	return u.Scheme + "://" + u.Host, nil
}

// localURL is where this machine reaches the server that listens at an address.
func (e environment) localURL(addr net.Addr) string {
	if e.TLSCert != "" {
		return "https://" + reachableAt(addr)
	}
	return "http://" + reachableAt(addr)
}
