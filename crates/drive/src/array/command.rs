//! A flash command in the making.

use wordline_metrics::{Array, Constituent};
use wordline_nand::{ArrayStep, Part, PlaneId};

use crate::operation::OpId;

/// A command in the making; its tables are kept so that nothing is allocated per command.
#[derive(Debug, Default)]
pub(super) struct Command {
    /// Operations, those of one die together.
    pub(super) members: Vec<OpId>,
    /// Whether each waited in a queue of its unit, for the accounts of response times.
    pub(super) waited_in_unit: Vec<bool>,
    /// Slots that dynamic allocation offers.
    pub(super) slots: Vec<PlaneId>,
    /// Programs that may join, each with its plane.
    pub(super) candidates: Vec<(OpId, PlaneId)>,
    pub(super) parts: Vec<Part>,
    pub(super) constituents: Vec<Constituent>,
    pub(super) steps: Vec<ArrayStep>,
    pub(super) arrays: Vec<Array>,
}
