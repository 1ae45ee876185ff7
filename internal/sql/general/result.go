package general

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"

	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
)

// notFixed says of a float that it has as many digits as it needs.
const notFixed = 31

// columns are the definitions of a result's columns.
func (s *Session) columns(ctx *sql.Context, schema sql.Schema) []answer.Column {
	out := make([]answer.Column, len(schema))
	results := s.GetCharacterSetResults()
	for i, c := range schema {
		a := &out[i]
		*a = answer.Column{Schema: c.DatabaseSource, Table: c.Source, OrgTable: c.Source, Name: c.Name, OrgName: c.Name}
		if c.Source == "" {
			a.OrgName = ""
		}
		if alias, ok := s.aliases[c.Source]; ok {
			a.Table = alias
		}
		a.Type = wireType(c.Type)
		a.Collation = uint16(sql.Collation_binary)
		a.Length = c.Type.MaxTextResponseByteLength(ctx)
		if !c.Nullable {
			a.Flags |= answer.FlagNotNull
		}
		if c.AutoIncrement {
			a.Flags |= answer.FlagAutoIncrement
		}
		if c.PrimaryKey {
			a.Flags |= answer.FlagPrimaryKey
		}
		if types.IsUnsigned(c.Type) || types.IsYear(c.Type) || types.IsBit(c.Type) {
			a.Flags |= answer.FlagUnsigned
		}
		switch t := c.Type.(type) {
		case sql.DecimalType:
			a.Decimals = t.Scale()
		case sql.DatetimeType:
			a.Decimals = uint8(t.Precision())
			a.Flags |= answer.FlagBinary
		case types.TimeType:
			a.Decimals = 0
			a.Flags |= answer.FlagBinary
		case sql.NumberType:
			a.Flags |= answer.FlagNum | answer.FlagBinary
			if t.IsFloat() {
				a.Decimals = notFixed
			}
		case types.JsonType:
			a.Flags |= answer.FlagBlob | answer.FlagBinary
		case sql.TypeWithCollation:
			s.textColumn(a, c.Type, t.Collation(), results)
		default:
			// System variables are text of no collation of their own.
			if c.Type.Type() == sqltypes.VarChar || c.Type.Type() == sqltypes.Text {
				s.textColumn(a, c.Type, sql.Collation_Unspecified, results)
			}
		}
	}
	return out
}

func (s *Session) textColumn(a *answer.Column, t sql.Type, c sql.CollationID, results sql.CharacterSetID) {
	if types.IsBinaryType(t) || c == sql.Collation_binary {
		a.Flags |= answer.FlagBinary
	} else {
		if c == sql.Collation_Unspecified {
			c = defaultCollation
		}
		if results != sql.CharacterSet_Unspecified && results != sql.CharacterSet_binary && c.CharacterSet() != results {
			c = results.DefaultCollation()
		}
		a.Collation = uint16(c)
		if c.Collation().Name != "" && len(c.Name()) > 4 && c.Name()[len(c.Name())-4:] == "_bin" {
			a.Flags |= answer.FlagBinary
		}
	}
	if types.IsTextBlob(t) {
		a.Flags |= answer.FlagBlob
	}
	if types.IsEnum(t) {
		a.Flags |= answer.FlagEnum
	}
	if types.IsSet(t) {
		a.Flags |= answer.FlagSet
	}
}

func wireType(t sql.Type) answer.Type {
	switch t.Type() {
	case sqltypes.Int8, sqltypes.Uint8:
		return answer.TypeTiny
	case sqltypes.Int16, sqltypes.Uint16:
		return answer.TypeShort
	case sqltypes.Int24, sqltypes.Uint24:
		return answer.TypeInt24
	case sqltypes.Int32, sqltypes.Uint32:
		return answer.TypeLong
	case sqltypes.Int64, sqltypes.Uint64:
		return answer.TypeLongLong
	case sqltypes.Float32:
		return answer.TypeFloat
	case sqltypes.Float64:
		return answer.TypeDouble
	case sqltypes.Decimal:
		return answer.TypeDecimal
	case sqltypes.Date:
		return answer.TypeDate
	case sqltypes.Datetime:
		return answer.TypeDateTime
	case sqltypes.Timestamp:
		return answer.TypeTimestamp
	case sqltypes.Time:
		return answer.TypeTime
	case sqltypes.Year:
		return answer.TypeYear
	case sqltypes.Bit:
		return answer.TypeBit
	case sqltypes.TypeJSON:
		return answer.TypeJSON
	case sqltypes.Text, sqltypes.Blob:
		return answer.TypeBlob
	case sqltypes.VarChar, sqltypes.VarBinary:
		return answer.TypeVarString
	case sqltypes.Char, sqltypes.Binary, sqltypes.Enum, sqltypes.Set:
		return answer.TypeString
	case sqltypes.Geometry:
		return answer.TypeGeometry
	case sqltypes.Null:
		return answer.TypeNull
	}
	return answer.TypeVarString
}

// encoder makes an answer's value of one of the engine's. Bytes are valid until
// its next call.
type encoder func(v any) (row.Value, error)

