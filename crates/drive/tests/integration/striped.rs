//! Superblocks over several planes on a drive with a clock: programs go out at full width, also on an aged drive, and saturated random writes come close
//! to what the planes can do.

use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, number, run};

/// Two channels of two dies of two planes of 48 blocks of 32 pages.
fn aged(span: &str, more: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 2\nblocks_per_plane = 48\n\
         pages_per_block = 32\n[commands]\nmulti_plane_write = \"wise\"\nmulti_plane_read = true\nmulti_plane_erase = true\n\
         [ftl]\nmapping = \"striped\"\nspan = \"{span}\"\nover_provisioning = 0.28\n[age]\nmethod = \"steady_state\"\n{more}"
    ))
}

/// Random writes of `pages` pages each, 32 at once.
fn write_at_random(config: &Config, requests: u64, pages: u32) -> RunOutput {
    let commands: Vec<HostCommand> = (0..requests)
        .map(|number| {
            let start = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
            command(0, HostOp::Write, start % 2_000 * u64::from(pages) * 4, pages * 4)
        })
        .collect();
    run(config, commands, Admission::ClosedLoop { depth: 32 })
}

/// All pages but few are programmed with one of the other plane of their die, those of collection included.
#[test]
fn programs_go_out_at_full_width_on_an_aged_drive() {
    for (span, most_alone) in [("CP", 0.10), ("PC", 0.10), ("CWP", 0.10)] {
        let output = write_at_random(&aged(span, ""), 6_000, 4);
        let pages = number(&output, "ftl.pages_programmed");
        let commands = number(&output, "nand.commands.program");
        assert!(number(&output, "ftl.pages_programmed.gc") > 0.3 * pages);
        let alone = commands / pages;
        assert!(
            alone < most_alone,
            "{span}: {alone} of the pages are programmed alone"
        );
    }
}
