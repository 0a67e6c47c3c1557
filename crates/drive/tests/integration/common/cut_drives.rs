//! Drives whose power fails at any event, with operations under way in several dies, also while recovery repairs the flash: what was promised is there
//! when power is back, and the drive goes on (FTL specification, section 8.5).

use std::collections::HashMap;
use std::path::Path;

use wordline_config::Config;
use wordline_drive::{LiveDrive, RunError, RunOptions};
use wordline_ftl::{Lpn, Planes, Subjects};
use wordline_nand::{PageTypes, ProgramOrder};
use wordline_units::{Duration, Seed, SimTime};
use wordline_workload::{HostCommand, HostOp};

use super::command;
use super::spare_areas::{AGED, AtWork, SpareAreas, Tearing, aged};

/// What the host knows of a logical page.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The newest write that must not be lost; 0 is none.
    durable: u64,
    /// The newest write that was acknowledged.
    acknowledged: u64,
    /// The newest write that was sent.
    sent: u64,
    /// A write or TRIM is under way.
    is_changing: bool,
    /// Trimmed since the last write that is durable: what is older may come back.
    is_trimmed: bool,
    /// The newest write before the last TRIM.
    before_trim: u64,
    /// The newest write before a TRIM that must not be lost.
    trimmed: u64,
}

/// A command that is under way.
struct UnderWay {
    op: HostOp,
    lpn: u64,
    is_durable: bool,
    /// What a flush makes durable.
    flushed: Vec<Known>,
}

/// A host that keeps several commands under way, of which none changes a page that another is about.
struct Host {
    known: Vec<Known>,
    seed: Seed,
    /// Numbers that were drawn.
    drawn: u64,
    sectors: u64,
    writes: u64,
    /// Logical pages that had data before the first command.
    aged: u64,
    tokens: u64,
    under_way: HashMap<u64, UnderWay>,
    depth: usize,
    /// Whether writes are acknowledged that a power cut may lose.
    has_buffer: bool,
    /// Whether what was acknowledged is brought to flash when the power fails.
    is_protected: bool,
    /// Whether a flush keeps TRIMs.
    keeps_trims: bool,
    /// Logical pages that were found with a delta.
    deltas: u64,
}

impl Host {
    fn new(config: &Config, seed: u64, pages: u64, sectors: u64) -> Self {
        let seed = Seed(seed);
        Self {
            known: vec![Known::default(); pages as usize],
            depth: 1 + (seed.draw("depth", 0) % 16) as usize,
            seed,
            drawn: 0,
            sectors,
            writes: 0,
            aged: 0,
            tokens: 0,
            under_way: HashMap::new(),
            // a delta waits in the controller for others, and so does a part of a page, of a unit or of a row
            has_buffer: config.buffer.is_present()
                || config.ftl.mapping.name() == "delta"
                || config.ftl.mapping_unit.is_some()
                || config.allocation.planes == Planes::InStep,
            is_protected: config.buffer.is_present() && config.buffer.capacitor,
            keeps_trims: config.ftl.recovery.kind.has_journal() && config.ftl.trim.enabled,
            deltas: 0,
        }
    }

    /// What the drive has at its age must not be lost.
    fn know_aged(&mut self, drive: &LiveDrive, flash: &SpareAreas) {
        let mut flash = flash.flash();
        for (lpn, known) in (0..).zip(&mut self.known) {
            if drive.ftl().valid_sectors(Lpn(lpn)) == 0 {
                continue;
            }
            // what waits in a page register was not flushed
            let is_on_flash = drive.ftl().lookup(Lpn(lpn)).is_some();
            known.durable = if is_on_flash { AGED } else { 0 };
            (known.acknowledged, known.sent) = (AGED, AGED);
            self.writes = AGED;
            self.aged += 1;
            flash.sent.insert(lpn, (AGED, AGED));
            flash.begin_with(aged(Lpn(lpn)));
        }
    }

