//! Which pages each buffer policy lets go, worked by hand from the papers: four buffered pages, blocks of four pages, and
//! whole pages read and written one after another. All pages are on flash and none is buffered when a case begins.

use wordline_config::Config;

use crate::common::{command, drive, latencies, replay};
use wordline_workload::{HostCommand, HostOp};

/// Ten milliseconds from one command to the next, so that nothing overlaps.
const APART: u64 = 10_000_000;
/// A page from the buffer takes less than this, a page from flash more.
const FROM_FLASH: u64 = 20_000;
/// Pages on flash.
const PAGES: u64 = 32;
const SECTORS: u32 = 4;

/// A use of a page.
#[derive(Clone, Copy, Debug)]
enum Use {
    Read(u64),
    Write(u64),
}

use Use::{Read as R, Write as W};

/// One plane and a buffer of `pages` pages.
fn buffered(keys: &str, pages: u64) -> Config {
    drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 64\npages_per_block = 4\n[ftl]\nover_provisioning = 0.6\n\
         [buffer]\nsize = \"{} KiB\"\n{keys}",
        2 * pages
    ))
}

/// Whether a page is read from memory after these uses.
fn is_held(config: &Config, uses: &[Use], page: u64) -> bool {
    let whole = |op, page: u64| (op, page * u64::from(SECTORS), SECTORS);
    let others = PAGES..PAGES + 12;
    let unmap = (HostOp::Trim, others.start * u64::from(SECTORS), 12 * SECTORS);
    // every page is written, the last ones push the first ones out, and trimming empties the buffer
    let before = (0..others.end)
        .map(|page| whole(HostOp::Write, page))
        .chain([unmap]);
    let used = uses.iter().map(|page| match *page {
        R(page) => whole(HostOp::Read, page),
        W(page) => whole(HostOp::Write, page),
    });
    let commands: Vec<HostCommand> = (0..)
        .zip(before.chain(used).chain([whole(HostOp::Read, page)]))
        .map(|(index, (op, sector, sectors))| command(index * APART, op, sector, sectors))
        .collect();
    let output = replay(config, commands);
    latencies(&output).last().is_some_and(|last| *last < FROM_FLASH)
}

/// Uses for which no page leaves, one more, and the pages that leave for that.
type Step<'a> = (&'a [Use], Use, &'a [u64]);

