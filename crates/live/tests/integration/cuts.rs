//! Power cuts of a drive with data: what a host reads afterwards is what it was promised, byte by byte.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use wordline_config::{Config, DriveSource, resolve};
use wordline_live::{Ask, Content, Device};
use wordline_units::{Seed, SimTime};
use wordline_workload::HostOp;

const SECTOR: u64 = 512;

/// A small drive of pages of 2 KiB with these further tables.
pub(crate) fn config(kind: &str, more: &str) -> Config {
    let text = format!(
        "[geometry]\nchannels = 2\nchips_per_channel = 1\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 40\n\
         pages_per_block = 16\npage_size = \"2 KiB\"\n[ftl]\nover_provisioning = 1.0\n[ftl.recovery]\nkind = \"{kind}\"\n{}\
         [age]\nmethod = \"fresh\"\n{more}",
        if kind.contains("scan") {
            ""
        } else {
            "checkpoint_interval = 200\n"
        }
    );
    resolve(DriveSource::Text(&text), None, &[]).unwrap().config
}

/// What a host may read of a sector, oldest first: number of the operation, what it brought (a TRIM 0), whether it was a TRIM that is lost with the power.
#[derive(Clone, Debug)]
struct Known {
    values: Vec<(u64, u8, bool)>,
    /// All that it ever brought: a TRIM that is lost may bring back any of it.
    ever: BTreeSet<u8>,
}

/// The number of what was there when the power came back, or at first.
const BEFORE: u64 = 0;
/// The same, where something older may come back all the same.
const UNSETTLED: u64 = u64::MAX;

impl Default for Known {
    fn default() -> Self {
        Self {
            values: vec![(BEFORE, 0, false)],
            ever: [0].into(),
        }
    }
}

struct Host {
    device: Device,
    seed: Seed,
    drawn: u64,
    known: BTreeMap<u64, Known>,
    /// Operations under way: token to number, sectors.
    under_way: BTreeMap<u64, (u64, std::ops::Range<u64>)>,
    answered: BTreeSet<u64>,
    /// Flushes under way, with what had been answered when they were sent.
    flushes: BTreeMap<u64, BTreeSet<u64>>,
    operations: u64,
    sectors: u64,
    keeps_trims: bool,
    /// Whether the drive may take no more writes some day.
    wears_out: bool,
    /// Programs and erases that have failed.
    failed: u64,
    /// Sectors of a page.
    per_page: u64,
}

