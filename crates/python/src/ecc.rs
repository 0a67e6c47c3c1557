//! Codes and sensing levels, on arrays.

use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_ecc::finder::{Need, Per, weakest};
use wordline_ecc::{ErrorCounts, LdpcConfig, Level, Pipeline, Read, Start};
use wordline_exceptions::{ConfigError, guarded, refused};

use crate::arrays::{Column, Found, each, mapped};

/// A BCH code.
#[pyclass(frozen, eq, hash, module = "wordline._wordline")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Bch {
    #[pyo3(get)]
    n: u32,
    #[pyo3(get)]
    k: u32,
    #[pyo3(get)]
    t: u32,
}

impl From<wordline_ecc::Bch> for Bch {
    fn from(code: wordline_ecc::Bch) -> Self {
        Self {
            n: code.n(),
            k: code.k(),
            t: code.t(),
        }
    }
}

impl Bch {
    fn inner(&self) -> PyResult<wordline_ecc::Bch> {
        guarded(|| wordline_ecc::Bch::new(self.n, self.k, self.t).map_err(refused))
    }
}

#[pymethods]
impl Bch {
    /// The code of `n` bits, `k` of them information, that corrects `t` errors, or as many as can be.
    #[new]
    fn new(n: u32, k: u32, t: Option<u32>) -> PyResult<Self> {
        guarded(|| {
            match t {
                Some(t) => wordline_ecc::Bch::new(n, k, t),
                None => wordline_ecc::Bch::strongest(n, k),
            }
            .map(Self::from)
            .map_err(refused)
        })
    }

    /// Degree of the Galois field.
    #[getter]
    fn degree(&self) -> PyResult<u32> {
        Ok(self.inner()?.degree())
    }

    /// Parity bits that `t` errors take.
    #[getter]
    fn parity(&self) -> PyResult<u32> {
        Ok(self.inner()?.parity())
    }

    /// Nanoseconds to decode a codeword.
    #[getter]
    fn decode_ns(&self) -> f64 {
        wordline_ecc::decode_ns(self.n, self.t)
    }

    /// Logarithms of the probability that a codeword fails.
    fn ln_failure<'py>(&self, py: Python<'py>, rber: Column<'py>, correlation: f64) -> Found<'py> {
        let counts = ErrorCounts::of_correlation(correlation).map_err(refused)?;
        mapped(py, [rber], |[rber]| counts.ln_tail(self.n, self.t, rber))
    }

    /// The highest raw bit error rates at which the targets are met.
    fn p_max<'py>(&self, py: Python<'py>, targets: Column<'py>, correlation: f64) -> Found<'py> {
        let counts = ErrorCounts::of_correlation(correlation).map_err(refused)?;
        mapped(py, [targets], |[target]| counts.p_max(self.n, self.t, target))
    }
}

/// The published codes of a page of 4 KiB: segments of the page, and the code.
#[pyfunction]
pub(crate) fn published_codes() -> Vec<(u32, Bch)> {
    wordline_ecc::Bch::published()
        .into_iter()
        .map(|row| (row.segments, row.code.into()))
        .collect()
}

/// The code with the least parity that meets a target; none if there is none.
#[pyfunction]
pub(crate) fn weakest_code(
    py: Python<'_>,
    k: u32,
    codewords: u32,
    rber: f64,
    target: f64,
    per_page: bool,
    correlation: f64,
) -> PyResult<Option<Bch>> {
    py.detach(|| {
        guarded(|| {
            let need = Need {
                k,
                codewords,
                rber,
                target,
                per: if per_page { Per::Page } else { Per::Codeword },
                counts: ErrorCounts::of_correlation(correlation).map_err(refused)?,
            };
            Ok(weakest(&need).map_err(refused)?.map(Bch::from))
        })
    })
}

/// Logarithms of the probability that a page fails, from those of a codeword.
#[pyfunction]
pub(crate) fn ln_page_failure<'py>(py: Python<'py>, ln_codeword: Column<'py>, codewords: u32) -> Found<'py> {
    mapped(py, [ln_codeword], |[ln]| {
        wordline_ecc::ln_page_failure(ln, codewords)
    })
}

/// Microseconds until `segments` segments of a page are read, on an idle channel.
#[pyfunction]
pub(crate) fn segmented_read_us(
    sense_us: f64,
    transfer_us: f64,
    decode_us: f64,
    segments: u32,
) -> PyResult<f64> {
    guarded(|| {
        let pipeline = Pipeline::new(sense_us, transfer_us, decode_us).map_err(refused)?;
        pipeline.latency_us(segments).map_err(refused)
    })
}

/// Mutual information of a bit and its reading with the references of a level.
#[pyfunction]
pub(crate) fn information<'py>(py: Python<'py>, level: u32, rber: Column<'py>) -> Found<'py> {
    let level = guarded(|| Level::new(level).map_err(refused))?;
    mapped(py, [rber], |[rber]| wordline_ecc::information(level, rber))
}

/// An LDPC code with soft sensing.
#[pyclass(frozen, module = "wordline._wordline")]
pub(crate) struct Ldpc {
    inner: wordline_ecc::Ldpc,
    start: Start,
}

#[pymethods]
impl Ldpc {
    /// A code from its keys as JSON.
    #[new]
    fn new(keys: &str) -> PyResult<Self> {
        guarded(|| {
            let mut reader = serde_json::Deserializer::from_str(keys);
            // the place in the text of JSON says nothing to who wrote keywords
            let config: LdpcConfig = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
                let said = error.inner().to_string();
                let said = said.split(" at line ").next().unwrap_or_default();
                ConfigError::new_err(format!("{}: {said}", error.path()))
            })?;
            if config.codewords != 1 || config.steepness.is_some() {
                return Err(ConfigError::new_err(
                    "codewords, steepness: accepted in a drive only, which reads parts of pages and draws outcomes",
                ));
            }
            Ok(Self {
                inner: config.build().map_err(refused)?,
                start: config.start().map_err(refused)?,
            })
        })
    }

    /// The highest raw bit error rate of each level.
    #[getter]
    fn thresholds(&self) -> Vec<f64> {
        self.inner.thresholds.table().to_vec()
    }

    /// Nanoseconds of a first attempt at a level.
    fn attempt_ns(&self, level: u32) -> PyResult<f64> {
        let level = Level::new(level).map_err(refused)?;
        Ok(self.inner.times.attempt_ns(level, true))
    }

    /// How reads of pages go: columns of the first and last level, success and nanoseconds.
    fn read<'py>(&self, py: Python<'py>, rber: Column<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rates = rber.as_array().to_vec();
        let reads = py.detach(|| {
            each(rates.len(), |row| {
                let rate = rates[row];
                if (0.0..=1.0).contains(&rate) {
                    return Ok(self.inner.read(self.start, |_| rate));
                }
                Err(format!("rber = {rate}: accepted is a probability, 0 to 1"))
            })
        })?;
        let levels = |of: fn(&Read) -> Level| reads.iter().map(|read| of(read).get()).collect::<Vec<_>>();
        let corrected: Vec<_> = reads.iter().map(|read| read.is_corrected).collect();
        let ns: Vec<_> = reads.iter().map(|read| self.inner.read_ns(*read)).collect();
        let dict = PyDict::new(py);
        dict.set_item("first_level", levels(|read| read.first).into_pyarray(py))?;
        dict.set_item("last_level", levels(|read| read.last).into_pyarray(py))?;
        dict.set_item("corrected", corrected.into_pyarray(py))?;
        dict.set_item("ns", ns.into_pyarray(py))?;
        Ok(dict)
    }
}
