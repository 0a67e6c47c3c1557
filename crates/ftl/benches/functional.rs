//! How fast the functional mode works, and how fast a large drive ages: `cargo bench -p
//! wordline-ftl`.
#![allow(clippy::print_stdout, reason = "a table on standard output is what it is for")]

use std::time::Instant;

use rand::Rng;
use wordline_ftl::ageing::{AgeConfig, AgeMethod, age};
use wordline_ftl::functional::{Functional, FunctionalOptions};
use wordline_ftl::{AllocationConfig, Ftl, FtlConfig, Lpn, PageFtl};
use wordline_nand::{CommandsConfig, Geometry, GeometryConfig, RestrictionsConfig};
use wordline_units::{ByteSize, Seed};

type Anything = Box<dyn std::error::Error>;

/// A drive of 8 channels with two-plane dies and greedy collection per plane.
fn drive(blocks_per_plane: u32, pages_per_block: u32) -> Result<PageFtl, Anything> {
    let geometry = Geometry::new(&GeometryConfig {
        channels: 8,
        chips_per_channel: 4,
        dies_per_chip: 1,
        planes_per_die: 2,
        blocks_per_plane,
        pages_per_block,
        page_size: ByteSize(4096),
        ..GeometryConfig::default()
    })?;
    let ftl = PageFtl::new(
        geometry,
        &FtlConfig::default(),
        &AllocationConfig::default(),
        &CommandsConfig::default(),
        &RestrictionsConfig::default(),
        Seed(1),
    )?;
    Ok(ftl)
}

fn steady(ftl: &mut PageFtl) -> Result<f64, Anything> {
    let config = AgeConfig {
        method: AgeMethod::SteadyState,
        ..AgeConfig::default()
    };
    let start = Instant::now();
    age(ftl, &config, AllocationConfig::default().order, Seed(1))?;
    Ok(start.elapsed().as_secs_f64())
}

/// Uniform random overwrites of an aged drive: page operations (reads and programs) per second.
fn overwrite(ftl: &mut PageFtl, writes: u64) -> Result<f64, Anything> {
    let user = ftl.user_pages();
    let mut stream = Seed(2).stream("bench");
    let mut functional = Functional::new(ftl, FunctionalOptions::default());
    let start = Instant::now();
    for _ in 0..writes {
        let lpn = (u128::from(stream.next_u64()) * u128::from(user)) >> 64;
        functional.write(Lpn(lpn as u64))?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let counts = functional.counts();
    Ok((counts.pages_programmed() + counts.pages_read()) as f64 / seconds)
}

fn main() -> Result<(), Anything> {
    let mut small = drive(128, 128)?;
    let pages = small.geometry().pages();
    let aged = steady(&mut small)?;
    println!("{pages} pages: steady state in {aged:.3} s");
    let rate = overwrite(&mut small, 4_000_000)?;
    println!(
        "{pages} pages: {:.1} M page operations per second, functional mode",
        rate / 1e6
    );

    // One terabyte of 4 KiB pages.
    let mut large = drive(16_384, 256)?;
    let pages = large.geometry().pages();
    let aged = steady(&mut large)?;
    println!("{pages} pages: steady state in {aged:.1} s");
    let rate = overwrite(&mut large, 1_000_000)?;
    println!(
        "{pages} pages: {:.1} M page operations per second, functional mode",
        rate / 1e6
    );
    Ok(())
}
