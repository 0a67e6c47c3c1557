//! Reads of whole drives whose pages have errors: exact latencies, outcomes, ages, carried errors.

use wordline_config::{Config, DriveSource, resolve};
use wordline_drive::RunOutput;
use wordline_ecc::{Bch, ErrorCounts};

use crate::common::{command, drive, latencies, number, replay};
use wordline_cell::{
    CellConfig, Disturbances, Erased, Family, PageState, RberModel, Reading, References, Reliability,
};
use wordline_metrics::Status;
use wordline_nand::CellType;
use wordline_units::Seed;
use wordline_workload::{HostCommand, HostOp};

/// Milliseconds apart, so that nothing overlaps.
const LATER: u64 = 10_000_000;

/// Command and address of a read: 7 cycles of 25 ns.
const SETUP: u64 = 175;

/// The array of G. Wu (2013): pages of 4 KiB, 25 us of sensing, 100 MB/s; all blocks alike.
fn wu(rest: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 16\npages_per_block = 16\npage_size = \"4 KiB\"\n\
         [timing]\nt_r = \"25 us\"\nt_prog = \"500 us\"\nt_rc = \"10 ns\"\nt_wc = \"10 ns\"\n\
         [ftl]\nover_provisioning = 0.6\n[cell.process_variation]\nsd = 0.0\n{rest}"
    ))
}

/// Commands one after another, each alone in the drive.
fn alone(config: &Config, commands: &[(HostOp, u64, u32)]) -> RunOutput {
    let commands: Vec<HostCommand> = (0_u64..)
        .zip(commands)
        .map(|(index, (op, sector, sectors))| command(index * LATER, *op, *sector, *sectors))
        .collect();
    replay(config, commands)
}

/// Latencies of reads of a page that was written before.
fn reads(config: &Config, reads: &[(u64, u32)]) -> Vec<u64> {
    let mut commands = vec![(HostOp::Write, 0, 8)];
    commands.extend(
        reads
            .iter()
            .map(|(sector, sectors)| (HostOp::Read, *sector, *sectors)),
    );
    latencies(&alone(config, &commands))[1..].to_vec()
}

fn fixed(rate: f64, code: &str) -> Config {
    wu(&format!(
        "[cell.rber]\nmodel = \"fixed\"\nrate = {rate:?}\n{code}"
    ))
}

/// Hard sensing moves one bit of three: a third of 1 ns is less than a nanosecond, which counts as one; a third of 6 ns is
/// 2 ns. The two planes of a command send their pages one after the other.
#[test]
fn two_planes_whose_data_take_hardly_any_time() {
    let latency = |transfer: &str| {
        let config = drive(&format!(
            "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 2\n\
             blocks_per_plane = 16\npages_per_block = 16\npage_size = \"4 KiB\"\n\
             [commands]\nmulti_plane_read = true\nmulti_plane_write = \"wise\"\n[ftl]\nover_provisioning = 0.6\n\
             [ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\ntransfer_max = \"{transfer}\"\n"
        ));
        let output = alone(&config, &[(HostOp::Write, 0, 16), (HostOp::Read, 0, 16)]);
        assert_eq!(number(&output, "nand.commands.multi_plane_read"), 1.0);
        latencies(&output)[1]
    };

    assert_eq!(latency("6 ns") - latency("1 ns"), 2);
}

#[test]
fn segments_are_decoded_while_the_next_is_transferred() {
    // eight, four, two segments and one; what is asked for, and microseconds
    let codes = [
        (
            "n = 4316\nk = 4100",
            vec![(1, 35.90), (2, 41.68), (4, 53.24), (5, 59.02), (8, 76.36)],
        ),
        (
            "n = 8632\nk = 8200",
            vec![(1, 46.49), (3, 57.74), (5, 68.99), (8, 80.24)],
        ),
        ("n = 17264\nk = 16400", vec![(4, 67.19), (8, 88.90)]),
        ("n = 34528\nk = 32800", vec![(1, 107.16), (8, 107.16)]),
    ];
    for (code, asked) in codes {
        let config = fixed(1e-6, &format!("[ecc]\nkind = \"bch\"\n[ecc.bch]\n{code}\n"));
        let wanted: Vec<u64> = asked
            .iter()
            .map(|(_, us)| SETUP + (us * 1e3_f64).round() as u64)
            .collect();
        let asked: Vec<(u64, u32)> = asked.iter().map(|(sectors, _)| (0, *sectors)).collect();
        assert_eq!(reads(&config, &asked), wanted, "{code}");
    }
}

