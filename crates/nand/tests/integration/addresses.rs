//! Page numbers, levels, and geometries that cannot be built.

use proptest::prelude::*;
use wordline_nand::{ChannelId, ChipId, DieId, Geometry, GeometryConfig, GeometryError, Ppn};
use wordline_units::ByteSize;

fn config() -> impl Strategy<Value = GeometryConfig> {
    (1..9_u32, 1..9_u32, 1..5_u32, 1..5_u32, 1..40_u32, 1..70_u32).prop_map(|(c, w, d, p, b, pages)| {
        GeometryConfig {
            channels: c,
            chips_per_channel: w,
            dies_per_chip: d,
            planes_per_die: p,
            blocks_per_plane: b,
            pages_per_block: pages,
            ..GeometryConfig::default()
        }
    })
}

proptest! {
    /// PPN = ((((channel W + chip) D + die) P + plane) B + block) b + page, and back.
    #[test]
    fn page_numbers_are_the_mixed_radix_of_the_levels(config in config(), pick in any::<u64>()) {
        let geometry = Geometry::new(&config).unwrap();
        let page = Ppn(pick % geometry.pages());
        let at = geometry.address(page);
        prop_assert!(
            at.channel < config.channels
                && at.chip < config.chips_per_channel
                && at.die < config.dies_per_chip
                && at.plane < config.planes_per_die
                && at.block < config.blocks_per_plane
                && at.page < config.pages_per_block
        );
        let number = [
            (at.chip, config.chips_per_channel),
            (at.die, config.dies_per_chip),
            (at.plane, config.planes_per_die),
            (at.block, config.blocks_per_plane),
            (at.page, config.pages_per_block),
        ]
        .iter()
        .fold(u64::from(at.channel), |number, (digit, radix)| number * u64::from(*radix) + u64::from(*digit));
        prop_assert_eq!(number, page.0);
        let plane = geometry.plane_at(at.channel, at.chip, at.die, at.plane);
        prop_assert_eq!(geometry.page(geometry.block(plane, at.block), at.page), page);
        prop_assert_eq!(geometry.plane_of(geometry.block_of(page)), plane);
        prop_assert_eq!(geometry.channel_of(geometry.die_of(plane)).0, at.channel);
        if config.pages_per_block % 2 == 0 {
            prop_assert_eq!(page.0 % 2, u64::from(at.page % 2));
        }
    }
}

fn refusal(change: impl FnOnce(&mut GeometryConfig)) -> GeometryError {
    let mut config = GeometryConfig::default();
    change(&mut config);
    Geometry::new(&config).unwrap_err()
}

/// Section 13: key, value found, what is accepted.
#[test]
fn refuses_impossible_geometries() {
    for (error, key, found) in [
        (refusal(|g| g.channels = 0), "channels", "0"),
        (refusal(|g| g.planes_per_die = 0), "planes_per_die", "0"),
        (refusal(|g| g.pages_per_block = 0), "pages_per_block", "0"),
        (
            refusal(|g| g.pages_per_block = 40_000),
            "pages_per_block",
            "40000",
        ),
        (refusal(|g| g.page_size = ByteSize(0)), "page_size", "0 B"),
        (refusal(|g| g.page_size = ByteSize(1000)), "page_size", "1 kB"),
        (
            refusal(|g| g.page_size = ByteSize(1 << 16)),
            "page_size",
            "64 KiB",
        ),
        (refusal(|g| g.spare_size = ByteSize(4096)), "spare_size", "4 KiB"),
        (
            refusal(|g| g.packages_per_channel = 3),
            "packages_per_channel",
            "3",
        ),
    ] {
        assert_eq!((error.key, error.found.as_str()), (key, found));
        assert!(
            error
                .to_string()
                .starts_with(&format!("geometry.{key} = {found}: "))
        );
    }
    let blocks = refusal(|g| g.blocks_per_plane = 1 << 30);
    assert!(blocks.accepted.contains("2^32"), "{blocks}");
    let pages =
        refusal(|g| (g.channels, g.chips_per_channel, g.blocks_per_plane) = (u32::MAX, u32::MAX, u32::MAX));
    assert!(pages.accepted.contains("2^48"), "{pages}");
}

#[test]
fn default_is_the_drive_of_hu() {
    let geometry = Geometry::new(&GeometryConfig::default()).unwrap();
    assert_eq!(geometry.pages(), 4 * 4 * 2 * 2 * 2048 * 64);
    assert_eq!(geometry.raw_bytes(), 16 << 30);
    assert_eq!((geometry.sectors_per_page(), geometry.full_bitmap()), (4, 0b1111));
    // worked example of Figure 13: 82 is even, 641 odd
    assert_eq!(geometry.page_in_block(Ppn(82)) % 2, 0);
    assert_eq!(geometry.page_in_block(Ppn(641)) % 2, 1);
}

/// 3 channels of 5 chips of 2 dies of 4 planes of 7 blocks of 6 pages, numbered from the outermost level on.
#[test]
fn levels_by_hand() {
    let geometry = Geometry::new(&GeometryConfig {
        channels: 3,
        chips_per_channel: 5,
        dies_per_chip: 2,
        planes_per_die: 4,
        blocks_per_plane: 7,
        pages_per_block: 6,
        ..GeometryConfig::default()
    })
    .unwrap();
    assert_eq!((geometry.chips(), geometry.dies()), (15, 30));
    assert_eq!((geometry.dies_per_channel(), geometry.planes()), (10, 120));
    assert_eq!((geometry.blocks(), geometry.pages()), (840, 5_040));
    assert_eq!(geometry.pages_per_plane(), 42);
    // die 23 is the fourth of the third channel: its second chip, second die
    assert_eq!(geometry.channel_of(DieId(23)), ChannelId(2));
    assert_eq!(geometry.chip_of(DieId(23)), ChipId(11));
    // with planes that work independently each is a die: 92 to 95
    let independent = geometry.with_independent_planes();
    assert_eq!((independent.dies(), independent.planes()), (120, 120));
    assert_eq!(independent.dies_per_channel(), 40);
    assert_eq!(independent.channel_of(DieId(92)), ChannelId(2));
    assert_eq!(independent.chip_of(DieId(92)), ChipId(11));
}
