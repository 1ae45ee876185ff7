package general

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// describe sets how a column of a type is stored.
func describe(c *catalog.SQLColumn, t sql.Type) error {
	c.Type = typeString(t)
	c.Kind, c.Width, c.Precision, c.Scale, c.Collation = 0, 0, 0, 0, 0
	if types.IsYear(t) {
		// The engine's interface of it fits every type.
		c.Kind, c.Width = catalog.SQLUint, 2
		return nil
	}
	switch t := t.(type) {
	case sql.NumberType:
		switch {
		case t.IsFloat() && t.Type() == sqltypes.Float32:
			c.Kind = catalog.SQLFloat
		case t.IsFloat():
			c.Kind = catalog.SQLDouble
		case types.IsUnsigned(t):
			c.Kind = catalog.SQLUint
		default:
			c.Kind = catalog.SQLInt
		}
		switch t.Type() {
		case sqltypes.Int8, sqltypes.Uint8:
			c.Width = 1
		case sqltypes.Int16, sqltypes.Uint16:
			c.Width = 2
		case sqltypes.Int24, sqltypes.Uint24:
			c.Width = 3
		case sqltypes.Int32, sqltypes.Uint32:
			c.Width = 4
		default:
			c.Width = 8
		}
	case sql.EnumType:
		c.Kind, c.Width = catalog.SQLUint, 2
	case sql.SetType, types.BitType:
		c.Kind, c.Width = catalog.SQLUint, 8
	case sql.DecimalType:
		c.Kind, c.Precision, c.Scale = catalog.SQLDecimal, int(t.Precision()), int(t.Scale())
	case sql.DatetimeType:
		c.Kind, c.Precision = catalog.SQLDateTime, t.Precision()
	case types.TimeType:
		c.Kind = catalog.SQLTime
	case sql.StringType:
		if t.Collation() == sql.Collation_binary {
			c.Kind = catalog.SQLBinary
		} else {
			c.Kind, c.Collation = catalog.SQLText, uint16(t.Collation())
		}
		c.Precision = int(min(t.MaxCharacterLength(), math.MaxInt32))
	case types.JsonType:
		c.Kind = catalog.SQLJSON
	case sql.SpatialColumnType:
		return notSupported("spatial columns")
	default:
		return notSupported("columns of type " + t.String())
	}
	return nil
}

// typeString is a type as SQL text that parseType reads back to the same.
func typeString(t sql.Type) string {
	// The engine's own text of these does not quote what is in them.
	switch e := t.(type) {
	case sql.EnumType:
		return listType("enum", e.Values(), e.Collation())
	case sql.SetType:
		return listType("set", e.Values(), e.Collation())
	}
	if c, ok := t.(sql.TypeWithCollation); ok && c.Collation() != sql.Collation_Unspecified {
		return c.StringWithTableCollation(sql.Collation_Unspecified)
	}
	return t.String()
}

func listType(name string, values []string, c sql.CollationID) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(v) + "'"
	}
	text := name + "(" + strings.Join(quoted, ",") + ")"
	if c != sql.Collation_Unspecified {
		text += " CHARACTER SET " + c.CharacterSet().Name() + " COLLATE " + c.Name()
	}
	return text
}

func parseType(text string) (sql.Type, error) {
	t, err := planbuilder.ParseColumnTypeString(text)
	if err != nil {
		return nil, fmt.Errorf("reading the column type %q: %w", text, err)
	}
	return t, nil
}

// zeroDate is how the engine writes 0000-00-00.
var zeroDate = time.Unix(-62167219200, 0).UTC()

// civil is the packed form of a time of the engine's.
func civil(t time.Time) row.Civil {
	if t.Equal(zeroDate) {
		return row.Civil{}
	}
	return row.CivilOf(t)
}

func timeOf(c row.Civil, loc *time.Location) time.Time {
	if c == (row.Civil{}) {
		return zeroDate
	}
	return time.Date(int(c.Year), time.Month(c.Month), int(c.Day), int(c.Hour), int(c.Minute), int(c.Second), int(c.Micro)*1000, loc)
}

// wall moves a wall clock time, which the engine keeps as if it were UTC, from
// one zone to another one's wall.
func wall(t time.Time, from, to *time.Location) time.Time {
	if from == to || t.Equal(zeroDate) {
		return t
	}
	t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), from).In(to)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

