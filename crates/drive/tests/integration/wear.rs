//! Which data static wear levelling moves, worked by hand: one plane of twelve blocks of four pages, half of which are
//! user pages. Pages 0 to 23 are written into blocks 0 to 5, then pages 0 to 3 over and over: blocks 0 and 6 to 11 take
//! turns, and with every fourth write one is opened and another one, which holds nothing, erased. Blocks 1 to 5
//! keep what does not change.

use wordline_drive::RunOutput;

use crate::common::{command, drive, number, replay};
use wordline_workload::{HostCommand, HostOp};

/// Ten milliseconds from one write to the next, so that nothing overlaps.
const APART: u64 = 10_000_000;
const SECTORS: u64 = 4;

/// The drive after so many erases of collection. The first is of block 0, with the 18th write over the filled
/// drive, the one after that which opens block 10.
fn after(collections: u64, wear: &str) -> RunOutput {
    let config = drive(&format!(
        "[geometry]\nchannels = 1\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 12\npages_per_block = 4\n[ftl]\nover_provisioning = 1.0\n[ftl.gc]\nhard = 2\nlow = 2\n\
         high = 2\n[ftl.wear]\ncheck_erases = 1\n{wear}"
    ));
    let again = 18 + 4 * (collections - 1);
    let pages = (0..24).chain((0..again).map(|index| index % 4));
    let commands: Vec<HostCommand> = (0..)
        .zip(pages)
        .map(|(index, page)| command(index * APART, HostOp::Write, page * SECTORS, SECTORS as u32))
        .collect();
    replay(&config, commands)
}

/// Erases of each block, and blocks that wear levelling emptied.
fn wear_of(output: &RunOutput) -> (Vec<u32>, f64) {
    (
        output.blocks.erase_count.clone(),
        number(output, "ftl.wear.blocks_moved"),
    )
}

/// Even blocks are hot at first, odd ones cold (Chang, SAC 2007, with a threshold of 1). Collection erases 0, 6, 7, 8, 9,
/// 10, 11, 0, 6, 7.
///
/// * With its eighth erase a free hot block, 0, has two erases more than 1, the first of the least erased closed cold
///   blocks: 0 takes the data of 1, which is erased. They change sets.
/// * After the ninth, 6 takes the data of 3 likewise.
/// * The tenth is of 7, a cold block: it was erased twice since it joined, the hot block 2 never, so that 7 is hot from
///   now on, and takes the data of 5.
#[test]
fn dual_pool_puts_cold_data_on_worn_hot_blocks() {
    let dual_pool = |gap: u32| format!("static = \"dual_pool\"\ngap = {gap}\n");
    let of = |collections| wear_of(&after(collections, &dual_pool(1)));
    assert_eq!(of(7), (vec![1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], 0.0));
    assert_eq!(of(8), (vec![2, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], 1.0));
    assert_eq!(of(9), (vec![2, 1, 0, 1, 0, 0, 2, 1, 1, 1, 1, 1], 2.0));
    assert_eq!(of(10), (vec![2, 1, 0, 1, 0, 1, 2, 2, 1, 1, 1, 1], 3.0));
    // above the threshold, not at it
    let wider = after(8, &dual_pool(2));
    assert_eq!(wear_of(&wider), (vec![2, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], 0.0));
}
