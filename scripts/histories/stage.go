package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"gorm.io/gorm"

	"tollkeeper/domain/migration"
	"tollkeeper/scripts/rig"
	"tollkeeper/server"
	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

// stage is the real server on a throwaway PostgreSQL. Many histories share it, an account each.
type stage struct {
	dir   string
	db    *cluster.Cluster
	store *store.Store
	http  *http.Server
	url   string

	mu   sync.Mutex
	keys []string // of empty accounts, where the server was there before; nil: accounts are made
}

// setUp starts both. Binaries of PostgreSQL are kept in cache.
func setUp(ctx context.Context, cache string) (s *stage, err error) {
	s = &stage{}
	if s.dir, err = os.MkdirTemp("", "tk-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.tearDown()
		}
	}()
	if s.db, err = cluster.Start(ctx, cluster.Options{Dir: filepath.Join(s.dir, "data"), Cache: cache, Log: io.Discard, Throwaway: true}); err != nil {
		return s, err
	}
	if err = s.db.CreateDatabase(ctx, "histories"); err != nil {
		return s, err
	}
	if _, err = store.Migrate(ctx, s.db.URL("histories")); err != nil {
		return s, err
	}
	if s.store, err = store.Open(ctx, s.db.URL("histories")); err != nil {
		return s, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	api := server.New(server.Config{Store: s.store, Workers: 1, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	s.http = server.NewHTTPServer("", api.Handler())
	s.url = "http://" + listener.Addr().String()
	go func() { _ = s.http.Serve(listener) }()
	return s, nil
}

func (s *stage) tearDown() {
	if s.http != nil {
		_ = s.http.Close()
	}
	if s.store != nil {
		_ = s.store.Close()
	}
	if s.db != nil {
		_ = s.db.Stop()
	}
	_ = os.RemoveAll(s.dir)
}

// account makes an empty test account and returns a client with its key.
func (s *stage) account(ctx context.Context) (*client, error) {
	if s.store == nil {
		return s.nextAccount()
	}
	id, key := store.NewID("acct"), "tk_test_"+store.Random(32)
	hash := sha256.Sum256([]byte(key))
	err := s.store.AsOwner(ctx, func(db *gorm.DB) error {
		if err := db.Exec(`INSERT INTO accounts (id, name, mode, number_prefix, future_bound_seconds) VALUES (?, 'History', 'test', 'ABCDEF', ?)`, id, 400*86400).Error; err != nil {
			return err
		}
		return db.Exec(`INSERT INTO api_keys (id, account_id, name, hash, hint) VALUES (?, ?, 'History', ?, ?)`, store.NewID("key"), id, hash[:], key[:12]).Error
	})
	if err != nil {
		return nil, fmt.Errorf("make an account: %w", err)
	}
	migrate := func(ctx context.Context, plan string, from, to int) error {
		return s.store.Update(store.WithAccount(ctx, id), func(tx *store.Tx) error {
			_, err := migration.Create(tx, migration.New{PlanID: plan, From: &from, To: to})
			return err
		})
	}
	return &client{Client: rig.Client{URL: s.url, Key: key}, migrate: migrate}, nil
}

// nextAccount returns a client of the next account that was made ready.
func (s *stage) nextAccount() (*client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.keys) == 0 {
		return nil, errors.New("there are fewer keys than histories")
	}
	c := &client{Client: rig.Client{URL: s.url, Key: s.keys[0]}}
	s.keys = s.keys[1:]
	return c, nil
}
