package openoxide_test

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/agent/openoxide"
)

// Rows that a database would refuse, as an altered one has them, are put right, and that
// is told: each message has an id of its own and one of the three roles.
func TestAlteredRows(t *testing.T) {
	t.Parallel()
	kept := func(id, row, role string) string {
		return fmt.Sprintf(`{"type":"custom","id":%q,"parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","customType":"openoxide:content","kept":{"openoxide":{"lines":[{"id":%q,"role":%q,"time_created":1767323045678,"content":%q}]}}}`+"\n",
			id, row, role, base64.StdEncoding.EncodeToString([]byte{0xa1, 'x'}))
	}
	header, _, _ := strings.Cut(comb(0), "\n")
	s := formatstest.Parse(t, header+"\n"+kept("a0000001", "01KDYDPV6E0000000000000000", "user")+
		strings.Replace(kept("a0000002", "01KDYDPV6E0000000000000000", "user"), "null", `"a0000001"`, 1)+
		strings.Replace(kept("a0000003", "01KDYDPV6E0000000000000001", "system"), "null", `"a0000002"`, 1))
	path := filepath.Join(t.TempDir(), "x.db")
	told := map[string]bool{}
	for _, l := range formatstest.ExportTo(t, openoxide.OpenOxide, s, path) {
		told[l.Kind] = true
	}
	if !told[formats.KindRole] || !told[formats.KindEntry] {
		t.Errorf("told %v", told)
	}
	// Another session with the same rows goes into the same database.
	again := formatstest.Parse(t, strings.Replace(header, `"s"`, `"t"`, 1)+"\n"+kept("a0000001", "01KDYDPV6E0000000000000000", "user"))
	if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, again, path); err != nil {
		t.Error(err)
	}
	if got := imported(t, path); len(got) != 2 {
		t.Errorf("%d sessions", len(got))
	}
}
