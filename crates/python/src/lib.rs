//! The simulator as a Python module. Thin: nothing of the domain is decided here.

mod analytic;
mod arrays;
mod cell;
mod config;
mod content;
mod ecc;
mod errors;
mod fence;
mod lifetime;
mod live;
mod policies;
mod power;
mod result_tables;
mod run;
mod sample;
mod stream;
mod trace;
mod trace_table_files;

use pyo3::prelude::*;
use wordline_exceptions::{ConfigError, PolicyError, RunError, TraceError};

/// The simulator itself, written in Rust. Private: use the names of the `wordline` package.
#[pymodule]
mod _wordline {
    use super::*;

    #[pymodule_export]
    use super::analytic::{student_t, write_amplification};
    #[pymodule_export]
    use super::cell::{Cells, cell_reference, cells};
    #[pymodule_export]
    use super::config::{
        Resolved, check_workload, conflicts, did_you_mean, fio_jobs, note_keys, presets, reference, resolve,
        schema, summary_families, summary_keys, summary_placeholders,
    };
    #[pymodule_export]
    use super::content::{
        collection_work, compare_versions, delta_codecs, emulated_deltas, encoding, pack_deltas,
        programs_per_write,
    };
    #[pymodule_export]
    use super::ecc::{
        Bch, Ldpc, information, ln_page_failure, published_codes, segmented_read_us, weakest_code,
    };
    #[pymodule_export]
    use super::fence::{RetentionModel, cell_constants, celsius, seconds};
    #[pymodule_export]
    use super::lifetime::lifetime;
    #[pymodule_export]
    use super::live::{Asked, Live};
    #[pymodule_export]
    use super::policies::{
        BlockView, CandidateView, ChannelView, UnitView, VictimView, WriteView, most_temperatures,
        policy_keys, register_classifier, register_scheduler, register_victim,
    };
    #[pymodule_export]
    use super::power::{Chip, chip_parameters, chip_reference, chips};
    #[pymodule_export]
    use super::run::{Output, attribution_names, simulate, timeline_names};
    #[pymodule_export]
    use super::sample::simulate_sample;
    #[pymodule_export]
    use super::stream::{Stream, drawn_events};
    #[pymodule_export]
    use super::trace::{
        Trace, convert, fit, formats, measured, profile_sources, profiles, resolve_trace, trace_stats,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        wordline_exceptions::keep_panics_to_ourselves();
        super::trace_table_files::set();
        let py = module.py();
        module.add("ConfigError", py.get_type::<ConfigError>())?;
        module.add("PolicyError", py.get_type::<PolicyError>())?;
        module.add("RunError", py.get_type::<RunError>())?;
        module.add("TraceError", py.get_type::<TraceError>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
