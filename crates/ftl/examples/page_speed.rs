//! How long the page-level FTL takes for a host write and for a relocated page, without any
//! executor: submit, bind, done. Run with `cargo run --release -p wordline-ftl --example
//! page_speed`.
#![allow(clippy::print_stdout, reason = "a program that prints its findings")]

use std::time::Instant;

use wordline_ftl::{
    AllocationConfig, Answer, Bind, Cause, Ftl, FtlConfig, JobState, Lpn, Outcome, PageFtl, PageOp,
    PageRequest, Plan, Scope, Step, Target, Urgency, Work,
};
use wordline_nand::{CommandsConfig, Geometry, GeometryConfig, PlaneId, RestrictionsConfig};
use wordline_units::{ByteSize, Seed, SimTime};

struct Driver {
    ftl: PageFtl,
    notices: Vec<wordline_ftl::JobNotice>,
    plan: Plan,
    grown: Plan,
    turn: u32,
    programs: [u64; 2],
}

impl Driver {
    fn run(&mut self) {
        for at in 0..self.plan.len() {
            let step = self.plan[at];
            let page = match step.work {
                Work::Program { .. } => Some(self.place(&step)),
                _ => None,
            };
            self.ftl
                .done(SimTime::ZERO, &step, page, Outcome::Good, &mut self.grown);
            if page.is_some() {
                self.programs[usize::from(step.cause == Cause::Gc)] += 1;
            }
        }
        self.plan.clear();
    }

    fn place(&mut self, step: &Step) -> wordline_nand::Ppn {
        let planes = self.ftl.geometry().planes();
        loop {
            let plane = match step.work {
                Work::Program {
                    target:
                        Target::Frontier {
                            scope: Scope::Plane(plane),
                            ..
                        },
                    ..
                } => plane,
                _ => {
                    self.turn = if self.turn + 1 == planes { 0 } else { self.turn + 1 };
                    PlaneId(self.turn)
                }
            };
            if let Bind::Page(bound) = self.ftl.bind(SimTime::ZERO, step, plane) {
                return bound.page;
            }
        }
    }

    fn write(&mut self, lpn: u64, collect: bool) {
        let request = PageRequest {
            op: PageOp::Write,
            lpn: Lpn(lpn),
            pages: 1,
            bitmap: u64::MAX,
            placement: 0,
            class: 0,
            command_sectors: 8,
        };
        assert_eq!(
            self.ftl.submit(SimTime::ZERO, &request, &mut self.plan),
            Answer::Accepted
        );
        self.run();
        if collect {
            self.ftl.notices(&mut self.notices);
            while let Some(notice) = self.notices.pop() {
                if notice.urgency == Urgency::Blocking {
                    while self.ftl.advance(SimTime::ZERO, notice.job, &mut self.plan) == JobState::Yielded {
                        self.run();
                    }
                }
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let geometry = Geometry::new(&GeometryConfig {
        channels: 8,
        chips_per_channel: 4,
        dies_per_chip: 1,
        planes_per_die: 2,
        blocks_per_plane: 128,
        pages_per_block: 128,
        page_size: ByteSize(4096),
        ..GeometryConfig::default()
    })?;
    let config = FtlConfig {
        over_provisioning: 0.25,
        ..FtlConfig::default()
    };
    let ftl = PageFtl::new(
        geometry,
        &config,
        &AllocationConfig::default(),
        &CommandsConfig::default(),
        &RestrictionsConfig::default(),
        Seed(1),
    )?;
    let user = ftl.user_pages();
    let mut driver = Driver {
        ftl,
        notices: Vec::new(),
        plan: Plan::new(),
        grown: Plan::new(),
        turn: 0,
        programs: [0; 2],
    };
    let timed = |driver: &mut Driver, writes: u64, random: bool, what: &str| {
        driver.programs = [0; 2];
        let start = Instant::now();
        let mut state = 88_172_645_463_325_252_u64;
        for write in 0..writes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let lpn = if random {
                ((u128::from(state) * u128::from(user)) >> 64) as u64
            } else {
                write
            };
            driver.write(lpn, true);
        }
        let ns = start.elapsed().as_nanos() as f64;
        let [host, gc] = driver.programs;
        println!(
            "{what}: {writes} writes, {gc} relocated pages (WA {:.4}), {:.1} ns per write, {:.1} ns per page",
            (host + gc) as f64 / host as f64,
            ns / host as f64,
            ns / (host + gc) as f64,
        );
    };
    timed(&mut driver, user, false, "sequential fill");
    timed(&mut driver, 150_000, true, "random overwrite, fresh space");
    timed(&mut driver, 2 * user, true, "random overwrite, warming up");
    timed(&mut driver, 2 * user, true, "random overwrite, steady");
    Ok(())
}
