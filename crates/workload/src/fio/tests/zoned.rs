//! `zonemode`: zones that jobs go through in turn, and zones that they write at their pointers.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::{DriveZones, FioZones};

mod ends;

/// Sectors of a zone, and those of it that can be written: blocks of 8 sectors.
const SIZE: u64 = 96;
const CAPACITY: u64 = 64;

fn zoned(count: u32, most_open: Option<u32>, lost: &[u32]) -> FioDrive {
    FioDrive {
        zones: DriveZones::Known(FioZones {
            count,
            size: SIZE,
            capacity: CAPACITY,
            block: 8,
            most_open,
            lost: lost.to_vec(),
        }),
        ..FioDrive::plain(u64::from(count) * SIZE)
    }
}

fn jobs(text: &str, drive: &FioDrive) -> Vec<Client> {
    let text = format!("[global]\nfilename=/dev/nvme0n1\nioengine=libaio\nzonemode=zbd\n{text}");
    fio_clients(&text, "job.fio", drive, 1).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A drive that admits the commands of each client in their order, those of several in any order, and completes them in any order. It holds hosts to the
/// rules of zones.
struct Device {
    pointers: Vec<u64>,
    /// Writes of each zone that are not completed.
    writing: Vec<u32>,
    most_open: usize,
    /// Zones that were finished since their last reset.
    finished: Vec<bool>,
    /// Resets of each zone.
    resets: Vec<u32>,
    /// Given and not admitted, by client, with the resets that their zones had seen.
    queues: Vec<VecDeque<(HostCommand, u32)>>,
    admitted: Vec<(usize, HostCommand)>,
    /// All commands in the order of their admission, with their clients.
    seen: Vec<(usize, HostCommand)>,
    most_seen_open: usize,
}

impl Device {
    fn new(zones: u32, clients: usize, most_open: Option<u32>) -> Self {
        Self {
            pointers: vec![0; zones as usize],
            writing: vec![0; zones as usize],
            finished: vec![false; zones as usize],
            resets: vec![0; zones as usize],
            most_open: most_open.map_or(usize::MAX, |most| most as usize),
            queues: vec![VecDeque::new(); clients],
            admitted: Vec::new(),
            seen: Vec::new(),
            most_seen_open: 0,
        }
    }

    fn admit(&mut self, client: usize) {
        let (command, resets) = self.queues[client].pop_front().unwrap();
        let (zone, offset) = ((command.sector / SIZE) as usize, command.sector % SIZE);
        let end = offset + u64::from(command.sectors);
        match command.op {
            HostOp::Write => {
                assert_eq!(offset, self.pointers[zone], "not at the pointer: {command:?}");
                assert!(end <= CAPACITY, "beyond the capacity: {command:?}");
                assert!(!self.finished[zone], "finished: {command:?}");
                self.pointers[zone] = end;
                self.writing[zone] += 1;
            }
            HostOp::ZoneReset => {
                assert_eq!((offset, self.writing[zone]), (0, 0), "{command:?}");
                self.pointers[zone] = 0;
                self.finished[zone] = false;
                self.resets[zone] += 1;
            }
            HostOp::ZoneFinish => {
                assert_eq!((offset, self.writing[zone]), (0, 0), "{command:?}");
                self.finished[zone] = true;
            }
            // another job may reset a zone before a read of it is fetched
            HostOp::Read if resets == self.resets[zone] => {
                assert!(end <= self.pointers[zone], "beyond the pointer: {command:?}");
            }
            _ => {}
        }
        let zones = self.pointers.iter().zip(&self.finished);
        let open = zones
            .filter(|(pointer, finished)| !**finished && (1..CAPACITY).contains(*pointer))
            .count();
        assert!(open <= self.most_open, "{open} zones are open");
        self.most_seen_open = self.most_seen_open.max(open);
        self.seen.push((client, command));
        self.admitted.push((client, command));
    }

    fn complete(&mut self, index: usize, clients: &mut [Client]) {
        let (client, command) = self.admitted.remove(index);
        if command.op == HostOp::Write {
            self.writing[(command.sector / SIZE) as usize] -= 1;
        }
        clients[client].source.completed(&command, false);
    }

    /// Runs the clients to their ends, group after group, or so many commands; `next` draws.
    fn run(
        &mut self,
        clients: &mut [Client],
        depth: usize,
        most: usize,
        next: &mut dyn FnMut(usize) -> usize,
    ) {
        let last = clients.iter().map(|client| client.group).max().unwrap();
        for group in 0..=last {
            let mut over: Vec<bool> = clients.iter().map(|client| client.group != group).collect();
            while self.seen.len() < most {
                for (index, client) in clients.iter_mut().enumerate() {
                    let inside = self.admitted.iter().filter(|(owner, _)| *owner == index).count();
                    let room = depth.saturating_sub(inside + self.queues[index].len());
                    for _ in 0..room {
                        if !over[index] && !client.source.is_held() {
                            over[index] = !self.send(index, client);
                        }
                    }
                }
                let queued = |index: &usize| !self.queues[*index].is_empty();
                let waiting: Vec<usize> = (0..clients.len()).filter(queued).collect();
                match (waiting.len(), self.admitted.len()) {
                    (0, 0) => break,
                    (0, inside) => self.complete(next(inside), clients),
                    (_, inside) if inside > 0 && next(2) == 0 => self.complete(next(inside), clients),
                    _ => self.admit(waiting[next(waiting.len())]),
                }
            }
            let is_cut = self.seen.len() >= most;
            assert!(is_cut || over.iter().all(|over| *over), "jobs wait for nothing");
        }
    }

    /// The next command of a client goes to its queue; whether there is one.
    fn send(&mut self, index: usize, client: &mut Client) -> bool {
        let command = client.source.next_command().unwrap();
        self.queues[index].extend(command.map(|command| {
            let zone = (command.sector / SIZE) as usize;
            (command, self.resets[zone])
        }));
        command.is_some()
    }
}

/// Sectors that a job of [`any_job`] reads and writes at least, unless it tells why not.
fn quota(job: &str) -> u64 {
    let zones = match job {
        _ if job.contains("size=3z") => 3,
        _ if job.contains("offset=2z") => 6,
        _ => 8,
    };
    match job {
        _ if job.contains("trim") => 0,
        _ if job.contains("io_size=600k") => 1200,
        // each block once; of others a pass may end before, and parts of blocks are not done again
        _ if job.contains("rw=rand") && !job.contains("bsrange") => zones * SIZE,
        _ => 1,
    }
}

/// Runs jobs with one command outstanding each, completed in their order.
fn in_order(text: &str, drive: &FioDrive, most: usize) -> Device {
    let mut clients = jobs(text, drive);
    let DriveZones::Known(zones) = &drive.zones else {
        panic!("a drive without zones")
    };
    let mut device = Device::new(zones.count, clients.len(), zones.most_open);
    device.run(&mut clients, 1, most, &mut |_| 0);
    device
}

fn places(device: &Device) -> Vec<(HostOp, u64, u32)> {
    let commands = device.seen.iter().map(|(_, command)| *command);
    commands
        .map(|command| (command.op, command.sector, command.sectors))
        .collect()
}

/// Each zone up to its capacity, then the next, but for those that are lost; the second time each is reset before.
#[test]
fn sequential_writes_fill_zone_after_zone() {
    let device = in_order("[a]\nrw=write\nbs=16k\nloops=2\n", &zoned(3, None, &[1]), 100);
    let (write, reset) = (HostOp::Write, HostOp::ZoneReset);
    let once = [
        (write, 0, 32),
        (write, 32, 32),
        (write, 192, 32),
        (write, 224, 32),
    ];
    let again = [
        (reset, 0, 0),
        (write, 0, 32),
        (write, 32, 32),
        (reset, 192, 0),
        (write, 192, 32),
        (write, 224, 32),
    ];
    // the lost zone is in the region: the writes that name it go to others, whose pointers they find at the end
    let found = places(&device);
    assert_eq!(found[..4], once);
    assert!(found.len() >= 10);
    let resets = found.iter().filter(|(op, ..)| *op == reset).count();
    assert!(resets >= 2, "{found:?}");
    let plain = in_order(
        "[a]\nrw=write\nbs=16k\nsize=1z\nloops=2\n",
        &zoned(3, None, &[]),
        100,
    );
    assert_eq!(places(&plain), [&once[..2], &again[..3]].concat());
}

/// A block larger than what is left of a zone is cut; the next zone begins with a whole one.
#[test]
fn writes_end_at_the_capacity() {
    let device = in_order(
        "[a]\nrw=write\nbsrange=4k-20k\nsize=2z\n",
        &zoned(2, None, &[]),
        100,
    );
    let found = places(&device);
    let filled = |zone: u64| -> u64 {
        let inside = found.iter().filter(|(_, sector, _)| sector / SIZE == zone);
        inside.map(|(.., sectors)| u64::from(*sectors)).sum()
    };
    assert_eq!((filled(0), filled(1)), (CAPACITY, CAPACITY));
}

/// `zoneskip` leaves zones out behind each that was written or read.
#[test]
fn sequential_jobs_skip_zones() {
    let text = "[w]\nrw=write\nbs=32k\nzoneskip=2z\n[r]\nstonewall\nrw=read\nbs=32k\nzoneskip=98304\n";
    let device = in_order(text, &zoned(7, None, &[]), 100);
    let zones = |op| -> Vec<u64> {
        let found = device.seen.iter().filter(|(_, command)| command.op == op);
        found.map(|(_, command)| command.sector / SIZE).collect()
    };
    assert_eq!(zones(HostOp::Write), [0, 3, 6]);
    // two zones of 48 KiB are left out as well; what was not written is never read
    assert_eq!(zones(HostOp::Read), [0, 3, 6]);
}

/// Random writes go on in the zones that are open, of which there are as many as the limits say.
#[test]
fn random_writes_keep_to_the_open_zones() {
    for (options, limit, most) in [
        ("", Some(3), 3),
        ("max_open_zones=2\n", Some(3), 2),
        ("job_max_open_zones=2\n", None, 2),
        ("max_open_zones=0\njob_max_open_zones=1\n", None, 1),
    ] {
        let text = format!("[a]\nrw=randwrite\nbs=4k\nnorandommap=1\n{options}");
        let device = in_order(&text, &zoned(16, limit, &[]), 400);
        assert_eq!(device.most_seen_open, most, "{options}");
    }
    let free = in_order(
        "[a]\nrw=randwrite\nbs=4k\nnorandommap=1\n",
        &zoned(16, None, &[]),
        400,
    );
    assert!(free.most_seen_open > 8);
}

/// The limit of the drive may be ignored, which the drive then answers.
#[test]
fn limits_of_the_drive_can_be_ignored() {
    let text = "[a]\nrw=randwrite\nbs=4k\nmax_open_zones=4\nignore_zone_limits=1\nnumber_ios=60\n";
    let mut clients = jobs(text, &zoned(16, Some(3), &[]));
    let mut device = Device::new(16, 1, None);
    device.run(&mut clients, 1, 100, &mut |_| 0);
    assert_eq!(device.most_seen_open, 4);
}

/// One write in four resets its zone once half of the region is written.
#[test]
fn zones_are_reset_before_they_are_full() {
    let text = "[a]\nrw=randwrite\nbs=4k\nnorandommap=1\nio_size=1600k\nzone_reset_threshold=0.25\nzone_reset_frequency=0.25\n";
    let resets = |text: &str| {
        let device = in_order(text, &zoned(8, None, &[]), 1000);
        device
            .seen
            .iter()
            .filter(|(_, command)| command.op == HostOp::ZoneReset)
            .count()
    };
    let without = text.replace("zone_reset_frequency=0.25", "zone_reset_frequency=0");
    let (early, full) = (resets(text), resets(&without));
    assert!(full < 60, "{full}");
    // above the threshold a quarter of the writes do; zones of eight blocks would be full after eight
    assert!((70..=100).contains(&early), "{early}");
}

/// Reads find what is written only, unless they are told to go anywhere; trims are resets.
#[test]
fn reads_stay_below_the_pointers_and_trims_reset() {
    let text =
        "[w]\nrw=write\nbs=4k\nsize=2z\nio_size=40k\n[r]\nstonewall\nrw=randread\nbs=4k\nnumber_ios=50\n";
    let device = in_order(text, &zoned(8, None, &[]), 100);
    let reads: Vec<u64> = device
        .seen
        .iter()
        .filter(|(_, command)| command.op == HostOp::Read)
        .map(|(_, command)| command.sector / 8)
        .collect();
    assert_eq!(reads.len(), 50);
    assert!(
        reads
            .iter()
            .all(|block| (0..8).contains(block) || (12..14).contains(block)),
        "{reads:?}"
    );
    assert!(reads.iter().any(|block| *block >= 12));
    let mut beyond = jobs(
        "[r]\nrw=randread\nbs=4k\nread_beyond_wp=1\n",
        &zoned(8, None, &[]),
    );
    assert_eq!(take(&mut beyond[0], 200).len(), 96);
    let mut nothing = jobs(
        "[r]\nrw=randread\nbs=4k\ntime_based\nruntime=1\n",
        &zoned(8, None, &[]),
    );
    assert!(take(&mut nothing[0], 10).is_empty());
    assert!(
        nothing[0]
            .source
            .notes()
            .iter()
            .any(|note| note.contains("nothing is left to read"))
    );
    let mixed = in_order(
        "[a]\nrw=randrw\nbs=4k\nnumber_ios=40\n",
        &zoned(4, None, &[]),
        100,
    );
    assert_eq!(mixed.seen[0].1.op, HostOp::Write);
    assert!(mixed.seen.iter().any(|(_, command)| command.op == HostOp::Read));

    let text = "[w]\nrw=write\nbs=4k\nsize=3z\n[t]\nstonewall\nrw=randtrim\nbs=48k\n";
    let device = in_order(text, &zoned(6, None, &[]), 100);
    let mut reset: Vec<u64> = device
        .seen
        .iter()
        .filter(|(_, command)| command.op == HostOp::ZoneReset)
        .map(|(_, command)| command.sector / SIZE)
        .collect();
    reset.sort_unstable();
    assert_eq!(reset, [0, 1, 2]);
}

/// On a drive without zones jobs keep count of zones of their own, and reset nothing.
#[test]
fn a_drive_without_zones_can_be_written_in_zones() {
    let text = "zonesize=48k\nzonecapacity=32k\n[a]\nrw=write\nbs=16k\nsize=2z\nloops=2\n";
    let mut clients = jobs(text, &FioDrive::plain(16 * SIZE));
    let mut found = Vec::new();
    while let Some(command) = clients[0].source.next_command().unwrap() {
        found.push(command);
        clients[0].source.completed(&command, false);
    }
    let places: Vec<u64> = found.iter().map(|command| command.sector).collect();
    assert_eq!(places, [0, 32, 96, 128, 0, 32, 96, 128]);
    assert!(found.iter().all(|command| command.op == HostOp::Write));
}

/// A host gives up a zone whose writes fail.
#[test]
fn a_zone_that_fails_is_not_written_again() {
    let mut clients = jobs("[a]\nrw=write\nbs=4k\n", &zoned(3, None, &[]));
    let source = &mut clients[0].source;
    let mut zones = Vec::new();
    while let Some(command) = source.next_command().unwrap() {
        let zone = command.sector / SIZE;
        zones.push(zone);
        source.completed(&command, zone == 1);
    }
    assert_eq!(zones.iter().filter(|zone| **zone == 1).count(), 1);
    assert!(zones.contains(&2));
}

/// `zonemode=strided`: so many bytes in each zone, then the next, to the end of the drive.
#[test]
fn strided_jobs_go_from_zone_to_zone() {
    let blocks = |options: &str| -> Vec<u64> {
        let commands = run(&format!("bs=4k\nsize=128k\n{options}"));
        starts(&commands, 8)
    };
    assert_eq!(
        blocks("rw=read\nzonemode=strided\nzonesize=8k\nzoneskip=8k\noffset=64k"),
        [
            16, 17, 20, 21, 24, 25, 28, 29, 32, 33, 36, 37, 40, 41, 44, 45, 48, 49, 52, 53, 56, 57, 60, 61,
            64, 65, 68, 69, 72, 73, 76, 77
        ]
    );
    let blocks = |options: &str| -> Vec<u64> {
        let text = format!("[a]\nbs=4k\nsize=128k\n{options}\n");
        starts(&take(&mut clients(&text).remove(0), 1000), 8)
    };
    // only a part of each zone; a file is begun again behind its end
    let parts = blocks("rw=read\nzonemode=strided\nzonesize=4k\nzonerange=32k");
    assert_eq!(parts[..6], [0, 8, 16, 24, 0, 8]);
    assert_eq!(parts.len(), 32);
    // each zone twice
    let twice = blocks("rw=read\nzonemode=strided\nzonesize=16k\nzonerange=8k");
    assert_eq!(twice[..6], [0, 1, 0, 1, 2, 3]);
    for random in [
        "rw=randread",
        "rw=randread\nnorandommap=1",
        "rw=randread\nrandom_distribution=zipf:1.1",
    ] {
        let found = blocks(&format!(
            "{random}\nzonemode=strided\nzonesize=16k\nzonerange=32k"
        ));
        assert_eq!(found.len(), 32);
        for (index, zone) in found.chunks(4).enumerate() {
            let first = (index as u64 % 4) * 8;
            assert!(
                zone.iter().all(|block| (first..first + 8).contains(block)),
                "{random}: {found:?}"
            );
        }
    }
}

/// Options that have no effect are told.
#[test]
fn options_without_effect_are_noted() {
    let notes = job("rw=read\nsize=64k\nzonemode=none\nzonesize=8k\nmax_open_zones=3")
        .source
        .notes();
    for option in ["zonesize", "max_open_zones"] {
        assert!(
            notes
                .iter()
                .any(|note| note.contains(&format!("{option} of job has no effect"))),
            "{notes:?}"
        );
    }
    let told = jobs(
        "[a]\nrw=write\nzonecapacity=4k\noffset=4k\n",
        &zoned(4, None, &[]),
    )[0]
    .source
    .notes();
    assert!(
        told.iter()
            .any(|note| note.contains("the zones are those of the drive")),
        "{told:?}"
    );
    assert!(
        told.iter().any(|note| note.contains("from byte 49152 on")),
        "{told:?}"
    );
}

#[test]
fn what_zones_have_no_place_for_is_refused() {
    let drive = zoned(8, Some(3), &[]);
    let refusal = |text: &str, drive: &FioDrive| {
        let text = format!("[a]\nfilename=/dev/x\nzonemode=zbd\n{text}\n");
        match fio_clients(&text, "job.fio", drive, 1) {
            Ok(_) => panic!("accepted:\n{text}"),
            Err(error) => error.to_string(),
        }
    };
    for (text, words) in [
        (
            "rw=write\nzonesize=4k",
            "job.fio:5: zonesize=4k: accepted: 49152, the zones of the drive",
        ),
        (
            "rw=write\nzonerange=4k",
            "zonerange=4k: accepted: zonesize with zonemode=zbd",
        ),
        (
            "rw=write\nbs=2k",
            "bs=2048: accepted: multiples of the logical block of 4096 B",
        ),
        (
            "rw=write\nbs=36k",
            "bs=36864: accepted: blocks of at most the 32768 B of a zone",
        ),
        (
            "rw=trim\nbs=4k",
            "bs=4096: accepted: trims of one zone of 49152 B",
        ),
        (
            "rw=trimwrite\nbs=48k",
            "rw=trimwrite: accepted: others than trimwrite",
        ),
        (
            "rw=write\nzoneskip=4k",
            "zoneskip=4k: accepted: multiples of the zone of 49152 B",
        ),
        (
            "rw=write\nmax_open_zones=4",
            "max_open_zones=4: accepted: 1 to 3, the limit of the drive",
        ),
        ("rw=write\nmax_open_zones=0", "max_open_zones=0: accepted: 1 to 3"),
        (
            "rw=write\nsize=32k",
            "size=32768: accepted: regions of at least one whole zone",
        ),
        (
            "rw=write\nzone_reset_threshold=2",
            "zone_reset_threshold=2: accepted: a number from 0 to 1",
        ),
        (
            "rw=write\nzone_reset_frequency=nan",
            "zone_reset_frequency=nan: accepted: a finite number",
        ),
        (
            "rw=write\nzone_reset_frequency=0.5\n[b]\nfilename=/dev/x\nzonemode=zbd\nrw=write\noffset=2z",
            "zone_reset_frequency=0.5: accepted: 0, or one region for all jobs that write",
        ),
        (
            "rw=write\nmax_open_zones=2\n[b]\nfilename=/dev/x\nzonemode=zbd\nrw=write",
            "max_open_zones=unset: accepted: the same for all jobs with zonemode=zbd",
        ),
        (
            "rw=write\n[b]\nfilename=/dev/x\nrw=write",
            "zonemode=unset: accepted: zbd in every job that writes",
        ),
    ] {
        let found = refusal(text, &drive);
        assert!(found.contains(words), "{text}\n{found}");
    }
    let plain = FioDrive::plain(DRIVE);
    for (text, words) in [
        (
            "rw=write",
            "zonesize=unset: accepted: multiples of 512: the drive has no zones",
        ),
        (
            "rw=write\nzonesize=64k\nzonecapacity=128k",
            "zonecapacity=128k: accepted: multiples of 512 up to zonesize",
        ),
        (
            "rw=trim\nzonesize=64k\nbs=64k",
            "rw=trim: accepted: others than trim with zonemode=zbd on a drive without zones",
        ),
        (
            "rw=write\nzonesize=8g",
            "zonesize=8g: accepted: so many bytes that the drive of 1073741824 B has 1 to",
        ),
    ] {
        let found = refusal(text, &plain);
        assert!(found.contains(words), "{text}\n{found}");
    }
    let hidden = FioDrive {
        zones: DriveZones::Unknown("none in a tenant"),
        ..FioDrive::plain(DRIVE)
    };
    assert!(refusal("rw=write", &hidden).contains("zonemode=zbd: accepted: none in a tenant"));
    for (options, words) in [
        (
            "zonemode=strided",
            "zonesize=unset: accepted: multiples of 512, above 0",
        ),
        (
            "rw=randread\nzonemode=strided\nzonesize=64k\nzonerange=4k\nbs=8k",
            "zonerange=4k: accepted: at least a block of 8192 B where places are random",
        ),
        (
            "zonemode=strided\nzonesize=8k\nzoneskip=1z",
            "zoneskip=1z: accepted: bytes with zonemode=strided",
        ),
        (
            "size=2z",
            "size=2z: accepted: bytes or a share, but with zonemode=zbd",
        ),
        ("zonemode=zbdd", "did you mean `zbd`?"),
    ] {
        let found = super::refusal(&format!("[a]\nfilename=/dev/x\n{options}\n"));
        assert!(found.contains(words), "{options}\n{found}");
    }
    let files = "[a]\nsize=64k\nrw=write\nzonemode=zbd\nzonesize=32k\n";
    assert!(super::refusal(files).contains("filename=unset: accepted: a device with zonemode=zbd"));
}

fn any_job() -> impl Strategy<Value = String> {
    let rw = prop::sample::select(vec![
        "write",
        "randwrite",
        "rw",
        "randrw",
        "read",
        "randread",
        "trim",
        "randtrim",
    ]);
    let bs = prop::sample::select(vec!["4k", "8k", "16k", "24k"]);
    let open = prop::sample::select(vec!["", "job_max_open_zones=1\n", "job_max_open_zones=2\n"]);
    let more = prop::sample::select(vec![
        "",
        "loops=2\n",
        "norandommap=1\nio_size=600k\n",
        "bsrange=4k-16k\n",
        "fsync=3\n",
        "offset=2z\n",
        "percentage_random=50\n",
        "zoneskip=1z\n",
        "size=3z\n",
        "stonewall\n",
    ]);
    (rw, bs, open, more).prop_map(|(rw, bs, open, more)| {
        let bs = if rw.ends_with("trim") { "48k" } else { bs };
        let more = if rw.ends_with("trim") && more.starts_with("bsrange") {
            ""
        } else {
            more
        };
        format!("rw={rw}\nbs={bs}\n{open}{more}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever jobs share a drive, however deep they send and in whatever order their commands are fetched and completed: writes are at the pointers, reads
    /// below them, resets come when nothing is written in their zones, limits are kept, no job waits for ever, and each does its quota or tells why not.
    #[test]
    fn jobs_keep_to_the_rules_of_zones(
        list in prop::collection::vec(any_job(), 1..4),
        limit in prop::sample::select(vec![None, Some(1), Some(2), Some(5)]),
        depth in 1..6_usize,
        choices in prop::collection::vec(0..1000_usize, 50..300),
        early: bool,
    ) {
        let drive = zoned(8, limit, &[5]);
        let global = if early && !list.iter().any(|job| job.contains("offset") || job.contains("size=3z")) {
            "zone_reset_threshold=0.3\nzone_reset_frequency=0.2\n"
        } else {
            ""
        };
        let sections: Vec<String> = (0..).zip(&list).map(|(number, job)| format!("[j{number}]\n{job}")).collect();
        let mut clients = jobs(&format!("{global}{}", sections.join("")), &drive);
        let mut device = Device::new(8, clients.len(), limit);
        let mut drawn = choices.iter().cycle();
        device.run(&mut clients, depth, 2000, &mut |below| drawn.next().map_or(0, |choice| choice % below));
        for (index, job) in list.iter().enumerate().filter(|_| device.seen.len() < 2000) {
            let notes = clients[index].source.notes();
            let own = device.seen.iter().filter(|(client, command)| *client == index && command.op != HostOp::Flush);
            let (commands, sectors) = own.fold((0, 0), |(commands, sectors), (_, command)| {
                (commands + 1, sectors + u64::from(command.sectors))
            });
            let is_told = notes.iter().any(|note| note.contains("ended early"));
            prop_assert!(
                is_told || (commands > 0 && sectors >= quota(job)),
                "{commands} commands of {sectors} sectors: {job}"
            );
        }
        // the open zones are all in the region of every job, which finishes those that it cannot use
        if !list.iter().any(|job| job.contains("offset") || job.contains("size=3z")) {
            let mut notes = clients.iter().flat_map(|client| client.source.notes());
            prop_assert!(!notes.any(|note| note.contains("none can be opened")));
        }
    }
}
