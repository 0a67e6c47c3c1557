//! Differences between versions of files, and what they save in a drive that keeps them.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wordline_content::{
    CODECS, CodecRow, Coder, Difference, Packing, RatioLaw, VersionError, codec, compare,
};
use wordline_exceptions::{TraceError, guarded, refused};
use wordline_ftl::FtlError;
use wordline_ftl::analytic::delta::{CollectionWork, DeltaWrites, Encoding, Overwrites};
use wordline_units::Seed;

use crate::arrays::each;

/// Pages compared between two looks at Ctrl-C.
const BETWEEN_SIGNALS: u64 = 1024;

/// The codecs: name, what each does, cycles for a page of 4 KiB.
#[pyfunction]
pub(crate) fn delta_codecs() -> Vec<(&'static str, &'static str, u32)> {
    let row = |row: &CodecRow| (row.name, row.about, row.compress_cycles);
    CODECS.iter().map(row).collect()
}

/// Why a comparison ended.
enum Ended {
    Versions(VersionError),
    Stopped(PyErr),
}

impl From<VersionError> for Ended {
    fn from(error: VersionError) -> Self {
        Self::Versions(error)
    }
}

fn opened(path: &Path) -> PyResult<BufReader<File>> {
    let unreadable = |error| TraceError::new_err(format!("{}: {error}", path.display()));
    if path.is_dir() {
        return Err(TraceError::new_err(format!(
            "{}: a directory; a version is a file",
            path.display()
        )));
    }
    Ok(BufReader::with_capacity(
        1 << 20,
        File::open(path).map_err(unreadable)?,
    ))
}

/// Compares two versions of a file: how many pages they share, differ in, and were added, and of every page that differs its number and the bytes of its delta.
#[pyfunction]
pub(crate) fn compare_versions<'py>(
    py: Python<'py>,
    old: PathBuf,
    new: PathBuf,
    page_size: u32,
    name: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let row = codec(name).map_err(refused)?;
    let (mut pages, mut bytes) = (Vec::new(), Vec::new());
    let versions = py.detach(|| {
        guarded(|| {
            let (mut before, mut after) = (opened(&old)?, opened(&new)?);
            let found = |difference: Difference| {
                if difference.page.is_multiple_of(BETWEEN_SIGNALS) {
                    Python::attach(|py| py.check_signals()).map_err(Ended::Stopped)?;
                }
                pages.push(difference.page);
                bytes.push(difference.bytes);
                Ok(())
            };
            compare((&mut before, &mut after), page_size, &mut Coder::new(row), found).map_err(|ended| {
                match ended {
                    Ended::Versions(VersionError::Refused(error)) => refused(error),
                    Ended::Versions(error) => {
                        TraceError::new_err(format!("{} and {}: {error}", old.display(), new.display()))
                    }
                    Ended::Stopped(error) => error,
                }
            })
        })
    })?;
    let found = PyDict::new(py);
    found.set_item("pages", versions.pages)?;
    found.set_item("changed", versions.changed)?;
    found.set_item("added", versions.added)?;
    found.set_item("page", pages.into_pyarray(py))?;
    found.set_item("bytes", bytes.into_pyarray(py))?;
    Ok(found)
}

/// Packs deltas into pages: how many were packed, how many fit in no page, the pages that they fill. Without buffers bytes are counted.
#[pyfunction]
pub(crate) fn pack_deltas(
    bytes: PyReadonlyArray1<'_, u32>,
    page_size: u32,
    buffers: Option<u32>,
) -> PyResult<(u64, u64, f64)> {
    guarded(|| {
        let packing = match buffers {
            Some(buffers) => Packing::NoSplit { buffers },
            None => Packing::Fractional,
        };
        let packed = packing
            .pack(page_size, bytes.as_array().iter().copied())
            .map_err(refused)?;
        Ok((packed.deltas, packed.too_large, packed.pages))
    })
}

/// Bytes of deltas as the source emulates them, of the first version of so many logical pages.
#[pyfunction]
pub(crate) fn emulated_deltas<'py>(
    py: Python<'py>,
    ratio: f64,
    sigma: Option<f64>,
    page_size: u32,
    count: u32,
    seed: u64,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let law = match sigma {
        Some(sigma) => RatioLaw::new(ratio, sigma),
        None => RatioLaw::of_mean(ratio),
    };
    let law = law.map_err(refused)?;
    let draw = |page: usize| {
        let ratio = law.draw(Seed(seed), page as u64, 1);
        Ok::<_, FtlError>(law.bytes(page_size, ratio))
    };
    Ok(py.detach(|| each(count as usize, draw))?.into_pyarray(py))
}

/// Encoding a row of pages in µs: the longest stage, all of them, and the ratio below which deltas do not make writing slower.
#[pyfunction]
pub(crate) fn encoding(
    read_us: f64,
    transfer_us: f64,
    encode_us: f64,
    program_us: f64,
    pages: u64,
) -> PyResult<(f64, f64, f64)> {
    guarded(|| {
        let encoding = Encoding {
            read_us,
            transfer_us,
            encode_us,
        };
        encoding.check().map_err(refused)?;
        if !(program_us > 0.0 && program_us.is_finite()) {
            return Err(refused(FtlError::new(
                "program_us",
                program_us,
                "a number above 0",
            )));
        }
        Ok((
            encoding.longest_us(),
            encoding.pages_us(pages),
            encoding.largest_ratio(program_us),
        ))
    })
}

/// Pages programmed for each page that is written, where a share of the writes become deltas of a ratio.
#[pyfunction]
pub(crate) fn programs_per_write(share: f64, ratio: f64) -> PyResult<f64> {
    guarded(|| {
        DeltaWrites::new(share, ratio)
            .map(|deltas| deltas.programs_per_write())
            .map_err(refused)
    })
}

/// The work of collection without deltas, where `deltas` is none, or with a share and ratio of deltas and the share that is superseded: victims, gain in
/// pages, time in µs, what victims are full of.
#[pyfunction]
pub(crate) fn collection_work(
    load: (f64, u32, f64, f64),
    blocks: f64,
    deltas: Option<(f64, f64, f64)>,
) -> PyResult<(f64, f64, f64, &'static str)> {
    guarded(|| {
        let (writes, pages_per_block, program_us, erase_us) = load;
        let load = Overwrites {
            writes,
            pages_per_block,
            program_us,
            erase_us,
        };
        let work = match deltas {
            None => load.without_deltas(blocks),
            Some((share, ratio, superseded)) => {
                DeltaWrites::new(share, ratio).and_then(|deltas| load.with_deltas(deltas, blocks, superseded))
            }
        };
        let CollectionWork {
            collections,
            gain_pages,
            time_us,
            victims,
        } = work.map_err(refused)?;
        Ok((collections, gain_pages, time_us, victims.name()))
    })
}