    /// A random number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.drawn += 1;
        self.seed.draw("host", self.drawn) % end
    }

    /// The next command, which arrives at `now`.
    fn command(&mut self, now: SimTime, flash: &SpareAreas) -> HostCommand {
        if self.below(32) == 0 {
            let flush = UnderWay {
                op: HostOp::Flush,
                lpn: 0,
                is_durable: false,
                flushed: self.known.clone(),
            };
            self.under_way.insert(self.tokens, flush);
            return command(now.ns(), HostOp::Flush, 0, 0);
        }
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
        let fua = op == HostOp::Write && self.below(8) == 0;
        let known = &mut self.known[lpn as usize];
        known.is_changing = op != HostOp::Read;
        if op == HostOp::Write {
            self.writes += 1;
            known.sent = self.writes;
            let oldest = if self.has_buffer {
                known.acknowledged
            } else {
                known.sent
            };
            flash.flash().sent.insert(lpn, (oldest, known.sent));
        }
        if op == HostOp::Trim {
            (known.is_trimmed, known.before_trim) = (true, known.sent);
        }
        let under_way = UnderWay {
            op,
            lpn,
            is_durable: fua || !self.has_buffer,
            flushed: Vec::new(),
        };
        self.under_way.insert(self.tokens, under_way);
        HostCommand {
            fua,
            ..command(now.ns(), op, lpn * self.sectors, self.sectors as u32)
        }
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

    fn take_answers(&mut self, drive: &mut LiveDrive, flash: &SpareAreas) {
        for done in drive.completions() {
            let ended = self.under_way.remove(&done.token).unwrap();
            if ended.op == HostOp::Flush {
                for (known, before) in self.known.iter_mut().zip(ended.flushed) {
                    let is_old_trim = before.is_trimmed && !before.is_changing;
                    if is_old_trim && self.keeps_trims {
                        known.trimmed = known.trimmed.max(before.before_trim);
                    }
                    // a TRIM since then may have taken it away
                    if !known.is_trimmed {
                        known.durable = known.durable.max(before.acknowledged);
                    }
                }
                continue;
            }
            let known = &mut self.known[ended.lpn as usize];
            if done.status.is_refused() {
                // too few blocks are left to write to
                known.is_changing = false;
                continue;
            }
            match ended.op {
                HostOp::Read => continue,
                HostOp::Write => {
                    known.acknowledged = known.sent;
                    flash
                        .flash()
                        .sent
                        .insert(ended.lpn, (known.acknowledged, known.sent));
                    if ended.is_durable {
                        known.durable = known.sent;
                        known.is_trimmed = false;
                    }
                }
                _ => (known.durable, known.acknowledged) = (0, 0),
            }
            known.is_changing = false;
        }
    }

    /// The drive has brought all that was acknowledged to flash (D2), as a flush does.
    fn held_up(&mut self) {
        for known in &mut self.known {
            if known.is_trimmed && !known.is_changing && self.keeps_trims {
                known.trimmed = known.trimmed.max(known.before_trim);
            }
            if !known.is_trimmed {
                known.durable = known.durable.max(known.acknowledged);
            }
        }
    }

    /// Every logical page holds what was promised, or something newer that was acknowledged or on its way.
    /// Counts pages for which that is not so, where that may happen.
    fn check(&mut self, drive: &LiveDrive, flash: &SpareAreas, may_lose: bool) -> u64 {
        let mut flash = flash.flash();
        flash.check_parity(drive.ftl());
        let mut lost = 0;
        for (lpn, known) in (0..).zip(&mut self.known) {
            // a unit of several pages may be somewhere without data of this one
            let has_data = drive.ftl().valid_sectors(Lpn(lpn)) != 0;
            let found = drive.ftl().lookup(Lpn(lpn)).filter(|_| has_data);
            let mut found = found.map(|page| flash.content(page).expect("D5: a page that holds data"));
            let deltas = drive.ftl().delta_pages();
            if let Some(page) = deltas.and_then(|deltas| deltas.delta_page(Lpn(lpn))) {
                let delta = flash.delta(page, lpn).expect("D5: a delta that is there");
                assert_eq!(found, Some(delta.base), "D5: a delta of another base");
                found = Some(delta.shows);
                self.deltas += 1;
            }
            let (owner, oldest, newest) =
                found.map_or((lpn, 0, 0), |found| (found.lpn, found.oldest, found.newest));
            assert_eq!(owner, lpn, "D5");
            let is_kept = newest >= known.durable || known.is_trimmed;
            let is_gone = newest == 0 || newest > known.trimmed;
            let is_good = is_kept && is_gone && newest <= known.sent;
            assert!(
                is_good || may_lose,
                "D1, D2, D3: logical page {lpn} holds write {newest}: {known:?}"
            );
            lost += u64::from(!is_good);
            *known = Known {
                durable: oldest,
                acknowledged: newest,
                sent: newest,
                ..Known::default()
            };
            flash.sent.insert(lpn, (oldest, newest));
            if let Some(found) = found {
                flash.begin_with(found);
            }
        }
        self.under_way.clear();
        lost
    }
}

