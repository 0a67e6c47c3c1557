//! Which block collection takes first, worked by hand: one plane of twelve blocks of four pages, half of which are user
//! pages, written one page after the other. Collection runs below two free blocks.

use wordline_drive::RunOutput;

use crate::common::{command, drive, replay};
use wordline_workload::{HostCommand, HostOp};

const MS: u64 = 1_000_000;
const SECTORS: u64 = 4;

/// Pages of a drive with a victim policy written at their times in ms.
fn written(policy: &str, pages: &[(u64, u64)]) -> RunOutput {
    written_with("", policy, pages)
}

/// The same, with keys of the whole drive.
fn written_with(keys: &str, policy: &str, pages: &[(u64, u64)]) -> RunOutput {
    let config = drive(&format!(
        "{keys}[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 12\npages_per_block = 4\n[ftl]\nover_provisioning = 1.0\n[ftl.gc]\nhard = 2\nlow = 2\n\
         high = 2\n{policy}"
    ));
    let commands: Vec<HostCommand> = pages
        .iter()
        .map(|(ms, page)| command(ms * MS, HostOp::Write, page * SECTORS, SECTORS as u32))
        .collect();
    replay(&config, commands)
}

/// Blocks 0 to 5 hold pages 0 to 23. Page 0 and three pages of each other block are written again, into blocks 6 to 9,
/// and page 0 twice more into block 10, which leaves one free block, so that one is collected: block 0 holds three valid
/// pages, block 1 one. (A block without any would be taken first by every policy.)
fn overwritten_behind_the_first_block(policy: &str) -> RunOutput {
    let three_of_each = (4..24).filter(|page| page % 4 < 3);
    let again = [0].into_iter().chain(three_of_each).chain([0, 0]);
    let pages: Vec<(u64, u64)> = (0..).zip((0..24).chain(again)).collect();
    written(policy, &pages)
}

#[test]
fn fifo_takes_the_block_that_was_closed_first_whatever_it_holds() {
    let fifo = overwritten_behind_the_first_block("victim = \"fifo\"\n");
    assert_eq!(fifo.blocks.erase_count[..3], [1, 0, 0]);
    let of_two = overwritten_behind_the_first_block("victim = \"windowed_greedy\"\nwindow = 2\n");
    assert_eq!(of_two.blocks.erase_count[..3], [0, 1, 0]);
}

/// Block 0 is written in the first milliseconds and keeps two of its pages: (1 - 0.5) age / (2 * 0.5) is half its age of
/// a second. Blocks 1 to 4, of the last 40 ms, keep one or two: (1 - 0.25) age / (2 * 0.25) is one and a half of theirs. The last write takes the block before the last.
#[test]
fn cost_benefit_prefers_old_blocks_to_emptier_young_ones() {
    let fill = (0..24).map(|page| (if page < 4 { page } else { 1_000 + page }, page));
    let again = [0, 1, 4, 5, 6, 8, 12, 16, 20, 9, 13, 17, 21, 10, 14, 18, 22, 0];
    let pages: Vec<(u64, u64)> = fill.chain((1_030..).zip(again)).collect();

    let cost_benefit = written("victim = \"cost_benefit\"\n", &pages);
    assert_eq!(cost_benefit.blocks.erase_count[..6], [1, 0, 0, 0, 0, 0]);
    let greedy = written("victim = \"greedy\"\n", &pages);
    assert_eq!(greedy.blocks.erase_count[..2], [0, 1]);
}

/// Erases of each of the first `count` blocks.
fn erases(output: &RunOutput, count: usize) -> Vec<u32> {
    output.blocks.erase_count[..count].to_vec()
}

