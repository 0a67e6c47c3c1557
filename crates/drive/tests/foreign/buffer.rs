//! A replacement policy of the buffer of another crate is one row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_buffer::{Access, BufferPolicy, BufferRow, Eviction};
use wordline_config::schema;
use wordline_keys::{Keys, RefusedValue, Registered};

use crate::{audited, check_saved, figure, output, refused, register_all, resolved};

/// Keys of `mru`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct MruKeys {
    /// Pages used last that `policy = "mru"` spares where there are others; at least 1.
    spared: u32,
}

impl Default for MruKeys {
    fn default() -> Self {
        Self { spared: 2 }
    }
}

/// The most recently used page leaves first, but for the last few.
#[derive(Debug)]
struct Mru {
    spared: usize,
    /// From the page used longest ago to the one used last.
    order: Vec<u32>,
}

impl BufferPolicy for Mru {
    fn insert(&mut self, slot: u32, _lpn: u64, _access: Access) {
        self.order.push(slot);
    }

    fn hit(&mut self, slot: u32, _access: Access) {
        self.remove(slot);
        self.order.push(slot);
    }

    fn remove(&mut self, slot: u32) {
        self.order.retain(|listed| *listed != slot);
    }

    fn evict(&mut self, victims: &mut Vec<u32>) -> Option<Eviction> {
        let newest = self.order.len().checked_sub(1)?;
        victims.push(self.order.remove(newest.saturating_sub(self.spared)));
        Some(Eviction::Page)
    }

    fn listed(&self) -> Vec<u32> {
        self.order.clone()
    }
}

pub(crate) fn register() {
    let row = BufferRow::new(
        "mru",
        "The page used last but `spared` leaves first.",
        |keys, _| {
            let spared = keys.read::<MruKeys>().spared as usize;
            Box::new(Mru {
                spared,
                order: Vec::new(),
            })
        },
    );
    let row = row.with_keys(Keys::of::<MruKeys>(), |keys| {
        match keys.read::<MruKeys>().spared {
            0 => Err(RefusedValue::new("buffer.spared", 0, "at least 1 page")),
            _ => Ok(()),
        }
    });
    BufferRow::table().register(row);
}

const MRU: (&str, &str) = ("buffer.policy", "mru");

#[test]
fn its_keys_are_in_the_schema_and_in_the_resolved_configuration() {
    register_all();
    let buffer = &schema()["properties"]["buffer"]["properties"];
    let choices = buffer["policy"]["oneOf"].as_array().unwrap();
    let own = choices.iter().find(|choice| choice["const"] == "mru").unwrap();
    assert_eq!(
        own["description"],
        "The page used last but `spared` leaves first."
    );
    assert_eq!(buffer["spared"]["default"], 2);
    assert_eq!(
        buffer["spared"]["description"],
        "Pages used last that `policy = \"mru\"` spares where there are others; at least 1."
    );
    let filled = resolved(&[MRU]).unwrap();
    let spared = filled.get("buffer.spared").and_then(|value| value.as_integer());
    assert_eq!(spared, Some(2));
    assert!(filled.toml.contains("spared = 2") && !filled.toml.contains("protected"));
}

/// In the words that built-in policies get.
#[test]
fn wrong_values_and_keys_without_effect_are_refused() {
    register_all();
    let cases: [(&[(&str, &str)], &str); 6] = [
        (
            &[("buffer.policy", "lru"), ("buffer.spared", "3")],
            "buffer.spared = 3: has no effect here: it is used only with buffer.policy = \"mru\"",
        ),
        (
            &[MRU, ("buffer.window", "0.5")],
            "only with buffer.policy = \"cflru\"",
        ),
        (
            &[MRU, ("buffer.spared", "0")],
            "buffer.spared = 0: not accepted: at least 1 page",
        ),
        (
            &[MRU, ("buffer.spared", "few")],
            "buffer.spared = \"few\": the text \"few\", expected a whole number",
        ),
        (
            &[("buffer.policy", "mrv")],
            "buffer.policy = \"mrv\": no such choice: `mrv`",
        ),
        // the table of a key that rows share names the new row as well
        (
            &[("buffer.policy", "fab"), ("buffer.read_cache", "true")],
            "\"pt_lru\" or \"mru\"",
        ),
    ];
    for (keys, words) in cases {
        let error = refused(keys);
        assert!(error.contains(words), "{error}");
    }
}

/// Pages are read in a circle of twice the buffer. The least recently used page is always the one that is read next but
/// for the first round; of the pages that `mru` keeps, C - 1 stay for a whole round of N - 1.
#[test]
fn it_runs_timed_and_audited() {
    register_all();
    let circle = |policy: &str| {
        let keys = [
            ("buffer.policy", policy),
            ("buffer.size", "128 KiB"),
            ("buffer.read_cache", "true"),
            ("workload.kind", "sequential"),
            ("workload.read_fraction", "1"),
            ("workload.queue_depth", "1"),
            ("workload.request_size", "4 KiB"),
            ("workload.region", "256 KiB"),
        ];
        figure(&output(&keys, audited()), "buffer.read_hits") / 3000.0
    };
    let (lru, mru) = (circle("lru"), circle("mru"));
    assert!(lru < 0.02, "{lru}");
    assert!((mru - 31.0 / 63.0).abs() < 0.02, "{mru}");
}

#[test]
fn a_drive_that_it_leaves_can_be_saved_and_loaded() {
    register_all();
    check_saved(
        &[MRU, ("buffer.size", "64 KiB")],
        "buffer.policy",
        "lru",
        "buffer.evictions_dirty",
    );
}
