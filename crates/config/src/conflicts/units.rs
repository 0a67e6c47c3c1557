//! Mapping units that are smaller or larger than a page.

use crate::ReadInFlight;
use crate::conflict::{Feature, SMALL_UNITS, copyback, named, own_unit, rules_out};

/// `ftl.mapping_unit`, where it is not the page.
pub(super) const OWN_UNITS: Feature = Feature {
    name: "mapping units of another size than the page",
    with: "where ftl.mapping_unit is not the page",
    is_on: |config| own_unit(config).is_some(),
    example: SMALL_UNITS,
    conflicts: &[
        rules_out(
            "commands.copyback",
            copyback,
            "\"off\", as a page that is copied inside its plane cannot be packed with units of others, nor stay beside the other pages of its unit,",
            &[("commands.copyback", "wise")],
        ),
        rules_out(
            "scheduler.read_in_flight",
            |config| {
                let reading = config.scheduler.read_in_flight;
                named(reading == ReadInFlight::AfterProgram, "after_program")
            },
            "\"memory\", as the controller keeps what waits for the rest of its page or unit,",
            &[("scheduler.read_in_flight", "after_program")],
        ),
    ],
};
