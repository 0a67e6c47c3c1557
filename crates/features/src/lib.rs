//! Nothing but dependencies: the features of external crates that any crate of the workspace, or a tool of its build, switches on.
//!
//! Every crate depends on this one, so that Cargo compiles external crates once, whether it builds one crate, all of
//! them, or the bindings. `tests/test_features.py` holds the list complete.
