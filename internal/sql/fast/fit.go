package fast

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// fit gives a value the form that a column stores, if it fits without any of
// SQL's conversions.
func fit(c *catalog.SQLColumn, v row.Value) (row.Value, bool) {
	if v.Kind == row.Null {
		return v, true
	}
	switch c.Kind {
	case catalog.SQLInt:
		switch v.Kind {
		case row.Int:
		case row.Uint:
			if v.Num > math.MaxInt64 {
				return v, false
			}
		default:
			return v, false
		}
		shift := 64 - 8*width(c)
		n := v.Int()
		return row.IntValue(n), n<<shift>>shift == n
	case catalog.SQLUint:
		switch v.Kind {
		case row.Uint:
		case row.Int:
			if v.Int() < 0 {
				return v, false
			}
		default:
			return v, false
		}
		shift := 64 - 8*width(c)
		return row.UintValue(v.Num), v.Num<<shift>>shift == v.Num
	case catalog.SQLDouble:
		switch v.Kind {
		case row.Double:
			return v, !math.IsInf(v.Float64(), 0) && !math.IsNaN(v.Float64())
		case row.Int:
			f := float64(v.Int())
			return row.DoubleValue(f), int64(f) == v.Int() && math.Abs(f) < 1<<53
		}
	case catalog.SQLText:
		if v.Kind != row.Bytes || !utf8.Valid(v.Bytes) || len(v.Bytes) > c.Precision && utf8.RuneCount(v.Bytes) > c.Precision {
			return v, false
		}
		// CHAR loses the spaces at its end, which others may do for us.
		return v, !isChar(c) || len(v.Bytes) == 0 || v.Bytes[len(v.Bytes)-1] != ' '
	case catalog.SQLBinary:
		return v, v.Kind == row.Bytes && len(v.Bytes) <= c.Precision && !strings.HasPrefix(c.Type, "binary")
	}
	return v, false
}

func isChar(c *catalog.SQLColumn) bool { return strings.HasPrefix(c.Type, "char") }

func width(c *catalog.SQLColumn) int {
	if c.Width > 0 && c.Width < 8 {
		return c.Width
	}
	return 8
}
