//! The presets: named drives that ship inside the program, one file each.

/// A named drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name, as `wordline run NAME` takes it.
    pub name: &'static str,
    /// Its text: TOML, each value with its provenance.
    pub text: &'static str,
}

impl Preset {
    /// What the drive is, in a line: the first comment of its text.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches(['#', ' '])
    }
}

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(Preset {
            name: $name,
            text: include_str!(concat!("../../../../presets/", $name, ".toml")),
        }),*]
    };
}

/// All presets, in the order in which they are listed.
const PRESETS: &[Preset] = presets![
    "tiny",
    "bench",
    "mqsim-default",
    "onfi3-mlc",
    "onfi5-tlc",
    "flashpower-mlc8",
    "hu2011",
    "hu2011-ssd1",
    "hu2011-ssd2",
    "hu2011-ssd3",
    "hu2011-ssd4",
    "hu2011-ssd5",
    "hu2011-ssd6",
    "hu2011-s1",
    "hu2011-s2",
    "hu2011-s3",
    "hu2011-s4",
    "hu2011-s5",
    "hu2011-s6",
    "wu2013-pes-slc",
    "wu2013-pes-mlc",
];

/// All presets, in the order in which they are listed.
#[must_use]
pub fn presets() -> &'static [Preset] {
    PRESETS
}

/// The preset called `name`.
pub(crate) fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
