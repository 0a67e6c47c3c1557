//! How a part suspends, from its configuration, checked.

use wordline_units::Duration;

use super::{NandConfig, SuspendStyle};
use crate::error::ConfigError;
use crate::mode::Mode;
use crate::page_types::{PageType, PageTypes};
use crate::suspension::{Method, Redo, SuspendRules, Suspendable};
use crate::timing::{Timing, TimingConfig};

impl SuspendRules {
    /// The rules of a part. `program` says how programs are suspended in the style of phases.
    ///
    /// # Errors
    /// Phases that do not fit their operation: `t_verify` that leaves nothing of an iteration or an
    /// erase, `t_program_phase` off by more than 1 ns, `t_vreset` that does not fit into the
    /// shortest phase; safe points without time between them.
    pub fn new(
        config: &TimingConfig,
        part: &NandConfig,
        timing: &Timing,
        page_types: &PageTypes,
        program: Method,
    ) -> Result<Self, ConfigError> {
        if part.suspend_style == SuspendStyle::Vendor {
            return Ok(Self {
                program: Method::Vendor(part.vendor.times_of(Suspendable::Program)?),
                erase: Method::Vendor(part.vendor.times_of(Suspendable::Erase)?),
                reset: Duration::ZERO,
                shadow: config.t_shadow,
            });
        }
        check_phases(config, timing, page_types)?;
        Ok(Self {
            program,
            erase: Method::Cancel(Redo::Always),
            reset: config.t_vreset,
            shadow: config.t_shadow,
        })
    }
}

fn check_phases(config: &TimingConfig, timing: &Timing, page_types: &PageTypes) -> Result<(), ConfigError> {
    let verify = config.t_verify;
    let count = u64::from(config.program_iterations);
    let programs =
        (0..page_types.cell().bits() as u8).map(|index| timing.program_array(Mode::NORMAL, PageType(index)));
    let mut shortest = timing.erase_array() - verify;
    if shortest == Duration::ZERO {
        return Err(ConfigError::new(
            "timing.t_verify",
            verify,
            format!("shorter than an erase, timing.t_bers = {}", config.t_bers),
        ));
    }
    shortest = shortest.min(verify);
    for program in programs {
        let iteration = Duration(program.ns() / count);
        if verify >= iteration {
            return Err(ConfigError::new(
                "timing.t_verify",
                verify,
                format!(
                    "shorter than an iteration, {iteration}: a program of {program} over {count} of \
                     timing.program_iterations"
                ),
            ));
        }
        let phase = iteration - verify;
        shortest = shortest.min(phase);
        if let Some(given) = config.t_program_phase
            && given.ns().abs_diff(phase.ns()) > 1
        {
            return Err(ConfigError::new(
                "timing.t_program_phase",
                given,
                format!(
                    "{phase}, which with timing.t_verify = {verify} makes one of the {count} iterations of \
                     a program of {program}"
                ),
            ));
        }
    }
    if config.t_vreset >= shortest {
        return Err(ConfigError::new(
            "timing.t_vreset",
            config.t_vreset,
            format!("shorter than the shortest phase, which it ends: {shortest}"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Geometry, GeometryConfig};
    use crate::suspension::VendorTimes;

    fn rules(timing: &str, part: &str) -> Result<SuspendRules, ConfigError> {
        let geometry = GeometryConfig::default();
        let array = Geometry::new(&geometry).unwrap();
        let page_types = PageTypes::new(&geometry, &array).unwrap();
        let config: TimingConfig = toml::from_str(timing).unwrap();
        let part: NandConfig = toml::from_str(part).unwrap();
        let timing = Timing::new(&config, &array, &page_types).unwrap();
        SuspendRules::new(&config, &part, &timing, &page_types, Method::PhaseEnd)
    }

    /// Wu and He, FAST 2012, Table 1.
    const SLC: &str =
        "t_prog = \"140 us\"\nt_bers = \"1508 us\"\nprogram_iterations = 5\nt_verify = \"8 us\"\n";

    #[test]
    fn phases_must_fit() {
        let fine = rules(&format!("{SLC}t_program_phase = \"20 us\""), "").unwrap();
        assert_eq!(
            (fine.reset, fine.shadow),
            (Duration::from_us(4), Duration::from_us(3))
        );
        // the phase is 20 us, which may have been rounded to a nanosecond
        for rounded in ["20001 ns", "19999 ns"] {
            rules(&format!("{SLC}t_program_phase = \"{rounded}\""), "").unwrap();
        }
        let refused = |more: &str| rules(&format!("{SLC}{more}"), "").unwrap_err();
        assert_eq!(refused("t_vreset = \"8 us\"").key, "timing.t_vreset");
        let phase = refused("t_program_phase = \"20002 ns\"");
        assert_eq!(phase.key, "timing.t_program_phase");
        assert!(phase.accepted.starts_with("20 us"), "{phase}");
        assert_eq!(
            refused("t_program_phase = \"19998 ns\"").key,
            "timing.t_program_phase"
        );
        let long = SLC.replace("\"8 us\"", "\"28 us\"");
        assert_eq!(rules(&long, "").unwrap_err().key, "timing.t_verify");
        let no_pulse = SLC.replace("1508", "8");
        assert_eq!(rules(&no_pulse, "").unwrap_err().key, "timing.t_verify");
    }

    #[test]
    fn vendor_figures_know_no_phases() {
        let part = "suspend_style = \"vendor\"\nvendor = { latency = \"20 us\", interval = \"0 ns\" }";
        let vendor = rules("t_vreset = \"10 ms\"", part).unwrap();
        let times = |safe_points| {
            Method::Vendor(VendorTimes {
                latency: Duration::from_us(20),
                interval: Duration::ZERO,
                safe_points,
            })
        };
        assert_eq!((vendor.program, vendor.erase), (times(None), times(None)));
        let points = |more: &str| rules("", &part.replace("}", &format!(", {more} }}")));
        let found = points("program_safe_points = \"50 us\"").unwrap();
        assert_eq!(
            (found.program, found.erase),
            (times(Some(Duration::from_us(50))), times(None))
        );
        let refused = points("erase_safe_points = \"0 ns\"").unwrap_err();
        assert_eq!(refused.key, "nand.vendor.erase_safe_points");
    }

    #[test]
    fn limits_of_programs_and_erases_go_before_that_of_both() {
        let limits = |text: &str| {
            let part: NandConfig = toml::from_str(text).unwrap();
            [Suspendable::Program, Suspendable::Erase].map(|kind| part.vendor.limit_of(kind))
        };
        assert_eq!(limits(""), [None, None]);
        assert_eq!(limits("vendor.limit = 3"), [Some(3), Some(3)]);
        assert_eq!(
            limits("vendor = { limit = 3, program_limit = 5 }"),
            [Some(5), Some(3)]
        );
        assert_eq!(limits("vendor = { limit = 3, erase_limit = 0 }"), [Some(3), None]);
    }
}
