package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// Compression is the compression of cell blocks, in both directions.
type Compression uint8

const (
	NoCompression Compression = iota
	Snappy
	Lz4
	Gzip
	Zlib
)

// ErrTooLarge: a cell block is larger, decompressed, than allowed.
var ErrTooLarge = errors.New("wire: decompressed cell block is too large")

// CompressionByClass finds the compression that a client named in its connection
// header; no name is NoCompression.
func CompressionByClass(class string) (c Compression, ok bool) {
	switch class {
	case "":
		return NoCompression, true
	case "org.apache.hadoop.io.compress.SnappyCodec", "org.apache.hadoop.hbase.io.compress.xerial.SnappyCodec":
		return Snappy, true
	case "org.apache.hadoop.io.compress.Lz4Codec", "org.apache.hadoop.hbase.io.compress.lz4.Lz4Codec":
		return Lz4, true
	case "org.apache.hadoop.io.compress.GzipCodec":
		return Gzip, true
	case "org.apache.hadoop.io.compress.DefaultCodec":
		return Zlib, true
	}
	return NoCompression, false
}

// Compress appends src, compressed.
func (c Compression) Compress(dst, src []byte) []byte {
	switch c {
	case Snappy, Lz4:
		return appendHadoopBlock(dst, src, c)
	case Gzip:
		w := gzipWriters.Get().(*gzip.Writer)
		defer gzipWriters.Put(w)
		out := appender{dst}
		w.Reset(&out)
		return out.finish(w, src)
	case Zlib:
		w := zlibWriters.Get().(*zlib.Writer)
		defer zlibWriters.Put(w)
		out := appender{dst}
		w.Reset(&out)
		return out.finish(w, src)
	}
	return append(dst, src...)
}

// Decompress appends what src decompresses to. More than limit bytes give
// ErrTooLarge before they are allocated.
func (c Compression) Decompress(dst, src []byte, limit int) ([]byte, error) {
	switch c {
	case Snappy, Lz4:
		return decodeHadoopBlocks(dst, src, c, limit)
	case Gzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, malformed("gzip: %v", err)
		}
		return appendAll(dst, r, limit)
	case Zlib:
		r, err := zlib.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, malformed("zlib: %v", err)
		}
		return appendAll(dst, r, limit)
	}
	if len(src) > limit {
		return nil, ErrTooLarge
	}
	return append(dst, src...), nil
}

var (
	gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}
	zlibWriters = sync.Pool{New: func() any { return zlib.NewWriter(io.Discard) }}
)

// appender is a writer that appends to a slice.
type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// finish writes src through w, which writes into a. Neither can fail: a takes
// everything.
func (a *appender) finish(w io.WriteCloser, src []byte) []byte {
	if _, err := w.Write(src); err != nil {
		panic(fmt.Sprintf("wire: compressing into memory: %v", err))
	}
	if err := w.Close(); err != nil {
		panic(fmt.Sprintf("wire: compressing into memory: %v", err))
	}
	return a.b
}

// appendAll reads r to its end. The buffer grows with what really comes.
func appendAll(dst []byte, r io.Reader, limit int) ([]byte, error) {
	start := len(dst)
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if len(dst)-start > limit {
			return nil, ErrTooLarge
		}
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return nil, malformed("compressed cell block: %v", err)
		}
	}
}
