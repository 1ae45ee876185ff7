package general

import (
	"sync"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// collation orders keys as the engine compares texts: a weight per character.
//
// A sort key is the weights plus one, as keys.AppendUvarint writes them, and a
// zero byte. Collations that pad compare the shorter text as if spaces followed
// it: their keys end in the weight of a space before the zero, and have none of
// the text's own spaces at the end.
type collation struct {
	weight func(rune) int32
	ascii  [utf8.RuneSelf][]byte // encoded weights
	pad    bool
	space  []byte
}

var collations sync.Map // uint16 -> row.Collation

// Collation gives one of MySQL's collations by its number, nil for an unknown.
func Collation(id uint16) row.Collation {
	if c, ok := collations.Load(id); ok {
		return c.(row.Collation)
	}
	def := sql.CollationID(id).Collation()
	if def.Sorter == nil || def.ID == 0 {
		return nil
	}
	var made row.Collation
	switch sql.CollationID(id) {
	case sql.Collation_binary, sql.Collation_utf8mb4_0900_bin:
		made = row.Binary
	default:
		c := &collation{weight: def.Sorter, pad: def.PadAttribute == "PAD SPACE"}
		for i := range c.ascii {
			c.ascii[i] = c.appendRune(nil, rune(i))
		}
		c.space = c.ascii[' ']
		made = c
	}
	kept, _ := collations.LoadOrStore(id, made)
	return kept.(row.Collation)
}

func (c *collation) appendRune(dst []byte, r rune) []byte {
	return keys.AppendUvarint(dst, uint64(uint32(c.weight(r)))+1)
}

func (c *collation) AppendSortKey(dst, text []byte) []byte {
	if c.pad {
		for len(text) > 0 && text[len(text)-1] == ' ' {
			text = text[:len(text)-1]
		}
	}
	for i := 0; i < len(text); {
		if b := text[i]; b < utf8.RuneSelf {
			dst = append(dst, c.ascii[b]...)
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		dst = c.appendRune(dst, r)
		i += n
	}
	if c.pad {
		dst = append(dst, c.space...)
	}
	return append(dst, 0)
}
