// Package fast runs the statements that programs send most, straight on the
// tables of package rel: reads by the primary key or a range of it, and changes
// of one row by its key. What it does not know it leaves to the general engine;
// what both know, they answer alike.
//
// Compile makes a Plan of a parsed statement; nil means: not mine. A plan takes
// arguments only where they fit their column exactly, so that no conversion of
// SQL is needed; else ErrNotMine, before anything is done, and the general
// engine runs the statement. A plan is of one version of its table.
package fast
