//! The built-in chips: one file each, inside the program.

/// A chip that comes with Wordline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name, as `wordline power NAME` takes it.
    pub name: &'static str,
    /// Its text: TOML, each value with its provenance.
    pub text: &'static str,
}

impl BuiltIn {
    /// What the chip is, in a line: the first comment of its text.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches(['#', ' '])
    }
}

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

/// The chip called `name`.
pub(crate) fn built_in(name: &str) -> Option<&'static BuiltIn> {
    CHIPS.iter().find(|chip| chip.name == name)
}
