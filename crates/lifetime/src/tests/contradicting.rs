//! States whose content was changed, under a right checksum: refused, or gone on from to the horizon.

use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;
use std::time;

use proptest::prelude::*;
use wordline_cell::fence::Variation;
use wordline_config::Config;
use wordline_ftl::{GcMode, container};
use wordline_nand::Use;
use wordline_units::Seed;

use super::{SKIP, options, small, traced};
use crate::error::LifetimeError;
use crate::state::KIND;
use crate::{Fidelity, FleetOptions, LifetimeEvent, LifetimeOptions, lifetime};

/// A study, and what is in the states that it left on its way.
struct Study {
    folder: tempfile::TempDir,
    config: Config,
    asked: LifetimeOptions,
    states: Vec<Vec<u8>>,
}

/// 32 blocks of 16 pages.
fn tiny() -> Config {
    let mut config = small();
    config.geometry.blocks_per_plane = 16;
    config.ftl.over_provisioning = 0.6;
    config
}

impl Study {
    /// Runs the study slowly enough to be saved after every window.
    fn new(folder: tempfile::TempDir, config: Config, days: u64, fidelity: Fidelity) -> Self {
        let mut study = Self {
            config,
            asked: options(days, fidelity),
            states: Vec::new(),
            folder,
        };
        if fidelity == SKIP {
            let variation = Variation::new(0.0, 0.1, 0.01).unwrap();
            study.asked.fleet = Some(FleetOptions { drives: 2, variation });
            study.asked.keep.blocks_every = Some(1);
        }
        let path = study.folder.path().join("state");
        study.asked.keep.state = Some(path.clone());
        let mut states: Vec<Vec<u8>> = Vec::new();
        let ended = lifetime(&study.config, study.folder.path(), &study.asked, &mut |event| {
            if matches!(event, LifetimeEvent::Progress(_)) {
                std::thread::sleep(time::Duration::from_millis(20));
                let found = content(&path);
                if !found.is_empty() && states.last() != Some(&found) {
                    states.push(found);
                }
            }
            true
        });
        ended.unwrap();
        assert!(states.len() > 2, "{} states", states.len());
        study.states = states;
        study.asked.keep.resume = true;
        study
    }

    /// Goes on from content, in a file in `folder`.
    fn resume(&self, folder: &Path, content: &[u8]) -> Result<(), LifetimeError> {
        let mut asked = self.asked.clone();
        let path = folder.join("changed");
        container::write(&path, KIND, |out| out.write_all(content)).unwrap();
        asked.keep.state = Some(path);
        lifetime(&self.config, self.folder.path(), &asked, &mut |_| true).map(drop)
    }
}

/// What is in the file of a state; nothing where there is none.
fn content(path: &Path) -> Vec<u8> {
    let mut content = Vec::new();
    if let Ok(mut file) = container::open(path, KIND) {
        file.read_to_end(&mut content).unwrap();
    }
    content
}

static STUDIES: LazyLock<[Study; 3]> = LazyLock::new(|| {
    let folder = || tempfile::tempdir().unwrap();
    let mut simulated = tiny();
    simulated.ftl.gc.victim = "d_choices".into();
    simulated.ftl.gc.mode = GcMode::Partial;
    simulated.ftl.wear.static_ = "dual_pool".into();
    let mut skipped = tiny();
    skipped.ftl.gc.victim = "fifo".into();
    skipped.age.initial_cycles = 100;
    let mut replayed = tiny();
    replayed.ftl.gc.mode = GcMode::Background;
    replayed.ftl.gc.victim = "cost_benefit".into();
    replayed.commands.copyback = Use::Blind;
    replayed.commands.copyback_max_hops = 2;
    let (trace, replayed) = traced(replayed, 3000, |turn| Seed(3).draw("page", turn) % 200);
    [
        Study::new(folder(), simulated, 1, Fidelity::Exact),
        Study::new(folder(), skipped, 2, SKIP),
        Study::new(trace, replayed, 1, Fidelity::Exact),
    ]
});

