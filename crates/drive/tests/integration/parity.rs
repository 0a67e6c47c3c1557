//! Parity that brings back pages which cannot be read, on a drive with a clock: exact latencies, shares against their closed form, lost pages.

use wordline_config::{Config, InterfaceKind};
use wordline_drive::RunOutput;
use wordline_ecc::{Bch, ErrorCounts};
use wordline_metrics::Status;
use wordline_workload::{Admission, HostCommand, HostOp};

use crate::common::{command, drive, latencies, number, replay, run};

/// Four channels of a die of one plane of 48 blocks of 16 pages of 4 KiB: superblocks over the channels. Command and address of a read take 175 ns, sensing 25 us, a page of
/// 4096 bytes at 10 ns 40.96 us.
const TEMPLATE: &str = "[geometry]\nchannels = 4\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 48\npages_per_block = 16\n\
     page_size = \"4 KiB\"\n[timing]\nt_r = \"25 us\"\nt_prog = \"500 us\"\nt_rc = \"10 ns\"\nt_wc = \"10 ns\"\n\
     [ftl]\nmapping = \"striped\"\nspan = \"C\"\nparity = \"rotating\"\nover_provisioning = 1.0\n[cell.process_variation]\nsd = 0.0\n\
     [cell.rber]\nmodel = \"fixed\"\nrate = RATE\n[ecc]\nkind = \"bch\"\n";

fn failing(parity: &str, rate: f64) -> Config {
    drive(
        &TEMPLATE
            .replace("rotating", parity)
            .replace("RATE", &format!("{rate:?}")),
    )
}

/// How often the read of a page fails: any of its eight codewords.
fn failure(rate: f64) -> f64 {
    let codeword = Bch::published()[3]
        .code
        .ln_failure(rate, ErrorCounts::Independent);
    1.0 - (1.0 - codeword.unwrap().exp()).powi(8)
}

/// `found` of so many trials, each of which succeeds with a probability.
fn is_expected(found: f64, trials: f64, probability: f64) -> bool {
    (found - trials * probability).abs() < 4.5 * (trials * probability * (1.0 - probability)).sqrt()
}

const PAGES: u64 = 300;

/// The pages are written one after the other, and each is read by itself.
fn read_alone(config: &Config, reads: u64) -> RunOutput {
    let writes = (0..PAGES).map(|page| (HostOp::Write, page));
    let reads = (0..reads).map(|turn| (HostOp::Read, turn * 7 % PAGES));
    let commands: Vec<HostCommand> = (0_u64..)
        .zip(writes.chain(reads))
        .map(|(index, (op, page))| command(index * 10_000_000, op, 8 * page, 8))
        .collect();
    replay(config, commands)
}

/// Three pages of other channels are read at once after the one that failed: a recovered read takes twice as long (less the decoder, which the page waits for both times). A read
/// fails for the host where one of the three fails too.
#[test]
fn a_read_that_fails_takes_three_others() {
    let rate = 0.0021;
    let p = failure(rate);
    assert!((0.05..0.5).contains(&p), "{p}");
    for parity in ["fixed", "rotating"] {
        let reads = 3_000;
        let output = read_alone(&failing(parity, rate), reads);
        let recovered = number(&output, "ftl.parity.recovered_reads");
        let unrecovered = number(&output, "ftl.parity.unrecovered_reads");
        let attempts = recovered + unrecovered;
        assert!(
            is_expected(attempts, reads as f64, p),
            "{attempts} {}",
            reads as f64 * p
        );
        let both = 1.0 - (1.0 - p).powi(3);
        assert!(
            is_expected(unrecovered, attempts, both),
            "{unrecovered} {}",
            attempts * both
        );
        assert_eq!(number(&output, "ftl.pages_read.parity"), 3.0 * attempts);
        assert_eq!(number(&output, "host.uncorrectable"), unrecovered);
        assert_eq!(number(&output, "ecc.lost_pages"), 0.0);
        let latencies = latencies(&output);
        let of_reads = &latencies[PAGES as usize..];
        let once = *of_reads.iter().min().unwrap();
        assert!(
            of_reads.iter().all(|latency| [once, 2 * once].contains(latency)),
            "{once}"
        );
        let twice = of_reads.iter().filter(|latency| **latency == 2 * once).count();
        assert_eq!(twice as f64, attempts);
        let moved = number(&output, "host.read.bytes");
        assert_eq!(moved, (reads as f64 - unrecovered) * 4096.0);
    }
    let without = read_alone(&failing("none", rate), 1_000);
    assert!(number(&without, "host.uncorrectable") > 50.0);
    assert!(without.summary.get("ftl.parity.recovered_reads").is_none());
}

