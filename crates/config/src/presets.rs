//! The presets: named drives that ship inside the program, one file each.

use wordline_overlay::BuiltIn;

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../../presets/", $name, ".toml")),
        }),*]
    };
}

/// All presets, in the order in which they are listed.
const PRESETS: &[BuiltIn] = presets![
    "tiny",
    "bench",
    "mqsim-default",
    "onfi3-mlc",
    "onfi5-tlc",
    "onfi5-tlc-4k",
    "onfi5-tlc-zns",
    "onfi5-tlc-superblock",
    "onfi5-tlc-journal",
    "client-tlc",
    "client-qlc",
    "client-gen5",
    "client-dramless",
    "datacenter-tlc",
    "datacenter-qlc",
    "low-latency-slc",
    "mobile-emmc",
    "sata-mlc",
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
    "wu2013-diffecc",
    "wu2013-diffecc-slow",
    "wu2013-diffecc-baseline",
    "wu2013-delta",
    "wu2013-delta-rc50",
    "wu2013-delta-rc35",
    "wu2013-delta-rc20",
    "wu2013-baseline",
    "ftl-family",
    "cui2018-dlv",
    "mohan-m-ssd",
];

/// All presets, in the order in which they are listed.
#[must_use]
pub fn presets() -> &'static [BuiltIn] {
    PRESETS
}

/// The preset called `name`.
pub(crate) fn preset(name: &str) -> Option<&'static BuiltIn> {
    PRESETS.iter().find(|preset| preset.name == name)
}
