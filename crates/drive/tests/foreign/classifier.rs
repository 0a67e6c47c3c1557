//! A classifier of another crate is one row.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wordline_config::schema;
use wordline_ftl::archive::{Archive, ArchiveError};
use wordline_ftl::hot_cold::{Classifier, ClassifierRow};
use wordline_ftl::{FtlError, Lpn, PageRequest};
use wordline_keys::{Keys, Registered};
use wordline_units::SimTime;

use crate::{audited, check_saved, choice, figure, output, refused, register_all};

/// Keys of `written_before`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct WrittenBeforeKeys {
    /// `written_before`: writes of a page after which it is hot.
    writes: u32,
}

impl Default for WrittenBeforeKeys {
    fn default() -> Self {
        Self { writes: 2 }
    }
}

/// Pages that were written so many times before are hot.
#[derive(Default)]
struct WrittenBefore {
    limit: u32,
    writes: BTreeMap<Lpn, u32>,
}

impl Classifier for WrittenBefore {
    fn temperature(&mut self, _now: SimTime, write: &PageRequest) -> u8 {
        let writes = self.writes.entry(write.lpn).or_default();
        *writes += 1;
        u8::from(*writes <= self.limit)
    }

    fn archive(&mut self, archive: &mut Archive<'_>) -> Result<(), ArchiveError> {
        archive.part(&mut self.writes)
    }
}

pub(crate) fn register() {
    let mut row = ClassifierRow::new(
        "written_before",
        "Pages written `writes` times before are hot.",
        Keys::of::<WrittenBeforeKeys>(),
        &|keys, _| {
            let limit = keys.read::<WrittenBeforeKeys>().writes;
            let writes = BTreeMap::new();
            Some(Box::new(WrittenBefore { limit, writes }))
        },
    );
    row.check = |keys| match keys.read::<WrittenBeforeKeys>().writes {
        0 => Err(FtlError::new("ftl.hot.writes", 0, "at least 1 write")),
        _ => Ok(()),
    };
    ClassifierRow::table().register(row);
}

#[test]
fn a_classifier_of_another_crate_is_one_row() {
    register_all();
    let hot = &schema()["properties"]["ftl"]["properties"]["hot"]["properties"];
    let own = choice(&hot["classifier"], "written_before");
    assert_eq!(own["description"], "Pages written `writes` times before are hot.");
    assert_eq!(hot["writes"]["default"], 2);

    let classifier = ("ftl.hot.classifier", "written_before");
    let error = refused(&[("ftl.hot.writes", "5")]);
    assert!(
        error.contains("only with ftl.hot.classifier = \"written_before\""),
        "{error}"
    );
    let error = refused(&[classifier, ("ftl.hot.threshold", "\"8 KiB\"")]);
    assert!(
        error.contains("only with ftl.hot.classifier = \"size_threshold\""),
        "{error}"
    );
    let error = refused(&[classifier, ("ftl.hot.writes", "0")]);
    assert!(
        error.contains("ftl.hot.writes = 0") && error.contains("at least 1 write"),
        "{error}"
    );

    // it decides where pages go, the same way each time
    let load = [("workload.kind", "hot_cold"), ("workload.requests", "20000")];
    let amplification = |keys: &[(&str, &str)]| {
        let keys: Vec<(&str, &str)> = load.iter().chain(keys).copied().collect();
        figure(&output(&keys, audited()), "ftl.write_amplification")
    };
    let told_apart = amplification(&[classifier]);
    assert!((told_apart - amplification(&[])).abs() > 0.01, "{told_apart}");
    assert_eq!(told_apart, amplification(&[classifier]));
    assert_ne!(told_apart, amplification(&[classifier, ("ftl.hot.writes", "4")]));

    // the drive that it leaves continues with it and with another
    for other in ["size_threshold", "none"] {
        check_saved(&[classifier], "ftl.hot.classifier", other, "ftl.gc.victims");
    }
}
