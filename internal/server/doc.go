// Package server is the whole of Basalt in one process: its configuration with
// defaults, the stack from the engine up to the doors, listeners, readiness,
// drain and close. It sits above the napkin and wires it; it decides nothing
// about data.
//
// Read first: Config, Open, Server.Serve.
//
// What always holds:
//   - every door listens before the first one answers, and /readyz says 200 only
//     while all of them do;
//   - the start code is larger than that of every earlier run on the same data;
//   - the engine is closed last, after every call under way was answered or given
//     up.
package server