/// Two sub-pages in a codeword: reads that touch two codewords transfer and decode both, wherever they begin.
#[test]
fn a_read_across_a_border_takes_both_codewords() {
    let config = fixed(1e-6, "[ecc]\nkind = \"bch\"\n[ecc.bch]\nn = 8632\nk = 8200\n");
    let one = SETUP + 46_490;
    let two = SETUP + 57_740;
    let asked = [(0, 1), (0, 2), (1, 2), (3, 1), (3, 2), (2, 4), (5, 2)];
    assert_eq!(reads(&config, &asked), [one, one, two, one, two, two, two]);
}

const DLV: &str = "sense_max = \"90 us\"\ntransfer_max = \"5 us\"\n";

#[test]
fn every_attempt_is_a_flash_command() {
    // rate, keys, attempts' nanoseconds
    let cases = [
        (0.001, "", vec![14_524]),
        (0.0095, "", vec![14_524, 29_048, 41_905]),
        (0.0095, "start = 2\n", vec![29_048, 41_905]),
        (0.0095, "start = 5\n", vec![69_286]),
        (0.0095, "start = \"needed\"\n", vec![41_905]),
        (
            0.0112,
            "",
            vec![14_524, 29_048, 41_905, 56_429, 69_286, 82_143, 95_000],
        ),
        (0.0095, "retry = \"incremental\"\n", vec![14_524, 16_190, 16_190]),
        (0.0076, "decode = \"3 us\"\n", vec![17_524, 32_048]),
    ];
    for (rate, keys, attempts) in cases {
        let config = fixed(rate, &format!("[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\n{DLV}{keys}"));
        let wanted: u64 = attempts.iter().map(|ns| ns + SETUP).sum();
        assert_eq!(reads(&config, &[(0, 8)]), [wanted], "{rate} {keys}");
        let output = alone(&config, &[(HostOp::Write, 0, 8), (HostOp::Read, 0, 8)]);
        assert_eq!(number(&output, "nand.commands.read"), attempts.len() as f64);
        assert_eq!(number(&output, "ftl.pages_read"), 1.0);
        assert_eq!(number(&output, "ecc.attempts.mean"), attempts.len() as f64);
        // what is not the first attempt is the part of the code
        let rest: u64 = attempts[1..].iter().map(|ns| ns + SETUP).sum();
        let decode = if keys.starts_with("decode") { 3_000 } else { 0 };
        let ecc = output.summary.number("attribution.read.ecc_us").unwrap_or(0.0);
        assert!((ecc * 1e3 - (rest + decode) as f64).abs() < 1e-6, "{keys}: {ecc}");
    }
}

/// Without times of its own, a level takes tR for each reference and the bus for each bit.
#[test]
fn levels_follow_the_drive() {
    let config = fixed(0.0076, "[ecc]\nkind = \"ldpc\"\n");
    let page = 40_960;
    let first = SETUP + 25_000 + page;
    let second = SETUP + 50_000 + 2 * page;
    assert_eq!(
        reads(&config, &[(0, 8), (3, 1)]),
        [first + second, first + second]
    );
    let quarters = fixed(0.001, "[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\ncodewords = 4\n");
    assert_eq!(reads(&quarters, &[(0, 3)]), [SETUP + 25_000 + page / 2]);
}

