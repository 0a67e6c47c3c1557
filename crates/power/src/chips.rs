//! The built-in chips: one file each, inside the program.

use wordline_overlay::BuiltIn;

macro_rules! chips {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../../chips/", $name, ".toml")),
        }),*]
    };
}

/// All chips, in the order in which they are listed.
const CHIPS: &[BuiltIn] = chips![
    "b-mlc8",
    "d-mlc32",
    "e-mlc64",
    "a-slc4",
    "b-slc4",
    "mohan-x1",
    "mohan-x2",
    "mohan-x3",
    "mohan-x4",
    "mohan-x5",
    "planar-tlc",
];

/// All chips, in the order in which they are listed.
#[must_use]
pub fn chips() -> &'static [BuiltIn] {
    CHIPS
}