func toInt(v any) (int64, bool) {
	switch v := v.(type) {
	case int8:
		return int64(v), true
	case int16:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case int:
		return int64(v), true
	case uint8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), v <= math.MaxInt64
	case uint:
		return int64(v), v <= math.MaxInt64
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// column converts the values of one column between the engine's form and ours.
type column struct {
	def *catalog.SQLColumn
	typ sql.Type
	// timestamp columns are stored in UTC and seen in the session's zone.
	timestamp bool
}

func newColumn(def *catalog.SQLColumn, typ sql.Type) column {
	return column{def, typ, types.IsTimestampType(typ)}
}

// store is the stored form of an engine's value that fits the column's type.
func (c *column) store(ctx context.Context, zone *time.Location, v any) (row.Value, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil || v == nil {
		return row.Value{}, err
	}
	switch c.def.Kind {
	case catalog.SQLInt:
		if n, ok := toInt(v); ok {
			return row.IntValue(n), nil
		}
	case catalog.SQLUint:
		if u, ok := v.(uint64); ok {
			return row.UintValue(u), nil
		}
		if n, ok := toInt(v); ok && n >= 0 {
			return row.UintValue(uint64(n)), nil
		}
	case catalog.SQLFloat:
		switch f := v.(type) {
		case float32:
			return row.FloatValue(f), nil
		case float64:
			return row.FloatValue(float32(f)), nil
		}
	case catalog.SQLDouble:
		switch f := v.(type) {
		case float32:
			return row.DoubleValue(float64(f)), nil
		case float64:
			return row.DoubleValue(f), nil
		}
	case catalog.SQLDecimal:
		if d, ok := v.(decimal.Decimal); ok {
			return row.BytesValue([]byte(d.StringFixed(int32(c.def.Scale)))), nil
		}
	case catalog.SQLText, catalog.SQLBinary:
		switch s := v.(type) {
		case string:
			return row.BytesValue([]byte(s)), nil
		case []byte:
			return row.BytesValue(s), nil
		}
	case catalog.SQLDateTime:
		if t, ok := v.(time.Time); ok {
			if c.timestamp {
				t = wall(t, zone, time.UTC)
			}
			return row.DateTimeValue(civil(t)), nil
		}
	case catalog.SQLTime:
		if d, ok := v.(types.Timespan); ok {
			return row.Value{Kind: row.Time, Num: uint64(int64(d))}, nil
		}
	case catalog.SQLJSON:
		if j, ok := v.(sql.JSONWrapper); ok {
			b, err := types.MarshallJson(j)
			return row.BytesValue(b), err
		}
	}
	return row.Value{}, fmt.Errorf("column %s of type %s cannot hold a %T", c.def.Name, c.typ, v)
}

// load is the engine's form of a stored value.
func (c *column) load(zone *time.Location, v row.Value) (any, error) {
	if v.Kind == row.Null {
		return nil, nil
	}
	if types.IsYear(c.typ) {
		return int16(v.Num), nil
	}
	switch t := c.typ.(type) {
	case sql.NumberType:
		switch t.Type() {
		case sqltypes.Int8:
			return int8(v.Int()), nil
		case sqltypes.Int16:
			return int16(v.Int()), nil
		case sqltypes.Int24, sqltypes.Int32:
			return int32(v.Int()), nil
		case sqltypes.Int64:
			return v.Int(), nil
		case sqltypes.Uint8:
			return uint8(v.Num), nil
		case sqltypes.Uint16:
			return uint16(v.Num), nil
		case sqltypes.Uint24, sqltypes.Uint32:
			return uint32(v.Num), nil
		case sqltypes.Uint64:
			return v.Num, nil
		case sqltypes.Float32:
			return float32(v.Float64()), nil
		case sqltypes.Float64:
			return v.Float64(), nil
		}
	case sql.EnumType:
		return uint16(v.Num), nil
	case sql.SetType, types.BitType:
		return v.Num, nil
	case sql.DecimalType:
		return decimal.NewFromString(string(v.Bytes))
	case sql.DatetimeType:
		at := timeOf(v.Civil(), time.UTC)
		if c.timestamp {
			at = wall(at, time.UTC, zone)
		}
		return at, nil
	case types.TimeType:
		return types.Timespan(v.Micros()), nil
	case sql.StringType:
		if types.IsBinaryType(t) {
			return append([]byte{}, v.Bytes...), nil
		}
		return string(v.Bytes), nil
	case types.JsonType:
		return types.NewLazyJSONDocument(append([]byte{}, v.Bytes...)), nil
	}
	return nil, fmt.Errorf("column %s has type %s, which cannot be read", c.def.Name, c.typ)
}

// exact converts a value that a condition compares the column with. ok is false
// if the column cannot hold exactly that value, so that no key stands for it.
func (c *column) exact(ctx *sql.Context, zone *time.Location, typ sql.Type, v any) (row.Value, bool) {
	converted, inRange, err := c.typ.Convert(ctx, v)
	if err != nil || !inRange || converted == nil {
		return row.Value{}, false
	}
	if typ == nil {
		typ = c.typ
	}
	if n, err := typ.Promote().Compare(ctx, converted, v); err != nil || n != 0 {
		return row.Value{}, false
	}
	if s, ok := v.(string); ok && c.def.Kind != catalog.SQLText && c.def.Kind != catalog.SQLBinary && strings.TrimSpace(s) != s {
		return row.Value{}, false
	}
	stored, err := c.store(ctx, zone, converted)
	return stored, err == nil
}
