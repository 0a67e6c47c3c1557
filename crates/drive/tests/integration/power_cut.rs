//! Drives whose power fails at any event, with operations under way in several dies: what was acknowledged is there when power is
//! back, and the drive goes on (FTL specification, section 8.5: D1, D3, D5 and D7).

use std::collections::HashMap;
use std::path::Path;

use proptest::prelude::*;
use wordline_config::Config;
use wordline_drive::{LiveDrive, RunError, RunOptions};
use wordline_ftl::Lpn;
use wordline_units::{Duration, Seed, SimTime};
use wordline_workload::{HostCommand, HostOp};

use crate::common::spare_areas::SpareAreas;
use crate::common::{command, drive};
use crate::random_runs::{accepted, behaviour, geometry};

/// What the host knows of a logical page.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The newest write that was acknowledged; 0 is none.
    acknowledged: u64,
    /// The newest write that was sent.
    sent: u64,
    /// A write or TRIM is under way.
    is_changing: bool,
    /// It was trimmed since the last write: what is older may come back.
    is_trimmed: bool,
}

/// A host that keeps several commands under way, of which none changes a page that another is about.
struct Host {
    known: Vec<Known>,
    seed: Seed,
    /// Numbers that were drawn.
    drawn: u64,
    sectors: u64,
    writes: u64,
    tokens: u64,
    under_way: HashMap<u64, (HostOp, u64)>,
    depth: usize,
}

impl Host {
    fn new(seed: u64, pages: u64, sectors: u64) -> Self {
        let seed = Seed(seed);
        Self {
            known: vec![Known::default(); pages as usize],
            depth: 1 + (seed.draw("depth", 0) % 16) as usize,
            seed,
            drawn: 0,
            sectors,
            writes: 0,
            tokens: 0,
            under_way: HashMap::new(),
        }
    }

    /// A random number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.drawn += 1;
        self.seed.draw("host", self.drawn) % end
    }

    /// The next command, which arrives at `now`.
    fn command(&mut self, now: SimTime, flash: &SpareAreas) -> HostCommand {
        let lpn = loop {
            // three of four go to a quarter of the pages
            let pages = self.known.len() as u64;
            let among = if self.below(4) < 3 {
                pages.div_ceil(4)
            } else {
                pages
            };
            let lpn = self.below(among);
            if !self.known[lpn as usize].is_changing {
                break lpn;
            }
        };
        let op = match self.below(16) {
            0 => HostOp::Trim,
            1..5 => HostOp::Read,
            _ => HostOp::Write,
        };
        let known = &mut self.known[lpn as usize];
        known.is_changing = op != HostOp::Read;
        if op == HostOp::Write {
            self.writes += 1;
            known.sent = self.writes;
            flash.flash().sent.insert(lpn, self.writes);
        }
        known.is_trimmed |= op == HostOp::Trim;
        self.under_way.insert(self.tokens, (op, lpn));
        command(now.ns(), op, lpn * self.sectors, self.sectors as u32)
    }

    fn send(&mut self, drive: &mut LiveDrive, flash: &SpareAreas) -> Result<(), RunError> {
        let most = self.depth.min(self.known.len() / 2);
        while self.under_way.len() < most {
            let now = drive.now();
            let later = now + Duration(self.below(2) * self.below(200_000));
            let command = self.command(later, flash);
            drive.inject(command, self.tokens)?;
            self.tokens += 1;
        }
        Ok(())
    }

    fn take_answers(&mut self, drive: &mut LiveDrive) {
        for done in drive.completions() {
            let (op, lpn) = self.under_way.remove(&done.token).unwrap();
            let known = &mut self.known[lpn as usize];
            if op == HostOp::Read {
                continue;
            }
            known.is_changing = false;
            if op == HostOp::Write {
                known.acknowledged = known.sent;
                known.is_trimmed = false;
            }
        }
    }

    /// Every logical page holds what was acknowledged, or the write that was on its way.
    fn check(&mut self, drive: &LiveDrive, flash: &SpareAreas) {
        let mut flash = flash.flash();
        for (lpn, known) in (0..).zip(&mut self.known) {
            let found = drive.ftl().lookup(Lpn(lpn)).map(|page| flash.content(page));
            let found = found.map(|content| content.expect("D5: a page that holds data"));
            let (owner, version) = found.unwrap_or((lpn, 0));
            assert_eq!(owner, lpn, "D5");
            assert!(
                version == known.acknowledged
                    || known.is_changing && version == known.sent
                    || known.is_trimmed && version <= known.sent,
                "D1: logical page {lpn} holds write {version}: {known:?}"
            );
            *known = Known {
                acknowledged: version,
                sent: version,
                ..Known::default()
            };
            flash.sent.insert(lpn, version);
        }
        self.under_way.clear();
    }
}

/// What the cuts of a drive found.
#[derive(Default)]
struct Cuts {
    all: u64,
    /// With arrays at work in several dies.
    of_several_dies: u64,
}

/// Cuts the power after so many events each, and finishes audited.
fn run(config: &Config, seed: u64, events: &[u64]) -> Result<Cuts, RunError> {
    let options = || RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    let mut cuts = Cuts::default();
    let mut drive = LiveDrive::new(config, Path::new("."), options())?;
    let flash = SpareAreas::of(drive.ftl());
    let sectors = drive.ftl().geometry().page_bytes / 512;
    let mut host = Host::new(seed, drive.ftl().user_pages(), u64::from(sectors));
    for events in events {
        drive.add_probe(Box::new(flash.clone()));
        for _ in 0..*events {
            host.send(&mut drive, &flash)?;
            drive.step()?;
            host.take_answers(&mut drive);
        }
        let dies = flash.flash().power_fails(drive.now());
        cuts.all += 1;
        cuts.of_several_dies += u64::from(dies > 1);
        let found = LiveDrive::recovered(config, Path::new("."), options(), &*flash.flash())?;
        let erased;
        (drive, erased) = found;
        flash.flash().recovery_erased(&erased);
        host.check(&drive, &flash);
    }
    drive.finish()?;
    Ok(cuts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_power_cut_loses_nothing_that_was_acknowledged(
        (geometry, _) in geometry(),
        behaviour in behaviour(),
        seed: u64,
        events in prop::collection::vec(0_u64..1_500, 1..8),
    ) {
        let text = format!("{geometry}{behaviour}");
        let mut config = accepted(drive(&text));
        // acknowledged is what is on flash
        config.buffer = Config::default().buffer;
        match run(&config, seed, &events) {
            Err(RunError::Stalled { .. }) if text.contains("victim = \"random\"") => {}
            other => prop_assert!(other.is_ok(), "{}\n{}", other.err().unwrap(), text),
        }
    }
}

/// Two channels with eight dies that program most of the time.
#[test]
fn arrays_of_several_dies_are_at_work_when_the_power_fails() {
    let config = drive(
        "[geometry]\nchannels = 2\nchips_per_channel = 2\ndies_per_chip = 2\nplanes_per_die = 2\n\
         blocks_per_plane = 10\npages_per_block = 8\npage_size = \"2 KiB\"\n[ftl]\nover_provisioning = 1.0\n",
    );
    let mut cuts = Cuts::default();
    for seed in 0..40 {
        let events = Seed(seed).draw("events", 0) % 900;
        let found = run(&config, seed, &[events, 400 + seed, 1_000]).unwrap();
        cuts.all += found.all;
        cuts.of_several_dies += found.of_several_dies;
    }
    assert_eq!(cuts.all, 120);
    assert!(cuts.of_several_dies > 60, "{}", cuts.of_several_dies);
}
