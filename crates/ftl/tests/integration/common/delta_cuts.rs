//! Power cuts of drives with deltas, whose steps are executed in any order.

use std::collections::VecDeque;

use wordline_ftl::any_order::{AnyOrder, AnyOrderOptions};
use wordline_ftl::{Answer, Lpn, Mapping, PageOp, PageRequest};
use wordline_units::{Duration, Seed, SimTime};

use super::deltas::{DeltaFlash, DoneWithDeltas};
use super::setup::Setup;
use super::work::{Commands, Random};

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
    fn serve(&mut self, setup: &Setup, ftl: &mut dyn Mapping, flash: DeltaFlash, steps: u64) -> DeltaFlash {
        let user = ftl.user_pages();
        let options = AnyOrderOptions {
            seed: Seed(setup.seed ^ steps),
            aligned: setup.commands.multi_plane_write != wordline_nand::Use::Off,
            fails_one_in: 0,
            most_failures: 0,
            unreadable_one_in: 0,
            time_per_turn: Duration::from_us(1),
        };
        let trims = setup.ftl.trim.enabled;
        let mut executor = AnyOrder::new(ftl, options, flash);
        let mut turns = 0;
        while executor.ended() < steps {
            turns += 1;
            assert!(turns < 20 * steps + 1_000, "nothing goes on");
            if executor.requests_under_way() < 6 {
                let request = self.next(user);
                let number = executor.accepted();
                let answer = executor.submit(&request).unwrap();
                let (lpn, flash) = (request.lpn.0, executor.observer_mut());
                match (request.op, answer) {
                    (_, Answer::Wait | Answer::WaitFor(_)) => self.waiting.push_front(request),
                    (PageOp::Write, Answer::Accepted) => flash.accept_write(number, lpn, request.bitmap),
                    (PageOp::Trim, _) => {
                        // with a journal TRIMs stay, and these tests do not ask for it
                        flash.newest += u64::from(answer == Answer::Accepted);
                        for lpn in (lpn..lpn + request.pages).filter(|_| trims) {
                            flash.accept_trim(lpn, request.bitmap);
                        }
                    }
                    (PageOp::Read, Answer::Accepted) => flash.check_read(lpn, request.bitmap),
                    _ => {}
                }
            }
            if self.random.one_in(300) {
                // what is under way when a flush begins is not its affair
                executor.drain().unwrap();
                executor.flush().unwrap();
                executor.drain().unwrap();
                executor.observer_mut().check_flushed(user);
            }
            for _ in 0..self.random.below(5) {
                executor.turn().unwrap();
            }
        }
        executor.cut()
    }
}

/// An FTL from what is on the flash. Power fails again after so many repairs each, in the middle of the next one.
fn recover(setup: &Setup, flash: &mut DeltaFlash, again: &mut Random) -> Box<dyn Mapping> {
    loop {
        let mut ftl = setup.build_any().unwrap();
        let recovery = ftl.recover(SimTime::ZERO, &*flash).unwrap();
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
        flash.done.cuts += 1;
    }
}

/// Cuts the power of a drive after so many steps each; what was done.
pub(crate) fn run_with_deltas(setup: &Setup, cuts: &[u64]) -> DoneWithDeltas {
    let mut ftl = setup.build_any().unwrap();
    let mut again = Random::new(setup.seed, "again");
    let mut flash = DeltaFlash::new(*ftl.geometry(), &setup.restrictions);
    let mut host = Host::new(setup.seed, ftl.user_pages(), ftl.geometry().full_bitmap());
    for steps in cuts {
        flash = host.serve(setup, &mut *ftl, flash, *steps);
        ftl = recover(setup, &mut flash, &mut again);
    }
    host.serve(setup, &mut *ftl, flash, 1_000).done
}
