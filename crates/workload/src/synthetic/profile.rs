//! `kind = "profile"`: surrogates of traces that are not at hand, made from published figures
//! (Hu et al., ICS 2011, Table 1; array specification, section 10.1).

use crate::Source;
use crate::config::WorkloadConfig;
use crate::error::KeyError;

pub(crate) fn open(_config: &WorkloadConfig, _capacity: u64) -> Result<Box<dyn Source>, KeyError> {
    Err(KeyError::new("workload.kind", "profile", "another kind"))
}
