//! Exact latencies of single commands on an idle drive: the worked numbers of the array
//! specification, sections 2.2, 4 and 5 (two-step model, 25 ns cycles, 2 KiB pages).

use wordline_config::Config;

use crate::common::{command, drive, latencies, number, replay};
use wordline_workload::{HostCommand, HostOp};

/// Milliseconds apart, so that nothing overlaps.
const LATER: u64 = 10_000_000;

fn hu(geometry: &str, rest: &str) -> Config {
    drive(&format!(
        "[geometry]\nblocks_per_plane = 16\n{geometry}\n[ftl]\nover_provisioning = 0.6\n{rest}"
    ))
}

/// Response time of the last of some commands that come one after another.
fn last(config: &Config, commands: &[(HostOp, u64, u32)]) -> u64 {
    let commands: Vec<HostCommand> = commands
        .iter()
        .enumerate()
        .map(|(index, (op, sector, sectors))| command(index as u64 * LATER, *op, *sector, *sectors))
        .collect();
    *latencies(&replay(config, commands)).last().unwrap()
}

#[test]
fn basic_commands() {
    let config = hu("", "");
    assert_eq!(last(&config, &[(HostOp::Write, 0, 4)]), 251_375);
    assert_eq!(
        last(&config, &[(HostOp::Write, 0, 4), (HostOp::Read, 0, 4)]),
        71_375
    );
    // a part of a page pays the whole array time and moves its own sub-pages only
    assert_eq!(
        last(&config, &[(HostOp::Write, 0, 4), (HostOp::Read, 1, 1)]),
        175 + 20_000 + 12_800
    );
    assert_eq!(last(&config, &[(HostOp::Write, 0, 1)]), 175 + 12_800 + 200_000);
}

#[test]
fn un_covered_update_reads_what_is_missing_first() {
    let config = hu("", "");
    let updates = [(HostOp::Write, 1, 3), (HostOp::Write, 0, 3)];
    assert_eq!(last(&config, &updates), 284_350);
    // covered: the new data replace all there was
    assert_eq!(
        last(&config, &[(HostOp::Write, 1, 2), (HostOp::Write, 0, 3)]),
        175 + 3 * 12_800 + 200_000
    );
}

#[test]
fn un_covered_update_by_copy_back() {
    let config = hu(
        "channels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1",
        "[allocation]\nmode = \"static\"\n[commands]\ncopyback = \"wise\"\n",
    );
    // pages 0 and 1 are odd and even: a third write in between makes the parities meet
    let commands = [
        (HostOp::Write, 1, 3),
        (HostOp::Write, 8, 4),
        (HostOp::Write, 0, 3),
    ];
    let output = replay(
        &config,
        commands
            .iter()
            .enumerate()
            .map(|(i, (op, s, n))| command(i as u64 * LATER, *op, *s, *n))
            .collect(),
    );
    assert_eq!(*latencies(&output).last().unwrap(), 258_875);
    assert_eq!(number(&output, "nand.commands.copy_back"), 1.0);
}

#[test]
fn pages_of_one_request_overlap_by_level() {
    let write = [(HostOp::Write, 0, 16)];
    let four_channels = hu("chips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1", "");
    assert_eq!(last(&four_channels, &write), 251_375);
    let four_chips = hu("channels = 1\ndies_per_chip = 1\nplanes_per_die = 1", "");
    assert_eq!(last(&four_chips, &write), 405_500);
    let one_plane = hu(
        "channels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1",
        "",
    );
    assert_eq!(last(&one_plane, &write), 1_005_500);
}

const ONE_CHIP: &str = "channels = 1\nchips_per_channel = 1";

#[test]
fn multi_plane_commands() {
    let config = hu(
        &format!("{ONE_CHIP}\ndies_per_chip = 1"),
        "[commands]\nmulti_plane_write = \"wise\"\nmulti_plane_read = true\n[allocation]\norder = \"CPWD\"\n",
    );
    assert_eq!(last(&config, &[(HostOp::Write, 0, 8)]), 303_250);
    assert_eq!(
        last(&config, &[(HostOp::Write, 0, 8), (HostOp::Read, 0, 8)]),
        122_750
    );
    assert_eq!(last(&config, &[(HostOp::Write, 0, 16)]), 606_500, "two in a row");
}

