//! Reads behind their die, and further attempts.

use wordline_metrics::CommandKind::{Program, Read};
use wordline_metrics::{Constituent, Probe};
use wordline_units::SimTime;

use super::{Bench, Books};

/// A page that was programmed, read up to where its data are out of the die.
fn read_out() -> (Bench, Constituent) {
    let mut bench = Bench::new();
    let page = bench.at(0, 0, 0);
    bench.program(page, 1);
    let read = bench.constituent(page, 1);
    bench.issue(Read, &[read]);
    bench.now += 110;
    bench.data(&read);
    bench.now += 10;
    (bench, read)
}

#[test]
fn a_die_is_free_while_its_data_are_decoded() {
    let (mut bench, read) = read_out();
    bench.audit.decoding(SimTime(bench.now), &read);
    let next = bench.constituent(bench.at(0, 0, 1), 2);
    bench.issue(Program, &[next]);
    bench.now += 50;
    bench.done(Read, &[read]);
    bench.clean();
    bench.done(Read, &[read]);
    bench.found(&["done twice"]);
}

/// The read of the spare area is done, and frees its die, before the data of the other read are decoded.
#[test]
fn a_spare_area_is_read_while_the_data_of_the_page_are_decoded() {
    let (mut bench, read) = read_out();
    bench.audit.decoding(SimTime(bench.now), &read);
    let spare = Constituent {
        brings_data: false,
        ..read
    };
    bench.issue(Read, &[spare]);
    bench.now += 110;
    bench.done(Read, &[spare]);
    let next = bench.constituent(bench.at(0, 0, 1), 2);
    bench.issue(Program, &[next]);
    bench.done(Read, &[read]);
    bench.clean();
}

#[test]
fn a_failed_read_is_issued_again() {
    let (mut bench, read) = read_out();
    bench.audit.decoding(SimTime(bench.now), &read);
    bench.audit.retried(SimTime(bench.now), &read);
    bench.clean();
    let at = SimTime(bench.now);
    assert!(
        bench
            .audit
            .finish(at, &Books::fresh(), &mut |_| true)
            .unwrap_err()
            .contains("tried again")
    );
    let (mut bench, read) = read_out();
    bench.audit.decoding(SimTime(bench.now), &read);
    bench.audit.retried(SimTime(bench.now), &read);
    bench.whole(Read, &[read]);
    bench.clean();
    let mut books = Books::fresh();
    books.map(1, read.page);
    let said = bench.audit.finish(SimTime(bench.now), &books, &mut |_| true);
    assert!(said.is_ok() || !said.unwrap_err().contains("tried again"));
}

#[test]
fn data_are_decoded_once_they_are_out() {
    let (mut bench, read) = read_out();
    bench.audit.decoding(SimTime(bench.now - 5), &read);
    bench.found(&["decoded before they can be"]);
    let (mut bench, read) = read_out();
    bench.audit.retried(SimTime(bench.now), &read);
    bench.found(&["never decoded"]);
    let mut bench = Bench::new();
    let page = bench.at(0, 0, 0);
    bench.program(page, 1);
    let read = bench.constituent(page, 1);
    bench.audit.decoding(SimTime(bench.now), &read);
    bench.found(&["never issued"]);
}
