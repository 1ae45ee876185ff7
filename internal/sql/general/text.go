package general

import (
	"fmt"
	"strconv"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// text is a value as SQL shows it, for messages and for arguments as literals.
func text(c *catalog.SQLColumn, v row.Value) string {
	decimals := 0
	if c != nil && (c.Kind == catalog.SQLDateTime || c.Kind == catalog.SQLTime) {
		decimals = c.Precision
	}
	switch v.Kind {
	case row.Null:
		return "NULL"
	case row.Int:
		return strconv.FormatInt(v.Int(), 10)
	case row.Uint:
		return strconv.FormatUint(v.Num, 10)
	case row.Float:
		return strconv.FormatFloat(v.Float64(), 'g', -1, 32)
	case row.Double:
		return strconv.FormatFloat(v.Float64(), 'g', -1, 64)
	case row.DateTime:
		return dateText(v.Civil(), c != nil && c.Type == "date", decimals)
	case row.Time:
		return timeText(v.Micros(), decimals)
	}
	return string(v.Bytes)
}

func dateText(c row.Civil, dateOnly bool, decimals int) string {
	s := fmt.Sprintf("%04d-%02d-%02d", c.Year, c.Month, c.Day)
	if dateOnly {
		return s
	}
	s += fmt.Sprintf(" %02d:%02d:%02d", c.Hour, c.Minute, c.Second)
	return s + fraction(c.Micro, decimals)
}

func timeText(micros int64, decimals int) string {
	sign := ""
	if micros < 0 {
		sign, micros = "-", -micros
	}
	seconds := micros / 1e6
	return fmt.Sprintf("%s%02d:%02d:%02d", sign, seconds/3600, seconds/60%60, seconds%60) + fraction(uint32(micros%1e6), decimals)
}

func fraction(micro uint32, decimals int) string {
	if decimals <= 0 {
		return ""
	}
	return "." + fmt.Sprintf("%06d", micro)[:min(decimals, 6)]
}
