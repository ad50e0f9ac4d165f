// Package rig has what commands and specs need to try Tollkeeper from outside, as users of a server do: the binary, a process of it
// that is started, stopped and killed, its command line, a client of its API, and what an account shows in a form that runs can be
// compared by.
//
// The package decides nothing about what is tried. How long a caller waits, whether it sends a request again, and what it takes for
// a failure are the caller's. Only scripts and the specs that kill servers import it.
package rig
