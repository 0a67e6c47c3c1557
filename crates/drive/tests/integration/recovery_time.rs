//! How long the reads of recovery take in a drive with a clock, against the closed form (FTL specification, 8.4).

use std::path::Path;

use wordline_config::{ChannelOrder, Config};
use wordline_drive::{LiveDrive, RunOptions, run};
use wordline_ftl::analytic::recovery::{PageRead, read_all};
use wordline_ftl::{OwnPage, RecoveryKind, RecoveryRead, Repair};
use wordline_nand::{DieId, Mode, Operation, PageTypes, Part, Timing};
use wordline_units::{Duration, Seed};
use wordline_workload::HostOp;

use crate::common::cut_drives::filled;
use crate::common::spare_areas::{SpareAreas, Tearing};
use crate::common::{command, drive};

/// A drive of so many channels with so many dies each.
fn of_dies(channels: u32, dies: u32, kind: RecoveryKind) -> Config {
    let mut config = drive(&format!(
        "[geometry]\nchannels = {channels}\nchips_per_channel = {dies}\ndies_per_chip = 1\nplanes_per_die = 1\n\
         blocks_per_plane = 24\npages_per_block = 33\npage_size = \"4 KiB\"\nspare_size = \"128 B\"\n[ftl]\nover_provisioning = 0.5\n"
    ));
    config.ftl.recovery.kind = kind;
    config.ftl.recovery.checkpoint_interval = 500;
    config
}

/// The time that dies and channels need for these reads, phase by phase.
#[derive(Default)]
struct ClosedForm {
    /// Of the slowest die or channel (8.4).
    longest: Duration,
    /// The same where dies of a channel share it evenly as long as they have something to read: more where one of them has more to read than the others.
    shared: Duration,
    /// Where a die waits after each read for the data of all dies on its channel.
    in_step: Duration,
    /// The array reads with which phases begin: until then a channel that is busy from there on has nothing to carry, which 8.4 neglects.
    first_reads: Duration,
}

impl ClosedForm {
    fn of(config: &Config, reads: &[RecoveryRead]) -> Self {
        let mut all = Self::default();
        let last = reads.iter().map(|read| read.phase).max().unwrap();
        for phase in 0..=last {
            let of_phase = reads.iter().filter(|read| read.phase == phase).copied();
            let of_phase: Vec<RecoveryRead> = of_phase.collect();
            if !of_phase.is_empty() {
                let of_phase = Self::of_phase(config, &of_phase);
                all.longest += of_phase.longest;
                all.shared += of_phase.shared;
                all.in_step += of_phase.in_step;
                all.first_reads += of_phase.first_reads;
            }
        }
        all
    }

    fn of_phase(config: &Config, reads: &[RecoveryRead]) -> Self {
        let geometry = config.array_geometry().unwrap();
        let types = PageTypes::new(&config.geometry, &geometry).unwrap();
        let timing = Timing::new(&config.timing, &geometry, &types).unwrap();
        let is_whole = reads[0].whole;
        assert!(reads.iter().all(|read| read.whole == is_whole));
        let bytes = if is_whole {
            geometry.page_bytes
        } else {
            geometry.spare_bytes
        };
        let each = PageRead::of(&geometry, &timing, &types, u64::from(bytes));
        let mut of_die = vec![0; geometry.dies() as usize];
        let mut of_channel = vec![0; geometry.channels as usize];
        for read in reads {
            let die = geometry.die_of(geometry.plane_of(geometry.block_of(read.page)));
            of_die[die.index()] += 1;
            of_channel[geometry.channel_of(die).index()] += 1;
        }
        let in_step = (0..).map(DieId).zip(&of_die).map(|(die, pages)| {
            (each.command + each.sense) * *pages
                + each.transfer * of_channel[geometry.channel_of(die).index()]
        });
        let channels = (0..geometry.channels).map(|channel| {
            let dies = (0..).map(DieId).zip(&of_die);
            let of_channel = dies.filter(|(die, _)| geometry.channel_of(*die).index() == channel as usize);
            shared(of_channel.map(|(_, pages)| *pages).collect(), each)
        });
        Self {
            longest: read_all(&geometry, &of_die, each),
            shared: channels.max().unwrap(),
            in_step: in_step.max().unwrap(),
            first_reads: each.command + each.sense,
        }
    }
}

