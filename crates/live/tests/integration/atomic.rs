//! Writes up to `host.nvme.atomic_write_unit_power_fail` are all old or all new after a power cut; longer ones need not be.

use std::path::PathBuf;

use proptest::prelude::*;
use wordline_config::{Config, DriveSource, resolve};
use wordline_live::{Ask, Content, Device};
use wordline_units::{Seed, SimTime};
use wordline_workload::HostOp;

const SECTOR: usize = 512;
/// Sectors that are written, so few that writes overlap.
const SECTORS: u64 = 256;
const UNIT: u64 = 16 << 10;

/// A small drive of pages of 2 KiB with these further keys.
fn config(kind: &str, keys: &[(&str, &str)]) -> Config {
    let text = "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 1\nplanes_per_die = 1\nblocks_per_plane = 40\n\
                pages_per_block = 16\npage_size = \"2 KiB\"\n[ftl]\nover_provisioning = 1.0\n[ftl.gc]\nreserve_blocks = 2\n\
                [age]\nmethod = \"fresh\"\n[host]\ninterface = \"nvme\"";
    let mut all = vec![("ftl.recovery.kind".to_owned(), kind.to_owned())];
    all.extend(
        keys.iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
    );
    if !kind.contains("scan") {
        all.push(("ftl.recovery.checkpoint_interval".to_owned(), "200".to_owned()));
    }
    resolve(DriveSource::Text(text), None, &all).unwrap().config
}

/// A write of these sectors, each of which holds its number, from 1 on.
struct Sent {
    sectors: std::ops::Range<u64>,
}

/// Writes are sent, several at a time, and the power is cut now and then. How many writes of each of the two sorts were found half done, short ones first.
fn halved(config: &Config, seed: u64, rounds: u64) -> [usize; 2] {
    let (page_bytes, _) = Device::sizes(config).unwrap();
    let mut device = Device::new(config, PathBuf::from("."), Content::in_memory(page_bytes), true).unwrap();
    let mut drawn = 0;
    let mut below = |end: u64| {
        drawn += 1;
        Seed(seed).draw("host", drawn) % end
    };
    let mut sent: Vec<Sent> = Vec::new();
    let mut found = [0; 2];
    for round in 0..rounds {
        for _ in 0..1 + below(60) {
            if device.under_way() < 8 && below(3) > 0 {
                if below(12) == 0 {
                    let flush = Ask {
                        op: HostOp::Flush,
                        fua: false,
                        offset: 0,
                        length: 0,
                    };
                    device.submit(SimTime::ZERO, &flush, &[]).unwrap();
                    continue;
                }
                let first = below(SECTORS - 1);
                let most = if below(4) == 0 { 128 } else { UNIT / SECTOR as u64 };
                let sectors = first..(first + 1 + below(most)).min(SECTORS);
                sent.push(Sent {
                    sectors: sectors.clone(),
                });
                let sector = (sent.len() as u64).to_le_bytes().repeat(SECTOR / 8);
                let data = sector.repeat((sectors.end - sectors.start) as usize);
                let ask = Ask {
                    op: HostOp::Write,
                    fua: false,
                    offset: sectors.start * SECTOR as u64,
                    length: data.len() as u64,
                };
                device.submit(SimTime::ZERO, &ask, &data).unwrap();
            }
            (0..below(6)).for_each(|_| _ = device.step_until(SimTime::NEVER).unwrap());
            device.answers();
        }
        device.cut(below(4) == 0, Seed(seed ^ round)).unwrap();
        let mut bytes = Vec::new();
        device.read(0, SECTORS as usize * SECTOR, &mut bytes).unwrap();
        let shown: Vec<u64> = (bytes.chunks_exact(SECTOR))
            .map(|sector| u64::from_le_bytes(sector[..8].try_into().unwrap()))
            .collect();
        for (number, write) in (1..).zip(&sent) {
            let shown = &shown[write.sectors.start as usize..write.sectors.end as usize];
            if shown.contains(&number) && shown.iter().any(|other| *other < number) {
                let is_short = (write.sectors.end - write.sectors.start) * SECTOR as u64 <= UNIT;
                found[usize::from(!is_short)] += 1;
            }
        }
    }
    found
}

const KINDS: [&str; 4] = ["oob_scan", "summary_scan", "checkpoint_journal", "delayed"];
const ATOMIC: (&str, &str) = ("host.nvme.atomic_write_unit_power_fail", "16 KiB");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Without a buffer, with parts of pages that wait in registers, and with a buffer on a capacitor.
    #[test]
    fn short_writes_are_whole_after_every_power_cut(seed: u64, kind in 0_usize..4, drive in 0_usize..3) {
        let more: &[(&str, &str)] = [
            &[][..],
            &[("ftl.mapping_unit", "1 KiB")],
            &[("buffer.policy", "lru"), ("buffer.size", "64 KiB"), ("buffer.capacitor", "true")],
        ][drive];
        let config = config(KINDS[kind], &[more, &[ATOMIC]].concat());
        prop_assert_eq!(halved(&config, seed, 12)[0], 0);
    }
}

/// What the test above would find: without the key short writes are halved as long ones are, and with it the long ones still are.
#[test]
fn only_what_is_promised_is_kept() {
    for kind in KINDS {
        let sum = |keys: &[(&str, &str)]| {
            (0..4)
                .map(|seed| halved(&config(kind, keys), seed, 12))
                .fold([0; 2], |all, found| [all[0] + found[0], all[1] + found[1]])
        };
        let without = sum(&[]);
        assert!(without[0] > 3 && without[1] > 3, "{kind}: {without:?}");
        let with = sum(&[ATOMIC]);
        assert!(with[0] == 0 && with[1] > 0, "{kind}: {with:?}");
    }
}

#[test]
fn a_drive_says_its_atomic_write_unit() {
    for (keys, unit) in [(&[ATOMIC][..], 16 << 10), (&[], 2 << 10)] {
        let config = config("oob_scan", keys);
        let device = Device::new(&config, PathBuf::from("."), Content::in_memory(2 << 10), true).unwrap();
        assert_eq!(device.atomic_write_unit(), unit);
    }
}
