//! Configurations that are refused, and what the refusal says.

use super::Parts;
use crate::allocation::{AllocationConfig, AllocationMode, DynamicMode};
use crate::config::{FtlConfig, GcConfig, OverProvisioningBasis, Pool, WatermarkBasis, WearConfig};
use crate::contract::{Ageable, Ftl};
use crate::error::FtlError;
use crate::mapping::page::PageFtl;

fn refused(change: impl FnOnce(&mut Parts)) -> (&'static str, String) {
    let mut parts = Parts::one_die(2, 64);
    change(&mut parts);
    match parts.try_build() {
        Ok(_) => panic!("accepted"),
        Err(error) => (error.key, error.to_string()),
    }
}

/// Whether collection can reach its goal while all user pages hold data.
fn prefilled(ftl: &PageFtl) -> Result<(), FtlError> {
    ftl.check_filled(ftl.user_pages())
}

#[test]
fn over_provisioning() {
    for share in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert_eq!(
            refused(|parts| parts.ftl.over_provisioning = share).0,
            "ftl.over_provisioning"
        );
    }
    let raw = |parts: &mut Parts| {
        parts.ftl.over_provisioning = 1.0;
        parts.ftl.over_provisioning_basis = OverProvisioningBasis::Raw;
    };
    assert_eq!(refused(raw).0, "ftl.over_provisioning");
    // 1 % of 64 blocks is less than the reserve.
    let (key, text) = refused(|parts| parts.ftl.over_provisioning = 0.01);
    assert_eq!(key, "ftl.over_provisioning");
    assert!(
        text.contains("reserve_blocks") && text.contains("64 blocks"),
        "{text}"
    );
}

#[test]
fn bases_of_over_provisioning() {
    // 30 % of the raw space is 42.857 % of the user space.
    let mut parts = Parts::one_die(1, 100);
    parts.ftl.over_provisioning = 0.3;
    parts.ftl.over_provisioning_basis = OverProvisioningBasis::Raw;
    assert_eq!(parts.build().user_pages(), 4480);
    parts.ftl.over_provisioning = 3.0 / 7.0;
    parts.ftl.over_provisioning_basis = OverProvisioningBasis::User;
    assert_eq!(parts.build().user_pages(), 4480);
}

#[test]
fn watermarks() {
    assert_eq!(
        refused(|parts| parts.ftl.gc.reserve_blocks = 0).0,
        "ftl.gc.reserve_blocks"
    );
    assert_eq!(refused(|parts| parts.ftl.gc.reserve_blocks = 3).0, "ftl.gc.hard");
    assert_eq!(refused(|parts| parts.ftl.gc.hard = -1.0).0, "ftl.gc.hard");
    assert_eq!(refused(|parts| parts.ftl.gc.low = 1.0).0, "ftl.gc.low");
    assert_eq!(refused(|parts| parts.ftl.gc.high = 2.0).0, "ftl.gc.high");
    assert_eq!(refused(|parts| parts.ftl.gc.high = f64::NAN).0, "ftl.gc.high");
    assert_eq!(refused(|parts| parts.ftl.gc.high = 65.0).0, "ftl.gc.high");
    assert_eq!(
        refused(|parts| parts.ftl.gc.basis = WatermarkBasis::Pool).0,
        "ftl.gc.hard"
    );
}

#[test]
fn fractions_become_blocks() {
    let mut parts = Parts::one_die(1, 2048);
    parts.ftl.gc = GcConfig {
        basis: WatermarkBasis::Pool,
        hard: 0.1,
        low: 0.1,
        high: 0.1,
        ..GcConfig::default()
    };
    let levels = parts.build().space.collection_levels(true);
    assert_eq!((levels.start, levels.stop, levels.at_opening), (204, 205, true));
    // The share of spare blocks of a drive with 28 % is 21.9 %.
    assert_eq!(prefilled(&parts.build()), Ok(()));
    parts.ftl.gc.high = 0.3;
    let error = prefilled(&parts.build()).unwrap_err();
    assert_eq!(error.key, "ftl.gc.high");
    parts.ftl.gc.basis = WatermarkBasis::Exported;
    parts.ftl.gc.high = 0.1;
    let levels = parts.build().space.collection_levels(true);
    assert_eq!((levels.start, levels.stop, levels.at_opening), (159, 160, true));
}

#[test]
fn policies() {
    let d = |parts: &mut Parts| {
        parts.ftl.gc.victim = "d_choices".into();
        parts.ftl.gc.keys.set("d", 0);
    };
    assert_eq!(refused(d).0, "ftl.gc.d");
    let window = |parts: &mut Parts| {
        parts.ftl.gc.victim = "windowed_greedy".into();
        parts.ftl.gc.keys.set("window", 0);
    };
    assert_eq!(refused(window).0, "ftl.gc.window");
    let checks = |parts: &mut Parts| {
        parts.ftl.wear = WearConfig {
            static_: "swap".into(),
            check_erases: 0,
            ..WearConfig::default()
        };
    };
    assert_eq!(refused(checks).0, "ftl.wear.check_erases");
    assert_eq!(
        refused(|parts| parts.ftl.wear.keys.set("age_variance", 1.5)).0,
        "ftl.wear.age_variance"
    );
    assert_eq!(
        refused(|parts| parts.ftl.wear.keys.set("erase_limit", 0)).0,
        "ftl.wear.erase_limit"
    );
}

#[test]
fn pools_stay_within_what_allocation_allows() {
    let still = |parts: &mut Parts| {
        parts.allocation.mode = AllocationMode::Static;
        parts.ftl.gc.pool = Pool::Die;
    };
    assert_eq!(refused(still).0, "ftl.gc.pool");
    let bound = |parts: &mut Parts| {
        parts.geometry.channels = 2;
        parts.allocation.dynamic = DynamicMode::ChannelBound;
        parts.ftl.gc.pool = Pool::Drive;
    };
    assert_eq!(refused(bound).0, "ftl.gc.pool");
}

#[test]
fn files_are_read_strictly() {
    let config: FtlConfig = toml::from_str(
        "mapping = \"page\"\nover_provisioning = 0.1\nover_provisioning_basis = \"raw\"\n\
         [gc]\nvictim = \"windowed_greedy\"\nidle = \"2 ms\"\n[wear]\nstatic = \"dual_pool\"\n",
    )
    .unwrap();
    assert_eq!(
        (config.gc.victim.name(), config.wear.static_.name()),
        ("windowed_greedy", "dual_pool")
    );
    assert!(toml::from_str::<FtlConfig>("overprovisioning = 0.1").is_err());
    assert!(toml::from_str::<FtlConfig>("[gc]\nvictim = \"best\"").is_err());
    let config: AllocationConfig = toml::from_str("mode = \"static\"\norder = \"WDPC\"").unwrap();
    assert_eq!(config.order.to_string(), "WDPC");
    let error = toml::from_str::<AllocationConfig>("order = \"CWDD\"")
        .unwrap_err()
        .to_string();
    assert!(error.contains("CDPW"), "{error}");
}