impl Host {
    fn new(config: &Config, seed: u64) -> Self {
        let (page_bytes, size) = Device::sizes(config).unwrap();
        let device = Device::new(config, PathBuf::from("."), Content::in_memory(page_bytes), true).unwrap();
        Self {
            device,
            seed: Seed(seed),
            drawn: 0,
            known: BTreeMap::new(),
            under_way: BTreeMap::new(),
            answered: [BEFORE].into(),
            flushes: BTreeMap::new(),
            operations: 0,
            // a part of it, so that pages are written again and again
            sectors: size / SECTOR / 2,
            per_page: page_bytes as u64 / SECTOR,
            keeps_trims: config.ftl.recovery.kind.has_journal(),
            wears_out: config.ftl.failures.is_on(),
            failed: 0,
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.drawn += 1;
        self.seed.draw("host", self.drawn) % end
    }

    fn send(&mut self) {
        self.operations += 1;
        let kind = self.below(16);
        if kind == 0 {
            let ask = Ask {
                op: HostOp::Flush,
                fua: false,
                offset: 0,
                length: 0,
            };
            let token = self.device.submit(SimTime::ZERO, &ask, &[]).unwrap();
            self.flushes.insert(token, self.answered.clone());
            return;
        }
        let first = self.below(self.sectors);
        let sectors = first..(first + 1 + self.below(16)).min(self.sectors);
        // no two operations that are under way share a page of four sectors
        let pages = |sectors: &std::ops::Range<u64>| sectors.start / 4..sectors.end.div_ceil(4);
        let wanted = pages(&sectors);
        let is_busy = self.under_way.values().any(|(_, other)| {
            let other = pages(other);
            other.start < wanted.end && wanted.start < other.end
        });
        if is_busy {
            return;
        }
        let (op, value, data) = if kind == 1 {
            (HostOp::Trim, 0, Vec::new())
        } else {
            let value = 1 + (self.operations % 255) as u8;
            (
                HostOp::Write,
                value,
                vec![value; ((sectors.end - sectors.start) * SECTOR) as usize],
            )
        };
        let ask = Ask {
            op,
            fua: kind == 2,
            offset: sectors.start * SECTOR,
            length: (sectors.end - sectors.start) * SECTOR,
        };
        let token = self.device.submit(SimTime::ZERO, &ask, &data).unwrap();
        for sector in sectors.clone() {
            let known = self.known.entry(sector).or_default();
            // the journal records TRIMs of whole pages
            let page = sector / self.per_page * self.per_page..(sector / self.per_page + 1) * self.per_page;
            let is_recorded = self.keeps_trims && sectors.start <= page.start && page.end <= sectors.end;
            let is_lost = op == HostOp::Trim && !is_recorded;
            known.values.push((self.operations, value, is_lost));
            known.ever.insert(value);
        }
        self.under_way.insert(token, (self.operations, sectors));
        if kind == 2 {
            // durable when it is answered, as a flush of this operation alone
            self.flushes.insert(token, [self.operations].into());
        }
    }

    fn hear(&mut self) {
        for answer in self.device.answers() {
            let is_refused = answer.status.is_refused();
            assert!(!is_refused || self.wears_out);
            if let Some((operation, _)) = self.under_way.remove(&answer.token)
                && !is_refused
            {
                self.answered.insert(operation);
            }
            let Some(durable) = self.flushes.remove(&answer.token).filter(|_| !is_refused) else {
                continue;
            };
            for known in self.known.values_mut() {
                let counts =
                    |(operation, _, is_lost): &(u64, u8, bool)| durable.contains(operation) && !is_lost;
                if let Some(at) = known.values.iter().rposition(counts) {
                    known.values.drain(..at);
                }
            }
        }
    }

    /// The power fails, and every sector shows what it may.
    fn cut(&mut self, again: bool, what: &str) -> u64 {
        let counters = self.device.ftl().counters();
        self.failed += counters.failed_programs + counters.failed_erases;
        let report = self.device.cut(again, self.seed).unwrap();
        self.under_way.clear();
        self.flushes.clear();
        let mut data = Vec::new();
        self.device
            .read(0, (self.sectors * SECTOR) as usize, &mut data)
            .unwrap();
        for (sector, bytes) in (0..).zip(data.chunks(SECTOR as usize)) {
            let found = bytes[0];
            assert!(
                bytes.iter().all(|byte| *byte == found),
                "{what}: a torn sector {sector}"
            );
            let known = self.known.entry(sector).or_default();
            let is_undone = known.values.iter().any(|(_, _, is_lost)| *is_lost);
            let may_be = known.values.iter().any(|(_, value, _)| *value == found)
                || is_undone && known.ever.contains(&found);
            assert!(
                may_be,
                "{what}: sector {sector} holds {found}, of {:?}",
                known.values
            );
            // a TRIM that nobody recorded may be undone by any of the next cuts
            if is_undone {
                known.values.push((UNSETTLED, found, false));
            } else {
                known.values = vec![(BEFORE, found, false)];
            }
        }
        self.answered = [BEFORE].into();
        report.torn.programs + report.torn.erases
    }
}

/// Cuts after random numbers of events of random work; how many programs and erases were torn, and how many failed.
fn cuts(config: &Config, seed: u64, what: &str) -> (u64, u64) {
    let mut host = Host::new(config, seed);
    let mut torn = 0;
    for cut in 0..8 {
        let events = host.below(1_500);
        for _ in 0..events {
            while host.under_way.len() < 6 && host.flushes.len() < 3 {
                host.send();
            }
            host.device.step_until(SimTime::NEVER).unwrap();
            host.hear();
        }
        let again = cut % 3 == 2;
        torn += host.cut(again, &format!("{what}, seed {seed}, cut {cut}"));
    }
    host.device.finish(None).unwrap();
    (torn, host.failed)
}

#[test]
fn what_was_promised_is_there_after_any_cut() {
    let mut torn = 0;
    for kind in ["oob_scan", "summary_scan", "checkpoint_journal", "delayed"] {
        for more in [
            "",
            "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\n",
            "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\ncapacitor = true\n",
        ] {
            let config = config(kind, more);
            torn += (0..3)
                .map(|seed| cuts(&config, seed, &format!("{kind} {more}")).0)
                .sum::<u64>();
        }
    }
    assert!(torn > 20, "only {torn} programs and erases were torn");
}

/// Programs and erases fail too, also in the blocks of journal, checkpoints and root.
#[test]
fn a_drive_of_which_blocks_fail_keeps_its_promises_too() {
    let mut failed = 0;
    for kind in ["oob_scan", "summary_scan", "checkpoint_journal", "delayed"] {
        let more = "[ftl.failures]\nprogram = 0.01\nerase = 0.01\ngrowth = 0\n[ftl.gc]\nreserve_blocks = 4\nhard = 4\nlow = 4\nhigh = 5\n";
        let mut config = config(kind, more);
        config.geometry.blocks_per_plane = 72;
        failed += (20..24)
            .map(|seed| cuts(&config, seed, &format!("{kind}, failures")).1)
            .sum::<u64>();
    }
    assert!(failed > 100, "only {failed} programs and erases failed");
}

#[test]
fn units_that_share_a_page_keep_their_promises_too() {
    for kind in ["oob_scan", "checkpoint_journal"] {
        let mut config = config(kind, "");
        config.ftl.mapping_unit = Some("512 B".parse().unwrap());
        for seed in 10..13 {
            cuts(&config, seed, &format!("{kind}, units"));
        }
    }
}

/// A host that believes a lie loses what it was promised: the check above can fail.
#[test]
fn a_buffer_without_flushes_loses_data() {
    let config = config("oob_scan", "[buffer]\npolicy = \"lru\"\nsize = \"64 KiB\"\n");
    let mut host = Host::new(&config, 1);
    let ask = Ask {
        op: HostOp::Write,
        fua: false,
        offset: 0,
        length: 2048,
    };
    host.device.submit(SimTime::ZERO, &ask, &[7; 2048]).unwrap();
    while !host.device.has_answers() {
        host.device.step_until(SimTime::NEVER).unwrap();
    }
    let report = host.device.cut(false, Seed(1)).unwrap();
    let mut data = Vec::new();
    host.device.read(0, 2048, &mut data).unwrap();
    assert!(data.iter().all(|byte| *byte == 0));
    assert_eq!(report.pages_reverted, 1);
}