/// Collection and updates of a part go on with what was computed; a page is lost only where one of the others could not be read either, is counted as lost then, and answered
/// with an error.
#[test]
fn what_is_moved_is_brought_back() {
    let rate = 0.0019;
    let p = failure(rate);
    let mut state = 1_u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let user = 48 * 16 * 4 / 2 - 8;
    let fill = (0..user).map(|page| command(0, HostOp::Write, 8 * page, 8));
    let mixed: Vec<_> = (0..12_000)
        .map(|turn| match turn % 3 {
            0 => command(0, HostOp::Write, 8 * draw(user), 8),
            1 => command(0, HostOp::Write, 8 * draw(user) + 1, 3),
            _ => command(0, HostOp::Read, 8 * draw(user), 8),
        })
        .collect();
    let commands: Vec<_> = fill.chain(mixed).collect();
    let of = |parity: &str| {
        run(
            &failing(parity, rate),
            commands.clone(),
            Admission::ClosedLoop { depth: 8 },
        )
    };
    let output = of("rotating");
    let recovered = number(&output, "ftl.parity.recovered_reads");
    let unrecovered = number(&output, "ftl.parity.unrecovered_reads");
    assert!(recovered > 300.0, "{recovered}");
    // some of the others are in the controller
    let both = 1.0 - (1.0 - p).powi(3);
    let attempts = recovered + unrecovered;
    assert!(
        unrecovered < attempts * both + 4.5 * (attempts * both).sqrt(),
        "{unrecovered} of {attempts}, {both}"
    );
    assert!(
        unrecovered > 0.5 * attempts * both,
        "{unrecovered} of {attempts}, {both}"
    );
    let lost = number(&output, "ecc.lost_pages");
    let lost_without = number(&of("none"), "ecc.lost_pages");
    assert!(
        lost > 0.0 && lost <= unrecovered && lost < 0.5 * lost_without,
        "{lost} {lost_without}"
    );
    assert!(number(&output, "ftl.pages_moved_unreadable") > 0.0);
    let uncorrectable = output
        .requests
        .status
        .iter()
        .filter(|status| **status == Status::Uncorrectable.index() as u8);
    assert_eq!(
        uncorrectable.count() as f64,
        number(&output, "host.uncorrectable")
    );
    let note = output
        .notes
        .iter()
        .find(|note| note.key == "uncorrectable")
        .unwrap();
    assert!(
        note.text
            .contains(&format!("The data of {recovered} were computed from parity")),
        "{}",
        note.text
    );
}

/// Blocks that cannot be read are rebuilt on spare blocks: each of their pages takes three reads and a program, as the closed form has it, and reads of what is not rebuilt yet are not attempted. Pages that the host
/// has read are programmed anew. All with the audit on, mixed, beside collection.
#[test]
fn blocks_that_cannot_be_read_are_rebuilt() {
    let rate = 0.0019;
    let p = failure(rate);
    assert!((0.005..0.3).contains(&p), "{p}");
    let config = |more: &str| {
        let text = "[ftl]\nmapping = \"striped\"\n";
        assert!(TEMPLATE.contains(text));
        drive(
            &TEMPLATE
                .replace(text, &format!("{text}{more}"))
                .replace("[ecc]", "[ftl.gc]\nreserve_blocks = 2\n[ecc]")
                .replace("RATE", &format!("{rate:?}")),
        )
    };
    let mut state = 1_u64;
    let mut draw = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let user = 900;
    let fill = (0..user).map(|page| command(0, HostOp::Write, 8 * page, 8));
    let mixed: Vec<_> = (0..12_000)
        .map(|turn| match turn % 4 {
            0 => command(0, HostOp::Write, 8 * draw(user), 8),
            1 => command(0, HostOp::Write, 8 * draw(user) + 1, 3),
            _ => command(0, HostOp::Read, 8 * draw(user), 8),
        })
        .collect();
    let commands: Vec<_> = fill.chain(mixed).collect();
    let of = |more: &str| {
        run(
            &config(more),
            commands.clone(),
            Admission::ClosedLoop { depth: 8 },
        )
    };
    let rebuilt = of("bad_member = \"substitute\"\nspare_blocks = 4\nunreadable_pages = 2\n");
    let blocks = number(&rebuilt, "ftl.parity.rebuilt_blocks");
    let pages = number(&rebuilt, "ftl.parity.rebuilt_pages");
    assert!(blocks >= 3.0, "{blocks}");
    assert!(
        pages > 0.5 * 16.0 * blocks && pages <= 16.0 * blocks + 16.0,
        "{pages} {blocks}"
    );
    assert!(number(&rebuilt, "ftl.bad_blocks") >= blocks);
    // a rebuild ends before many reads want its pages
    let computed =
        number(&rebuilt, "ftl.parity.recovered_reads") + number(&rebuilt, "ftl.parity.unrecovered_reads");
    let reads = number(&rebuilt, "ftl.pages_read.parity");
    assert!(
        reads <= 3.0 * (computed + pages) && reads > 2.0 * (computed + pages),
        "{reads} {computed} {pages}"
    );
    let degraded = of("unreadable_pages = 2\n");
    assert!(number(&degraded, "ftl.parity.degraded_reads") > 0.0);
    assert_eq!(number(&degraded, "ftl.parity.rebuilt_pages"), 0.0);
    let rewritten = of("rewrite_recovered = true\n");
    let again = number(&rewritten, "ftl.parity.rewritten_pages");
    let recovered = number(&rewritten, "ftl.parity.recovered_reads");
    assert!(again > 0.0 && again < recovered, "{again} {recovered}");
    assert!(number(&rewritten, "ftl.pages_programmed.repair") >= again);
}

/// A page that the others bring back goes over the link once, and they do not.
#[test]
fn a_recovered_page_goes_over_the_link_once() {
    let config = failing("rotating", 0.0021);
    let mut over_link = config.clone();
    over_link.host.interface = InterfaceKind::Nvme;
    let [inside, outside] = [config, over_link].map(|config| latencies(&read_alone(&config, 300)));
    let link = outside[PAGES as usize..]
        .iter()
        .zip(&inside[PAGES as usize..])
        .map(|(outside, inside)| outside - inside);
    let first = link.clone().next().unwrap();
    assert!(
        link.clone().all(|link| link == first),
        "{:?}",
        link.collect::<Vec<_>>()
    );
    assert!(
        inside[PAGES as usize..]
            .iter()
            .any(|latency| *latency > inside[PAGES as usize])
    );
}