/// A failed read ends, is counted and said; what garbage collection moves then is lost until it is written.
#[test]
fn pages_that_cannot_be_read_are_not_fine() {
    let config = fixed(0.02, "[ecc]\nkind = \"ldpc\"\n");
    let output = alone(
        &config,
        &[(HostOp::Write, 0, 8), (HostOp::Read, 0, 8), (HostOp::Read, 0, 4)],
    );
    assert_eq!(number(&output, "ecc.uncorrectable_reads"), 2.0);
    assert_eq!(number(&output, "ecc.uncorrectable_reads.host"), 2.0);
    assert_eq!(number(&output, "ecc.attempts.7.reads"), 2.0);
    assert_eq!(number(&output, "ecc.lost_pages"), 0.0);
    // the write went well; both reads are answered with an error and move no bytes
    assert_eq!(
        output.requests.status,
        [Status::Good, Status::Uncorrectable, Status::Uncorrectable].map(|status| status.index() as u8)
    );
    assert_eq!(number(&output, "host.uncorrectable"), 2.0);
    assert_eq!(number(&output, "host.read.bytes"), 0.0);
    assert_eq!(number(&output, "host.write.bytes"), 4096.0);
    assert_eq!(number(&output, "ftl.pages_moved_unreadable"), 0.0);
    let note = output
        .notes
        .iter()
        .find(|note| note.key == "uncorrectable")
        .unwrap();
    assert!(note.text.contains("2 page reads"), "{}", note.text);
    // an update of a part goes on without the rest; a whole write makes it good
    let update = [(HostOp::Write, 0, 8), (HostOp::Write, 0, 4)];
    let output = alone(&config, &update);
    assert_eq!(number(&output, "ecc.lost_pages"), 1.0);
    let output = alone(&config, &[&update[..], &[(HostOp::Write, 0, 8)]].concat());
    assert_eq!(number(&output, "ecc.lost_pages"), 0.0);
}

#[test]
fn moved_pages_stay_lost() {
    // more than the drive holds, then all of it is read: collection has moved pages that it could not read
    let config = fixed(0.02, "[ecc]\nkind = \"ldpc\"\n[ecc.ldpc]\nstart = 7\n");
    let pages = 160;
    let mut commands: Vec<(HostOp, u64, u32)> = (0..pages).map(|page| (HostOp::Write, 8 * page, 8)).collect();
    // a linear congruence, so that blocks hold some valid pages when they are collected
    let mut state = 1_u64;
    commands.extend((0..400).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (HostOp::Write, 8 * ((state >> 33) % 97), 8)
    }));
    let output = alone(&config, &commands);
    let moved = number(&output, "ecc.uncorrectable_reads.gc");
    let lost = number(&output, "ecc.lost_pages");
    assert!(moved > 0.0 && lost > 0.0 && lost <= moved, "{lost} of {moved}");
    assert_eq!(number(&output, "ftl.pages_moved_unreadable"), moved);
    // the host wrote whole pages, and was told of no error
    assert_eq!(number(&output, "host.uncorrectable"), 0.0);
}

#[test]
fn bch_fails_as_often_as_it_should() {
    let config = fixed(0.002, "[ecc]\nkind = \"bch\"\n");
    let mut commands = vec![(HostOp::Write, 0, 8)];
    commands.extend((0..4000).map(|_| (HostOp::Read, 0, 8)));
    let output = alone(&config, &commands);
    let expected = number(&output, "ecc.expected_failures");
    let code = wordline_ecc::Bch::published()[3].code;
    let failure = code
        .ln_failure(0.002, wordline_ecc::ErrorCounts::Independent)
        .unwrap()
        .exp();
    assert!((expected / (8.0 * 4000.0 * failure) - 1.0).abs() < 1e-6);
    // pages fail with any of their codewords
    let page = 1.0 - (1.0 - failure).powi(8);
    let failed = number(&output, "ecc.uncorrectable_reads");
    let deviation = (4000.0 * page * (1.0 - page)).sqrt();
    assert!(
        (failed - 4000.0 * page).abs() < 4.0 * deviation,
        "{failed} {}",
        4000.0 * page
    );
    assert!(failed > 100.0);
}

