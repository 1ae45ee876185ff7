package filter

import (
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// The tests write filters as Go expressions, which are serialized here as a Java
// client would and then decoded: all(prefix("a"), value("=", bin("x"))).

// packed is a filter or comparator as it travels.
type packed struct {
	class string
	bytes []byte
}

func (p packed) message() []byte {
	return pb{}.str(1, classPrefix+p.class).raw(2, p.bytes)
}

// pb appends fields of a protobuf message.
type pb []byte

func (b pb) raw(n protowire.Number, v []byte) pb {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func (b pb) str(n protowire.Number, v string) pb { return b.raw(n, []byte(v)) }

func (b pb) num(n protowire.Number, v int64) pb {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(v))
}

func (b pb) bool(n protowire.Number, v bool) pb { return b.num(n, int64(protowire.EncodeBool(v))) }

func (b pb) float(n protowire.Number, v float32) pb {
	return protowire.AppendFixed32(protowire.AppendTag(b, n, protowire.Fixed32Type), math.Float32bits(v))
}

// pack serializes an expression.
func pack(expr string) (p packed, err error) {
	tree, err := parser.ParseExpr(expr)
	if err != nil {
		return p, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", expr, r)
		}
	}()
	return packCall(tree), nil
}

// args are the arguments of one call.
type args []ast.Expr

func (a args) str(i int) string {
	if len(a) <= i {
		panic(fmt.Sprintf("argument %d is missing", i))
	}
	s, err := strconv.Unquote(a[i].(*ast.BasicLit).Value)
	if err != nil {
		panic(err)
	}
	return s
}

func (a args) num(i int) int64 {
	x, sign := a[i], int64(1)
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.SUB {
		x, sign = u.X, -1
	}
	n, err := strconv.ParseInt(x.(*ast.BasicLit).Value, 0, 64)
	if err != nil {
		panic(err)
	}
	return sign * n
}

// has tells whether the word is among the arguments.
func (a args) has(word string) bool {
	for _, x := range a {
		if id, ok := x.(*ast.Ident); ok && id.Name == word {
			return true
		}
	}
	return false
}

func (a args) call(i int) packed { return packCall(a[i]) }

func (a args) op(i int) int64 {
	n := strings.Index("<  <= =  != >= >  no ", fmt.Sprintf("%-3s", a.str(i)))
	if n < 0 {
		panic("unknown operator " + a.str(i))
	}
	return int64(n / 3)
}

// column appends family and qualifier of "f:q".
func (a args) column(i int, b pb, n protowire.Number) pb {
	family, qualifier, _ := strings.Cut(a.str(i), ":")
	return b.str(n, family).str(n+1, qualifier)
}

