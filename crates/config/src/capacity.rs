//! `capacity` and `raw_capacity`: sizes of a drive from which its blocks and its spare space follow.

use std::str::FromStr;

use toml::Value;
use wordline_ftl::OverProvisioningBasis;
use wordline_units::ByteSize;

use crate::Config;
use crate::error::ConfigError;
use crate::merged::Merged;

/// Bytes that the host can address.
const CAPACITY: &str = "capacity";
/// Bytes of all pages of flash.
const RAW: &str = "raw_capacity";
const BLOCKS: &str = "geometry.blocks_per_plane";
const SPARE: &str = "ftl.over_provisioning";

/// The keys, with what they say of themselves.
pub(crate) const KEYS: [(&str, &str); 2] = [
    (
        CAPACITY,
        "Bytes that the host can address, such as \"3.84 TB\". With `ftl.over_provisioning`, or with what a preset has of it, \
         `geometry.blocks_per_plane` follows; with `raw_capacity` or `geometry.blocks_per_plane` over-provisioning follows. \
         Mappings that do not map single pages may export less.",
    ),
    (
        RAW,
        "Bytes of all pages of flash without their spare areas, such as \"4 TiB\", in place of `geometry.blocks_per_plane`; \
         rounded up to whole blocks of all planes.",
    ),
];

/// Takes the sizes out of the document, and puts what follows from them in their place. `typed` gives the rest of the document.
///
/// # Errors
/// A size that is none; sizes that contradict each other or other keys.
pub(crate) fn apply(
    merged: &mut Merged,
    typed: impl Fn(&Merged) -> Result<Config, ConfigError>,
) -> Result<(), ConfigError> {
    let capacity = size(merged, CAPACITY)?;
    let raw = size(merged, RAW)?;
    let asks = |key: &str, other: &str| merged.value(other).is_some() && !merged.overrules(key, other);
    if raw.is_some() && asks(RAW, BLOCKS) {
        return Err(merged.error(
            RAW,
            format!("stands in place of {BLOCKS}; accepted is one of them"),
        ));
    }
    let Some(size) = capacity.or(raw) else {
        return Ok(());
    };
    // what was given with the capacity, or after it, stands
    let keeps_blocks = raw.is_none() && asks(CAPACITY, BLOCKS);
    let keeps_spare = asks(CAPACITY, SPARE);
    if capacity.is_some() && keeps_spare && (raw.is_some() || keeps_blocks) {
        let other = if raw.is_some() { RAW } else { BLOCKS };
        let problem = format!("follows from {other} and {SPARE}; accepted are two of the three");
        return Err(merged.error(CAPACITY, problem));
    }
    let mut rest = merged.clone();
    KEYS.iter().for_each(|(key, _)| rest.forget(key));
    let config = typed(&rest)?;
    let key = if capacity.is_some() { CAPACITY } else { RAW };
    let blocks = match (raw, keeps_blocks) {
        (None, true) => u64::from(config.geometry.blocks_per_plane),
        (Some(raw), _) => blocks_for(&config, raw as f64),
        (None, false) => blocks_for(&config, with_spare(&config, size as f64)),
    };
    let blocks = u32::try_from(blocks).map_err(|_| {
        merged.error(
            key,
            format!("needs {blocks} blocks a plane; accepted are at most {}", u32::MAX),
        )
    })?;
    let mut derived = vec![(
        if raw.is_some() { RAW } else { CAPACITY },
        BLOCKS,
        Value::Integer(i64::from(blocks)),
    )];
    if let Some(capacity) = capacity {
        let there = block_bytes(&config) as f64 * f64::from(blocks);
        if capacity as f64 >= there {
            let problem = format!(
                "as much as all flash has, {} bytes, or more: nothing would be spare",
                there
            );
            return Err(merged.error(CAPACITY, problem));
        }
        // of whole blocks some more is spare than was asked for
        let share = match config.ftl.over_provisioning_basis {
            OverProvisioningBasis::User => there / capacity as f64 - 1.0,
            OverProvisioningBasis::Raw => 1.0 - capacity as f64 / there,
        };
        derived.push((CAPACITY, SPARE, Value::Float(share)));
    }
    for (from, path, value) in derived {
        merged.derive(from, path, value);
    }
    KEYS.iter().for_each(|(key, _)| merged.forget(key));
    Ok(())
}

/// A size in bytes, if the key is there.
fn size(merged: &Merged, key: &str) -> Result<Option<u64>, ConfigError> {
    match merged.value(key) {
        None => Ok(None),
        Some(Value::String(text)) => match ByteSize::from_str(text) {
            Ok(ByteSize(bytes)) if bytes > 0 => Ok(Some(bytes)),
            Ok(_) => Err(merged.error(key, "above zero bytes is expected")),
            Err(error) => Err(merged.error(key, error.to_string())),
        },
        Some(_) => Err(merged.error(key, "a size is expected, such as \"3.84 TB\"")),
    }
}

/// Bytes of a block on every plane.
fn block_bytes(config: &Config) -> u64 {
    let of = &config.geometry;
    let counts = [
        of.channels,
        of.chips_per_channel,
        of.dies_per_chip,
        of.planes_per_die,
        of.pages_per_block,
    ];
    let pages = counts
        .iter()
        .fold(1_u64, |all, count| all.saturating_mul(u64::from(*count)));
    pages.saturating_mul(of.page_size.0).max(1)
}