/// Wu (2013), chapter 2: at the deviation with which pages of the step 0.4 meet 1e-15 with the longest code, each shorter code
/// has a finer step with which it meets 1e-15 too. `p_max` is from the codes and the step from the cells; the drive must find
/// the rate from deviation and step again, whichever of the rates of a cell's pages is meant.
#[test]
fn every_mode_of_segmented_pages_meets_its_target() {
    let (n, k, t) = (
        [34528, 17264, 8632, 4316],
        [32800, 16400, 8200, 4100],
        [108, 57, 30, 16],
    );
    let p_max = |mode: usize| {
        let code = Bch::new(n[mode], k[mode], t[mode]).unwrap();
        code.p_max(1e-15, ErrorCounts::Independent).unwrap()
    };
    for reading in Reading::ALL {
        let cells = Family {
            bits: 2,
            erased: Erased::new(0.1).unwrap(),
            references: References::Midpoint,
            reading,
        };
        let sigma = cells.sigma_for_rber(0.4, p_max(0)).unwrap();
        for mode in 0..n.len() {
            let step = cells.step_for_rber(sigma, p_max(mode)).unwrap();
            // the other way round: the rate at the step 0.4 tells the deviation, and that the rate at the finer step
            let mut config = CellConfig {
                ber_reading: reading,
                ..CellConfig::default()
            };
            config.rber.model = RberModel::Fixed;
            config.vth.sigma_programmed = Some(sigma);
            let model = Reliability::new(&config, Seed(0))
                .unwrap()
                .with_steps(&[step])
                .unwrap();
            assert!((model.sigma(1.0, 0.0, 0.0, Disturbances::NONE).unwrap() / sigma - 1.0).abs() < 1e-9);
            let page = PageState {
                factor: 1.0,
                cycles: 0,
                age_days: 0.0,
                disturbed: Disturbances::NONE,
                redone: 0,
                step: 1,
                page: 0,
            };
            assert!(
                (model.rber(&page) / p_max(mode) - 1.0).abs() < 1e-6,
                "{reading:?} {mode}"
            );
            let mut config = wu(&format!(
                "[cell]\nber_reading = \"{}\"\n[cell.vth]\nstep = {step}\nsigma_programmed = {sigma}\n\
                 [cell.rber]\nmodel = \"fixed\"\n[ecc]\nkind = \"bch\"\n[ecc.bch]\nn = {}\nk = {}\nt = {}\n",
                reading.name(),
                n[mode],
                k[mode],
                t[mode]
            ));
            config.geometry.cell_type = CellType::Mlc;
            let output = alone(&config, &[(HostOp::Write, 0, 8), (HostOp::Read, 0, 8)]);
            let rate = number(&output, "cell.rber.mean");
            assert!(
                (rate / p_max(mode) - 1.0).abs() < 1e-9,
                "{reading:?} {mode}: {rate}"
            );
            // at most 1e-15 for each codeword of the page
            let expected = number(&output, "ecc.expected_failures") / f64::from(n[0] / n[mode]);
            assert!(
                (expected / 1e-15 - 1.0).abs() < 1e-4,
                "{reading:?} {mode}: {expected:e}"
            );
        }
    }
}

#[test]
fn thresholds_decide_for_certain() {
    let bch = "[ecc]\nkind = \"bch\"\ntarget = 1e-12\n[ecc.bch]\noutcome = \"threshold\"\n";
    for (rate, failed) in [(3.57e-4, 0.0), (3.58e-4, 1.0)] {
        let output = alone(&fixed(rate, bch), &[(HostOp::Write, 0, 8), (HostOp::Read, 0, 8)]);
        assert_eq!(number(&output, "ecc.uncorrectable_reads"), failed);
        assert!(number(&output, "ecc.expected_failures") < 1e-11);
    }
}

/// Errors go with a page that is copied inside its plane: two chances to be wrong.
#[test]
fn copy_back_carries_errors() {
    let rate = 0.003;
    let config = wu(&format!(
        "[cell.rber]\nmodel = \"fixed\"\nrate = {rate}\n[ecc]\nkind = \"ldpc\"\n[commands]\ncopyback = \"blind\"\n\
         [allocation]\nmode = \"static\"\n"
    ));
    // an update of half a page is a copy-back with new data put in
    let commands = [
        (HostOp::Write, 0, 8),
        (HostOp::Write, 0, 4),
        (HostOp::Read, 0, 8),
        (HostOp::Write, 0, 4),
        (HostOp::Read, 0, 8),
        (HostOp::Write, 0, 8),
        (HostOp::Read, 0, 8),
    ];
    let output = alone(&config, &commands);
    assert_eq!(number(&output, "nand.commands.copy_back"), 2.0);
    let either = |a: f64, b: f64| a + b - 2.0 * a * b;
    let (one, two) = (either(rate, rate), either(either(rate, rate), rate));
    assert!((number(&output, "cell.rber.max") - two).abs() < 1e-8);
    assert!((number(&output, "cell.rber.mean") - (one + two + rate) / 3.0).abs() < 1e-8);
}

