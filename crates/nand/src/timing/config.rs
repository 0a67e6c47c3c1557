//! `[timing]`: how long the steps of an operation take.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use wordline_keys::When::{Is, IsNot, On};
use wordline_keys::limits::{CYCLES, STEP};
use wordline_keys::{Rule, Section};
use wordline_units::{Duration, TransferRate};

use super::per_type::PerPageType;
use crate::interface::INTERFACES;

/// How finely bus and busy times are modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimingModel {
    /// Command and data cycles, then array time (Hu et al. 2011, section 2).
    #[default]
    TwoStep,
    /// Also the waiting times of the ONFI command set: tWB, tRR, tADL, tCCS, tWHR, preambles.
    Onfi,
}

/// `[timing]`: how long the steps of an operation take. Defaults are Table 2 of Hu et al. 2011
/// (K9XXG08UXA class) where it prints them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TimingConfig {
    /// `two_step` or `onfi`.
    pub model: TimingModel,
    /// Array read (tR): one duration or a list by page type.
    #[schemars(extend("x-maximum" = STEP))]
    pub t_r: PerPageType,
    /// Array program (tPROG): one duration or a list by page type.
    #[schemars(extend("x-maximum" = STEP))]
    pub t_prog: PerPageType,
    /// Block erase (tBERS).
    #[schemars(extend("x-maximum" = STEP))]
    pub t_bers: Duration,
    /// Busy between the planes of a multi-plane command (tDBSY, tPLPBSY; data sheets 0.5 µs
    /// typical, 1 µs maximum).
    #[schemars(extend("x-maximum" = STEP))]
    pub t_dbsy: Duration,
    /// Channel interface and speed, such as `sdr-4`, `nv-ddr-5`, `nv-ddr2-533`, `toggle-1200`: sets
    /// data rates, command cycle and the waits that follow; explicit keys come before it.
    #[schemars(schema_with = "interface_schema")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// Data rate in both directions on the 8-bit bus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_rate: Option<TransferRate>,
    /// Time to transfer one byte from the flash (tRC), instead of `transfer_rate`; 25 ns if neither
    /// is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_rc: Option<Duration>,
    /// Time to transfer one byte to the flash (tWC), instead of `transfer_rate`; 25 ns if neither
    /// is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_wc: Option<Duration>,
    /// One command or address cycle; tWC of an SDR interface, else tCAD = 25 ns. With 0 ns,
    /// commands take no time on the bus.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_cad: Option<Duration>,
    /// Confirming command to busy (tWB); 100 ns unless the interface says otherwise. `onfi` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_wb: Option<Duration>,
    /// Ready to first data (tRR); 20 ns unless the interface says otherwise. `onfi` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_rr: Option<Duration>,
    /// Address to first data-in (tADL, ONFI 4 and later 400 ns). `onfi` only.
    #[schemars(extend("x-maximum" = STEP))]
    pub t_adl: Duration,
    /// Change of column to data (tCCS, ONFI 500 ns). `onfi` only.
    #[schemars(extend("x-maximum" = STEP))]
    pub t_ccs: Duration,
    /// Command to status byte (tWHR); 80 ns unless the interface says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_whr: Option<Duration>,
    /// Data register to cache register after a cache read (tRCBSY, ONFI typical 3 to 5 µs).
    #[schemars(extend("x-maximum" = STEP))]
    pub t_rcbsy: Duration,
    /// Cache register to data register in a cache program (tCBSY, ONFI typical 3 µs).
    #[schemars(extend("x-maximum" = STEP))]
    pub t_cbsy: Duration,
    /// Preamble and postamble of a data-out burst of a strobed interface (assumed). `onfi` only.
    #[schemars(extend("x-maximum" = STEP))]
    pub ddr_read_preamble: Duration,
    /// Preamble and postamble of a data-in burst of a strobed interface (assumed). `onfi` only.
    #[schemars(extend("x-maximum" = STEP))]
    pub ddr_write_preamble: Duration,
    /// Address cycles of a page: 5 (2 column, 3 row), or 6 for dies above 2^24 pages.
    pub address_cycles: u8,
    /// Whether the spare bytes of a page are transferred with its data (Hu et al. and SSDsim: no).
    pub transfer_spare: bool,
    /// Iterations of a program (ISPP), each a program phase and a verify phase: 5 for SLC, 15 for
    /// MLC (Wu and He, FAST 2012, Table 1).
    pub program_iterations: u16,
    /// Verify phase of a program iteration and of an erase: 8 µs for SLC, 24 µs for MLC (the same).
    /// The erase pulse is the rest of `t_bers`.
    #[schemars(extend("x-maximum" = STEP))]
    pub t_verify: Duration,
    /// Program phase of an iteration. By default it is `t_prog` / `program_iterations` less
    /// `t_verify`; if given, it must equal this value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-maximum" = STEP))]
    pub t_program_phase: Option<Duration>,
    /// Time to reset the high voltage (Op_voltage_reset) at the end of every phase, which is part
    /// of the phase, and time to raise it again: 4 µs (the same).
    #[schemars(extend("x-maximum" = STEP))]
    pub t_vreset: Duration,
    /// Copying the page buffer to or from its shadow copy: 3 µs (the same).
    #[schemars(extend("x-maximum" = STEP))]
    pub t_shadow: Duration,
    /// Command and address cycles of each command.
    pub cmd_cycles: CommandCycles,
}

