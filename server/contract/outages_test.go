package contract_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/contract"
	"tollkeeper/store/tempfile"
)

var _ = DescribeTable("a failure is marked as one that may pass",
	func(err error, passes bool) {
		Expect(contract.IsTransient(fmt.Errorf("wrapped: %w", err))).To(Equal(passes))
	},
	Entry("when the connection broke", &pgconn.PgError{Code: "08006"}, true),
	Entry("when there are too many connections", &pgconn.PgError{Code: "53300"}, true),
	Entry("when the database restarts", &pgconn.PgError{Code: "57P01"}, true),
	Entry("when it lost against another transaction", &pgconn.PgError{Code: "40001"}, true),
	Entry("when it waited too long for a lock", &pgconn.PgError{Code: "55P03"}, true),
	Entry("when it took too long", &pgconn.PgError{Code: "57014"}, true),
	Entry("when the driver gave the connection up", driver.ErrBadConn, true),
	Entry("when the network failed", &net.OpError{Op: "dial", Err: io.EOF}, true),
	Entry("when a deadline passed", context.DeadlineExceeded, true),
	Entry("when temporary files find no room", &tempfile.Refusal{Reason: tempfile.Full}, true),
	Entry("when temporary files cannot be written", &tempfile.Refusal{Reason: tempfile.Unusable, Err: &fs.PathError{Op: "write", Path: "x", Err: syscall.EROFS}}, true),
	Entry("but not when a body alone needs more room", &tempfile.Refusal{Reason: tempfile.TooLarge}, false),
	Entry("nor when a file is not there", &fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, false),
	Entry("nor when a rule of the schema was broken", &pgconn.PgError{Code: "23514"}, false),
	Entry("nor when the program is wrong", errors.New("no such thing"), false),
)