/// What is done to a byte, or before it.
#[derive(Clone, Copy, Debug)]
enum Change {
    Flip(u8),
    Set(u8),
    Insert(u8),
    Delete,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0_u8..8).prop_map(Change::Flip),
        4 => prop_oneof![Just(0), Just(1), Just(127), Just(255), any::<u8>()].prop_map(Change::Set),
        1 => any::<u8>().prop_map(Change::Insert),
        1 => Just(Change::Delete),
    ]
}

impl Change {
    fn apply(self, content: &mut Vec<u8>, at: usize) {
        match self {
            Self::Flip(bit) => content[at] ^= 1 << bit,
            Self::Set(byte) => content[at] = byte,
            Self::Insert(byte) => content.insert(at, byte),
            Self::Delete => drop(content.remove(at)),
        }
    }
}

/// Bytes of the identity of a study, which comes first.
const IDENTITY: usize = 33;

proptest! {
    // the tables of a study take a tenth of a second
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: several seconds"]
    fn a_changed_state_is_refused_or_gone_on_from(
        study in 0_usize..3,
        state: prop::sample::Index,
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 1..3),
    ) {
        let study = &STUDIES[study];
        let mut content = study.states[state.index(study.states.len())].clone();
        for (place, change) in changes {
            let at = IDENTITY + place.index(content.len() - IDENTITY);
            change.apply(&mut content, at);
        }
        let folder = tempfile::tempdir().unwrap();
        if let Err(error) = study.resume(folder.path(), &content) {
            prop_assert!(error.is_input(), "{}", error);
        }
    }
}

#[test]
#[ignore = "slow: several seconds"]
fn states_as_they_were_saved_are_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    for study in &*STUDIES {
        for state in study.states.iter().step_by(study.states.len().div_ceil(6)) {
            study.resume(folder.path(), state).unwrap();
        }
    }
}

/// The bytes of the largest number.
const LARGEST: [u8; 10] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1];

#[test]
#[ignore = "slow: several seconds"]
fn contradictions_are_told_with_the_file() {
    let study = &STUDIES[0];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    // saved before the first write: it ends with no whole pass, no requests known ahead in three parts, none of them served,
    // and no time simulated
    const END: [u8; 6] = [0; 6];
    let first = &study.states[0];
    assert!(first.ends_with(&END));
    let mut before_epoch = first[..first.len() - END.len()].to_vec();
    before_epoch.pop();
    while before_epoch.last().is_some_and(|byte| *byte >= 128) {
        before_epoch.pop();
    }
    let beginning = |skipped: &[u8]| [&first[..IDENTITY], skipped, &first[IDENTITY + 1..]].concat();
    let ending = |end: &[u8]| [&first[..first.len() - END.len()], end].concat();
    let (begun, time) = (
        &before_epoch[..],
        &first[before_epoch.len()..first.len() - END.len()],
    );
    let request = |rest: &[u8]| [begun, time, &[0, 1], time, rest, &[0, 0, 0, 0]].concat();
    for (content, told) in [
        (ending(&[0, 0, 0, 0, 0, 0, 0]), "after its end"),
        (ending(&[0, 0, 0, 0, 1, 0]), "than were known"),
        (ending(&[0, 0, 0, 0, 0, 1]), "order of time"),
        (request(&[0, 0, 1, 0]), "no workload makes"),
        (request(&[1, 0, 2, 0]), "no workload makes"),
        (request(&[1, 255, 127, 1, 0]), "no workload makes"),
        (request(&[2, 0, 0, 0]), "no workload makes"),
        (request(&[1, 0, 1, 0]), "than the host's"),
        ([begun, &LARGEST, &END].concat(), "too late to end"),
        (beginning(&[1]), "where all is simulated"),
        (beginning(&LARGEST), "beyond its horizon"),
    ] {
        let error = study.resume(folder.path(), &content).unwrap_err();
        assert!(error.is_input());
        let error = error.to_string();
        assert!(
            error.contains(&path) && error.contains(told),
            "{error}; not {told}"
        );
    }
}
