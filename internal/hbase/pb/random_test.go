package pb

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// fill sets random fields of a message to random values, so that each field is
// there about every second time.
func fill(r *rand.Rand, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if r.IntN(2) == 0 || depth > 6 && f.Kind() == protoreflect.MessageKind {
			continue
		}
		switch {
		case f.IsMap():
			// Maps occur in trace headers alone, which nothing reads.
		case f.IsList():
			list := m.Mutable(f).List()
			for range r.IntN(4) {
				if f.Kind() == protoreflect.MessageKind {
					e := list.NewElement()
					fill(r, e.Message(), depth+1)
					list.Append(e)
				} else {
					list.Append(randomValue(r, f))
				}
			}
		case f.Kind() == protoreflect.MessageKind:
			fill(r, m.Mutable(f).Message(), depth+1)
		default:
			m.Set(f, randomValue(r, f))
		}
	}
}

func randomValue(r *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(r.Uint32() >> r.IntN(32))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(r.Uint64() >> r.IntN(64))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(r.Uint32() >> r.IntN(32)))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(r.Uint64() >> r.IntN(64)))
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(r.IntN(values.Len())).Number())
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(string(randomBytes(r)))
	default:
		return protoreflect.ValueOfBytes(randomBytes(r))
	}
}

func randomBytes(r *rand.Rand) []byte {
	n := r.IntN(6)
	if r.IntN(20) == 0 {
		n = 100 + r.IntN(300)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return b
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newRand(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}
