//! From `[timing]` to durations.

use wordline_units::{Duration, TransferRate};

use super::config::{CommandCycles, TimingConfig, TimingModel};
use super::{Cycles, PerPageType, Timing};
use crate::cell_type::CellType;
use crate::error::ConfigError;
use crate::geometry::Geometry;
use crate::interface::{ByteTime, INTERFACES, Interface};
use crate::mode::MAX_MODES;
use crate::page_types::{MAX_PAGE_TYPES, PageTypes};
use crate::phase::Shape;

/// The longest single duration that is accepted: sums of a few stay far from overflow.
const LONGEST: Duration = Duration::from_ms(100_000);

impl Timing {
    /// Resolves `[timing]` for an array.
    ///
    /// # Errors
    /// An unknown interface; a rate given twice; a time of zero where one passes, or beyond 100 s;
    /// a list that does not fit the page types; a copy-back shorter than a read; a program without
    /// iterations.
    pub fn new(
        config: &TimingConfig,
        geometry: &Geometry,
        page_types: &PageTypes,
    ) -> Result<Self, ConfigError> {
        let interface = interface(config)?;
        let (data_out, data_in) = rates(config, interface)?;
        let cell = page_types.cell();
        let t_r = array_times("timing.t_r", &config.t_r, cell)?;
        let t_prog = array_times("timing.t_prog", &config.t_prog, cell)?;
        positive("timing.t_bers", config.t_bers)?;
        let cycle = match (config.t_cad, interface) {
            (Some(time), _) => time,
            (None, Some(interface)) => interface.cycle,
            (None, None) => Duration::from_ns(25),
        };
        bounded("timing.t_cad", cycle)?;
        let wait = |given: Option<Duration>, of: fn(&Interface) -> Duration, otherwise| {
            given
                .or(interface.map(of))
                .unwrap_or(Duration::from_ns(otherwise))
        };
        let t_wb = wait(config.t_wb, |interface| interface.t_wb, 100);
        let t_rr = wait(config.t_rr, |interface| interface.t_rr, 20);
        let t_whr = wait(config.t_whr, |interface| interface.t_whr, 80);
        for (key, time) in [
            ("timing.t_dbsy", config.t_dbsy),
            ("timing.t_wb", t_wb),
            ("timing.t_rr", t_rr),
            ("timing.t_adl", config.t_adl),
            ("timing.t_ccs", config.t_ccs),
            ("timing.t_whr", t_whr),
            ("timing.t_rcbsy", config.t_rcbsy),
            ("timing.t_cbsy", config.t_cbsy),
            ("timing.t_verify", config.t_verify),
            ("timing.t_vreset", config.t_vreset),
            ("timing.t_shadow", config.t_shadow),
            ("timing.ddr_read_preamble", config.ddr_read_preamble),
            ("timing.ddr_write_preamble", config.ddr_write_preamble),
        ] {
            bounded(key, time)?;
        }
        if !(5..=6).contains(&config.address_cycles) {
            return Err(ConfigError::new(
                "timing.address_cycles",
                config.address_cycles,
                "5 or 6",
            ));
        }
        if config.program_iterations == 0 {
            return Err(ConfigError::new("timing.program_iterations", 0, "at least 1"));
        }
        // a bus without a strobe, and the two-step model, have none of the waits
        let onfi = |time| {
            if config.model == TimingModel::Onfi {
                time
            } else {
                Duration::ZERO
            }
        };
        let strobed = |time| {
            if interface.is_some_and(|interface| interface.strobed) {
                onfi(time)
            } else {
                Duration::ZERO
            }
        };
        Ok(Self {
            model: config.model,
            combined_bus: false,
            cycle,
            data_in,
            data_out,
            cycles: Cycles::new(&config.cmd_cycles, u64::from(config.address_cycles), config.model)?,
            t_r: [t_r; MAX_MODES],
            t_prog: [t_prog; MAX_MODES],
            t_bers: config.t_bers,
            t_dbsy: config.t_dbsy,
            t_wb: onfi(t_wb),
            t_rr: onfi(t_rr),
            t_adl: onfi(config.t_adl),
            t_ccs: onfi(config.t_ccs),
            read_preamble: strobed(config.ddr_read_preamble),
            write_preamble: strobed(config.ddr_write_preamble),
            t_whr,
            t_rcbsy: config.t_rcbsy,
            t_cbsy: config.t_cbsy,
            spare_bytes: if config.transfer_spare {
                geometry.spare_bytes
            } else {
                0
            },
            sectors_per_page: geometry.sectors_per_page(),
            program_shape: Shape::Program {
                iterations: config.program_iterations,
                verify: config.t_verify,
            },
            erase_shape: Shape::Erase {
                verify: config.t_verify,
            },
        })
    }

    /// What is odd about the resolved times, in words: a read slower than a program.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let slowest = self.t_r.iter().flatten().max();
        let quickest = self.t_prog.iter().flatten().min();
        match (slowest, quickest) {
            (Some(read), Some(program)) if read > program => {
                vec![format!(
                    "timing.t_r = {read} is longer than timing.t_prog = {program}"
                )]
            }
            _ => vec![],
        }
    }
}

