//! The policy of modes `diffecc` in a drive (G. Wu 2013, chapter 2).

use wordline_config::Config;
use wordline_drive::RunOutput;
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay};

/// A die of the source's drive, without command cycles: pages of 4 KiB in 40.96 us, one code word of a normal page or eight of a page of
/// mode `n8`, reads first ("diffecc", sections 2 and 4).
fn die(modes: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 16\npage_size = \"4 KiB\"\n\
         [timing]\nt_r = \"25 us\"\nt_prog = \"500 us\"\nt_rc = \"10 ns\"\nt_wc = \"10 ns\"\nt_cad = \"0 ns\"\n\
         [ecc]\nkind = \"bch\"\n[ecc.bch]\nn = 34528\nk = 32800\ndecode = \"41200 ns\"\n\
         [cell.rber]\nmodel = \"fixed\"\nrate = 1e-9\n\
         [scheduler]\npolicy = \"reads_first\"\n[ftl]\nover_provisioning = 0.6\n{modes}"
    ))
}

const N8: &str =
    "[[modes]]\nname = \"n8\"\nt_prog = \"754 us\"\nbch = { n = 4316, k = 4100, decode = \"5780 ns\" }\n";

fn diffecc(keys: &str) -> Config {
    die(&format!("{N8}[ftl.modes]\npolicy = \"diffecc\"\n{keys}"))
}

fn write(at: u64, page: u64) -> HostCommand {
    command(at, HostOp::Write, page * 8, 8)
}

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

/// Example F: nothing is known at first, so that a page is programmed in the normal mode. After 5 s without requests there is time for a
/// slow program, and the read that comes 1 us behind it waits for its transfer and its array time.
#[test]
fn a_slow_program_delays_the_read_behind_it() {
    let commands = vec![
        write(0, 0),
        write(6 * S, 1),
        command(6 * S + 1_000, HostOp::Read, 0, 8),
    ];
    let found = latencies(&replay(&diffecc(""), commands));
    assert_eq!(found, [540_960, 794_960, 902_120 - 1_000]);
}

/// Example B: a slot of 7 ms, then ten pages at once. All ten wait in the drive when the first is dispatched, and are planned together. For the unit the
/// first starts alone, and the nine behind it are planned together.
#[test]
fn the_pages_of_a_burst_share_the_idle_time() {
    // B = 7,000 us less nothing. Ten pages: floor((7,000 - 5,000) / 254) = 7 are slow. One alone is, and of nine all are: 9 * 754 = 6,786 us
    for (scope, slow) in [("drive", 7), ("unit", 10)] {
        shares_the_idle_time(scope, slow);
    }
}

fn shares_the_idle_time(scope: &str, slow: u64) {
    let mut commands = vec![write(0, 0)];
    // 0.54096 ms of work, then idle until 7.54096 ms: the only slot that ends in the window up to 10 ms
    commands.push(write(7_540_960, 1));
    commands.extend((0..10).map(|page| write(10 * MS + 1, page)));
    let keys = format!("sample_period = \"10 ms\"\nload_scope = \"{scope}\"\n");
    let output = replay(&diffecc(&keys), commands);
    let programmed = |mode: &str| number(&output, &format!("modes.{mode}.pages_programmed"));
    // two pages before anything is known, and the burst
    let fast = 10 - slow;
    assert_eq!(
        (programmed("normal"), programmed("n8")),
        ((2 + fast) as f64, slow as f64)
    );
    // over time: the two with nothing expected, then ten with the slot of 7 ms expected, the only one that ended before them
    let table = &output.modes;
    let rows = |mode: u8| (0..table.mode.len()).filter(move |row| table.mode[*row] == mode);
    let before = |row: &usize| table.start_ns[*row] + table.width_ns[*row] <= 10 * MS;
    let count = |mode, early| {
        rows(mode)
            .filter(|row| before(row) == early)
            .map(|row| table.host_pages_programmed[row])
            .sum::<u64>()
    };
    assert_eq!(
        [count(0, true), count(1, true), count(0, false), count(1, false)],
        [2, 0, fast, slow]
    );
    for row in rows(0).filter(|row| !table.expected_idle_us[*row].is_nan()) {
        let expected = if before(&row) { 0.0 } else { 7_000.0 };
        assert_eq!(table.expected_idle_us[row], expected, "{row}");
    }
    let ended = |row: usize| table.idle_ended[row] as f64 * table.idle_mean_us[row];
    let idle: f64 = rows(0).filter(|row| table.idle_ended[*row] > 0).map(ended).sum();
    let all = number(&output, "units.idle.count") * number(&output, "units.idle.mean_us");
    assert!((idle - all).abs() < 1e-6, "{idle} is not {all}");
}

/// What a run gives, but for the figures of modes.
fn figures(output: &RunOutput) -> Vec<String> {
    let keys = output.summary.iter().filter(|(key, _)| {
        ["modes.", "units.", "drive.idle.", "run."]
            .iter()
            .all(|part| !key.starts_with(part))
    });
    keys.map(|(key, value)| format!("{key} {value:?}")).collect()
}

fn mixed(rest: &str) -> RunOutput {
    let mut config = die(rest);
    let workload = "requests = 3000\nread_fraction = 0.4\nrequest_size = \"4 KiB\"\ninterarrival = \"700 us\"\narrival = \"poisson\"\n";
    config.workload = toml::from_str(workload).unwrap();
    let options = wordline_drive::RunOptions {
        audit: true,
        ..Default::default()
    };
    wordline_drive::run(&config, &std::path::PathBuf::new(), options, &mut |_| true).unwrap()
}

/// Before the first sample the policy knows of no idle time, and the drive is one without modes to the last figure.
#[test]
fn without_idle_time_it_is_the_drive_without_modes() {
    let plain = mixed("");
    let output = mixed(&format!(
        "{N8}[ftl.modes]\npolicy = \"diffecc\"\nsample_period = \"1 y\"\n"
    ));
    assert_eq!(figures(&output), figures(&plain));
    assert_eq!(output.requests.completed_ns, plain.requests.completed_ns);
    let always = mixed(&format!("{N8}[ftl.modes]\npolicy = \"fixed\"\nhost = \"n8\"\n"));
    assert_ne!(figures(&always), figures(&plain));
}

/// Every page that the host writes is programmed once, in one of the modes that are chosen from; what collection moves is in the mode of
/// `copies`.
#[test]
fn programs_are_divided_among_the_modes() {
    for scope in ["unit", "drive", "drive_per_unit"] {
        for (copies, in_normal) in [("normal", true), ("preserve", false)] {
            let output = mixed(&format!(
                "{N8}[ftl.modes]\npolicy = \"diffecc\"\nsample_period = \"20 ms\"\nload_scope = \"{scope}\"\ncopies = \"{copies}\"\n"
            ));
            let of = |mode: &str, key: &str| number(&output, &format!("modes.{mode}.{key}"));
            let both = |key: &str| of("normal", key) + of("n8", key);
            assert_eq!(both("pages_programmed"), number(&output, "ftl.pages_programmed"));
            assert_eq!(both("pages_held"), number(&output, "ftl.mapped_pages"));
            let moved = number(&output, "ftl.pages_programmed.gc");
            assert!(
                moved > 0.0
                    && of("n8", "pages_programmed") > 100.0
                    && of("normal", "pages_programmed") > 100.0
            );
            assert!(!in_normal || of("normal", "pages_programmed") >= moved);
        }
    }
}