func (s *Session) encoders(ctx *sql.Context, schema sql.Schema) []encoder {
	out := make([]encoder, len(schema))
	for i, c := range schema {
		out[i] = encoderOf(ctx, c.Type)
	}
	return out
}

func encoderOf(ctx *sql.Context, t sql.Type) encoder {
	var buf []byte
	wire := wireType(t)
	unsigned := types.IsUnsigned(t) || types.IsYear(t)
	// any goes by the type's own text, for values of an unforeseen form.
	any := func(v any) (row.Value, error) {
		text, err := t.SQL(ctx, buf[:0], v)
		if err != nil {
			return row.Value{}, err
		}
		if text.IsNull() {
			return row.Value{}, nil
		}
		return fromText(wire, unsigned, text.ToBytes())
	}
	return func(v interface{}) (row.Value, error) {
		if v == nil {
			return row.Value{}, nil
		}
		switch wire {
		case answer.TypeTiny, answer.TypeShort, answer.TypeInt24, answer.TypeLong, answer.TypeLongLong, answer.TypeYear:
			if u, ok := v.(uint64); ok && unsigned {
				return row.UintValue(u), nil
			}
			if n, ok := toInt(v); ok {
				if unsigned {
					return row.UintValue(uint64(n)), nil
				}
				return row.IntValue(n), nil
			}
		case answer.TypeFloat:
			if f, ok := v.(float32); ok {
				return row.FloatValue(f), nil
			}
		case answer.TypeDouble:
			switch f := v.(type) {
			case float64:
				return row.DoubleValue(f), nil
			case float32:
				return row.DoubleValue(float64(f)), nil
			}
		case answer.TypeDecimal:
			if d, ok := v.(decimal.Decimal); ok {
				if dt, ok := t.(sql.DecimalType); ok {
					buf = append(buf[:0], d.StringFixed(int32(dt.Scale()))...)
					return row.BytesValue(buf), nil
				}
			}
		case answer.TypeDate, answer.TypeDateTime, answer.TypeTimestamp:
			if at, ok := v.(time.Time); ok {
				return row.DateTimeValue(civil(at)), nil
			}
		case answer.TypeTime:
			if d, ok := v.(types.Timespan); ok {
				return row.Value{Kind: row.Time, Num: uint64(int64(d))}, nil
			}
		case answer.TypeJSON:
			if j, ok := v.(sql.JSONWrapper); ok {
				text, err := types.JsonToMySqlString(j)
				buf = append(buf[:0], text...)
				return row.BytesValue(buf), err
			}
		case answer.TypeBit:
			if u, ok := v.(uint64); ok {
				n := 8
				if bt, ok := t.(types.BitType); ok {
					n = int(bt.NumberOfBits()+7) / 8
				}
				buf = buf[:0]
				for i := n - 1; i >= 0; i-- {
					buf = append(buf, byte(u>>(8*i)))
				}
				return row.BytesValue(buf), nil
			}
		case answer.TypeBlob, answer.TypeVarString, answer.TypeString:
			if !types.IsEnum(t) && !types.IsSet(t) && !types.IsBinaryType(t) {
				if str, ok := v.(string); ok {
					buf = append(buf[:0], str...)
					return row.BytesValue(buf), nil
				}
			}
		}
		return any(v)
	}
}

// fromText reads a value of a column's type from its text.
func fromText(t answer.Type, unsigned bool, b []byte) (row.Value, error) {
	text := string(b)
	switch t {
	case answer.TypeTiny, answer.TypeShort, answer.TypeInt24, answer.TypeLong, answer.TypeLongLong, answer.TypeYear:
		if unsigned {
			if u, err := strconv.ParseUint(text, 10, 64); err == nil {
				return row.UintValue(u), nil
			}
		} else if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return row.IntValue(n), nil
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			if text == "NULL" {
				return row.Value{}, nil // the engine's EXPLAIN says it so
			}
			return row.Value{}, err
		}
		if unsigned {
			return row.UintValue(uint64(math.Round(f))), nil
		}
		return row.IntValue(int64(math.Round(f))), nil
	case answer.TypeFloat, answer.TypeDouble:
		f, err := strconv.ParseFloat(text, 64)
		if t == answer.TypeFloat {
			return row.FloatValue(float32(f)), err
		}
		return row.DoubleValue(f), err
	case answer.TypeDate, answer.TypeDateTime, answer.TypeTimestamp:
		c, err := parseCivil(text)
		return row.DateTimeValue(c), err
	case answer.TypeTime:
		d, err := types.Time.ConvertToTimespan(text)
		return row.Value{Kind: row.Time, Num: uint64(int64(d))}, err
	}
	return row.BytesValue(b), nil
}

// parseCivil reads YYYY-MM-DD[ hh:mm:ss[.f]].
func parseCivil(text string) (c row.Civil, err error) {
	var second float64
	n, _ := fmt.Sscanf(text, "%d-%d-%d %d:%d:%f", &c.Year, &c.Month, &c.Day, &c.Hour, &c.Minute, &second)
	if n != 3 && n != 6 {
		return c, fmt.Errorf("%q is no date", text)
	}
	micros := uint64(math.Round(second * 1e6))
	c.Second, c.Micro = uint8(micros/1e6), uint32(micros%1e6)
	return c, nil
}
