//! Audited runs of commands from a list on small drives; tests of other crates that compare something with the drive have this file in them too.

use wordline_config::Config;
use wordline_drive::{RunOptions, RunOutput, run_clients};
use wordline_metrics::Value;
use wordline_units::SimTime;
use wordline_workload::{Admission, Client, HostCommand, HostOp, Source, SourceError};

/// Commands from a list.
pub(crate) struct Commands {
    all: u64,
    left: std::vec::IntoIter<HostCommand>,
}

impl Commands {
    pub(crate) fn new(commands: Vec<HostCommand>) -> Self {
        Self {
            all: commands.len() as u64,
            left: commands.into_iter(),
        }
    }
}

impl Source for Commands {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        Ok(self.left.next())
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.all)
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A command at a time in nanoseconds.
pub(crate) fn command(at: u64, op: HostOp, sector: u64, sectors: u32) -> HostCommand {
    HostCommand {
        arrival: SimTime(at),
        op,
        fua: false,
        sector,
        sectors,
        queue: 0,
        placement: 0,
    }
}

/// A drive from TOML text; what it leaves out has its default (Hu et al. 2011, Table 2).
pub(crate) fn drive(text: &str) -> Config {
    let mut config: Config = toml::from_str(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    // every run of the tests checks that the parts of each response time sum to it
    config.output.attribution = Some(true);
    config.output.timeline = Some(true);
    config
}

/// Runs commands with an admission, audited.
pub(crate) fn run(config: &Config, commands: Vec<HostCommand>, admission: Admission) -> RunOutput {
    let output = run_clients(
        config,
        vec![Client::alone(Box::new(Commands::new(commands)), admission)],
        RunOptions {
            audit: true,
            ..RunOptions::default()
        },
    )
    .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(output.summary.get("check.conservation"), Some(&Value::Flag(true)));
    assert!(number(&output, "check.little_residual") < 1e-12);
    output
}

pub(crate) fn number(output: &RunOutput, key: &str) -> f64 {
    output
        .summary
        .number(key)
        .unwrap_or_else(|| panic!("{key} is missing"))
}
