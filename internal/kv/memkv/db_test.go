package memkv_test

import (
	"testing"

	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/kvtest"
	"github.com/basaltdb/basalt/internal/kv/memkv"
)

func TestSuite(t *testing.T) {
	kvtest.Run(t, kvtest.Harness{
		Open: func(*testing.T) kv.Engine { return memkv.New(kvtest.Merger{}) },
	})
}
