//! Where response times went, worked by hand.

use crate::common::{command, drive, latencies, number, replay};
use wordline_workload::HostOp;

/// Two pages for the two dies of a chip, as one interleaved command: 175 ns of cycles and 51.2 us of data each, 10 us of
/// array. The first of them is done while the bus moves the data of the second.
#[test]
fn a_die_of_an_interleaved_program_may_be_done_before_the_bus() {
    let config = drive(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 2\nplanes_per_die = 1\n\
         blocks_per_plane = 16\n[timing]\nt_prog = \"10 us\"\n[commands]\ninterleave = true\n\
         [scheduler]\nbusy_grain = \"chip\"\n[ftl]\nover_provisioning = 0.6\n",
    );
    let output = replay(
        &config,
        [0, 4].map(|sector| command(0, HostOp::Write, sector, 4)).into(),
    );

    assert_eq!(number(&output, "nand.commands"), 1.0);
    assert_eq!(latencies(&output), [61_375, 112_750]);
    for (part, [first, second]) in [("transfer", [51.375, 102.75]), ("array", [10.0, 10.0])] {
        let mean = number(&output, &format!("attribution.write.{part}_us"));
        assert!((mean - (first + second) / 2.0).abs() < 1e-9, "{part}: {mean}");
    }
}
