package sql

import (
	"context"
	"strings"

	"github.com/basaltdb/basalt/internal/sql/lex"
)

// maxShapes bounds the texts without literals that a session keeps plans for.
const maxShapes = 256

// shapes are statements that come as text, by their text without literals.
type shapes struct {
	normal lex.Normal
	byText map[string]*stmt // nil: not for a fast plan
	// For what they were prepared: another database or settings begin anew.
	database string
	settings int
}

// mayBeFast tells whether a text begins as those that have fast plans.
func mayBeFast(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n(")
	if len(text) < 6 {
		return false
	}
	switch strings.ToUpper(text[:6]) {
	case "SELECT", "INSERT", "UPDATE", "DELETE":
		return true
	}
	return false
}

// textFast runs a text by a fast plan; done is false if it has none.
func (s *session) textFast(ctx context.Context, text string, sink Sink) (r Result, done bool, err error) {
	h := &s.shapes
	if !mayBeFast(text) || !h.normal.Parse(strings.TrimRight(text, "; \t\r\n"), !s.tx.noBackslash) {
		return r, false, nil
	}
	if db := s.Database(); h.byText == nil || h.database != db || h.settings != s.settings || len(h.byText) >= maxShapes {
		h.byText, h.database, h.settings = map[string]*stmt{}, db, s.settings
	}
	p, known := h.byText[string(h.normal.Text)]
	if !known {
		// Whatever is wrong with it, the text itself will say.
		p = s.shape(ctx, string(h.normal.Text))
		h.byText[string(h.normal.Text)] = p
	}
	if p == nil {
		return r, false, nil
	}
	return p.runFast(ctx, h.normal.Args, sink)
}

// shape prepares a text without literals for its fast plan, nil if it has none.
func (s *session) shape(ctx context.Context, text string) *stmt {
	p := &stmt{s: s, text: text, database: s.Database()}
	var err error
	if p.st, err = s.parse(ctx, text); err != nil {
		return nil
	}
	s.general.Tx = s.tx.rel
	if p.columns, err = s.general.Describe(ctx, p.st); err != nil {
		return nil
	}
	if plan, err := p.fastPlan(ctx); plan == nil || err != nil {
		return nil
	}
	return p
}
