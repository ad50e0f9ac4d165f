package export_test

import (
	"testing"

	"tollkeeper/domain/domaintest"
)

func TestExport(t *testing.T) { domaintest.RunSuite(t, "export", 50) }
