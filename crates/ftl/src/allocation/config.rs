//! `[allocation]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::order::Order;
use wordline_keys::When::Is;
use wordline_keys::{Rule, Section};

/// Who chooses the plane of a logical page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AllocationMode {
    /// The logical page number alone.
    Static,
    /// The scheduler, when the program starts.
    #[default]
    Dynamic,
}

/// Where dynamic allocation may put a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DynamicMode {
    /// Anywhere in the drive.
    #[default]
    Full,
    /// On the channel given by the logical page number modulo the channels.
    ChannelBound,
}

/// Which block of a plane is opened when the current one is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActiveBlock {
    /// The next one in index order that has a free page.
    #[default]
    NextIndex,
    /// The one that has been free for the longest time.
    Fifo,
    /// The least erased one.
    LowestEraseCount,
}

/// Whether the planes of a die fill and are collected one by one or together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Planes {
    /// Each plane has open blocks and a collection pool of its own.
    #[default]
    Independent,
    /// The planes of a die open, fill, collect and erase blocks together, so that its programs and erases are multi-plane commands.
    InStep,
}

/// `[allocation]`: which plane and block a page is written to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AllocationConfig {
    /// Who chooses the plane of a logical page.
    pub mode: AllocationMode,
    /// Where `mode = "dynamic"` may put a page.
    pub dynamic: DynamicMode,
    /// The levels, fastest-varying first: C channel, W chip, D die, P plane. The order of the
    /// static map, or the priorities of dynamic allocation.
    pub order: Order,
    /// Whether the planes of a die fill and are collected one by one or together.
    pub planes: Planes,
    /// Which block of a plane is opened when the current one is full.
    pub active_block: ActiveBlock,
    /// Whether the least erased plane is chosen among planes that are otherwise equal, and the
    /// least erased block among blocks.
    pub wear_aware: bool,
}

impl Section for AllocationConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(&["dynamic", "wear_aware"], &[Is("allocation.mode", &["dynamic"])]),
        Rule::only(&["active_block"], &[Is("ftl.wear.dynamic", &["off"])]),
        Rule::only(&["planes"], &[Is("ftl.mapping", &["page"])]),
    ];
}
