//! Power cuts of drives that acknowledge writes before they are on flash, whose steps are executed in any order.

use std::collections::VecDeque;

use wordline_ftl::any_order::{AnyOrder, AnyOrderOptions, StepObserver};
use wordline_ftl::{Answer, FoundFlash, Inspect, Lpn, Mapping, PageOp, PageRequest, Repair, Subjects};
use wordline_nand::Ppn;
use wordline_units::{Duration, Seed, SimTime};

use super::cuts::is_worn_out;
use super::deltas::{DeltaFlash, DoneWithDeltas};
use super::setup::Setup;
use super::unit_flash::{DoneWithUnits, UnitFlash};
use super::work::{Commands, Random};

/// The flash of such a drive.
pub(crate) trait CutFlash: StepObserver + FoundFlash {
    /// Whether a write must reach the flash before it is known how the FTL numbers writes.
    fn is_unnumbered(&self) -> bool {
        false
    }

    /// A write was accepted as the command of this number; its plan is the one that was opened last.
    fn accept_write(&mut self, command: u64, lpn: u64, bitmap: u64);

    /// A TRIM or a write of nothing was accepted, which the FTL numbers too.
    fn accept_other(&mut self);

    /// Sub-pages of a logical page were trimmed.
    fn accept_trim(&mut self, lpn: u64, bitmap: u64);

    /// A read of the host was planned of a logical page, which is at this place.
    fn check_read(&mut self, lpn: u64, bitmap: u64, place: Option<Ppn>);

    /// Everything that was accepted is on flash, since nothing is under way after a flush.
    fn check_flushed(&mut self, user: u64);

    /// Recovery does this to the flash.
    fn repair(&mut self, repair: &Repair);

    /// Power fails while recovery does this.
    fn tear(&mut self, repair: &Repair);

    /// The power has failed: bad blocks are marked, as far as the programs of their marks were not cut off.
    fn mark_bad(&mut self, _ftl: &dyn Mapping, _seed: u64) {}

    /// Power is back, and an FTL was built from what the flash holds: every logical page shows what was promised or something newer.
    fn recovered(&mut self, ftl: &dyn Inspect);
}

/// Commands that are given to a drive, a part of them to few pages, which are written again soon.
struct Host {
    commands: Commands,
    random: Random,
    waiting: VecDeque<PageRequest>,
}

impl Host {
    fn new(seed: u64, user_pages: u64, full: u64) -> Self {
        Self {
            commands: Commands::new(seed, user_pages, full),
            random: Random::new(seed, "host"),
            waiting: VecDeque::new(),
        }
    }

    fn next(&mut self, user: u64) -> PageRequest {
        if let Some(request) = self.waiting.pop_front() {
            return request;
        }
        let mut request = self.commands.next().unwrap();
        if request.pages == 1 && self.random.one_in(2) {
            request.lpn = Lpn(self.random.below(user.min(24)));
        }
        request
    }

    /// Serves commands until so many steps have ended; the flash as the power cut leaves it.
    fn serve<F: CutFlash>(
        &mut self,
        setup: &Setup,
        ftl: &mut dyn Mapping,
        flash: F,
        (steps, failures): (u64, u32),
    ) -> F {
        let user = ftl.user_pages();
        let options = options(setup, setup.seed ^ steps, failures);
        let trims = setup.ftl.trim.enabled;
        let mut executor = AnyOrder::new(ftl, options, flash);
        if executor.observer().is_unnumbered() {
            let bitmap = executor.ftl().unit_geometry().full_bitmap();
            let whole = PageRequest {
                op: PageOp::Write,
                lpn: Lpn(0),
                pages: 1,
                bitmap,
                placement: 0,
                class: 0,
                command_sectors: bitmap.count_ones(),
            };
            let mut number = executor.accepted();
            while executor.submit(&whole).unwrap() != Answer::Accepted {
                // it waits for its entry of the map
                executor.turn().unwrap();
                number = executor.accepted();
            }
            executor.observer_mut().accept_write(number, 0, bitmap);
            executor.flush().unwrap();
            while executor.observer().is_unnumbered() {
                executor.turn().unwrap();
            }
        }
        let mut turns = 0;
        while executor.ended() < steps {
            turns += 1;
            assert!(turns < 20 * steps + 1_000, "nothing goes on");
            if executor.requests_under_way() < 6 {
                let request = self.next(user);
                if matches!(
                    submit(&mut executor, &request, trims),
                    Answer::Wait | Answer::WaitFor(_)
                ) {
                    self.waiting.push_front(request);
                }
            }
            if self.random.one_in(300) {
                flush(&mut executor, user);
            }
            for _ in 0..self.random.below(5) {
                executor.turn().unwrap();
            }
        }
        let mut flash = executor.cut();
        flash.mark_bad(ftl, setup.seed ^ steps);
        flash
    }
}

fn options(setup: &Setup, seed: u64, failures: u32) -> AnyOrderOptions {
    AnyOrderOptions {
        seed: Seed(seed),
        aligned: setup.commands.multi_plane_write != wordline_nand::Use::Off,
        fails_one_in: 200,
        most_failures: failures,
        unreadable_one_in: 0,
        time_per_turn: Duration::from_us(1),
    }
}

