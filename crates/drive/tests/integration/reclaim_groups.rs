//! Data of a reclaim group stay in its dies, whoever programs them.

use std::path::Path;

use wordline_drive::{LiveDrive, RunOptions};
use wordline_ftl::Lpn;
use wordline_units::{Duration, SimTime};
use wordline_workload::{HostCommand, HostOp};

use crate::common::{command, drive, number};

/// Eight dies in two channels of two chips. The host writes all pages four times over, each in a group of its own, so that blocks are collected:
/// both the programs of the host and those of collection may go to any plane of the group, and to no other.
#[test]
fn a_reclaim_group_keeps_its_data_in_its_dies() {
    let spans = [("channel", 2), ("chip", 4), ("die", 8)];
    for ((span, groups), grain) in spans
        .into_iter()
        .flat_map(|of| ["chip", "die"].map(|grain| (of, grain)))
    {
        let config = drive(&format!(
            "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 2\nplanes_per_die = 2\nblocks_per_plane = 16\n\
             pages_per_block = 8\n[ftl]\nover_provisioning = 0.8\n\
             [ftl.placement]\ndirective = \"fdp\"\nreclaim_group = \"{span}\"\nreclaim_unit_handles = 2\n\
             handle_type = \"persistently_isolated\"\n[ftl.gc]\npool = \"{span}\"\nfrontier = \"separate\"\n\
             [commands]\ninterleave = {}\n[scheduler]\nbusy_grain = \"{grain}\"\n",
            // without it a chip takes one command at a time whatever the grain
            grain == "die"
        ));
        let audited = RunOptions {
            audit: true,
            ..RunOptions::default()
        };
        let mut live = LiveDrive::new(&config, Path::new("."), audited).unwrap();
        let pages = live.ftl().user_pages();
        let group_of = |page: u64| page * 7 % groups;
        let mut now = SimTime::ZERO;
        for written in 0..4 * pages {
            // each time in another order, so that no block is overwritten as a whole
            let page = written * [37, 41, 43, 47][(written / pages) as usize] % pages;
            // placement handle 1 of the group
            let write = HostCommand {
                placement: (group_of(page) * (1 << 16) / groups + 1) as u16,
                ..command(now.ns(), HostOp::Write, page * 4, 4)
            };
            live.inject(write, written).unwrap();
            now += Duration(100_000);
            live.advance_until(now).unwrap();
        }
        live.advance_until(now + Duration(1_000_000_000)).unwrap();
        assert_eq!(live.completions().len() as u64, 4 * pages);

        let geometry = *live.ftl().geometry();
        for page in 0..pages {
            let place = live.ftl().lookup(Lpn(page)).unwrap();
            let die = geometry.die_of(geometry.plane_of(geometry.block_of(place)));
            let found = u64::from(die.0) * groups / 8;
            assert_eq!(
                found,
                group_of(page),
                "page {page} by {span} where the {grain} is busy"
            );
        }
        let output = live.finish().unwrap();
        assert!(number(&output, "ftl.gc.pages_moved") > 0.0, "{span} {grain}");
    }
}
