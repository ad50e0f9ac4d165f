package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"tollkeeper/domain/account"
	"tollkeeper/store"
)

// welcome is what is printed when the server begins to answer.
type welcome struct {
	made  bool   // the first account, just now
	key   string // made with it, to be shown once; "" for none
	given bool   // TOLLKEEPER_API_KEY is a key of this database: its text does not belong into logs
	owner string // an account, for the hint to make another key
	setup string // the token of a link for the first person; "" once there is one
}

// firstAccount makes a test account with a key when there is no account. Of
// servers that start together, one does.
func (d database) firstAccount(ctx context.Context, st *store.Store, chosen string) (w welcome, err error) {
	release, alone, err := st.Lock(ctx, "first account")
	if err != nil {
		return w, err
	}
	if alone {
		defer release()
	}
	accounts, err := account.IDs(ctx, st)
	if err != nil {
		return w, err
	}
	if len(accounts) == 0 && alone {
		return d.makeFirst(ctx, chosen)
	}
	if len(accounts) > 0 {
		w.owner = accounts[0]
	}
	if chosen == "" {
		return w, nil
	}
	_, err = account.Authenticate(ctx, st, chosen)
	switch {
	case errors.Is(err, account.ErrUnknownKey):
		_, _ = fmt.Fprintln(os.Stderr, "TOLLKEEPER_API_KEY is no key of this database; it is given to the first account only")
		return w, nil
	case err == nil:
		w.given = true
	}
	return w, err
}

// makeFirst makes the account with the login of the owner. Where that is not known, an operator
// makes it later.
func (d database) makeFirst(ctx context.Context, chosen string) (w welcome, err error) {
	st, err := store.Open(ctx, d.owner)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	first, key, err := account.CreateWithKey(audited(ctx, "serve"), st,
		account.New{Name: "First", Mode: account.ModeTest}, account.NewKey{Name: "first", Text: chosen})
	if errors.Is(err, store.ErrNotOwner) {
		return w, nil
	}
	if err != nil {
		return w, fmt.Errorf("make the first account (its key is TOLLKEEPER_API_KEY, if that is set): %w", err)
	}
	if chosen != "" {
		return welcome{made: true, given: true, owner: first.ID}, nil
	}
	return welcome{made: true, key: key, owner: first.ID}, nil
}

func (w welcome) print(out io.Writer, addr net.Addr, secured bool) {
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	url := "http://" + reachableAt(addr)
	if secured {
		url = "https://" + reachableAt(addr)
	}
	line("Tollkeeper answers at %s (documentation: %s/docs)", url, url)
	if w.setup != "" {
		line("The console has no user yet. This link makes the first owner. It works once, for a day:\n\n    %s/console/setup?token=%s\n", url, w.setup)
	}
	switch {
	case w.made && w.given:
		line("Made the test account %s. Its API key is that of TOLLKEEPER_API_KEY.\n", w.owner)
	case w.made:
		line("Made the test account %s. Its API key, which is not stored and not shown again:\n\n    %s\n", w.owner, w.key)
	}
	if w.owner == "" {
		line("There is no account yet. To make one, with a key:\n\n    %s account create --name NAME --mode live\n", os.Args[0])
		return
	}
	key := w.key
	switch {
	case w.given:
		key = "$TOLLKEEPER_API_KEY"
	case key == "":
		line("API keys are shown once, when they are made. To make another:\n\n    %s key create --account %s --name NAME\n", os.Args[0], w.owner)
		key = "$KEY"
	}
	line("Try:\n\n    curl -H \"Authorization: Bearer %s\" %s/v1/ping\n", key, url)
}

// reachableAt is where a program on this machine finds a listener.
func reachableAt(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return addr.String()
}
