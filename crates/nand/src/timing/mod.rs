//! How long the steps of an operation take, from configuration to whole commands.

mod compose;
mod config;
mod per_type;
mod resolve;
mod word_line;

pub use compose::{ArrayStep, Operation, Part};
pub use config::{CommandCycles, TimingConfig, TimingModel};
pub use per_type::PerPageType;

use wordline_units::{Duration, SECTOR_BYTES};

use crate::cell_type::CellType;
use crate::error::ConfigError;
use crate::interface::ByteTime;
use crate::mode::{MAX_MODES, Mode};
use crate::page_types::{MAX_PAGE_TYPES, PageType};
use crate::phase::Shape;

/// How the data of a page are called to the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Select {
    /// Several planes of the die hold data: 06h, address, E0h, tCCS name the one that drives.
    pub plane: bool,
    /// Several dies of the chip were commanded: 78h names the one that drives.
    pub die: bool,
}

/// The resolved durations of a drive's flash: integers, ready for the hot path.
///
/// All parts of `two_step` are command and data cycles plus array time. In `onfi`, `read_array`,
/// `program_array` and `erase_array` include tWB (and tRR), and the bus parts their waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    model: TimingModel,
    combined_bus: bool,
    cycle: Duration,
    data_in: ByteTime,
    data_out: ByteTime,
    cycles: Cycles,
    /// By mode and page type.
    t_r: [[Duration; MAX_PAGE_TYPES]; MAX_MODES],
    t_prog: [[Duration; MAX_PAGE_TYPES]; MAX_MODES],
    t_bers: Duration,
    t_dbsy: Duration,
    /// The waits below are zero in `two_step`.
    t_wb: Duration,
    t_rr: Duration,
    t_adl: Duration,
    t_ccs: Duration,
    read_preamble: Duration,
    write_preamble: Duration,
    /// These are not.
    t_whr: Duration,
    t_rcbsy: Duration,
    t_cbsy: Duration,
    /// Spare bytes that cross the bus with a whole page.
    spare_bytes: u32,
    sectors_per_page: u32,
    program_shape: Shape,
    erase_shape: Shape,
}

/// Command and address cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cycles {
    read: u64,
    program: u64,
    erase: u64,
    copyback_second: u64,
    copyback_second_new: u64,
    read_further_plane: u64,
    read_further_die: u64,
    multi_plane_erase2: u64,
    interleave_erase2: u64,
    interleave_multi_plane_erase2: u64,
    row: u64,
    address: u64,
}

impl Timing {
    /// Which model the times follow.
    #[must_use]
    pub const fn model(&self) -> TimingModel {
        self.model
    }

    /// Charges the bus of a combined interleave and multi-plane program with one transfer, as
    /// SSDsim 2.x does (`compat.ssdsim_combined_bus`; array specification, section 12 point 3).
    #[must_use]
    pub const fn with_ssdsim_combined_bus(mut self, on: bool) -> Self {
        self.combined_bus = on;
        self
    }

    /// Gives programs and erases the array time of a read (reference mode PER of Wu and He).
    #[must_use]
    pub fn with_writes_like_reads(mut self) -> Self {
        self.t_prog = self.t_r;
        self.t_bers = self.t_r.iter().flatten().copied().max().unwrap_or_default();
        self
    }

    /// Gives programs and erases no array time (reference mode PE0 of Wu and He).
    #[must_use]
    pub fn with_writes_in_no_time(mut self) -> Self {
        self.t_prog = [[Duration::ZERO; MAX_PAGE_TYPES]; MAX_MODES];
        self.t_bers = Duration::ZERO;
        self
    }

    /// The same with array times of its own for a mode.
    ///
    /// # Errors
    /// A list that does not fit the page types, a time of zero or beyond 100 s.
    ///
    /// # Panics
    /// There are [`MAX_MODES`] modes and none of that number.
    pub fn with_mode(
        mut self,
        mode: Mode,
        t_r: Option<&PerPageType>,
        t_prog: Option<&PerPageType>,
        cell: CellType,
    ) -> Result<Self, ConfigError> {
        if let Some(times) = t_r {
            self.t_r[mode.index()] = resolve::array_times("t_r", times, cell)?;
        }
        if let Some(times) = t_prog {
            self.t_prog[mode.index()] = resolve::array_times("t_prog", times, cell)?;
        }
        Ok(self)
    }

    /// Bytes that `sectors` sub-pages of a page put on the bus; the spare bytes go with them in
    /// proportion where `timing.transfer_spare` is set.
    #[must_use]
    #[inline]
    pub const fn bytes(&self, sectors: u32) -> u64 {
        let data = sectors as u64 * SECTOR_BYTES as u64;
        if self.spare_bytes == 0 {
            return data;
        }
        data + (sectors as u64 * self.spare_bytes as u64).div_ceil(self.sectors_per_page as u64)
    }

    /// Time of `cycles` command or address cycles.
    #[must_use]
    #[inline]
    pub const fn command_cycles(&self, cycles: u64) -> Duration {
        Duration(cycles * self.cycle.0)
    }

    /// Bus: command and address of a page read.
    #[must_use]
    pub const fn read_setup(&self) -> Duration {
        self.command_cycles(self.cycles.read)
    }

