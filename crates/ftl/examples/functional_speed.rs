//! Page programs per CPU second of the functional mode at steady state, for every mapping that is given:
//! `cargo run --release -p wordline-ftl --example functional_speed -- last superblock page:4`. A number after a colon is how
//! many mapping units share a page.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use wordline_ftl::ageing::{AgeConfig, AgeMethod, age};
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{AllocationConfig, FlashRules, FtlConfig, Lpn, Mapping, MappingInput, build};
use wordline_nand::{CommandsConfig, Geometry, GeometryConfig, RestrictionsConfig};
use wordline_units::{ByteSize, Seed};

type Anything = Box<dyn std::error::Error>;

/// Host writes of which the programs are timed.
const WRITES: u64 = 2_000_000;

fn drive(mapping: &'static str, units: u64) -> Result<Box<dyn Mapping>, Anything> {
    let page = 4096 * units;
    let geometry = Geometry::new(&GeometryConfig {
        channels: 8,
        chips_per_channel: 4,
        dies_per_chip: 1,
        planes_per_die: 2,
        blocks_per_plane: 128,
        pages_per_block: 128 / units as u32,
        page_size: ByteSize(page),
        ..GeometryConfig::default()
    })?;
    let config = FtlConfig {
        mapping: mapping.into(),
        mapping_unit: (units > 1).then_some(ByteSize(4096)),
        over_provisioning: 0.28,
        ..FtlConfig::default()
    };
    let (allocation, commands) = (AllocationConfig::default(), CommandsConfig::default());
    let input = MappingInput {
        geometry: &geometry,
        config: &config,
        allocation: &allocation,
        strong_classes: 0,
    };
    let rules = FlashRules {
        commands: &commands,
        restrictions: &RestrictionsConfig::default(),
        block_classes: None,
        slc: None,
        seed: Seed(1),
    };
    Ok(build(&input, &rules)?)
}

/// Seconds that the program has run on a processor (Linux).
fn cpu_seconds() -> Result<f64, Anything> {
    let told = std::fs::read_to_string("/proc/self/schedstat")?;
    let ns: f64 = told.split(' ').next().unwrap_or_default().parse()?;
    Ok(ns / 1e9)
}

fn main() -> Result<(), Anything> {
    for wanted in std::env::args().skip(1) {
        let (name, units) = wanted.split_once(':').unwrap_or((&wanted, "1"));
        let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
        let mut ftl = drive(name, units.parse()?)?;
        let config = AgeConfig {
            method: AgeMethod::Overwritten,
            random_factor: 1.0,
            ..AgeConfig::default()
        };
        age(&mut *ftl, &config, AllocationConfig::default().order, Seed(1))?;
        let user = ftl.user_pages();
        let mut stream = Seed(2).stream("speed");
        let mut run = Functional::new(&mut *ftl, FunctionalOptions::default());
        let start = cpu_seconds()?;
        let mut written = 0;
        while written < WRITES && cpu_seconds()? - start < 5.0 {
            for _ in 0..10_000 {
                let draw = rand::Rng::next_u64(&mut stream);
                run.write(Lpn(((u128::from(draw) * u128::from(user)) >> 64) as u64))?;
            }
            written += 10_000;
        }
        let seconds = cpu_seconds()? - start;
        let programmed = run.counts().pages_programmed() as f64;
        println!(
            "{wanted}: {:.2} M page programs and {:.2} M host writes per CPU second, {:.2} programs per host write",
            programmed / seconds / 1e6,
            written as f64 / seconds / 1e6,
            programmed / written as f64
        );
    }
    Ok(())
}