/// What the cuts of a drive found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cuts {
    pub(crate) all: u64,
    /// With arrays at work in several dies.
    pub(crate) of_several_dies: u64,
    /// With a program under way.
    pub(crate) programs: u64,
    /// With an erase under way.
    pub(crate) erases: u64,
    /// With a program or erase suspended.
    pub(crate) suspended: u64,
    /// With a program of a page of the FTL's own under way.
    pub(crate) own: u64,
    /// While recovery repaired the flash.
    pub(crate) of_recovery: u64,
    /// After a capacitor had brought all that was acknowledged to flash.
    pub(crate) protected: u64,
    /// Logical pages that hold less than was promised.
    pub(crate) lost: u64,
    /// Logical pages that were found with a delta.
    pub(crate) deltas: u64,
    /// Logical pages that had data before the first command.
    pub(crate) aged: u64,
    /// Programs and erases that failed.
    pub(crate) failed: u64,
    /// Those of them that were of blocks of journal, checkpoints and root.
    pub(crate) failed_of_area: u64,
    /// Blocks that were bad when the power failed last.
    pub(crate) bad_blocks: u64,
    /// The longest time that a capacitor had to last.
    pub(crate) longest_hold_up: Duration,
}

impl Cuts {
    pub(crate) fn add(&mut self, other: Self) {
        self.all += other.all;
        self.of_several_dies += other.of_several_dies;
        self.programs += other.programs;
        self.erases += other.erases;
        self.suspended += other.suspended;
        self.own += other.own;
        self.of_recovery += other.of_recovery;
        self.protected += other.protected;
        self.lost += other.lost;
        self.deltas += other.deltas;
        self.aged += other.aged;
        self.failed += other.failed;
        self.failed_of_area += other.failed_of_area;
        self.bad_blocks += other.bad_blocks;
        self.longest_hold_up = self.longest_hold_up.max(other.longest_hold_up);
    }

    fn count(&mut self, at_work: AtWork) {
        self.all += 1;
        self.of_several_dies += u64::from(at_work.dies > 1);
        self.programs += u64::from(at_work.programs > 0);
        self.erases += u64::from(at_work.erases > 0);
        self.suspended += u64::from(at_work.suspended > 0);
        self.own += u64::from(at_work.own > 0);
    }
}

/// Cuts the power after so many events each, and finishes audited. Of every second seed a third of the programs that are cut off read as the new data.
pub(crate) fn run(config: &Config, seed: u64, events: &[u64]) -> Result<Cuts, RunError> {
    run_on(config, seed, events, false)
}

/// As [`run`], on flash where a program that is cut off takes the pages of its word line with it that were programmed before. Without a capacitor data are lost by that: such pages are counted.
pub(crate) fn run_on_pairs(config: &Config, seed: u64, events: &[u64]) -> Result<Cuts, RunError> {
    run_on(config, seed, events, true)
}