    /// Bus: command and address of a further plane (`same_die`) or die of the same read command.
    #[must_use]
    pub fn read_setup_more(&self, same_die: bool) -> Duration {
        if same_die {
            self.plane_gap_onfi() + self.command_cycles(self.cycles.read_further_plane)
        } else {
            self.command_cycles(self.cycles.read_further_die)
        }
    }

    /// Array: page to data register (tR; with tWB and tRR in `onfi`).
    #[must_use]
    #[inline]
    pub fn read_array(&self, mode: Mode, page_type: PageType) -> Duration {
        Duration(self.t_wb.0 + self.sensing(mode, page_type).0 + self.t_rr.0)
    }

    /// Array alone: sensing of a page with one reference voltage per boundary of states (tR).
    #[must_use]
    #[inline]
    pub fn sensing(&self, mode: Mode, page_type: PageType) -> Duration {
        self.t_r[mode.index()][page_type.index()]
    }

    /// Array: page to data register where sensing takes `sensing` in place of tR.
    #[must_use]
    pub fn sense_array(&self, sensing: Duration) -> Duration {
        self.t_wb + sensing + self.t_rr
    }

    /// Bus: `bytes` bytes out of a register; `select` says how it is named in `onfi`.
    #[must_use]
    pub fn data_out(&self, bytes: u64, select: Select) -> Duration {
        let mut time = self.data_out.of(bytes) + self.read_preamble;
        if self.model == TimingModel::Onfi {
            if select.die {
                // 78h, row, tWHR, one status byte
                time += self.command_cycles(1 + self.cycles.row) + self.t_whr + self.data_out.of(1);
            }
            if select.plane {
                time += self.command_cycles(self.cycles.address + 2) + self.t_ccs;
            } else if select.die {
                // 00h turns the die from status to data
                time += self.command_cycles(1);
            }
        }
        time
    }

    /// Bus: command, address, tADL, `bytes` bytes in, confirmation of a page program.
    #[must_use]
    #[inline]
    pub fn program_setup(&self, bytes: u64) -> Duration {
        Duration(
            self.cycles.program * self.cycle.0
                + self.t_adl.0
                + self.write_preamble.0
                + self.data_in.of(bytes).0,
        )
    }

    /// Die busy between the planes of a multi-plane program (tDBSY); the bus is held.
    #[must_use]
    pub const fn between_planes(&self) -> Duration {
        self.t_dbsy
    }

    /// Array: data register to page (tPROG; with tWB in `onfi`).
    #[must_use]
    #[inline]
    pub fn program_array(&self, mode: Mode, page_type: PageType) -> Duration {
        Duration(self.t_wb.0 + self.t_prog[mode.index()][page_type.index()].0)
    }

    /// Bus: command and addresses that erase `planes` planes of one die.
    #[must_use]
    pub fn erase_setup(&self, planes: u32) -> Duration {
        let planes = u64::from(planes);
        let cycles = if planes <= 1 {
            self.cycles.erase
        } else {
            per_pair(self.cycles.multi_plane_erase2, planes)
        };
        self.command_cycles(cycles) + self.plane_gap_onfi() * planes.saturating_sub(1)
    }

    /// Array: erase (tBERS; with tWB in `onfi`).
    #[must_use]
    pub fn erase_array(&self) -> Duration {
        self.t_wb + self.t_bers
    }

    /// Bus: first half of a copy-back, command and source address.
    #[must_use]
    pub const fn copyback_first(&self) -> Duration {
        self.command_cycles(self.cycles.read)
    }

    /// Bus: second half of a copy-back, command and destination address, with `new_bytes` bytes of
    /// new data put in.
    #[must_use]
    pub fn copyback_second(&self, new_bytes: u64) -> Duration {
        if new_bytes == 0 {
            return self.command_cycles(self.cycles.copyback_second);
        }
        self.command_cycles(self.cycles.copyback_second_new)
            + self.t_adl
            + self.write_preamble
            + self.data_in.of(new_bytes)
    }

    /// Die: data register to cache register (tRCBSY), once the array is done; then the data can
    /// leave and the next array read runs.
    #[must_use]
    pub const fn cache_read_busy(&self) -> Duration {
        self.t_rcbsy
    }

    /// Die: cache register to data register (tCBSY), once the array is done; then the next data can
    /// enter and this page's array program runs.
    #[must_use]
    pub const fn cache_program_busy(&self) -> Duration {
        self.t_cbsy
    }

    /// Phases of a program's array step.
    #[must_use]
    pub const fn program_shape(&self) -> Shape {
        self.program_shape
    }

    /// Phases of an erase's array step.
    #[must_use]
    pub const fn erase_shape(&self) -> Shape {
        self.erase_shape
    }

    /// tDBSY after the planes of a read or erase, which only `onfi` charges.
    fn plane_gap_onfi(&self) -> Duration {
        match self.model {
            TimingModel::TwoStep => Duration::ZERO,
            TimingModel::Onfi => self.t_dbsy,
        }
    }
}

/// Cycles of `count` constituents of a command whose pair takes `two`.
const fn per_pair(two: u64, count: u64) -> u64 {
    (two * count).div_ceil(2)
}