/// r(3000, 0) = 0.0020 and r(3000, 7 days) = 0.0075, of data that lay still.
#[test]
fn data_age() {
    for (storage, rate) in [("0 ns", 0.0020), ("7 d", 0.0075), ("14 d", 0.010_630)] {
        let overrides = [
            ("geometry.blocks_per_plane", "32"),
            ("ecc.kind", "ldpc"),
            ("cell.process_variation.sd", "0.0"),
            ("age.method", "overwritten"),
            ("age.random_factor", "0.0"),
            ("age.time_per_write", "0 ns"),
            ("age.initial_cycles", "3000"),
            ("age.storage", storage),
            ("workload.kind", "random"),
            ("workload.read_fraction", "1.0"),
            ("workload.requests", "1000"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
        let config = resolve(DriveSource::Text(""), None, &overrides)
            .unwrap_or_else(|error| panic!("{error}"))
            .config;
        let options = wordline_drive::RunOptions {
            audit: true,
            ..Default::default()
        };
        let output = wordline_drive::run(&config, std::path::Path::new("."), options, &mut |_| true).unwrap();
        let mean = number(&output, "cell.rber.mean");
        assert!((mean - rate).abs() < 1e-6 + 1e-3 * rate, "{storage}: {mean}");
    }
}

/// Blocks differ, and a block always by the same: weak ones need more references.
/// A block without cycles has lost nothing, so that its states in volts are those in gaps, where the first one is put
/// a gap above the erased one: 1.4 V + 0.9484 V - 0.2 * 0.9484 V, the verify voltage being the step's lower end.
#[test]
fn shifting_thresholds_can_be_read() {
    for by_page_type in [false, true] {
        let config = wu(&format!(
            "[cell.vth]\nsigma_programmed = 0.12\n[cell.rber]\nmodel = \"vth_shift\"\nby_page_type = {by_page_type}\n\
             [cell.rber.vth_shift]\nfirst_verify = \"2.15872 V\"\n[ecc]\nkind = \"bch\"\n"
        ));
        let output = alone(&config, &[(HostOp::Write, 0, 8), (HostOp::Read, 0, 8)]);
        let cells = Family {
            bits: 1,
            erased: Erased::new(0.1).unwrap(),
            references: References::Midpoint,
            reading: Reading::PageAverage,
        };
        let wanted = cells.rber(0.4, 0.12).unwrap();
        let found = number(&output, "cell.rber.mean");
        assert!((found / wanted - 1.0).abs() < 1e-9, "{found} instead of {wanted}");
    }
}

#[test]
fn blocks_differ() {
    let config = drive(
        "[geometry]\nblocks_per_plane = 32\n[ftl]\nover_provisioning = 0.6\n[age]\ninitial_cycles = 6600\n\
         [ecc]\nkind = \"ldpc\"\n",
    );
    let pages = 4000;
    let mut commands: Vec<HostCommand> = (0..pages)
        .map(|page| command(page * 1000, HostOp::Write, 4 * page, 4))
        .collect();
    commands.extend((0..pages).map(|page| command(10_000_000_000 + page * 1000, HostOp::Read, 4 * page, 4)));
    let output = replay(&config, commands);
    // 0.0044 at a factor of 1, between 0.51 and 1.49: half the blocks need one reference
    let hard = number(&output, "ecc.level.1.reads") / pages as f64;
    assert!((0.35..0.65).contains(&hard), "{hard}");
    assert_eq!(
        number(&output, "ecc.level.1.reads") + number(&output, "ecc.level.2.reads"),
        pages as f64
    );
    assert!((number(&output, "cell.rber.mean") / 0.0044 - 1.0).abs() < 0.1);
}

/// One key, and what is said.
fn refused(overrides: &[(&str, &str)], words: &[&str]) {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    let said = resolve(DriveSource::Text(""), None, &overrides)
        .unwrap_err()
        .to_string();
    for word in words {
        assert!(said.contains(word), "{said}");
    }
}

#[test]
fn bad_input_is_refused() {
    let bch = ("ecc.kind", "bch");
    let ldpc = ("ecc.kind", "ldpc");
    refused(&[("ecc.bch.n", "8632")], &["ecc.bch.n", "no effect", "ecc.kind"]);
    refused(&[ldpc, ("ecc.bch.n", "8632")], &["no effect"]);
    refused(&[("cell.rber.alpha", "1e-6")], &["cell.rber.alpha", "no effect"]);
    refused(&[ldpc, ("cell.rber.rate", "0.1")], &["no effect", "fixed"]);
    refused(&[ldpc, ("cell.vth.step", "0.3")], &["no effect"]);
    refused(&[bch, ("ecc.target", "1e-12")], &["no effect", "threshold"]);
    refused(&[("age.storage", "1 d")], &["no effect", "age.method"]);
    refused(&[bch, ("ecc.bch.t", "17")], &["ecc.bch", "221 parity bits"]);
    refused(
        &[bch, ("ecc.bch.k", "7000"), ("ecc.bch.n", "8000")],
        &["ecc.bch.k", "sectors"],
    );
    refused(&[ldpc, ("ecc.ldpc.start", "8")], &["ecc.ldpc.start", "1 to 7"]);
    refused(
        &[ldpc, ("ecc.ldpc.start", "high")],
        &["ecc.ldpc.start", "needed", "by_age", "last_level"],
    );
    let by_age = ("ecc.ldpc.start", "by_age");
    refused(
        &[ldpc, ("ecc.ldpc.ages.period", "3")],
        &["ecc.ldpc.ages", "no effect", "by_age"],
    );
    refused(
        &[ldpc, by_age, ("ecc.ldpc.ages.period", "0")],
        &["ecc.ldpc.ages.period"],
    );
    for initial in ["[3, 2, 4, 5, 6, 7]", "[1, 2, 3, 4, 5, 512]", "[1, 2, 3]"] {
        refused(
            &[ldpc, by_age, ("ecc.ldpc.ages.initial", initial)],
            &["ecc.ldpc.ages.initial"],
        );
    }
    refused(
        &[ldpc, ("ecc.ldpc.codewords", "3")],
        &["ecc.ldpc.codewords", "divide"],
    );
    refused(&[ldpc, ("ecc.ldpc.steepness", "0.0")], &["ecc.ldpc.steepness"]);
    refused(
        &[
            ldpc,
            ("ecc.ldpc.thresholds", "[0.1, 0.1, 0.2, 0.3, 0.31, 0.32, 0.33]"),
        ],
        &["ecc.ldpc.thresholds"],
    );
    refused(&[ldpc, ("cell.rber.k", "9.0")], &["cell.rber"]);
    refused(
        &[ldpc, ("cell.process_variation.bound_sd", "5.0")],
        &["cell.process_variation"],
    );
    refused(
        &[ldpc, ("cell.rber.model", "vth_shift")],
        &["cell.vth.sigma_programmed"],
    );
}

/// Eight user pages on six blocks of four, each written in turn: a block is erased when its pages are all stale. The
/// rate is 1e-3 after no read and grows by 1e-5 with each read of the block since its erase, whatever the cycles.
#[test]
fn an_erase_forgets_the_reads_of_a_block() {
    let most = |rounds: u64| {
        let config = few_blocks(
            "epsilon = 1e-3\nalpha = 0.0\nbeta = 0.0\n[cell.rber.read_disturb]\ngamma = 1e-5\ng = 0.0\nh = 1.0\n",
        );
        // five reads of the same page after each round of writes
        let round = (0..8)
            .map(|page| (HostOp::Write, page * 4, 4))
            .chain([(HostOp::Read, 0, 4); 5]);
        let commands: Vec<_> = (0..rounds).flat_map(|_| round.clone()).collect();
        number(&alone(&config, &commands), "cell.rber.max")
    };

    for rounds in [1, 12] {
        assert!(
            (most(rounds) / (1e-3 + 4e-5) - 1.0).abs() < 1e-6,
            "{}",
            most(rounds)
        );
    }
}

/// Eight user pages written in turn, in blocks of four pages of one bit, then read: the first page of a block has met one program of the word line
/// beside it and two of others, 1e-3 + 3e-5 + 2 x 1e-6; with two strings to a layer one of its own layer and two beside, 1e-3 + 2e-5 + 2 x 3e-5.
/// Blocks that were filled by ageing have met the same, and rates of zero change no figure.
#[test]
fn programs_of_a_block_disturb_its_earlier_pages() {
    let run = |table: &str| {
        let config = few_blocks(&format!("epsilon = 1e-3\nalpha = 0.0\nbeta = 0.0\n{table}"));
        let round = |op| (0..8).map(move |page| (op, page * 4, 4));
        let commands: Vec<_> = round(HostOp::Write).chain(round(HostOp::Read)).collect();
        alone(&config, &commands)
    };
    let disturb = |rates: &str, strings: u32| {
        format!("[cell.rber.program_disturb]\n{rates}\ng = 0.0\nh = 1.0\nstrings = {strings}\n")
    };
    let rates = "inhibited = 2e-5\nadjacent = 3e-5\npass = 1e-6";
    for (strings, worked) in [(1, 1e-3 + 3e-5 + 2e-6), (2, 1e-3 + 2e-5 + 6e-5)] {
        for age in ["", "[age]\nmethod = \"steady_state\"\n"] {
            let most = number(&run(&(disturb(rates, strings) + age)), "cell.rber.max");
            assert!(
                (most / worked - 1.0).abs() < 1e-6,
                "{most} with {strings} strings {age}"
            );
        }
    }
    let none = disturb("inhibited = 0.0\nadjacent = 0.0\npass = 0.0", 4);
    let (zero, without) = (run(&none), run(""));
    assert_eq!(latencies(&zero), latencies(&without));
    for key in ["cell.rber.mean", "cell.rber.max", "ecc.attempts.mean"] {
        assert_eq!(number(&zero, key), number(&without, key), "{key}");
    }
}

/// As above without reads between: the rate is 1e-4 for each erase of the block that is read.
#[test]
fn an_erase_wears_a_block() {
    let config = few_blocks("epsilon = 0.0\nalpha = 1e-4\nk = 1.0\nbeta = 0.0\n");
    let writes = (0..96).map(|write| (HostOp::Write, write % 8 * 4, 4));
    let commands: Vec<_> = writes
        .chain((0..8).map(|page| (HostOp::Read, page * 4, 4)))
        .collect();
    let output = alone(&config, &commands);
    // no operation is left after the reads: blocks have the erases with which they were read
    let blocks = &output.blocks;
    let read = (0..blocks.block.len()).filter(|row| blocks.valid[*row] > 0);
    let erases = read.map(|row| blocks.erase_count[row]).max().unwrap();

    assert!(erases >= 2, "{erases}");
    let most = number(&output, "cell.rber.max");
    assert!(
        (most / (1e-4 * f64::from(erases)) - 1.0).abs() < 1e-6,
        "{most} after {erases}"
    );
}

/// Six blocks of four pages, two of which are user space, all alike, and a code so that reads are looked at.
fn few_blocks(rber: &str) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 6\npages_per_block = 4\n[ftl]\nover_provisioning = 2.0\n\
         [cell.process_variation]\nsd = 0.0\nmean = 1.0\n[ecc]\nkind = \"ldpc\"\n[cell.rber]\n{rber}"
    ))
}

/// Two units in a page: blocks are counted in pages where the errors of their pages begin, of an empty drive and of one that was written before.
#[test]
fn errors_are_of_pages_whatever_is_mapped() {
    for age in ["fresh", "overwritten"] {
        let mut config = few_blocks(
            "epsilon = 0.0\nalpha = 1e-6\nk = 1.0\nbeta = 0.0\nprogram_disturb = { inhibited = 1e-6, adjacent = 1e-6, pass = 1e-6, g = 0.0, h = 1.0 }\n",
        );
        config.ftl.mapping_unit = Some(wordline_units::ByteSize(1024));
        config.geometry.blocks_per_plane = 12;
        config.age.method = toml::Value::String(age.to_owned()).try_into().unwrap();
        let commands: Vec<_> = (0..8)
            .map(|page| (HostOp::Write, page * 4, 4))
            .chain((0..8).map(|page| (HostOp::Read, page * 4, 4)))
            .collect();
        let output = alone(&config, &commands);
        // of a block of four pages the first has met the programs of three others
        assert!(number(&output, "cell.rber.max") >= 3e-6, "{age}");
    }
}
