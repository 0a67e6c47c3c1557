//! The drive of which samples with a clock are taken.

use std::path::Path;
use std::sync::Arc;

use wordline_config::Config;
use wordline_ftl::AgeConfig;

use crate::timed::TimedOptions;

/// The drive of which samples are taken.
pub(crate) struct TimedDrive<'a> {
    pub(crate) asked: TimedOptions,
    /// The drive without a past.
    pub(crate) config: Arc<Config>,
    pub(crate) base_dir: &'a Path,
}

impl<'a> TimedDrive<'a> {
    pub(crate) fn new(asked: TimedOptions, config: &Config, base_dir: &'a Path) -> Self {
        let config = Config {
            age: AgeConfig::default(),
            ..config.clone()
        };
        Self {
            asked,
            config: Arc::new(config),
            base_dir,
        }
    }
}
