//! Superblocks over several planes.

use crate::conflict::{Feature, copyback, rules_out, shown};
use wordline_ftl::KnownFeature;

/// A mapping that places pages in superblocks.
pub(super) const SUPERBLOCKS: Feature = Feature {
    name: "superblocks over several planes",
    with: "with ftl.mapping = \"striped\"",
    is_on: |config| config.mapping_knows(KnownFeature::Superblocks),
    example: &[("ftl.mapping", "striped")],
    conflicts: &[
        rules_out(
            "commands.copyback",
            copyback,
            "\"off\", as a page that is moved goes to the next plane of its superblock,",
            &[("commands.copyback", "wise")],
        ),
        rules_out(
            "modes",
            |config| shown(!config.modes.is_empty(), "given"),
            "no modes, as pages of superblocks are placed before the policy of modes knows the load,",
            &[("modes", "[{name = \"slow\"}]")],
        ),
    ],
};
