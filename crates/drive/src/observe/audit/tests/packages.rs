//! Inside packages with controllers.

use wordline_metrics::{Array, CommandKind, IssuedCommand, PackageBusUse, Probe};
use wordline_nand::{ChipId, DieId, Ppn};
use wordline_units::SimTime;

use super::Bench;

impl Bench {
    /// A command inside a package, which takes the channel for `on_channel`.
    fn issue_in_package(&mut self, kind: CommandKind, page: Ppn, on_channel: u64) {
        let constituent = self.constituent(page, 0);
        let array = Array {
            die: constituent.die,
            from: SimTime(self.now + 10),
            to: SimTime(self.now + 110),
        };
        self.audit.issued(&IssuedCommand {
            kind,
            channel: self.geometry.channel_of(constituent.die),
            constituents: &[constituent],
            bus_from: SimTime(self.now),
            bus_to: SimTime(self.now + on_channel),
            arrays: &[array],
            cached: false,
            in_package: true,
        });
    }

    fn package_bus(&mut self, chip: u32, page: Option<Ppn>, from: u64, to: u64) {
        let use_ = PackageBusUse {
            chip: ChipId(chip),
            die: DieId(0),
            page,
            from: SimTime(from),
            to: SimTime(to),
        };
        self.audit.package_bus(SimTime(self.now), &use_);
    }

    fn finding(&self) -> &str {
        self.audit.found.as_deref().unwrap_or_default()
    }
}

#[test]
fn commands_of_a_package_pass_beside_a_user_of_the_channel() {
    let mut bench = Bench::new();
    let elsewhere = bench.constituent(Ppn(bench.geometry.pages() / 4), 9);
    bench.issue(CommandKind::Program, &[elsewhere]);
    bench.issue_in_package(CommandKind::Program, Ppn(0), 0);
    bench.package_bus(0, None, 0, 10);
    assert_eq!(bench.finding(), "");
}

#[test]
fn commands_of_a_package_that_take_the_channel_are_found() {
    let mut bench = Bench::new();
    bench.issue_in_package(CommandKind::Program, Ppn(0), 10);
    assert!(
        bench
            .finding()
            .contains("inside a package takes 10 ns on channel 0")
    );
}

#[test]
fn two_users_of_the_bus_of_a_package_are_found() {
    let mut bench = Bench::new();
    bench.package_bus(0, None, 5, 20);
    bench.package_bus(0, None, 20, 30);
    assert_eq!(bench.finding(), "");
    bench.package_bus(0, None, 29, 40);
    assert!(bench.finding().contains("has two users: it is taken until 30 ns"));
}

#[test]
fn the_bus_of_another_package_or_of_the_past_is_found() {
    let mut bench = Bench::new();
    bench.package_bus(1, None, 0, 10);
    assert!(bench.finding().contains("which is not in it"));
    let mut bench = Bench::new();
    bench.now = 50;
    bench.package_bus(0, None, 40, 60);
    assert!(bench.finding().contains("is used from 40 ns to 60 ns, at 50 ns"));
}

#[test]
fn data_that_move_before_they_are_ready_are_found() {
    let mut bench = Bench::new();
    let page = Ppn(0);
    bench.package_bus(0, Some(page), 0, 10);
    assert!(bench.finding().contains("on which nothing is under way"));
    let mut bench = Bench::new();
    bench.issue_in_package(CommandKind::Program, page, 0);
    bench.package_bus(0, Some(page), 109, 120);
    assert!(bench.finding().contains("before they are ready at 110 ns"));
    let mut bench = Bench::new();
    bench.issue_in_package(CommandKind::Program, page, 0);
    bench.package_bus(0, Some(page), 110, 120);
    assert_eq!(bench.finding(), "");
}
