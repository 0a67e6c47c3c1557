//! Programs and erases that fail in a drive with a clock: what a failure costs, that nothing is lost, and the end of writing.

use wordline_drive::{RunError, RunOptions, RunOutput, run_clients};
use wordline_metrics::Value;
use wordline_units::Seed;
use wordline_workload::{Admission, Client, HostCommand, HostOp};

use crate::common::{Commands, command, drive, latencies, number, replay, run};

const SECTORS: u64 = 4;
const BLOCKS: u64 = 64;
const PAGES: u64 = 16;

/// One plane of 64 blocks of 16 pages, half of them user pages.
fn plane(more: &str) -> String {
    format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = {BLOCKS}\npages_per_block = {PAGES}\n[ftl]\nover_provisioning = 1.0\n[ftl.gc]\nreserve_blocks = 2\nhard = 3\nlow = 3\nhigh = 4\n{more}"
    )
}

/// Random writes of pages, the drive filled before, and a read of every fourth.
fn commands(writes: u64) -> Vec<HostCommand> {
    let user = BLOCKS * PAGES / 2;
    let fill = (0..user).map(|page| (HostOp::Write, page));
    let more = (0..writes).flat_map(|number| {
        let page = Seed(3).draw("page", number) % user;
        let read = (number % 4 == 0).then_some((HostOp::Read, page));
        [Some((HostOp::Write, page)), read].into_iter().flatten()
    });
    fill.chain(more)
        .map(|(op, page)| command(0, op, page * SECTORS, SECTORS as u32))
        .collect()
}

fn closed(text: &str, writes: u64) -> RunOutput {
    run(&drive(text), commands(writes), Admission::ClosedLoop { depth: 8 })
}

/// A program that fails takes as long as one that does not, and the data are programmed once more, elsewhere.
#[test]
fn a_failed_program_is_repeated() {
    // the first erased block of age 0 never fails where the share grows with wear; with the same share at any age one in a hundred does
    let text = plane("[ftl.failures]\nprogram = 0.01\ngrowth = 0\n");
    let count = 400;
    let apart: Vec<_> = (0..count)
        .map(|page| command(page * 10_000_000, HostOp::Write, page * SECTORS, 4))
        .collect();
    let output = replay(&drive(&text), apart);
    let failed = number(&output, "ftl.failures.programs");
    assert!((1.0..15.0).contains(&failed), "{failed} of {count}");
    let times = latencies(&output);
    let once = *times.iter().min().unwrap();
    // each failure is a program more; a second of the same data may fail again
    let programs: u64 = times.iter().map(|time| time / once).sum();
    assert_eq!(programs as f64, count as f64 + failed);
    assert!(times.iter().all(|time| time % once == 0), "{times:?}");
    assert_eq!(
        number(&output, "ftl.pages_programmed.host"),
        count as f64 + failed
    );
}

/// The share of the operations that fail is that of the configuration.
#[test]
fn as_many_fail_as_the_configuration_says() {
    let output = closed(
        &plane("[ftl.failures]\nprogram = 0.0005\nerase = 0.002\ngrowth = 0\n"),
        20_000,
    );
    let programs = number(&output, "ftl.pages_programmed.host") + number(&output, "ftl.pages_programmed.gc");
    for (key, expected) in [
        ("ftl.failures.programs", 0.0005 * programs),
        (
            "ftl.failures.erases",
            0.002 * number(&output, "ftl.blocks_erased.gc"),
        ),
    ] {
        let found = number(&output, key);
        // four deviations of a Poisson law
        assert!(
            (found - expected).abs() < 4.0 * expected.sqrt(),
            "{key}: {found}, not {expected}"
        );
    }
    assert_eq!(number(&output, "host.refused"), 0.0);
    assert_eq!(
        number(&output, "ftl.failures.retired_blocks"),
        number(&output, "ftl.bad_blocks")
    );
    assert_eq!(
        output.summary.get("ftl.failures.read_only_at_s"),
        Some(&Value::Missing)
    );
}

/// With too few blocks the drive refuses writes, and goes on reading; what it has acknowledged before it has, buffered or not.
#[test]
fn a_drive_without_spare_blocks_is_read_only() {
    for buffer in ["", "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\n"] {
        let text = plane(&format!(
            "[ftl.failures]\nprogram = 0.005\nerase = 0.01\ngrowth = 0\nmin_spare = 1\n{buffer}"
        ));
        let output = closed(&text, 8_000);
        let at = number(&output, "ftl.failures.read_only_at_s");
        assert!(at > 0.0);
        let refused = number(&output, "host.refused");
        assert!(refused > 1_000.0, "{refused}");
        let says = output.notes.iter().find(|note| note.key == "read_only");
        assert!(
            says.is_some_and(|note| note
                .text
                .contains(&wordline_units::grouped(&format!("{refused} of")))),
            "{:?}",
            output.notes
        );
        // spare blocks are what is left of them when the others hold the data and serve writes
        let bad = number(&output, "ftl.failures.retired_blocks");
        assert!((10.0..BLOCKS as f64 / 2.0).contains(&bad), "{bad}");
    }
}

/// Superblocks of 48 pages for data of which one program in a hundred fails: hardly any stays whole. The drive becomes read-only, or the run ends and says what has worn it out.
#[test]
fn a_drive_of_which_very_much_fails_ends_as_it_says() {
    let mut read_only = 0;
    for (way, spare) in [("retire", 0), ("degrade", 0), ("substitute", 4)] {
        for (program, reserve) in [(0.01, 2), (0.01, 4), (0.002, 2)] {
            // superblocks without a member have room for less
            let reserve = if way == "degrade" { reserve + 1 } else { reserve };
            let config = drive(&format!(
                "[geometry]\nchannels = 4\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 48\npages_per_block = 16\n\
                 [ftl]\nmapping = \"striped\"\nspan = \"C\"\nparity = \"rotating\"\nover_provisioning = 2.0\nbad_member = \"{way}\"\nspare_blocks = {spare}\n\
                 [ftl.gc]\nreserve_blocks = {reserve}\nhard = {}\nlow = {}\nhigh = {}\n[ftl.failures]\nprogram = {program}\ngrowth = 0\n",
                reserve + 1,
                reserve + 1,
                reserve + 2
            ));
            let commands: Vec<_> = (0..60_000)
                .map(|turn| {
                    let page = Seed(3).draw("page", turn) % 900;
                    command(0, HostOp::Write, page * SECTORS, SECTORS as u32)
                })
                .collect();
            let admission = Admission::ClosedLoop { depth: 8 };
            let client = Client::alone(Box::new(Commands::new(commands)), admission);
            let options = RunOptions {
                audit: true,
                ..RunOptions::default()
            };
            match run_clients(&config, vec![client], options) {
                Ok(output) => {
                    let at = number(&output, "ftl.failures.read_only_at_s");
                    assert!(
                        at > 0.0 && number(&output, "host.refused") > 0.0,
                        "{way} {program}"
                    );
                    read_only += 1;
                }
                Err(error) => {
                    let said = error.to_string();
                    let is_worn = matches!(error, RunError::WornOut { .. });
                    assert!(
                        is_worn && said.contains("ftl.failures"),
                        "{way} {program}: {said}"
                    );
                }
            }
        }
    }
    assert!(read_only >= 3, "{read_only}");
}