/// Asserts which pages leave.
#[track_caller]
fn lets_go(config: &Config, steps: &[Step<'_>]) {
    let mut uses: Vec<Use> = Vec::new();
    let mut held: Vec<u64> = Vec::new();
    for (quiet, last, leave) in steps {
        for used in quiet.iter().chain([last]) {
            let (R(page) | W(page)) = *used;
            uses.push(*used);
            if !held.contains(&page) {
                held.push(page);
            }
        }
        let (now, mut gone): (Vec<u64>, Vec<u64>) =
            held.iter().partition(|page| is_held(config, &uses, **page));
        gone.sort_unstable();
        assert_eq!(gone, *leave, "after {uses:?}");
        held = now;
    }
}

/// The page that came first leaves first, however often it is used: 0, then 1.
#[test]
fn fifo() {
    for keys in ["", "read_cache = true\n"] {
        let config = buffered(&format!("policy = \"fifo\"\n{keys}"), 4);
        lets_go(
            &config,
            &[
                (&[W(0), W(1), W(2), W(3), W(0), R(1)], W(4), &[0]),
                (&[R(1)], W(5), &[1]),
            ],
        );
    }
}

/// The same uses as of `fifo`, then one more. From the one used longest ago: 2 3 0 1, for 4 leaves 2; 3 0 1 4, for 5
/// leaves 3; after a read of 0, which is 1 4 5 0, for 6 leaves 1.
#[test]
fn lru() {
    for keys in ["", "read_cache = true\n"] {
        let config = buffered(&format!("policy = \"lru\"\n{keys}"), 4);
        lets_go(
            &config,
            &[
                (&[W(0), W(1), W(2), W(3), W(0), R(1)], W(4), &[2]),
                (&[], W(5), &[3]),
                (&[R(0)], W(6), &[1]),
            ],
        );
    }
}

/// Half may be protected. 0 and 1 are used again, and protected; 2 as well, for which 0 is on probation again, behind 3.
/// So 3 leaves for 4, 0 for 5, and 4 for 6, where the least recently used page is 1.
#[test]
fn slru() {
    let config = buffered("policy = \"slru\"\nprotected = 0.5\n", 4);
    lets_go(
        &config,
        &[
            (&[W(0), W(1), W(2), W(3), W(0), W(1), W(2)], W(4), &[3]),
            (&[], W(5), &[0]),
            (&[], W(6), &[4]),
        ],
    );
}

/// The window is the last two. 0 clean, 1 dirty, 2 dirty, 3 clean: the window of 0 and 1 has 0, which is clean, for 4.
/// 1 and 2 are dirty, so that 1 leaves for 5, though 3 is clean. The window of 2 and 3 has 3 for 6, which is not the
/// oldest. 2 is read: 4 leaves for 7, the oldest of the dirty 4, 5, 6 and 2.
#[test]
fn cflru() {
    let config = buffered("policy = \"cflru\"\nread_cache = true\nwindow = 0.5\n", 4);
    lets_go(
        &config,
        &[
            (&[R(0), W(1), W(2), R(3)], W(4), &[0]),
            (&[], W(5), &[1]),
            (&[], W(6), &[3]),
            (&[R(2)], W(7), &[4]),
        ],
    );
}

/// From the oldest: 0, 2 (clean), 3, 1, since 1 was written again. For 4: 0 is dirty and becomes cold (marked *) behind
/// 1; 2 is clean and leaves. 3 1 0* 4, for 5: 3 and 1 become cold, 0 is cold and leaves. 4 3* 1* 5: 3 is written, and
/// warm again; for 6, 4 becomes cold and 1 leaves. 5 3 4* 6, for 7: 5 and 3 become cold, and 4 leaves.
#[test]
fn lru_wsr() {
    let config = buffered("policy = \"lru_wsr\"\nread_cache = true\n", 4);
    lets_go(
        &config,
        &[
            (&[W(0), W(1), R(2), W(3), W(1)], W(4), &[2]),
            (&[], W(5), &[0]),
            (&[W(3)], W(6), &[1]),
            (&[], W(7), &[4]),
        ],
    );
}

/// The list of cold clean pages: 0 2; the other: 1 3. For 4 leaves 0, the older cold clean one. 2 is read and 1 written
/// again: none is cold and clean, the other list is 3 4 2 1 with 3 and 4 cold; for 5 leaves 3. 4 is written again: 2 1 5
/// 4; for 6, 2 joins the cold clean pages, 1 becomes cold and goes round, 5 is dirty and cold and leaves. 2 leaves for
/// 7. For 8, 4 becomes cold and goes round, and 1 leaves.
#[test]
fn ccf_lru() {
    let config = buffered("policy = \"ccf_lru\"\nread_cache = true\n", 4);
    lets_go(
        &config,
        &[
            (&[R(0), W(1), R(2), W(3)], W(4), &[0]),
            (&[R(2), W(1)], W(5), &[3]),
            (&[W(4)], W(6), &[5]),
            (&[], W(7), &[2]),
            (&[], W(8), &[1]),
        ],
    );
}

/// Cold clean pages 0 2, cold dirty ones 1 3: 0 leaves for 4. 2 is read again and hot. For 5, chance decides between the
/// oldest cold dirty page, 1, and the oldest clean hot one, 2.
#[test]
fn pt_lru() {
    let keys = "policy = \"pt_lru\"\nread_cache = true\nprobability = ";
    // 3 is hot behind 2; 4 is the oldest cold dirty page for 6. 5 and 6 are hot too: no cold page is left, and 2 is the
    // oldest clean hot one; all others are dirty, and 3 is the oldest
    lets_go(
        &buffered(&format!("{keys}1.0\n"), 4),
        &[
            (&[R(0), W(1), R(2), W(3)], W(4), &[0]),
            (&[R(2)], W(5), &[1]),
            (&[W(3)], W(6), &[4]),
            (&[W(5), W(6)], W(7), &[2]),
            (&[W(7)], W(8), &[3]),
        ],
    );
    // no clean page is left: the oldest of the cold dirty 1, 3, 4 and 5
    lets_go(
        &buffered(&format!("{keys}0.0\n"), 4),
        &[
            (&[R(0), W(1), R(2), W(3)], W(4), &[0]),
            (&[R(2)], W(5), &[2]),
            (&[], W(6), &[1]),
        ],
    );
}

/// Blocks {0}, {4, 5} and {8}: the one with two pages leaves for 9. {0, 1} and {8, 9}: of two as large, the one used
/// longer ago leaves for 12. {0, 1} and {12, 13}: 0 is written, so that 12 and 13 leave for 16.
#[test]
fn fab() {
    let config = buffered("policy = \"fab\"\n", 4);
    lets_go(
        &config,
        &[
            (&[W(0), W(4), W(5), W(8)], W(9), &[4, 5]),
            (&[W(1)], W(12), &[8, 9]),
            (&[W(13), W(0)], W(16), &[12, 13]),
        ],
    );
}

/// Blocks from the one used longest ago: {4}, {0, 1}, {8}; 4 is written again and its block is the last: {0, 1} leaves
/// for 12. {8}, {4}, {12, 13}: {8} leaves for 16. With six pages, the block of 8 was used longest ago, but 0 to 3 were
/// written in sequence, so that their block leaves for 12.
#[test]
fn bplru() {
    let keys = "policy = \"bplru\"\n";
    lets_go(
        &buffered(keys, 4),
        &[
            (&[W(0), W(4), W(1), W(8), W(4)], W(12), &[0, 1]),
            (&[W(13)], W(16), &[8]),
        ],
    );
    lets_go(
        &buffered(keys, 6),
        &[(&[W(8), W(0), W(1), W(2), W(3), W(4)], W(12), &[0, 1, 2, 3])],
    );
}

/// Two of the four may be single pages. 0, 1 and 8 were used once, 4 twice: 0 and 1 fall into a cluster, which leaves
/// for 12. Single pages 8 4 12 5; 8 is written: 4 12 5 8. For 16 the oldest, 4, was used again and leaves alone. 12 5 8
/// 16: for 20, 12 and 5 fall into a cluster each, and that of 12 is the older one.
#[test]
fn bpac() {
    let config = buffered("policy = \"bpac\"\n", 4);
    lets_go(
        &config,
        &[
            (&[W(0), W(4), W(1), W(8), W(4)], W(12), &[0, 1]),
            (&[W(5), W(8)], W(16), &[4]),
            (&[], W(20), &[12]),
        ],
    );
}
