package main

import (
	"errors"
	"net"
	"net/url"
)

// errPublicURL says what the setting must be.
var errPublicURL = errors.New("TOLLKEEPER_PUBLIC_URL: must be like https://billing.example, without a path")

// publicURL is where people reach the server that listens at an address: TOLLKEEPER_PUBLIC_URL, else
// that address, where they are on this machine.
func (e environment) publicURL(addr net.Addr) (string, error) {
	if e.PublicURL == "" {
		if e.TLSCert != "" {
			return "https://" + reachableAt(addr), nil
		}
		return "http://" + reachableAt(addr), nil
	}
	u, err := url.Parse(e.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		u.Path != "" && u.Path != "/" {
		return "", errPublicURL
	}
	return u.Scheme + "://" + u.Host, nil
}