/// Bytes that the host can address, of mappings that map single pages.
pub(crate) fn exported(config: &Config) -> f64 {
    let there = block_bytes(config) as f64 * f64::from(config.geometry.blocks_per_plane);
    let share = config.ftl.over_provisioning;
    match config.ftl.over_provisioning_basis {
        OverProvisioningBasis::User => there / (1.0 + share),
        OverProvisioningBasis::Raw => there * (1.0 - share),
    }
}

/// The blocks of a plane with which all planes have so many bytes.
fn blocks_for(config: &Config, bytes: f64) -> u64 {
    // a size that is a whole number of blocks is not to become one more for the last digit of a share
    (bytes / block_bytes(config) as f64 * (1.0 - 1e-12))
        .ceil()
        .max(1.0) as u64
}

/// Bytes of flash with which a drive exports so many.
fn with_spare(config: &Config, capacity: f64) -> f64 {
    let share = config.ftl.over_provisioning;
    match config.ftl.over_provisioning_basis {
        OverProvisioningBasis::User => capacity * (1.0 + share),
        OverProvisioningBasis::Raw => capacity / (1.0 - share.min(0.999)),
    }
}

#[cfg(test)]
mod tests {
    use crate::{DriveSource, resolve};

    fn resolved(text: &str, keys: &[(&str, &str)]) -> Result<(u32, f64), String> {
        let keys: Vec<(String, String)> = keys
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let found = resolve(DriveSource::Text(text), None, &keys).map_err(|error| error.to_string())?;
        assert!(!found.toml.contains("capacity ="), "{}", found.toml);
        let config = found.config;
        Ok((config.geometry.blocks_per_plane, config.ftl.over_provisioning))
    }

    /// 4 planes with blocks of 1 MiB: a block on each is 4 MiB.
    const DRIVE: &str = "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\nblocks_per_plane = 64\n\
                         pages_per_block = 64\npage_size = \"16 KiB\"\n[ftl]\nover_provisioning = 0.25\n";

    fn close(found: Result<(u32, f64), String>, blocks: u32, spare: f64) {
        let (own, share) = found.unwrap();
        assert_eq!(own, blocks);
        assert!((share - spare).abs() < 1e-9, "{share}");
    }

    #[test]
    fn blocks_follow_from_capacity_and_spare_space() {
        // 800 MiB and a quarter are 1000 MiB: 250 blocks of each plane
        close(resolved(DRIVE, &[("capacity", "800 MiB")]), 250, 0.25);
        // a fifth of the flash is as much
        let raw = ("ftl.over_provisioning_basis", "raw");
        close(
            resolved(
                DRIVE,
                &[("capacity", "800 MiB"), raw, ("ftl.over_provisioning", "20%")],
            ),
            250,
            0.2,
        );
        // of whole blocks a little more is spare
        close(
            resolved(DRIVE, &[("capacity", "801 MiB")]),
            251,
            1004.0 / 801.0 - 1.0,
        );
        close(
            resolved(
                DRIVE,
                &[("ftl.over_provisioning", "1.0"), ("capacity", "100 MiB")],
            ),
            50,
            1.0,
        );
    }

    #[test]
    fn spare_space_follows_from_capacity_and_flash() {
        close(
            resolved(DRIVE, &[("capacity", "200 MiB"), ("raw_capacity", "399 MiB")]),
            100,
            1.0,
        );
        close(
            resolved(
                DRIVE,
                &[("capacity", "200 MiB"), ("geometry.blocks_per_plane", "100")],
            ),
            100,
            1.0,
        );
        close(resolved(DRIVE, &[("raw_capacity", "400 MiB")]), 100, 0.25);
        let file = DRIVE.replace("over_provisioning = 0.25\n", "");
        close(resolved(&format!("capacity = \"128 MiB\"\n{file}"), &[]), 64, 1.0);
    }

    #[test]
    fn sizes_that_contradict_each_other_are_refused() {
        let refused = |keys: &[(&str, &str)], named: &str| {
            let error = resolved(DRIVE, keys).unwrap_err();
            assert!(error.contains(named), "{error}");
        };
        refused(&[("capacity", "many")], "capacity");
        refused(&[("capacity", "0 B")], "above zero");
        refused(&[("capacity", "7")], "a size is expected");
        refused(&[("capacity", "1000 PB")], "blocks a plane");
        refused(
            &[("capacity", "2 GiB"), ("raw_capacity", "1 GiB")],
            "nothing would be spare",
        );
        refused(
            &[("raw_capacity", "1 GiB"), ("geometry.blocks_per_plane", "10")],
            "accepted is one of them",
        );
        let both = [
            ("capacity", "1 GiB"),
            ("geometry.blocks_per_plane", "900"),
            ("ftl.over_provisioning", "0.5"),
        ];
        refused(&both, "two of the three");
        assert!(
            resolved(&format!("capacity = \"1 GiB\"\n{DRIVE}"), &[])
                .unwrap_err()
                .contains("two of the three")
        );
    }
}
