package general

import "testing"

// Only the column of AFTER gets quotes.
func TestQuoteAfter(t *testing.T) {
	for in, want := range map[string]string{
		"ALTER TABLE t ADD c INT AFTER name":                        "ALTER TABLE t ADD c INT AFTER `name`",
		"alter table t add c int after `name`, add d int after  b":  "alter table t add c int after `name`, add d int after  `b`",
		"ALTER TABLE t ADD c INT COMMENT 'it''s after all' AFTER x": "ALTER TABLE t ADD c INT COMMENT 'it''s after all' AFTER `x`",
		`ALTER TABLE t ADD c INT COMMENT "\" after all"`:            `ALTER TABLE t ADD c INT COMMENT "\" after all"`,
		"ALTER TABLE t ADD thereafter INT FIRST":                    "ALTER TABLE t ADD thereafter INT FIRST",
	} {
		if got := quoteAfter(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}
