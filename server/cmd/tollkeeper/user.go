package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"tollkeeper/domain/user"
	"tollkeeper/store"
)

// shownPerson is a person as programs read it.
type shownPerson struct {
	ID           string            `json:"id"`
	Email        string            `json:"email"`
	Name         string            `json:"name"`
	CreatedAt    time.Time         `json:"created_at"`
	LastSeenAt   *time.Time        `json:"last_seen_at"`
	SecondFactor bool              `json:"second_factor"`
	Accounts     map[string]string `json:"accounts"` // the role in each, by its id
}

func showPerson(p user.Person, accounts []user.Membership) shownPerson {
	shown := shownPerson{ID: p.ID, Email: p.Email, Name: p.Name, CreatedAt: p.CreatedAt.UTC(), LastSeenAt: p.LastSeenAt,
		SecondFactor: p.SecondFactorAt != nil, Accounts: map[string]string{}}
	for _, a := range accounts {
		shown.Accounts[a.AccountID] = string(a.Role)
	}
	return shown
}

// link is where a page of the console is, for a browser on this machine.
func (e environment) link(path string) string {
	scheme := "http://"
	if e.TLSCert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(e.Addr)
	if err != nil {
		return path
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + net.JoinHostPort(host, port) + path
}

// printLink prints a link that works once. Behind a proxy the server has another name.
func printLink(out io.Writer, env environment, path, life string) error {
	_, err := fmt.Fprintf(out, "%s\n(works once, for %s; replace the address where browsers reach the server by another name)\n", env.link(path), life)
	return err
}

type createUser struct {
	Email   string    `arg:"" help:"The address that the person signs in with."`
	Name    string    `required:"" help:"What people call them."`
	Account string    `required:"" help:"Id of the account that they become a member of."`
	Role    user.Role `default:"owner" help:"What they may do there: owner, finance, engineer, support or reader."`
	Mail    bool      `help:"Mail the link to the address, in place of printing it."`
	JSON    bool      `name:"json" help:"Print JSON."`
}

// Run makes a person and prints a link by which they choose a password.
func (cmd createUser) Run(ctx context.Context, env environment, out io.Writer) error {
	if err := env.checkMail(cmd.Mail); err != nil {
		return err
	}
	return withStore(ctx, env, func(st *store.Store) error {
		token, p, err := user.CreateMember(ctx, st, cmd.Account, user.New{Email: cmd.Email, Name: cmd.Name}, cmd.Role)
		if err != nil {
			return err
		}
		path := "/console/reset/" + token
		if cmd.Mail {
			return env.mailLink(ctx, out, p.Email, "Choose a password for Tollkeeper", path, "a day")
		}
		if cmd.JSON {
			return printJSON(out, struct {
				ID   string `json:"id"`
				Link string `json:"link"`
			}{p.ID, env.link(path)})
		}
		if _, err := fmt.Fprintf(out, "person %s\nTo choose a password: ", p.ID); err != nil {
			return err
		}
		return printLink(out, env, path, "a day")
	})
}

type listUsers struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the people and their roles.
func (cmd listUsers) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		people, err := user.List(ctx, st)
		if err != nil {
			return err
		}
		shown := make([]shownPerson, len(people))
		rows := [][]string{{"ID", "EMAIL", "NAME", "SECOND FACTOR", "LAST SEEN", "ACCOUNT", "ROLE"}}
		for i, p := range people {
			accounts, err := user.Accounts(ctx, st, p.ID)
			if err != nil {
				return err
			}
			shown[i] = showPerson(p, accounts)
			factor := "off"
			if p.SecondFactorAt != nil {
				factor = "on"
			}
			if len(accounts) == 0 {
				accounts = []user.Membership{{AccountID: "-", Role: "-"}}
			}
			for _, a := range accounts {
				rows = append(rows, []string{p.ID, p.Email, p.Name, factor, showInstant(p.LastSeenAt), a.AccountID, string(a.Role)})
			}
		}
		if cmd.JSON {
			return printJSON(out, shown)
		}
		return printTable(out, rows)
	})
}

type inviteUser struct {
	Email   string    `arg:"" help:"The address of who is invited."`
	Account string    `required:"" help:"Id of the account."`
	Role    user.Role `required:"" help:"What they may do there: owner, finance, engineer, support or reader."`
	Mail    bool      `help:"Mail the link to the address, in place of printing it."`
	JSON    bool      `name:"json" help:"Print JSON."`
}

// Run prints a link by which somebody joins an account.
func (cmd inviteUser) Run(ctx context.Context, env environment, out io.Writer) error {
	if err := env.checkMail(cmd.Mail); err != nil {
		return err
	}
	return withStore(ctx, env, func(st *store.Store) error {
		var token string
		var made user.Invitation
		err := st.Update(store.WithAccount(ctx, cmd.Account), func(tx *store.Tx) (err error) {
			made, token, err = user.Invite(tx, cmd.Email, cmd.Role)
			return err
		})
		if err != nil {
			return err
		}
		path := "/console/invitation/" + token
		if cmd.Mail {
			return env.mailLink(ctx, out, made.Email, "You are invited to Tollkeeper", path, "three days")
		}
		if cmd.JSON {
			return printJSON(out, struct {
				ID   string `json:"id"`
				Link string `json:"link"`
			}{made.ID, env.link(path)})
		}
		return printLink(out, env, path, "three days")
	})
}

type resetUser struct {
	Email               string `arg:"" help:"The address of the person."`
	WithoutSecondFactor bool   `help:"Switch their second factor off."`
	Mail                bool   `help:"Mail the link to the person, in place of printing it."`
	JSON                bool   `name:"json" help:"Print JSON."`
}

// Run prints a link by which a person chooses a new password.
func (cmd resetUser) Run(ctx context.Context, env environment, out io.Writer) error {
	if err := env.checkMail(cmd.Mail); err != nil {
		return err
	}
	return withStore(ctx, env, func(st *store.Store) error {
		p, err := user.FindByEmail(ctx, st, cmd.Email)
		if err != nil {
			return err
		}
		token, err := user.StartReset(ctx, st, p.ID, cmd.WithoutSecondFactor)
		if err != nil {
			return err
		}
		path := "/console/reset/" + token
		if cmd.Mail {
			return env.mailLink(ctx, out, p.Email, "Choose a new password for Tollkeeper", path, "a day")
		}
		if cmd.JSON {
			return printJSON(out, struct {
				ID   string `json:"id"`
				Link string `json:"link"`
			}{p.ID, env.link(path)})
		}
		return printLink(out, env, path, "a day")
	})
}

type removeUser struct {
	Email   string `arg:"" help:"The address of the person."`
	Account string `help:"Only from this account, by its id; from the server when not given."`
}

// Run removes a person from an account or from the server. Their sessions there end at once.
func (cmd removeUser) Run(ctx context.Context, env environment, out io.Writer) error {
	return withStore(ctx, env, func(st *store.Store) error {
		p, err := user.FindByEmail(ctx, st, cmd.Email)
		if err != nil {
			return err
		}
		if cmd.Account == "" {
			err = user.Delete(ctx, st, p.ID)
		} else {
			err = st.Update(store.WithAccount(ctx, cmd.Account), func(tx *store.Tx) error { return user.Remove(tx, p.ID) })
		}
		if err == nil {
			_, err = fmt.Fprintf(out, "%s is removed\n", p.Email)
		}
		return err
	})
}