/// Array times by page type.
pub(super) fn array_times(
    key: &str,
    times: &PerPageType,
    cell: CellType,
) -> Result<[Duration; MAX_PAGE_TYPES], ConfigError> {
    let times = times.resolve(key, cell)?;
    for time in times {
        bounded(key, time)?;
    }
    Ok(times)
}

impl Cycles {
    fn new(config: &CommandCycles, address: u64, model: TimingModel) -> Result<Self, ConfigError> {
        let row = address - 2;
        let given = |key: &str, value: Option<u32>, otherwise: u64| match value {
            Some(cycles @ (0 | 1_001..)) => Err(ConfigError::new(
                format!("timing.cmd_cycles.{key}"),
                cycles,
                "from 1 to 1000 cycles",
            )),
            Some(cycles) => Ok(u64::from(cycles)),
            None => Ok(otherwise),
        };
        let read = given("read", config.read, 2 + address)?;
        let beyond_read = |key: &str, value: Option<u32>, otherwise: u64| {
            let cycles = given(key, value, otherwise)?;
            cycles.checked_sub(read).ok_or_else(|| {
                ConfigError::new(
                    format!("timing.cmd_cycles.{key}"),
                    cycles,
                    format!("at least the {read} cycles of a read, with which it begins"),
                )
            })
        };
        let erase = given("erase", config.erase, 2 + row)?;
        let (erase2, erase4) = match model {
            TimingModel::TwoStep => (2 * (4 + row), 2 * (6 + row)),
            TimingModel::Onfi => (2 * erase, 4 * erase),
        };
        Ok(Self {
            read,
            program: given("program", config.program, 2 + address)?,
            erase,
            copyback_second: beyond_read("copyback", config.copyback, read + 2 + address)?,
            copyback_second_new: beyond_read(
                "copyback_random_in",
                config.copyback_random_in,
                match model {
                    TimingModel::TwoStep => read + 2 + address + 5,
                    // data may follow 85h and its address at once
                    TimingModel::Onfi => read + 2 + address,
                },
            )?,
            read_further_plane: beyond_read("multi_plane_read2", config.multi_plane_read2, 2 * read)?,
            read_further_die: beyond_read("interleave_read2", config.interleave_read2, 2 * read)?,
            multi_plane_erase2: given("multi_plane_erase2", config.multi_plane_erase2, erase2)?,
            interleave_erase2: given("interleave_erase2", config.interleave_erase2, erase2)?,
            interleave_multi_plane_erase2: given(
                "interleave_multi_plane_erase2",
                config.interleave_multi_plane_erase2,
                erase4,
            )?,
            row,
            address,
        })
    }
}

fn interface(config: &TimingConfig) -> Result<Option<&'static Interface>, ConfigError> {
    let Some(name) = &config.interface else {
        return Ok(None);
    };
    Interface::named(name).map(Some).ok_or_else(|| {
        let names: Vec<&str> = INTERFACES.iter().map(|interface| interface.name).collect();
        let hint = wordline_units::did_you_mean(name, names.iter().copied());
        let accepted = format!("{hint}accepted are {}", names.join(", "));
        ConfigError::new("timing.interface", name, accepted)
    })
}

/// Data out and data in.
fn rates(config: &TimingConfig, interface: Option<&Interface>) -> Result<(ByteTime, ByteTime), ConfigError> {
    let cycle = Duration::from_ns(25);
    for (key, time) in [("timing.t_rc", config.t_rc), ("timing.t_wc", config.t_wc)] {
        let Some(time) = time else { continue };
        if let Some(rate) = config.transfer_rate {
            return Err(ConfigError::new(
                key,
                time,
                format!("one way to give the rate: timing.transfer_rate = {rate} is given too"),
            ));
        }
        positive(key, time)?;
    }
    if let Some(rate) = config.transfer_rate {
        if !(100..=100_000_000).contains(&rate.0) {
            return Err(ConfigError::new(
                "timing.transfer_rate",
                rate,
                format!("from {} to {}", TransferRate(100), TransferRate(100_000_000)),
            ));
        }
        return Ok((ByteTime::at_rate(rate), ByteTime::at_rate(rate)));
    }
    let per_byte = |given: Option<Duration>, of: fn(&Interface) -> ByteTime| match (given, interface) {
        (Some(time), _) => ByteTime::per_byte(time),
        (None, Some(interface)) => of(interface),
        (None, None) => ByteTime::per_byte(cycle),
    };
    Ok((
        per_byte(config.t_rc, |interface| interface.out),
        per_byte(config.t_wc, |interface| interface.into),
    ))
}

fn positive(key: &str, time: Duration) -> Result<(), ConfigError> {
    if time == Duration::ZERO {
        return Err(ConfigError::new(key, time, "longer than 0 ns"));
    }
    bounded(key, time)
}

fn bounded(key: &str, time: Duration) -> Result<(), ConfigError> {
    if time > LONGEST {
        return Err(ConfigError::new(key, time, format!("at most {LONGEST}")));
    }
    Ok(())
}
