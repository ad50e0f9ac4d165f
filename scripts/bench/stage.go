package main

import (
	"context"
	"os"
	"path/filepath"

	"tollkeeper/scripts/rig"
	"tollkeeper/store"
	"tollkeeper/store/cluster"
)

// stage is what a measurement needs: a PostgreSQL with durable settings, a database in
// it, and the server's program.
type stage struct {
	db         *cluster.Cluster
	postmaster int // its process
	url        string
	binary     string
}

// scratch makes a directory of its own.
func scratch(prefix string) (dir string, err error) {
	if err := os.MkdirAll(".data", 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(".data", prefix)
}

// onStage measures on a stage in a directory of its own, and leaves nothing behind.
func onStage(ctx context.Context, prefix, binary string, measure func(s *stage) error) error {
	dir, err := scratch(prefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := setUp(ctx, dir, binary)
	if err != nil {
		return err
	}
	defer s.tearDown()
	return measure(s)
}

// setUp starts PostgreSQL in a directory, and builds the server unless it is given.
func setUp(ctx context.Context, dir, binary string) (s *stage, err error) {
	db, err := cluster.Start(ctx, cluster.Options{Dir: dir, Cache: ".data", Log: os.Stderr})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = db.Stop()
		}
	}()
	s = &stage{db: db, binary: binary}
	if s.postmaster, err = postmaster(dir); err != nil {
		return nil, err
	}
	if err := s.db.CreateDatabase(ctx, "bench"); err != nil {
		return nil, err
	}
	s.url = s.db.URL("bench")
	if _, err := store.Migrate(ctx, s.url); err != nil {
		return nil, err
	}
	if s.binary == "" {
		s.binary = filepath.Join(dir, "tollkeeper")
		err = rig.Build(ctx, "", rig.ServerPackage, s.binary)
	}
	return s, err
}

func (s *stage) tearDown() { _ = s.db.Stop() }
