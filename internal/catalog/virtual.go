package catalog

// NewVirtual makes a table that is in no View: the description of one that is
// computed, with one region over all rows. Without a region name it gets the
// usual one of an id. It has no data ids. The schema is the program's own, so
// that an illegal one panics.
func NewVirtual(s *Schema, id int64, regionName []byte, encoded string) *Table {
	t, err := build(s)
	if err != nil {
		panic("catalog: virtual table: " + err.Error())
	}
	t.CreatedMs = id
	for i, f := range t.Families {
		f.ID = uint32(i)
	}
	t.NextFamilyID = uint32(len(t.Families))
	t.setRegions([]span{{start: []byte{}, end: []byte{}, id: id}})
	if regionName != nil {
		t.Regions[0].Name, t.Regions[0].Encoded = regionName, encoded
	}
	return t
}
