//! From a configuration to the reliability of a drive.

use rustc_hash::FxHashSet;
use thiserror::Error;
use wordline_cell::{CellConfig, CellError, RberModel, Reliability as Cells};
use wordline_ecc::{BchOutcome, EccConfig, EccError, EccKind, ErrorCounts, FailureCurve};
use wordline_ftl::Inspect;
use wordline_nand::{BlockId, Geometry, PageTypes, Use};
use wordline_units::{Duration, Seed, SimTime};

use super::code::{BchReads, Code, LdpcReads};
use super::pages::{Features, Pages};
use super::{Decoder, Reliability};
use crate::config::Config;

/// Why a drive cannot have its reliability.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReliabilityError {
    /// The cells are refused.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// The code is refused.
    #[error(transparent)]
    Ecc(#[from] EccError),
}

impl ReliabilityError {
    /// Key, value found and what is accepted, where a single value is refused.
    pub(crate) fn parts(&self) -> Option<(&str, &str, &str)> {
        match self {
            Self::Cell(CellError::Refused { key, found, accepted })
            | Self::Ecc(EccError { key, found, accepted }) => Some((key, found, accepted)),
            Self::Cell(_) => None,
        }
    }
}

/// The cells of a drive, as the crate `cell` describes them.
fn cells_of(config: &Config) -> CellConfig {
    CellConfig {
        bits_per_cell: config.geometry.cell_type.bits(),
        ber_reading: config.cell.ber_reading,
        vth: config.cell.vth.clone(),
        rber: config.cell.rber.clone(),
        process_variation: config.cell.process_variation,
        ..CellConfig::default()
    }
}

/// Checks that a drive can have the reliability that its configuration asks for. Tells what is odd.
///
/// # Errors
/// The first value that is refused.
pub(crate) fn check(config: &Config, geometry: &Geometry) -> Result<Option<String>, ReliabilityError> {
    if config.ecc.kind == EccKind::None {
        return Ok(None);
    }
    config.ecc.check()?;
    Cells::new(&cells_of(config), Seed(config.seed))?;
    let code = code_of(&config.ecc, geometry)?;
    let spare = 8 * config.geometry.spare_size.0;
    let Code::Bch(bch) = code else { return Ok(None) };
    let code = bch.curve.code();
    let parity = u64::from(bch.codewords) * u64::from(code.n() - code.k());
    Ok((parity > spare).then(|| {
        format!(
            "ecc.bch: the parity of a page takes {} bytes, more than the {} of geometry.spare_size",
            parity.div_ceil(8),
            config.geometry.spare_size
        )
    }))
}

/// The code of a drive whose `ecc.kind` is not `none`.
fn code_of(config: &EccConfig, geometry: &Geometry) -> Result<Code, EccError> {
    let sectors = geometry.sectors_per_page();
    let divides = |codewords: u32, key: &str| {
        if sectors.is_multiple_of(codewords) {
            return Ok(codewords);
        }
        Err(EccError {
            key: key.to_owned(),
            found: codewords.to_string(),
            accepted: format!("codewords that divide the {sectors} sectors of a page"),
        })
    };
    if config.kind == EccKind::Ldpc {
        let ldpc = &config.ldpc;
        return Ok(Code::Ldpc(LdpcReads {
            ldpc: ldpc.build()?,
            start: ldpc.start()?,
            steepness: ldpc.steepness,
            retry: ldpc.retry,
            own_sensing: ldpc.sense_max.is_some(),
            own_transfer: ldpc.transfer_max.is_some(),
            decode: ldpc.decode,
            codewords: divides(ldpc.codewords, "ecc.ldpc.codewords")?,
        }));
    }
    let code = config.bch.code()?;
    let bits = u64::from(sectors) * 8 * u64::from(wordline_units::SECTOR_BYTES);
    let codewords = u32::try_from(bits.div_ceil(u64::from(code.k()))).unwrap_or(u32::MAX);
    if !sectors.is_multiple_of(codewords) {
        return Err(EccError {
            key: "ecc.bch.k".to_owned(),
            found: code.k().to_string(),
            accepted: format!(
                "a page of {sectors} sectors would take {codewords} codewords, which do not divide it; accepted \
                 are bits for one sector (4096) or several"
            ),
        });
    }
    let p_max = match config.bch.outcome {
        BchOutcome::Sampled => None,
        BchOutcome::Threshold => Some(code.p_max(config.target, ErrorCounts::Independent)?),
    };
    let decode = config.bch.decode;
    Ok(Code::Bch(BchReads {
        curve: FailureCurve::new(code),
        p_max,
        decode: decode.unwrap_or(Duration(code.decode_ns().round() as u64)),
        codewords,
    }))
}

impl Reliability {
    /// The reliability of a drive that has the past which `ftl` tells of, `now` being the time of its life at which
    /// the run starts; none without a code.
    ///
    /// # Errors
    /// A value that is refused.
    pub(crate) fn new(
        config: &Config,
        page_types: &PageTypes,
        ftl: &dyn Inspect,
        written: impl Fn(BlockId) -> SimTime,
    ) -> Result<Option<Box<Self>>, ReliabilityError> {
        if config.ecc.kind == EccKind::None {
            return Ok(None);
        }
        let geometry = *ftl.geometry();
        let seed = Seed(config.seed);
        let features = Features {
            by_page_type: config.cell.rber.by_page_type,
            disturb: config.cell.rber.model == RberModel::PowerLaw && config.cell.rber.read_disturb.is_some(),
            copy_back: config.commands.copyback != Use::Off,
            redone: config.cell.rber.redone_phase.is_some(),
        };
        let cells = Cells::new(&cells_of(config), seed)?;
        let mut pages = Pages::new(cells, geometry, page_types.clone(), &features, |block| {
            ftl.block(block).erase_count
        });
        for block in (0..geometry.blocks()).map(BlockId) {
            pages.set_programmed(block, written(block));
        }
        Ok(Some(Box::new(Self {
            pages,
            code: code_of(&config.ecc, &geometry)?,
            seed,
            reads: 0,
            decoders: vec![Decoder::default(); geometry.channels as usize],
            lost: FxHashSet::default(),
        })))
    }
}
