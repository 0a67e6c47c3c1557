//! Tests of TRIM where a drive can be built anew after a power cut.

use super::*;
use crate::config::RecoveryKind;

/// A drive that can be built anew keeps the data block of a logical block that was trimmed: its pages in log blocks may come back, and a merge of them has to free a block.
#[test]
fn trimmed_logical_blocks_keep_their_data_blocks_where_pages_can_come_back() {
    for (kind, is_kept) in [(RecoveryKind::None, false), (RecoveryKind::OobScan, true)] {
        let mut parts = Parts::new("fast", 1, 40);
        parts.ftl.recovery.kind = kind;
        (parts.ftl.gc.reserve_blocks, parts.ftl.gc.hard) = (2, 2.0);
        let mut ftl = build(&parts);
        let mut run = Functional::observed(&mut ftl, FunctionalOptions::default(), parts.medium());
        for lpn in (0..B).chain((0..B).rev()) {
            run.write(Lpn(lpn)).unwrap();
        }
        run.trim(Lpn(0), B).unwrap();
        assert_eq!(ftl.data_block(0).is_some(), is_kept);
        check(&ftl);
    }
}
