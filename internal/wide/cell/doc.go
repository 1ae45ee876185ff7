// Package cell has the cell of a wide row and the bytes that cells are stored
// as. It knows nothing of schemas, clocks or versions: what a reader may see is
// decided above, by package wide.
//
// A family of a row is stored in two forms, side by side (see package keys):
// the packed value, which holds many cells in a few sorted parts, and one value
// per cell for those that are too many or too large for it. packed.go draws the
// first, value.go the second.
//
// Read first: Cell and Compare (the order of everything), Packed with Iter
// (reading), AppendPacked and Builder (writing), Merger (what a store does with
// the operands of one packed key).
//
// What always holds: a part is strictly sorted by Compare; parts are in order of
// age, the oldest first; of equal cells in several parts the newest is the one.
package cell