/// The least and the most time that erases and programs take, those of a kind that follow each other at once: of the arrays of the slowest die alone, and with the
/// bus steps of all of them one after the other.
fn repairs_take(config: &Config, repairs: &[Repair]) -> (Duration, Duration) {
    let geometry = config.array_geometry().unwrap();
    let types = PageTypes::new(&config.geometry, &geometry).unwrap();
    let timing = Timing::new(&config.timing, &geometry, &types).unwrap();
    let (mut least, mut most) = (Duration::ZERO, Duration::ZERO);
    let kind_of = |repair: &Repair| match repair {
        Repair::Erase(_) => 0,
        Repair::Program(_, OwnPage::Root { .. }) => 1,
        Repair::Program(..) => 2,
    };
    for run in repairs.chunk_by(|one, other| kind_of(one) == kind_of(other)) {
        let mut of_die = vec![0; geometry.dies() as usize];
        let (mut array, mut bus) = (Duration::ZERO, Duration::ZERO);
        for repair in run {
            let (block, operation, sectors) = match repair {
                Repair::Erase(block) => (*block, Operation::Erase, 0),
                Repair::Program(page, _) => (
                    geometry.block_of(*page),
                    Operation::Program,
                    geometry.sectors_per_page(),
                ),
            };
            let die = geometry.die_of(geometry.plane_of(block));
            let part = Part {
                die,
                bytes: u64::from(sectors) * 512,
                page_type: types.of(0),
                mode: Mode::NORMAL,
            };
            let (on_bus, step) = timing.issue_one(operation, &part);
            of_die[die.index()] += 1;
            array = array.max(step.length);
            bus += on_bus;
        }
        let of_arrays = array * of_die.into_iter().max().unwrap_or(0);
        least += of_arrays;
        most += of_arrays + bus;
    }
    (least, most)
}

/// The time of the dies of a channel that have so many pages to read, where each of those that are not done reads one in a cycle.
fn shared(mut of_die: Vec<u64>, each: PageRead) -> Duration {
    of_die.sort_unstable();
    let on_channel = each.command + each.transfer;
    let (mut time, mut read) = (Duration::ZERO, 0);
    for (at, pages) in of_die.iter().enumerate() {
        let cycle = (on_channel * (of_die.len() - at) as u64).max(on_channel + each.sense);
        time += cycle * (pages - read);
        read = *pages;
    }
    time
}

/// Few dies on a channel: the dies decide; many: the channels do where whole pages are read.
const DRIVES: [(u32, u32); 3] = [(2, 1), (2, 4), (1, 8)];

/// Commands before data: a die has its next command as soon as its data are away, and dies of a channel that are ready together spread. Where the eight dies of a
/// channel have unequal numbers of pages to read, the last of them reads alone at the end.
#[test]
fn the_reads_of_recovery_take_as_long_as_dies_and_channels_need() {
    for (channels, dies) in DRIVES {
        let mut times = Vec::new();
        for kind in [
            RecoveryKind::OobScan,
            RecoveryKind::SummaryScan,
            RecoveryKind::CheckpointJournal,
            RecoveryKind::Delayed,
        ] {
            let config = of_dies(channels, dies, kind);
            let flash = filled(&config, 2);
            let (times_of, recovery) =
                LiveDrive::recovery_time(&config, Path::new("."), &*flash.flash()).unwrap();
            let time = times_of.reads;
            let expected = ClosedForm::of(&config, &recovery.reads);
            let ratio = time.as_secs() / expected.longest.as_secs();
            let is_even = expected.shared.as_secs() < 1.02 * expected.longest.as_secs();
            assert!(
                is_even || dies == 8,
                "{channels} channels of {dies} dies, {kind:?}"
            );
            assert!(
                ratio > 0.98
                    && time.as_secs() < 1.02 * expected.shared.as_secs() + expected.first_reads.as_secs(),
                "{channels} channels of {dies} dies, {kind:?}: {time:?} is {ratio} of {:?}, {} reads",
                expected.longest,
                recovery.reads.len()
            );
            times.push(time);
            let repairs = times_of.served.as_secs() - time.as_secs();
            let (least, most) = repairs_take(&config, &recovery.repairs);
            assert!(!recovery.repairs.is_empty() || kind == RecoveryKind::OobScan);
            assert!(
                (least.as_secs()..=most.as_secs()).contains(&repairs),
                "{channels} channels of {dies} dies, {kind:?}: {repairs} s for erases and programs, {least:?} to {most:?}"
            );
        }
        // a scan of all spare areas is the slowest on every drive
        assert!(times[0] > times[1] && times[0] > times[2], "{times:?}");
    }
}