func packCall(x ast.Expr) packed {
	call := x.(*ast.CallExpr)
	a := args(call.Args)
	compare := func(class string) packed {
		return packed{class, pb{}.raw(1, pb{}.num(1, a.op(0)).raw(2, a.call(1).message()))}
	}
	operand := func(class string, v []byte) packed {
		return packed{class, pb{}.raw(1, pb{}.raw(1, v))}
	}
	list := func(op int64) packed {
		b := pb{}.num(1, op)
		for i := range a {
			b = b.raw(2, a.call(i).message())
		}
		return packed{"FilterList", b}
	}
	strs := func(class string) packed {
		b := pb{}
		for i := range a {
			b = b.str(1, a.str(i))
		}
		return packed{class, b}
	}
	single := func() []byte {
		return a.column(0, pb{}, 1).num(3, a.op(1)).raw(4, a.call(2).message()).
			bool(5, a.has("ifmissing")).bool(6, !a.has("allversions"))
	}
	switch name := call.Fun.(*ast.Ident).Name; name {
	case "all":
		return list(1)
	case "one":
		return list(2)
	case "skip":
		return packed{"SkipFilter", pb{}.raw(1, a.call(0).message())}
	case "while":
		return packed{"WhileMatchFilter", pb{}.raw(1, a.call(0).message())}
	case "wrap":
		return packed{"FilterWrapper", pb{}.raw(1, a.call(0).message())}
	case "row":
		return compare("RowFilter")
	case "family":
		return compare("FamilyFilter")
	case "qualifier":
		return compare("QualifierFilter")
	case "value":
		return compare("ValueFilter")
	case "single":
		return packed{"SingleColumnValueFilter", single()}
	case "exclude":
		return packed{"SingleColumnValueExcludeFilter", pb{}.raw(1, single())}
	case "column":
		return packed{"ColumnValueFilter", a.column(0, pb{}, 1).num(3, a.op(1)).raw(4, a.call(2).message())}
	case "dependent":
		test := pb{}.num(1, int64(opNone))
		if len(a) > 2 {
			test = pb{}.num(1, a.op(1)).raw(2, a.call(2).message())
		}
		return packed{"DependentColumnFilter", a.column(0, pb{}.raw(1, test), 2).bool(4, a.has("drop"))}
	case "prefix":
		return packed{"PrefixFilter", pb{}.str(1, a.str(0))}
	case "stop":
		return packed{"InclusiveStopFilter", pb{}.str(1, a.str(0))}
	case "random":
		return packed{"RandomRowFilter", pb{}.float(1, float32(a.num(0))/100)}
	case "page":
		return packed{"PageFilter", pb{}.num(1, a.num(0))}
	case "nothing":
		return packed{"FilterAllFilter", nil}
	case "first":
		return packed{"FirstKeyOnlyFilter", nil}
	case "firstof":
		return strs("FirstKeyValueMatchingQualifiersFilter")
	case "keyonly":
		return packed{"KeyOnlyFilter", pb{}.bool(1, a.has("length"))}
	case "columnprefix":
		return packed{"ColumnPrefixFilter", pb{}.str(1, a.str(0))}
	case "columnprefixes":
		return strs("MultipleColumnPrefixFilter")
	case "columnrange":
		// columnrange("[b", "d)"), a bound of one character is none
		b, low, high := pb{}, a.str(0), a.str(1)
		if len(low) > 1 {
			b = b.str(1, low[1:])
		}
		b = b.bool(2, low[0] == '[')
		if len(high) > 1 {
			b = b.str(3, high[:len(high)-1])
		}
		return packed{"ColumnRangeFilter", b.bool(4, high[len(high)-1] == ']')}
	case "pagination":
		b := pb{}.num(1, a.num(0))
		if lit, ok := a[1].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			return packed{"ColumnPaginationFilter", b.str(3, a.str(1))}
		}
		return packed{"ColumnPaginationFilter", b.num(2, a.num(1))}
	case "count":
		return packed{"ColumnCountGetFilter", pb{}.num(1, a.num(0))}
	case "timestamps":
		var stamps []byte
		for i := range a {
			if _, word := a[i].(*ast.Ident); !word {
				stamps = protowire.AppendVarint(stamps, uint64(a.num(i)))
			}
		}
		return packed{"TimestampsFilter", pb{}.raw(1, stamps).bool(2, a.has("hint"))}
	case "fuzzy":
		// fuzzy("a?c", ...): ? is free
		b := pb{}
		for i := range a {
			key := []byte(a.str(i))
			mask := make([]byte, len(key))
			for j, c := range key {
				mask[j] = 0xff
				if c == '?' {
					key[j], mask[j] = 0, 2
				}
			}
			b = b.raw(1, pb{}.raw(1, key).raw(2, mask))
		}
		return packed{"FuzzyRowFilter", b.bool(2, true)}
	case "ranges":
		// ranges("[a,c)", "(d,)")
		b := pb{}
		for i := range a {
			s := a.str(i)
			start, stop, _ := strings.Cut(s[1:len(s)-1], ",")
			r := pb{}.str(1, start).bool(2, s[0] == '[').str(3, stop).bool(4, s[len(s)-1] == ']')
			b = b.raw(1, r)
		}
		return packed{"MultiRowRangeFilter", b}

	case "bin":
		return operand("BinaryComparator", []byte(a.str(0)))
	case "binprefix":
		return operand("BinaryPrefixComparator", []byte(a.str(0)))
	case "component":
		return packed{"BinaryComponentComparator", pb{}.str(1, a.str(0)).num(2, a.num(1))}
	case "long":
		return operand("LongComparator", be64(a.num(0)))
	case "decimal":
		return operand("BigDecimalComparator", decimalBytes(a.str(0)))
	case "bit":
		op := map[string]int64{"and": 1, "or": 2, "xor": 3}[a.str(0)]
		p := operand("BitComparator", []byte(a.str(1)))
		p.bytes = pb(p.bytes).num(2, op)
		return p
	case "null":
		return packed{"NullComparator", nil}
	case "substring":
		return packed{"SubstringComparator", pb{}.str(1, a.str(0))}
	case "regex":
		// regex("a.c", 32, "UTF-8", "JAVA"), from the second on optional
		flags, charset, engine := int64(32), "UTF-8", "JAVA"
		if len(a) > 1 {
			flags = a.num(1)
		}
		if len(a) > 2 {
			charset = a.str(2)
		}
		if len(a) > 3 {
			engine = a.str(3)
		}
		return packed{"RegexStringComparator", pb{}.str(1, a.str(0)).num(2, flags).str(3, charset).str(4, engine)}
	case "raw":
		// raw("Class", "hex")
		b, err := hex.DecodeString(a.str(1))
		if err != nil {
			panic(err)
		}
		return packed{a.str(0), b}
	default:
		panic("unknown function " + name)
	}
}

func be64(v int64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (56 - 8*i))
	}
	return b
}

// decimalBytes writes "12.50" or "-3e7" as HBase does a BigDecimal.
func decimalBytes(s string) []byte {
	digits, exponent, _ := strings.Cut(s, "e")
	scale := 0
	if exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil {
			panic(err)
		}
		scale = -n
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	scale += len(fraction)
	n, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		panic("no number: " + s)
	}
	size := n.BitLen()/8 + 1
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(size)*8))
	}
	b := []byte{byte(scale >> 24), byte(scale >> 16), byte(scale >> 8), byte(scale)}
	return append(b, n.FillBytes(make([]byte, size))...)
}