#[test]
fn interleaved_commands() {
    let text = |grain: &str| {
        format!(
            "[commands]\ninterleave = true\n[allocation]\norder = \"CDWP\"\n[scheduler]\nbusy_grain = \"{grain}\"\n"
        )
    };
    let geometry = format!("{ONE_CHIP}\nplanes_per_die = 1");
    for grain in ["chip", "die"] {
        let config = hu(&geometry, &text(grain));
        assert_eq!(last(&config, &[(HostOp::Write, 0, 8)]), 302_750, "{grain}");
    }
    // the controller that sees only the chip's ready wire waits for both dies
    let config = hu(&geometry, &text("chip"));
    assert_eq!(
        last(&config, &[(HostOp::Write, 0, 8), (HostOp::Read, 0, 8)]),
        122_750
    );
    assert_eq!(last(&config, &[(HostOp::Write, 0, 16)]), 605_500, "two in a row");
    let config = hu(&geometry, &text("die"));
    assert_eq!(
        last(&config, &[(HostOp::Write, 0, 16)]),
        554_125,
        "each die by itself"
    );
}

#[test]
fn interleaved_multi_plane_program() {
    let config = hu(
        ONE_CHIP,
        "[commands]\ninterleave = true\nmulti_plane_write = \"wise\"\n[allocation]\norder = \"CDPW\"\n\
         [scheduler]\nbusy_grain = \"chip\"\n",
    );
    let output = replay(&config, vec![command(0, HostOp::Write, 0, 16)]);
    assert_eq!(latencies(&output), [406_500]);
    assert_eq!(
        number(&output, "nand.commands.interleaved_multi_plane_program"),
        1.0
    );
}

/// SSDsim moves the pages of the combined command all at once.
#[test]
fn ssdsim_combined_bus() {
    let drive = "[commands]\ninterleave = true\nmulti_plane_write = \"wise\"\n[allocation]\norder = \"CDPW\"\n\
                 [scheduler]\nbusy_grain = \"chip\"\n[compat]\nssdsim_combined_bus = true\n";
    let config = hu(ONE_CHIP, drive);
    assert_eq!(
        last(&config, &[(HostOp::Write, 0, 16)]),
        251_375,
        "two planes of two dies"
    );
    assert_eq!(last(&config, &[(HostOp::Write, 0, 4)]), 251_375, "a page alone");
}

#[test]
fn onfi_model_with_spare_area() {
    // SDR mode 4, page with spare area: array specification, section 4.6
    let config = hu(
        "channels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1",
        "[timing]\nmodel = \"onfi\"\ninterface = \"sdr-4\"\ntransfer_spare = true\n",
    );
    assert_eq!(last(&config, &[(HostOp::Write, 0, 4)]), 253_475);
}

#[test]
fn firmware_adds_its_cycles() {
    // array specification, section 8: 650 cycles at 10 ns on a read of 71.375 us
    let config = hu("", "[firmware]\nenabled = true\n");
    let output = replay(
        &config,
        vec![
            command(0, HostOp::Write, 0, 4),
            command(LATER, HostOp::Read, 0, 4),
        ],
    );
    assert_eq!(latencies(&output)[1], 71_375 + 6_500);
    let share = number(&output, "firmware.share.read");
    assert!((share - 6.5 / 77.875).abs() < 1e-12, "{share}");
}

/// What an update lacks of its page is a sub-page of 512 B: 150 cycles and 0.25 a byte, of 10 ns each.
#[test]
fn firmware_merges_old_and_new_data() {
    let config = hu(
        "",
        "[firmware]\nenabled = true\nfetch_and_split = 0\nmap_lookup = 0\nallocation = 0\nbuffer = 0\nflash_command = 0\ncompletion = 0\n",
    );
    let updates = [(HostOp::Write, 1, 3), (HostOp::Write, 0, 3)];
    assert_eq!(last(&config, &updates), 284_350 + 10 * (150 + 128));
}

#[test]
fn write_buffer_acknowledges_at_once_and_serves_reads() {
    let config = hu("", "[buffer]\npolicy = \"lru\"\nsize = \"1 MiB\"\n");
    assert_eq!(last(&config, &[(HostOp::Write, 0, 4)]), 1_000);
    assert_eq!(
        last(&config, &[(HostOp::Write, 0, 4), (HostOp::Read, 0, 4)]),
        1_000
    );
    // a flush waits until everything is on flash, then for the memory access
    assert_eq!(
        last(&config, &[(HostOp::Write, 0, 4), (HostOp::Flush, 0, 0)]),
        251_375
    );
}

#[test]
fn reads_of_nothing_touch_no_flash() {
    let config = hu("", "");
    let reads = [0, 1, 2].map(|read| command(read * LATER, HostOp::Read, 0, 4));
    let output = replay(&config, reads.into());
    assert_eq!(latencies(&output), [1_000; 3]);
    assert_eq!(number(&output, "host.unmapped_reads"), 3.0);
    assert_eq!(number(&output, "nand.commands"), 0.0);
    assert!(output.notes.iter().any(|note| note.key == "no_flash"));
}
