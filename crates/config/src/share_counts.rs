//! Counts that may be given as a percentage of what the drive has, so that they follow its size.

use std::str::FromStr;

use serde_json::json;
use toml::Value;
use wordline_units::Share;

use crate::Config;
use crate::capacity;
use crate::error::ConfigError;
use crate::merged::{Merged, replace};

/// What a percentage is of.
#[derive(Clone, Copy)]
enum Whole {
    /// The blocks of a plane.
    Blocks,
    /// The mapping units that the host can address.
    MappingUnits,
}

impl Whole {
    fn words(self) -> &'static str {
        match self {
            Self::Blocks => "`geometry.blocks_per_plane`, rounded to whole blocks",
            Self::MappingUnits => "the mapping units that the host can address",
        }
    }

    fn of(self, config: &Config) -> f64 {
        match self {
            Self::Blocks => f64::from(config.geometry.blocks_per_plane),
            Self::MappingUnits => {
                let unit = config.ftl.mapping_unit.unwrap_or(config.geometry.page_size);
                capacity::exported(config) / unit.0.max(1) as f64
            }
        }
    }
}

/// The keys of such counts.
const KEYS: [(&str, Whole); 3] = [
    ("ftl.slc_cache.static_blocks", Whole::Blocks),
    ("ftl.slc_cache.dynamic_blocks", Whole::Blocks),
    ("ftl.cached_entries", Whole::MappingUnits),
];

/// Puts counts in the place of percentages. `typed` gives the rest of the document.
///
/// # Errors
/// A text that is no percentage from 0 to 100.
pub(crate) fn apply(
    merged: &mut Merged,
    typed: impl Fn(&Merged) -> Result<Config, ConfigError>,
) -> Result<(), ConfigError> {
    let mut shares = Vec::new();
    for (key, whole) in KEYS {
        if let Some(Value::String(text)) = merged.value(key) {
            match Share::from_str(text) {
                Ok(Share(share)) if (0.0..=1.0).contains(&share) => shares.push((key, whole, share)),
                _ => {
                    let problem = "a whole number or a percentage from 0 to 100 is expected, such as \"10%\"";
                    return Err(merged.error(key, problem));
                }
            }
        }
    }
    if shares.is_empty() {
        return Ok(());
    }
    let config = typed(&without(merged))?;
    for (key, whole, share) in shares {
        let count = (share * whole.of(&config)).round() as i64;
        replace(&mut merged.table, key, Value::Integer(count));
    }
    Ok(())
}

/// The document without the percentages.
pub(crate) fn without(merged: &Merged) -> Merged {
    let mut rest = merged.clone();
    for (key, _) in KEYS {
        if let Some(Value::String(_)) = merged.value(key) {
            rest.forget(key);
        }
    }
    rest
}

/// Says in the schema that the keys take percentages.
pub(crate) fn extend(schema: &mut serde_json::Value) {
    for (key, whole) in KEYS {
        let pointer: String = key.split('.').map(|name| format!("/properties/{name}")).collect();
        if let Some(found) = schema
            .pointer_mut(&pointer)
            .and_then(|found| found.as_object_mut())
        {
            found.remove("type");
            found.remove("format");
            let percentage = json!({"type": "string", "pattern": Share::PERCENTAGE});
            found.insert("anyOf".to_owned(), json!([{"type": "integer"}, percentage]));
            if let Some(serde_json::Value::String(text)) = found.get_mut("description") {
                text.push_str(&format!(" A percentage is one of {}.", whole.words()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{DriveSource, resolve};

    /// 2 planes of 100 blocks of 1 MiB each, a quarter of the host's space spare: 160 MiB, 40,960 units of 4 KiB.
    const DRIVE: &str = "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 100\n\
                         pages_per_block = 64\npage_size = \"16 KiB\"\ncell_type = \"tlc\"\n[[modes]]\nname = \"slc\"\n[ftl]\nover_provisioning = 0.25\nmapping_unit = \"4 KiB\"\n";
    const CACHE: &str =
        "[ftl.slc_cache]\nmode = \"slc\"\nstatic_blocks = \"4%\"\ndynamic_blocks = \"10.4 %\"\n";

    fn blocks(keys: &[(&str, &str)]) -> Result<(u32, u32), String> {
        let keys: Vec<(String, String)> = keys
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let text = format!("{DRIVE}{CACHE}");
        let found = resolve(DriveSource::Text(&text), None, &keys).map_err(|error| error.to_string())?;
        let cache = found.config.ftl.slc_cache;
        Ok((cache.static_blocks, cache.dynamic_blocks))
    }

    #[test]
    fn a_percentage_follows_the_blocks_of_a_plane() {
        assert_eq!(blocks(&[]), Ok((4, 10)));
        assert_eq!(blocks(&[("geometry.blocks_per_plane", "1000")]), Ok((40, 104)));
        // 320 MiB and a quarter are 200 blocks a plane
        assert_eq!(blocks(&[("capacity", "320 MiB")]), Ok((8, 21)));
        assert_eq!(blocks(&[("ftl.slc_cache.static_blocks", "3")]), Ok((3, 10)));
    }

    #[test]
    fn a_percentage_of_the_map_follows_the_capacity() {
        let text = format!("{DRIVE}mapping = \"dftl\"\ncached_entries = \"12.5%\"\n");
        let found = resolve(DriveSource::Text(&text), None, &[]).unwrap();
        assert!(found.toml.contains("cached_entries = 5120"), "{}", found.toml);
    }

    #[test]
    fn what_is_no_percentage_is_refused() {
        for text in ["\"many\"", "\"101%\"", "\"-1%\"", "\"\""] {
            let error = blocks(&[("ftl.slc_cache.static_blocks", text)]).unwrap_err();
            assert!(error.contains("a percentage from 0 to 100"), "{error}");
        }
    }
}
