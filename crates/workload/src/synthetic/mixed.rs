//! `kind = "mixed"`: uniform addresses, weighted classes of requests.

use super::classes::Classes;
use crate::config::WorkloadConfig;

/// The classes of `mix`.
pub(crate) fn classes(config: &WorkloadConfig) -> Classes {
    let reads = config.read_fraction;
    let classes = Classes::weighted(
        config,
        config
            .mix
            .iter()
            .map(move |class| (class.size, class.weight, class.read_fraction.unwrap_or(reads))),
    );
    classes.with_placement(config.mix.iter().map(|class| class.placement))
}