/// Data before commands: when the first of the dies that are ready has sent its data, the others go before its next command, so that a cycle of k dies is
/// a command, an array read and k transfers.
#[test]
fn dies_of_a_channel_stay_in_step_where_data_go_first() {
    for (channels, dies) in DRIVES {
        let mut config = of_dies(channels, dies, RecoveryKind::OobScan);
        config.scheduler.channel_order = ChannelOrder::DataFirst;
        let flash = filled(&config, 2);
        let (times, recovery) = LiveDrive::recovery_time(&config, Path::new("."), &*flash.flash()).unwrap();
        let time = times.reads;
        let expected = ClosedForm::of(&config, &recovery.reads);
        let ratio = time.as_secs() / expected.in_step.as_secs();
        assert!(
            (ratio - 1.0).abs() < 0.02,
            "{channels} channels of {dies} dies: {time:?} is {ratio} of {:?}",
            expected.in_step
        );
        assert!(dies == 1 || expected.in_step.as_secs() > 1.02 * expected.longest.as_secs());
    }
}

/// The times of recovery at requests of a drive that is written in order, one page after the other, from what the commands of the drive leave on the flash.
fn times_at(config: &Config, requests: &[u64]) -> Vec<Duration> {
    let mut drive = LiveDrive::new(config, Path::new("."), RunOptions::default()).unwrap();
    let flash = SpareAreas::of(drive.ftl());
    drive.add_probe(Box::new(flash.clone()));
    let (pages, sectors) = (
        drive.ftl().user_pages(),
        u64::from(drive.ftl().geometry().page_bytes / 512),
    );
    let mut times = Vec::new();
    for write in 0..*requests.last().unwrap() {
        let lpn = write % pages;
        flash.flash().sent.insert(lpn, (write + 1, write + 1));
        let command = command(drive.now().ns(), HostOp::Write, lpn * sectors, sectors as u32);
        drive.inject(command, write).unwrap();
        while drive.completions().is_empty() && drive.step().unwrap() {}
        if requests.contains(&(write + 1)) {
            let mut cut = flash.flash().clone();
            cut.power_fails(drive.now(), Tearing::default());
            let (time, _) = LiveDrive::recovery_time(config, Path::new("."), &cut).unwrap();
            times.push(time.reads);
        }
    }
    times
}

/// `output.recovery_every` finds the times that the flash at these requests says, of the measured part only, and changes nothing else in the run.
#[test]
fn a_run_samples_the_time_of_recovery_as_if_the_power_had_failed() {
    for kind in [
        RecoveryKind::OobScan,
        RecoveryKind::SummaryScan,
        RecoveryKind::CheckpointJournal,
        RecoveryKind::Delayed,
    ] {
        let mut config = of_dies(2, 1, kind);
        config.age.method = wordline_ftl::AgeMethod::Fresh;
        config.workload.kind = wordline_workload::WorkloadKind::Sequential;
        config.workload.read_fraction = 0.0;
        config.workload.queue_depth = Some(1);
        config.workload.requests = Some(2_000);
        config.run.warm_up = Some(wordline_config::WarmUp::Requests(300));
        let without = run(&config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap();
        config.output.recovery_every = 100;
        let with = run(&config, Path::new("."), RunOptions::default(), &mut |_| true).unwrap();
        for key in [
            "host.write.latency.mean_us",
            "ftl.pages_programmed",
            "sim.window_s",
        ] {
            assert_eq!(with.summary.number(key), without.summary.number(key), "{key}");
        }
        assert_eq!(without.summary.number("ftl.recovery.cuts"), None);
        let drawn = |interval: u64| 100 * interval + 1 + Seed(config.seed).draw("power cut", interval) % 100;
        let requests: Vec<u64> = (0..20).map(drawn).filter(|request| *request >= 300).collect();
        let times = times_at(&config, &requests);
        let number = |key| with.summary.number(key).unwrap();
        assert!((number("ftl.recovery.cuts") - requests.len() as f64).abs() < 0.5);
        let mean = times.iter().map(|time| time.as_secs()).sum::<f64>() / times.len() as f64;
        let longest = times.iter().max().unwrap().as_secs();
        let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
        assert!(
            is_near(number("ftl.recovery.time.mean_s"), mean),
            "{kind:?}: {mean}"
        );
        assert!(
            is_near(number("ftl.recovery.time.max_s"), longest),
            "{kind:?}: {longest}"
        );
    }
}
