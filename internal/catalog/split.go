package catalog

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// SplitRegion cuts a region of an enabled table in two, before key.
func (c *Catalog) SplitRegion(encoded string, key []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.View().ByEncoded[encoded]
	if r == nil {
		return &RegionNotFoundError{encoded}
	}
	t := r.Table
	switch {
	case t.State != Enabled:
		return &NotEnabledError{t.Name, t.State}
	case turnedOff(t, "SPLIT_ENABLED"), neverSplits(t):
		return schemaErrorf("Split region %s failed as region split is disabled for the table", DisplayBytes(r.Name))
	case len(key) == 0:
		return argumentErrorf("Empty split key")
	case len(key) > maxRowBytes:
		return argumentErrorf("Split key of %d bytes is longer than a row may be (%d)", len(key), maxRowBytes)
	case bytes.Equal(key, r.Start):
		return argumentErrorf("Split row is equal to startkey: %s", DisplayBytes(key))
	case !r.Contains(key):
		return argumentErrorf("Split row is not inside region key range splitKey:%s region: %s", DisplayBytes(key), r)
	case len(t.Regions)+1 > c.limits.MaxRegionsPerTable:
		return argumentErrorf("%d regions are more than a table may have (%d)", len(t.Regions)+1, c.limits.MaxRegionsPerTable)
	}
	u := c.begin()
	id := u.nextID()
	key = bytes.Clone(key)
	spans := make([]span, 0, len(t.Regions)+1)
	for _, s := range t.spans() {
		if bytes.Equal(s.start, r.Start) {
			spans = append(spans, span{start: s.start, end: key, id: id}, span{start: key, end: s.end, id: id})
		} else {
			spans = append(spans, s)
		}
	}
	u.setSpans(t, spans)
	return u.commit()
}

// MergeRegions makes one region of two or more adjacent ones, given in any
// order.
func (c *Catalog) MergeRegions(encoded []string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	regions := make([]*Region, 0, len(encoded))
	unique := map[string]bool{}
	for _, e := range encoded {
		r := c.View().ByEncoded[e]
		if r == nil {
			return &RegionNotFoundError{e}
		}
		unique[e] = true
		regions = append(regions, r)
	}
	if len(unique) != len(regions) {
		return &MergeError{Text: fmt.Sprintf("Duplicate regions specified; cannot merge a region to itself. "+
			"Passed in %d but only %d unique.", len(regions), len(unique))}
	}
	if len(regions) < 2 {
		return &MergeError{Text: "Need two Regions at least to run a Merge"}
	}
	sort.Slice(regions, func(i, j int) bool { return bytes.Compare(regions[i].Start, regions[j].Start) < 0 })
	t := regions[0].Table
	for i, r := range regions {
		switch {
		case r.Table != t:
			return &MergeError{Text: "Can't merge regions from different tables: " + regions[0].String() + ", " + r.String()}
		case t.State != Enabled:
			return &MergeError{Text: "Unable to merge regions that are NOT online: " + r.String()}
		case i > 0 && !bytes.Equal(regions[i-1].End, r.Start):
			return &MergeError{Apart: true, Text: "Unable to merge non-adjacent or non-overlapping regions '" +
				regions[i-1].Encoded + "', '" + r.Encoded + "' when force=false"}
		}
	}
	if turnedOff(t, "MERGE_ENABLED") {
		return schemaErrorf("Merge of %v failed as region merge is disabled for the table", regions)
	}
	u := c.begin()
	first, last := regions[0], regions[len(regions)-1]
	merged := span{start: first.Start, end: last.End, id: u.nextID()}
	spans := make([]span, 0, len(t.Regions))
	for _, r := range t.Regions {
		switch {
		case r == first:
			spans = append(spans, merged)
		case bytes.Compare(r.Start, first.Start) > 0 && bytes.Compare(r.Start, last.Start) <= 0:
		default:
			spans = append(spans, span{r.Start, r.End, r.RegionID, r.Load})
		}
	}
	u.setSpans(t, spans)
	return u.commit()
}

// setSpans gives a table other regions.
func (u *update) setSpans(t *Table, spans []span) {
	next := copyOf(t)
	next.setRegions(spans)
	u.putTable(next, true)
}

// neverSplits tells whether the table has the one split policy that also
// forbids the splits that an administrator asks for.
func neverSplits(t *Table) bool {
	p, _ := t.Attribute("SPLIT_POLICY")
	return p == "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy"
}

// turnedOff tells whether a table attribute that is true unless set says false.
func turnedOff(t *Table, attribute string) bool {
	v, ok := t.Attribute(attribute)
	return ok && !strings.EqualFold(v, "true")
}