/// `[timing.cmd_cycles]`: command and address cycles of each command, where a part's differ from
/// what follows from `address_cycles`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandCycles {
    /// Read: 00h, address, 30h; 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub read: Option<u32>,
    /// Program: 80h, address, 10h; 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub program: Option<u32>,
    /// Erase: 60h, row address, D0h; 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub erase: Option<u32>,
    /// Copy-back, both halves: 00h, address, 35h, 85h, address, 10h; 14.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub copyback: Option<u32>,
    /// Copy-back with new data, both halves; 19 (SSDsim).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub copyback_random_in: Option<u32>,
    /// Read of two planes; 14.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub multi_plane_read2: Option<u32>,
    /// Read of two dies; 14.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub interleave_read2: Option<u32>,
    /// Erase of two planes; 14 in `two_step` (SSDsim), 10 in `onfi`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub multi_plane_erase2: Option<u32>,
    /// Erase of two dies; 14 in `two_step` (SSDsim), 10 in `onfi`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub interleave_erase2: Option<u32>,
    /// Erase of two planes on each of two dies; 18 in `two_step` (SSDsim), 20 in `onfi`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = CYCLES))]
    pub interleave_multi_plane_erase2: Option<u32>,
}

impl Default for TimingConfig {
    fn default() -> Self {
        Self {
            model: TimingModel::default(),
            t_r: PerPageType::All(Duration::from_us(20)),
            t_prog: PerPageType::All(Duration::from_us(200)),
            t_bers: Duration::from_us(1_500),
            t_dbsy: Duration::from_ns(500),
            interface: None,
            transfer_rate: None,
            t_rc: None,
            t_wc: None,
            t_cad: None,
            t_wb: None,
            t_rr: None,
            t_adl: Duration::from_ns(400),
            t_ccs: Duration::from_ns(500),
            t_whr: None,
            t_rcbsy: Duration::from_us(3),
            t_cbsy: Duration::from_us(3),
            ddr_read_preamble: Duration::from_ns(30),
            ddr_write_preamble: Duration::from_ns(20),
            address_cycles: 5,
            transfer_spare: false,
            program_iterations: 5,
            t_verify: Duration::from_us(8),
            t_program_phase: None,
            t_vreset: Duration::from_us(4),
            t_shadow: Duration::from_us(3),
            cmd_cycles: CommandCycles::default(),
        }
    }
}

/// The phases of programs and erases, between which they are suspended.
const OF_PHASES: &[&str] = &[
    "program_iterations",
    "t_verify",
    "t_program_phase",
    "t_vreset",
    "t_shadow",
];

impl Section for TimingConfig {
    const RULES: &'static [Rule] = &[
        Rule::only(
            &[
                "t_wb",
                "t_rr",
                "t_adl",
                "t_ccs",
                "ddr_read_preamble",
                "ddr_write_preamble",
                "t_whr",
            ],
            &[Is("timing.model", &["onfi"])],
        ),
        Rule::only(&["t_rcbsy"], &[On("commands.cache_read")]),
        Rule::only(&["t_cbsy"], &[On("commands.cache_program")]),
        Rule::only(
            &["cmd_cycles.copyback", "cmd_cycles.copyback_random_in"],
            &[IsNot("commands.copyback", &["off"])],
        ),
        Rule::only(
            &["cmd_cycles.multi_plane_read2"],
            &[On("commands.multi_plane_read")],
        ),
        Rule::only(
            &["cmd_cycles.multi_plane_erase2"],
            &[On("commands.multi_plane_erase")],
        ),
        Rule::only(
            &[
                "cmd_cycles.interleave_read2",
                "cmd_cycles.interleave_erase2",
                "cmd_cycles.interleave_multi_plane_erase2",
            ],
            &[On("commands.interleave")],
        ),
        Rule::only(
            &["cmd_cycles.interleave_multi_plane_erase2"],
            &[On("commands.multi_plane_erase")],
        ),
        Rule::only(OF_PHASES, &[Is("scheduler.policy", &["pes", "dlv_pes"])]),
        Rule::only(OF_PHASES, &[Is("nand.suspend_style", &["phases"])]),
        Rule::only(&["t_shadow"], &[On("nand.shadow_buffer")]),
    ];
}

/// The names of the interface table, or nothing.
fn interface_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<Option<&str>> = INTERFACES
        .iter()
        .map(|interface| Some(interface.name))
        .chain([None])
        .collect();
    schemars::json_schema!({ "enum": names })
}
