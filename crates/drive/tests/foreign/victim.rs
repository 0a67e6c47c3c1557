//! A victim policy of another crate is one row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_config::schema;
use wordline_drive::RunOutput;
use wordline_ftl::FtlError;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::victim::{Candidates, VictimPolicy, VictimRow};
use wordline_keys::{Keys, Registered};

use crate::{audited, check_saved, figure, output, refused, register_all, resolved};

/// Keys of `last_closed`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct LastClosedKeys {
    /// Pages that a victim of `victim = "last_closed"` gains at least, where there is such a block; at least 1.
    least_gain: u32,
}

impl Default for LastClosedKeys {
    fn default() -> Self {
        Self { least_gain: 4 }
    }
}

/// The block closed last among those that gain enough pages; the emptiest block where none does.
struct LastClosed {
    least_gain: u32,
    chosen: u64,
}

impl VictimPolicy for LastClosed {
    fn choose(&mut self, candidates: &Candidates<'_>) -> Option<u32> {
        self.chosen += 1;
        let gain = |block: &u32| candidates.pages_per_block() - candidates.valid(*block);
        let enough = |block: &u32| gain(block) >= self.least_gain;
        let newest = candidates.iter().filter(enough).max_by_key(|block| {
            let (_, closed_longest_ago, _) = candidates.tie(*block);
            (closed_longest_ago, std::cmp::Reverse(*block))
        });
        newest.or_else(|| candidates.iter().max_by_key(gain))
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.chosen)
    }
}

pub(crate) fn register() {
    let mut row = VictimRow::new(
        "last_closed",
        "Closed last among those that gain `least_gain` pages.",
        &|keys, _| {
            let least_gain = keys.read::<LastClosedKeys>().least_gain;
            Box::new(LastClosed {
                least_gain,
                chosen: 0,
            })
        },
    );
    row.entry.keys = Keys::of::<LastClosedKeys>();
    row.check = |keys| match keys.read::<LastClosedKeys>().least_gain {
        0 => Err(FtlError::new("ftl.gc.least_gain", 0, "at least 1 page")),
        _ => Ok(()),
    };
    VictimRow::table().register(row);
}

#[test]
fn a_policy_of_another_crate_is_one_row() {
    register_all();

    // the schema has its name, what it does, its key and the default
    let gc = &schema()["properties"]["ftl"]["properties"]["gc"]["properties"];
    let choices = gc["victim"]["oneOf"].as_array().unwrap();
    let own = choices
        .iter()
        .find(|choice| choice["const"] == "last_closed")
        .unwrap();
    assert_eq!(
        own["description"],
        "Closed last among those that gain `least_gain` pages."
    );
    assert_eq!(gc["least_gain"]["default"], 4);

    // values and keys are refused in the words that built-in policies get
    let victim = ("ftl.gc.victim", "last_closed");
    let error = refused(&[("ftl.gc.least_gain", "7")]);
    assert!(
        error.contains("has no effect here: it is used only with ftl.gc.victim = \"last_closed\""),
        "{error}"
    );
    let error = refused(&[victim, ("ftl.gc.d", "7")]);
    assert!(
        error.contains("only with ftl.gc.victim = \"d_choices\""),
        "{error}"
    );
    let error = refused(&[victim, ("ftl.gc.least_gain", "0")]);
    assert!(
        error.contains("ftl.gc.least_gain = 0") && error.contains("at least 1 page"),
        "{error}"
    );
    let error = refused(&[victim, ("ftl.gc.least_gain", "many")]);
    assert!(
        error.contains("ftl.gc.least_gain") && error.contains("whole number"),
        "{error}"
    );
    let error = refused(&[("ftl.gc.victim", "last_close")]);
    assert!(
        error.contains("did you mean \"last_closed\"") || error.contains("`last_closed`"),
        "{error}"
    );
    let filled = resolved(&[victim]).unwrap();
    assert_eq!(
        filled
            .get("ftl.gc.least_gain")
            .and_then(|value| value.as_integer()),
        Some(4)
    );
    assert!(filled.get("ftl.gc.victim").is_some() && filled.toml.contains("least_gain = 4"));

    // timed and audited: it takes fuller victims than the greedy policy does
    let eager = output(&[victim, ("ftl.gc.least_gain", "1")], audited());
    let greedy = output(&[("ftl.gc.victim", "greedy")], audited());
    let amplification = |output: &RunOutput| figure(output, "ftl.write_amplification");
    assert!(figure(&eager, "ftl.gc.victims") > 0.0);
    assert!(
        amplification(&eager) > 1.1 * amplification(&greedy),
        "{} {}",
        amplification(&eager),
        amplification(&greedy)
    );
    let again = output(&[victim, ("ftl.gc.least_gain", "1")], audited());
    assert_eq!(amplification(&again), amplification(&eager));

    check_saved(&[victim], "ftl.gc.victim", "greedy", "ftl.gc.victims");
}
