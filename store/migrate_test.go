package store_test

import (
	"context"
	"io/fs"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// schemaFiles are those of this version, which a spec may change.
func schemaFiles() fstest.MapFS {
	GinkgoHelper()
	copied := fstest.MapFS{}
	Expect(fs.WalkDir(store.SchemaFiles(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(store.SchemaFiles(), name)
		copied[name] = &fstest.MapFile{Data: text}
		return err
	})).To(Succeed())
	return copied
}

var _ = Describe("Migrating a database", func() {
	var url string
	var owner *pgx.Conn
	BeforeEach(func() {
		url = storetest.URL(storetest.New())
		var err error
		owner, err = pgx.Connect(context.Background(), url)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(owner.Close, context.Background())
	})

	execute := func(statement string) {
		GinkgoHelper()
		_, err := owner.Exec(context.Background(), statement)
		Expect(err).NotTo(HaveOccurred())
	}
	read := func(query string) (value string) {
		GinkgoHelper()
		Expect(owner.QueryRow(context.Background(), query).Scan(&value)).To(Succeed())
		return value
	}

	It("does nothing where everything is applied", func() {
		applied := "SELECT string_agg(file || applied_at, ' ' ORDER BY file) FROM applied_functions"
		before := read(applied)
		Expect(store.Migrate(context.Background(), url)).To(Equal(0))
		Expect(read(applied)).To(Equal(before))
	})

	It("applies the functions of a file again when its text has changed, and no others", func() {
		execute("INSERT INTO accounts (id, name, mode, number_prefix) VALUES ('a', 'A', 'test', 'ABCDEF')")
		changed := schemaFiles()
		text := string(changed["functions/accounts.sql"].Data)
		Expect(text).To(ContainSubstring("RETURN instant;"))
		changed["functions/accounts.sql"].Data = []byte(strings.Replace(text, "RETURN instant;", "RETURN instant + interval '1 day';", 1))
		other := "SELECT applied_at::text FROM applied_functions WHERE file = 'functions/webhooks.sql'"
		before := read(other)
		due := "SELECT begin_due('a', '2025-01-01Z') AT TIME ZONE 'UTC' || ''"
		Expect(read(due)).To(Equal("2025-01-01 00:00:00"))

		Expect(store.MigrateWith(context.Background(), url, changed)).To(Equal(0))
		Expect(read(due)).To(Equal("2025-01-02 00:00:00"))
		Expect(read(other)).To(Equal(before))

		By("going back to the text before")
		Expect(store.Migrate(context.Background(), url)).To(Equal(0))
		Expect(read(due)).To(Equal("2025-01-01 00:00:00"))
	})

	It("applies all functions to the migrated tables, where their texts are checked", func() {
		execute("UPDATE applied_functions SET checksum = ''")
		Expect(store.Migrate(context.Background(), url)).To(Equal(0))
		Expect(read("SELECT count(*)::text FROM applied_functions WHERE checksum = ''")).To(Equal("0"))
	})

	It("applies new functions before the migrations whose triggers name them, and changed ones after those", func() {
		changed := schemaFiles()
		changed["functions/keep_notes.sql"] = &fstest.MapFile{Data: []byte(`
			CREATE OR REPLACE FUNCTION keep_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'notes stay'; END $$;
			CREATE OR REPLACE FUNCTION count_notes() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM notes $$;`)}
		// PostgreSQL refuses this text while the table does not exist.
		changed["functions/webhooks.sql"].Data = append(changed["functions/webhooks.sql"].Data, []byte(
			"CREATE OR REPLACE FUNCTION newest_note() RETURNS text LANGUAGE sql AS $$ SELECT max(text) FROM notes $$;")...)
		changed["migrations/9999_notes.sql"] = &fstest.MapFile{Data: []byte(`-- +goose Up
			CREATE TABLE notes (text text NOT NULL);
			CREATE TRIGGER keep BEFORE DELETE ON notes FOR EACH ROW EXECUTE FUNCTION keep_note();`)}

		By("migrating from two servers at once")
		steps := make([]int, 2)
		var group sync.WaitGroup
		for i := range steps {
			group.Go(func() {
				defer GinkgoRecover()
				var err error
				steps[i], err = store.MigrateWith(context.Background(), url, changed)
				Expect(err).NotTo(HaveOccurred())
			})
		}
		group.Wait()
		Expect(steps).To(ConsistOf(0, 1))

		execute("INSERT INTO notes VALUES ('first')")
		Expect(read("SELECT count_notes() || newest_note()")).To(Equal("1first"))
		_, err := owner.Exec(context.Background(), "DELETE FROM notes")
		Expect(err).To(MatchError(ContainSubstring("notes stay")))
	})

	It("leaves a database alone that a later version migrated", func() {
		later := schemaFiles()
		later["functions/webhooks.sql"].Data = append(later["functions/webhooks.sql"].Data, []byte(`
			CREATE OR REPLACE FUNCTION begin_due(account text, instant timestamptz) RETURNS timestamptz LANGUAGE sql AS $$ SELECT NULL::timestamptz $$;`)...)
		later["migrations/9999_notes.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE notes (text text NOT NULL);")}
		Expect(store.MigrateWith(context.Background(), url, later)).To(Equal(1))
		Expect(store.Migrate(context.Background(), url)).To(Equal(0))
		Expect(read("SELECT prosrc FROM pg_proc WHERE proname = 'begin_due'")).To(ContainSubstring("NULL::timestamptz"))
	})

	It("leaves the functions as they are when a text is wrong", func() {
		changed := schemaFiles()
		changed["functions/accounts.sql"].Data = []byte("CREATE OR REPLACE FUNCTION begin_due() RETURNS date LANGUAGE sql AS 'SELECT'")
		_, err := store.MigrateWith(context.Background(), url, changed)
		Expect(err).To(MatchError(ContainSubstring("functions/accounts.sql")))
		Expect(store.Migrate(context.Background(), url)).To(Equal(0))
	})

	It("refuses a database of the migrations before the baseline, and says what to do", func() {
		execute("DROP TABLE applied_functions")
		execute("INSERT INTO goose_db_version (version_id, is_applied) SELECT n, true FROM generate_series(19, 83) AS n")
		_, err := store.Migrate(context.Background(), url)
		Expect(err).To(MatchError(store.ErrOldDatabase))
		Expect(err).To(MatchError(ContainSubstring("create a new database")))
		Expect(read("SELECT coalesce(to_regclass('applied_functions')::text, 'none')")).To(Equal("none"))
	})
})