fn run_on(config: &Config, seed: u64, events: &[u64], takes_pairs: bool) -> Result<Cuts, RunError> {
    let options = || RunOptions {
        audit: true,
        ..RunOptions::default()
    };
    let mut cuts = Cuts::default();
    let mut drive = LiveDrive::new(config, Path::new("."), options())?;
    let flash = SpareAreas::of(drive.ftl());
    flash.flash().types = Some(PageTypes::new(&config.geometry, drive.ftl().geometry()).unwrap());
    flash.flash().has_word_lines = config.nand.program != ProgramOrder::Page;
    flash.flash().failures = (config.ftl.failures.clone(), Seed(config.seed));
    flash.flash().mark_bad(drive.ftl(), None);
    let sectors = drive.ftl().unit_geometry().page_bytes / 512;
    let mut host = Host::new(config, seed, drive.ftl().user_pages(), u64::from(sectors));
    host.know_aged(&drive, &flash);
    cuts.aged = host.aged;
    for events in events {
        drive.add_probe(Box::new(flash.clone()));
        for _ in 0..*events {
            host.send(&mut drive, &flash)?;
            drive.step()?;
            host.take_answers(&mut drive, &flash);
        }
        let mut tearing = Tearing {
            readable_one_in: 3 * (seed % 2),
            takes_pairs,
            seed: seed.wrapping_add(cuts.all),
            ..Tearing::default()
        };
        if host.is_protected {
            let hold_up = drive.hold_up()?;
            cuts.protected += u64::from(hold_up.is_complete);
            cuts.longest_hold_up = cuts.longest_hold_up.max(hold_up.time);
            if hold_up.is_complete {
                // nothing more is issued, and what arrays are at work on ends
                tearing.ends = true;
                host.held_up();
            }
        }
        let at_work = flash.flash().power_fails(drive.now(), tearing);
        cuts.count(at_work);
        if config.ftl.failures.is_on() {
            let counters = drive.ftl().counters();
            let mut flash = flash.flash();
            let failed = std::mem::take(&mut flash.failed);
            assert_eq!(failed, (counters.failed_programs, counters.failed_erases));
            cuts.failed += failed.0 + failed.1;
            cuts.failed_of_area += std::mem::take(&mut flash.failed_of_area);
            flash.mark_bad(drive.ftl(), Some(Seed(seed.wrapping_add(cuts.all))));
            cuts.bad_blocks = flash.bad.len() as u64;
        }
        drive = loop {
            let (drive, recovery) = LiveDrive::recovered(config, Path::new("."), options(), &*flash.flash())?;
            let repairs = recovery.repairs;
            let cut = repairs.len() as u64 > 0 && host.below(4) == 0;
            let done = if cut {
                host.below(repairs.len() as u64) as usize
            } else {
                repairs.len()
            };
            let mut flash = flash.flash();
            flash.read_by_recovery();
            repairs[..done]
                .iter()
                .for_each(|repair| flash.repair(repair, false));
            if !cut {
                break drive;
            }
            flash.repair(&repairs[done], true);
            cuts.all += 1;
            cuts.of_recovery += 1;
        };
        let may_lose = takes_pairs && !tearing.ends;
        cuts.lost += host.check(&drive, &flash, may_lose);
    }
    drive.finish()?;
    cuts.deltas = host.deltas;
    Ok(cuts)
}

/// The flash of a drive whose pages were written so many times in turn, when the power fails.
pub(crate) fn filled(config: &Config, times: u64) -> SpareAreas {
    let mut drive = LiveDrive::new(config, Path::new("."), RunOptions::default()).unwrap();
    let flash = SpareAreas::of(drive.ftl());
    drive.add_probe(Box::new(flash.clone()));
    let (pages, sectors) = (
        drive.ftl().user_pages(),
        u64::from(drive.ftl().geometry().page_bytes / 512),
    );
    for write in 0..times * pages {
        let lpn = write % pages;
        flash.flash().sent.insert(lpn, (write + 1, write + 1));
        let command = command(drive.now().ns(), HostOp::Write, lpn * sectors, sectors as u32);
        drive.inject(command, write).unwrap();
        // a few at a time
        while write >= 16 && drive.completions().is_empty() && drive.step().unwrap() {}
    }
    flash.flash().power_fails(drive.now(), Tearing::default());
    flash
}
