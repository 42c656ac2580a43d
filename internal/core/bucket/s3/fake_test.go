package s3

import (
	"strings"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

type (
	fault  = remotetest.Fault
	object = remotetest.Stored
)

const bucketName = remotetest.BucketName

// A fake is a server with as much of the API of S3 as we use, and faults.
type fake struct{ *remotetest.Server }

func newFake(t testing.TB) fake { return fake{remotetest.NewServer(t, true)} }

func (f fake) open(t testing.TB) *Bucket {
	b, err := Open(Config{
		Bucket: bucketName, Prefix: "team/a", Host: strings.TrimPrefix(f.URL, "https://"), PathStyle: true,
		transport: f.Client().Transport, creds: credentials.NewStaticV4("key", "hunter2", ""),
	}, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (f fake) log(t testing.TB) remote.Log { return remote.Over(f.open(t), func(string, ...any) {}) }
