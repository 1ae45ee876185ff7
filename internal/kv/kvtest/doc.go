// Package kvtest is the suite that every engine passes: the contract of package
// kv, as tests. An engine's own test file calls Run.
package kvtest
