package server

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// startCodeKey holds the start code of the newest run: 8 bytes, big-endian.
var startCodeKey = append([]byte{keys.SpaceSystem}, "server/start-code"...)

// nextStartCode makes the start code of this run: the time in ms, but larger
// than that of every earlier run, whatever the clock did in between. Clients
// tell a restarted server from its forerunner by nothing else. It is durable
// when it returns, unless the engine takes no writes (disk nearly full): then
// reading matters more, and the clock alone keeps two such runs apart.
func nextStartCode(ctx context.Context, e kv.Engine, now time.Time, log *slog.Logger) (int64, error) {
	code := now.UnixMilli()
	v, err := e.Get(nil, startCodeKey)
	switch {
	case errors.Is(err, kv.ErrNotFound):
	case err != nil:
		return 0, fmt.Errorf("reading the last start code: %w", err)
	case len(v) != 8:
		return 0, fmt.Errorf("the last start code has %d bytes: %w", len(v), kv.ErrCorrupt)
	default:
		code = max(code, int64(binary.BigEndian.Uint64(v))+1)
	}
	b := e.NewBatch()
	b.Put(startCodeKey, binary.BigEndian.AppendUint64(nil, uint64(code)))
	mark, err := e.Apply(b, kv.DurabilitySync, nil)
	if err == nil {
		err = e.WaitSynced(ctx, mark)
	}
	if errors.Is(err, kv.ErrUnavailable) {
		log.Warn("starting without writes", "error", err)
		return code, nil
	}
	if err != nil {
		return 0, fmt.Errorf("storing the start code: %w", err)
	}
	return code, nil
}
