//! What a run reads without having written it (`age.place_reads`).

use rustc_hash::FxHashMap;
use wordline_ftl::{FtlError, PlacedPage};
use wordline_workload::HostOp;

use crate::error::RunError;
use crate::host::clients::Tenant;

/// Most requests that are gone through beforehand.
const MOST: u64 = 1 << 32;
/// Requests between two calls of `watch`.
const LOOK: u64 = 1 << 16;

/// Pages of `sectors` sectors, with their sectors that the clients read before they write them, in the order in which they are first read. The clients are
/// asked for all their commands, one client after another: they are of no use afterwards. `watch` is told how much is done and stops it by returning false.
///
/// # Errors
/// Clients that say of no number of requests that these are all; a workload that cannot be read; `RunError::Interrupted`.
pub(super) fn reads(
    tenants: Vec<Tenant>,
    sectors: u32,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Vec<PlacedPage>, RunError> {
    let all = tenants
        .iter()
        .map(|tenant| tenant.client.source.len_hint())
        .try_fold(0, |sum: u64, each| Some(sum.saturating_add(each?)))
        .filter(|all| *all <= MOST);
    let Some(all) = all else {
        let found = "a workload that goes on without an end";
        let accepted =
            "with a workload of at most 4,294,967,296 requests, which are gone through before the run";
        return Err(FtlError::new("age.place_reads", found, accepted).into());
    };
    let mut found = Found::default();
    let mut done = 0;
    for mut tenant in tenants {
        while let Some(command) = tenant.client.source.next_command()? {
            if done % LOOK == 0 && !watch(done as f64 / all.max(1) as f64) {
                return Err(RunError::Interrupted);
            }
            done += 1;
            let reads = match command.op {
                HostOp::Read => true,
                HostOp::Write | HostOp::Trim | HostOp::WriteZeroes => false,
                _ => continue,
            };
            let first = tenant.offset + command.sector;
            let end = first + u64::from(command.sectors);
            let page = u64::from(sectors);
            for lpn in first / page..end.div_ceil(page) {
                let from = first.saturating_sub(lpn * page);
                let to = (end - lpn * page).min(page);
                found.touch(lpn, bits(from, to), reads);
            }
        }
    }
    Ok(found.pages)
}

/// Bits `from` to `to` of a page of 64 sectors at most.
fn bits(from: u64, to: u64) -> u64 {
    let below = |end: u64| 1_u64.checked_shl(end as u32).map_or(u64::MAX, |bit| bit - 1);
    below(to) & !below(from)
}

/// What was found so far.
#[derive(Default)]
struct Found {
    pages: Vec<PlacedPage>,
    /// By page: its place among `pages`, where it is there, and the sectors that were written.
    known: FxHashMap<u64, (Option<usize>, u64)>,
}

impl Found {
    /// Sectors of a page are read, or written.
    fn touch(&mut self, lpn: u64, sectors: u64, reads: bool) {
        let (at, written) = self.known.entry(lpn).or_default();
        if !reads {
            *written |= sectors;
            return;
        }
        let missing = sectors & !*written;
        if missing == 0 {
            return;
        }
        let at = *at.get_or_insert_with(|| {
            self.pages.push(PlacedPage { lpn, sectors: 0 });
            self.pages.len() - 1
        });
        self.pages[at].sectors |= missing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Page 3 is read, then written and read again; of page 1 sector 0 is written before sectors 0 and 1 are read, then sector 3.
    #[test]
    fn what_was_written_before_is_not_placed() {
        let mut found = Found::default();
        found.touch(3, 0b0110, true);
        found.touch(3, 0b1000, false);
        found.touch(1, 0b0001, false);
        found.touch(1, 0b0011, true);
        found.touch(3, 0b1100, true);
        found.touch(1, 0b1000, true);
        let expected = [(3, 0b0110), (1, 0b1010)].map(|(lpn, sectors)| PlacedPage { lpn, sectors });
        assert_eq!(found.pages, expected);
    }

    #[test]
    fn bits_of_a_page() {
        assert_eq!((bits(0, 4), bits(1, 3), bits(2, 2)), (0b1111, 0b110, 0));
        assert_eq!((bits(0, 64), bits(63, 64)), (u64::MAX, 1 << 63));
    }
}