/// Blocks 0 to 5 hold pages 0 to 23. What is written then leaves nothing valid in blocks 0, 2 and 3, which are collected
/// after blocks 10, 11 and 0 were opened: u = 0 goes first under either policy. At 99 ms block 2 is opened, and with the
/// next write, at 100 ms, a fourth block is collected:
///
/// | block | holds | u | age in ms | erases | (1-u) age / 2u | u / (1-u) / age (1 + erases) |
/// |---|---|---|---|---|---|---|
/// | 0 | 0, the fourth time | 1/4 | 49 | 1 | 73.5 | 1/73.5 |
/// | 1 | 4, 5 | 1/2 | 93 | 0 | 46.5 | 1/93 |
/// | 4 and 5 | three each | 3/4 | 81, 77 | 0 | below 14 | 3/81 and more |
/// | 6 to 9 | two each | 1/2 | 73 and less | 0 | below 37 | 1/73 and more |
/// | 10, 11 | three each | 3/4 | 57, 53 | 0 | below 10 | 3/57 and more |
#[test]
fn cat_spares_the_block_that_was_erased_before() {
    let fill = (0..24).map(|page| (page, page));
    let blocks_6_to_9 = [0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 6, 7, 16, 20];
    let blocks_10_11_and_0 = [0, 8, 12, 16, 1, 9, 13, 20, 0, 0, 0, 0];
    let again = (24..).zip(blocks_6_to_9.into_iter().chain(blocks_10_11_and_0));
    let pages: Vec<(u64, u64)> = fill.chain(again).chain([(99, 1), (100, 1)]).collect();

    let cat = written("victim = \"cat\"\n", &pages);
    assert_eq!(erases(&cat, 12), [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    let cost_benefit = written("victim = \"cost_benefit\"\n", &pages);
    assert_eq!(erases(&cost_benefit, 12), [2, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// Blocks 0 to 5 hold pages 0 to 23. One page of block 2 becomes invalid a second before collection, two pages of block 3
/// `young` ms before it, and then three of each of blocks 0, 1, 4 and 5 in its last milliseconds. The sums of their
/// times are 1,000, 2 `young`, and below 100.
fn garbage_of_several_ages(policy: &str, young: u64) -> RunOutput {
    let fill = (0..24).map(|page| (page, page));
    let old = [(1_000, 8), (2_000 - young, 12), (2_000 - young + 1, 13)];
    let last = [0, 1, 2, 4, 5, 6, 16, 17, 18, 20, 21, 22, 0, 4, 16];
    let pages: Vec<(u64, u64)> = fill.chain(old).chain((1_986..).zip(last)).collect();
    written(policy, &pages)
}

#[test]
fn fegc_sums_the_ages_of_the_garbage() {
    let fegc = "victim = \"fegc\"\n";
    // 2 x 400 < 1,000 < 2 x 600
    assert_eq!(erases(&garbage_of_several_ages(fegc, 400), 6), [0, 0, 1, 0, 0, 0]);
    assert_eq!(erases(&garbage_of_several_ages(fegc, 600), 6), [0, 0, 0, 1, 0, 0]);
    // most garbage, however young
    let greedy = garbage_of_several_ages("victim = \"greedy\"\n", 600);
    assert_eq!(erases(&greedy, 6), [1, 0, 0, 0, 0, 0]);
}

/// Of ten candidates with 23 or 24 valid pages, 0, 3, 4 and 5 hold one page and block 1 two, below the average of 2.3;
/// blocks 2 and 6 hold three, blocks 7 to 9 four. Which blocks are collected with any of 60 seeds.
fn drawn(policy: &str) -> Vec<usize> {
    let again = [12, 13, 14, 16, 17, 18, 20, 21, 22, 0, 1, 2, 4, 5, 8, 12, 12, 12];
    let pages: Vec<(u64, u64)> = (0..).zip((0..24).chain(again)).collect();
    let mut drawn: Vec<usize> = (0..60)
        .map(|seed| {
            let output = written_with(&format!("seed = {seed}\n"), policy, &pages);
            let first = output.blocks.erase_count.iter().position(|erases| *erases > 0);
            first.expect("a block is collected")
        })
        .collect();
    drawn.sort_unstable();
    drawn.dedup();
    drawn
}

#[test]
fn random_pp_draws_below_the_average_only() {
    assert_eq!(drawn("victim = \"random_pp\"\n"), [0, 1, 3, 4, 5]);
    // a draw that looks at nothing takes others as well
    assert!(drawn("victim = \"random\"\n").len() > 5);
    assert_eq!(drawn("victim = \"greedy\"\n"), [0]);
}
