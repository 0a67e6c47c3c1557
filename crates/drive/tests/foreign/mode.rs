//! A policy of modes of another crate is one row, and sees what the host wants of the drive.

use std::sync::{Mutex, PoisonError};

use wordline_config::schema;
use wordline_ftl::mode::{ModePolicy, ModeRow, ModeView};
use wordline_ftl::{HostLoad, IdleInterval};
use wordline_keys::{Keys, Registered};
use wordline_nand::Mode;

use crate::{audited, choice, output, register_all};

/// What the policy was told.
#[derive(Default)]
struct Told {
    /// With the time in ns.
    loads: Vec<(u64, HostLoad)>,
    intervals: Vec<IdleInterval>,
}

static TOLD: Mutex<Told> = Mutex::new(Told {
    loads: Vec::new(),
    intervals: Vec::new(),
});

/// Notes what it sees; all pages are in the normal mode.
struct Witness;

impl ModePolicy for Witness {
    fn mode(&mut self, view: &ModeView<'_>) -> Mode {
        let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        told.loads.extend(view.load.map(|load| (view.now.ns(), *load)));
        Mode::NORMAL
    }

    fn idle_ended(&mut self, interval: &IdleInterval) {
        let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        told.intervals.push(*interval);
    }
}

pub(crate) fn register() {
    let row = ModeRow::new("witness", "Notes what it sees.", Keys::NONE, |_, _| {
        Ok(Box::new(Witness))
    });
    ModeRow::table().register(row);
}

/// A mixed load on the drive of all these tests: what the policy is told holds together at every decision.
#[test]
fn a_policy_of_modes_of_another_crate_is_one_row() {
    register_all();
    let modes = &schema()["properties"]["ftl"]["properties"]["modes"]["properties"];
    assert_eq!(
        choice(&modes["policy"], "witness")["description"],
        "Notes what it sees."
    );

    let keys = [
        ("modes", "[{ name = \"slow\", t_prog = \"1 ms\" }]"),
        ("ftl.modes.policy", "witness"),
        ("workload.read_fraction", "0.5"),
        ("workload.requests", "2000"),
        ("workload.interarrival", "\"300 us\""),
    ];
    output(&keys, audited());
    let Told { loads, intervals } = std::mem::take(&mut *TOLD.lock().unwrap());
    assert!(loads.len() > 500, "{}", loads.len());
    let mut last = 0;
    for (now, load) in &loads {
        assert!(last <= *now);
        last = *now;
        // the program that is bound waits, so that the drive is not idle; no unit has more work than the drive
        assert_eq!(load.of_drive.idle_since, None);
        assert!(load.of_drive.programs >= 1);
        assert!(load.of_drive.programs >= load.of_unit.programs && load.of_drive.reads >= load.of_unit.reads);
        // a program starts in a unit that is free, or takes the register of one that programs
        assert!(load.of_unit.idle_since.is_none_or(|since| since.ns() <= *now));
    }
    // intervals of one part follow each other, and nothing begins or ends in a unit while the drive is idle
    let units = intervals
        .iter()
        .filter_map(|interval| interval.unit)
        .max()
        .unwrap();
    let of = |unit: Option<u32>| intervals.iter().filter(move |interval| interval.unit == unit);
    assert!(of(None).count() > 10);
    for part in (0..=units).map(Some).chain([None]) {
        let mut end = 0;
        for interval in of(part) {
            assert!(interval.from.ns() >= end && interval.to > interval.from);
            end = interval.to.ns();
        }
    }
    for idle in of(None) {
        let is_inside = |time| idle.from < time && time < idle.to;
        let of_units = intervals.iter().filter(|interval| interval.unit.is_some());
        for interval in of_units {
            assert!(
                !is_inside(interval.from) && !is_inside(interval.to),
                "{idle:?} {interval:?}"
            );
        }
    }

    // nor are they kept for a program that never comes
    let reads_alone = keys.map(|(key, value)| {
        (
            key,
            if key == "workload.read_fraction" {
                "1.0"
            } else {
                value
            },
        )
    });
    output(&reads_alone, audited());
    let told = std::mem::take(&mut *TOLD.lock().unwrap());
    assert!(told.loads.is_empty());
    assert!(told.intervals.len() > 500, "{}", told.intervals.len());
}