/// Submits a request, of which the flash hears.
fn submit<F: CutFlash>(
    executor: &mut AnyOrder<'_, impl Mapping + ?Sized, F>,
    request: &PageRequest,
    trims: bool,
) -> Answer {
    let number = executor.accepted();
    let answer = executor.submit(request).unwrap();
    let place = executor.ftl().lookup(request.lpn);
    let (lpn, flash) = (request.lpn.0, executor.observer_mut());
    match (request.op, answer) {
        (_, Answer::Wait | Answer::WaitFor(_)) => {}
        (PageOp::Write, Answer::Accepted) => flash.accept_write(number, lpn, request.bitmap),
        (PageOp::Trim, _) => {
            if answer == Answer::Accepted {
                flash.accept_other();
            }
            for lpn in (lpn..lpn + request.pages).filter(|_| trims) {
                flash.accept_trim(lpn, request.bitmap);
            }
        }
        (PageOp::Read, Answer::Accepted | Answer::PartlyInMemory) => {
            flash.check_read(lpn, request.bitmap, place);
        }
        _ => {}
    }
    answer
}

/// A flush. What is under way when it begins is not its affair.
fn flush<F: CutFlash>(executor: &mut AnyOrder<'_, impl Mapping + ?Sized, F>, user: u64) {
    executor.drain().unwrap();
    executor.flush().unwrap();
    executor.drain().unwrap();
    executor.observer_mut().check_flushed(user);
}

/// An FTL from what is on the flash. Power fails again after so many repairs each, in the middle of the next one.
fn recover<F: CutFlash>(
    setup: &Setup,
    flash: &mut F,
    again: &mut Random,
    cuts: &mut u64,
) -> Box<dyn Mapping> {
    loop {
        let mut ftl = setup.build_any().unwrap();
        *cuts += 1;
        let recovery = ftl
            .recoverable_mut()
            .unwrap()
            .recover(SimTime::ZERO, &*flash)
            .unwrap();
        let is_cut = again.one_in(2) && !recovery.repairs.is_empty();
        if !is_cut {
            recovery.repairs.iter().for_each(|repair| flash.repair(repair));
            flash.recovered(&*ftl);
            return ftl;
        }
        let done = again.below(recovery.repairs.len() as u64) as usize;
        let (whole, rest) = recovery.repairs.split_at(done);
        whole.iter().for_each(|repair| flash.repair(repair));
        flash.tear(&rest[0]);
    }
}

/// Cuts the power of a drive after so many steps each; the flash at last, and how often power failed, while recovery repaired the flash too.
/// So many programs and erases fail at most before each cut.
fn run<F: CutFlash>(
    setup: &Setup,
    flash: impl FnOnce(&dyn Mapping) -> F,
    cuts: &[u64],
    failures: u32,
) -> (F, u64) {
    let mut ftl = setup.build_any().unwrap();
    let mut again = Random::new(setup.seed, "again");
    let mut flash = flash(&*ftl);
    let mut host = Host::new(setup.seed, ftl.user_pages(), ftl.unit_geometry().full_bitmap());
    let mut count = 0;
    for steps in cuts {
        flash = host.serve(setup, &mut *ftl, flash, (*steps, failures));
        ftl = recover(setup, &mut flash, &mut again, &mut count);
        if failures > 0 && is_worn_out(&*ftl) {
            return (flash, count);
        }
    }
    (host.serve(setup, &mut *ftl, flash, (1_000, 0)), count)
}

/// Cuts the power of a drive with deltas after so many steps each; what was done.
pub(crate) fn run_with_deltas(setup: &Setup, cuts: &[u64]) -> DoneWithDeltas {
    run_failing_with_deltas(setup, cuts, 0)
}

/// As [`run_with_deltas`], where so many programs and erases fail at most before each cut.
pub(crate) fn run_failing_with_deltas(setup: &Setup, cuts: &[u64], failures: u32) -> DoneWithDeltas {
    let (flash, cuts) = run(
        setup,
        |ftl| DeltaFlash::new(*ftl.geometry(), &setup.restrictions),
        cuts,
        failures,
    );
    DoneWithDeltas { cuts, ..flash.done }
}

/// The same of a drive whose mapping units are not pages.
pub(crate) fn run_with_units(setup: &Setup, cuts: &[u64]) -> DoneWithUnits {
    let (flash, cuts) = run(setup, |ftl| UnitFlash::new(ftl, &setup.restrictions), cuts, 0);
    DoneWithUnits { cuts, ..flash.done }
}

/// Cuts the power of a drive whose mapping units are not pages after these requests, with a flush after each group of them but the last ones.
pub(crate) fn cut_after_flushes(setup: &Setup, groups: &[&[PageRequest]], last: &[PageRequest]) {
    let mut ftl = setup.build_any().unwrap();
    let user = ftl.user_pages();
    let flash = UnitFlash::new(&*ftl, &setup.restrictions);
    let mut executor = AnyOrder::new(&mut *ftl, options(setup, setup.seed, 0), flash);
    for group in groups {
        for request in *group {
            assert_eq!(submit(&mut executor, request, true), Answer::Accepted);
        }
        flush(&mut executor, user);
    }
    for request in last {
        assert_eq!(submit(&mut executor, request, true), Answer::Accepted);
    }
    executor.drain().unwrap();
    let mut flash = executor.cut();
    recover(setup, &mut flash, &mut Random::new(setup.seed, "again"), &mut 0);
}
