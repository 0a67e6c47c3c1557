//! Which block collection takes first, worked by hand: one plane of twelve blocks of four pages, half of which are user
//! pages, written one page after the other. Collection runs below two free blocks.

use crate::common::{command, drive, replay};
use wordline_drive::RunOutput;
use wordline_workload::{HostCommand, HostOp};

const MS: u64 = 1_000_000;
const SECTORS: u64 = 4;

/// Pages of a drive with a victim policy written at their times in ms.
fn written(policy: &str, pages: &[(u64, u64)]) -> RunOutput {
    let config = drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
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
