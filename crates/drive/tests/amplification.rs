//! Write amplification of a whole drive, clock and all, against the closed forms of the FTL
//! specification, section 9, with the reserve correction of 9.2.

mod common;

use common::{command, drive, number, run};
use wordline_ftl::analytic::Cleaning;
use wordline_units::Seed;
use wordline_workload::{Admission, HostOp};

const BLOCKS: u64 = 1024;
const PAGES: u64 = BLOCKS * 64;

/// Five drive writes of uniform random pages from the steady state; 1024 blocks of 64 pages in one
/// pool, over-provisioning 28 %.
#[track_caller]
fn agrees(victim: &str, cleaning: Cleaning) {
    let config = drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = {BLOCKS}\n[ftl]\nover_provisioning = 0.28\n[ftl.gc]\nvictim = \"{victim}\"\n\
         [age]\nmethod = \"steady_state\"\n"
    ));
    let user_pages = PAGES * 100 / 128;
    let writes = (0..5 * PAGES)
        .map(|index| {
            command(
                0,
                HostOp::Write,
                Seed(5).draw("test.page", index) % user_pages * 4,
                4,
            )
        })
        .collect();
    let output = run(&config, writes, Admission::ClosedLoop { depth: 8 });
    let measured = number(&output, "ftl.write_amplification");
    let expected = cleaning
        .write_amplification(64, number(&output, "ftl.gc.rho_effective"))
        .unwrap();
    assert!(
        (measured / expected - 1.0).abs() < 0.01,
        "{victim}: measured {measured}, closed form {expected}"
    );
}

#[test]
fn greedy() {
    agrees("greedy", Cleaning::Greedy);
}

#[test]
fn fifo() {
    agrees("fifo", Cleaning::Fifo);
}
