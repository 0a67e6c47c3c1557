//! What is refused of a state of the writes of a workload.

use super::*;

type Change = fn(&mut HostWrites);

fn writes(rate: Option<f64>) -> HostWrites {
    let config = WorkloadConfig {
        read_fraction: 0.5,
        ..WorkloadConfig::default()
    };
    let here = Path::new(".");
    HostWrites::new(&config, here, 8 * 1000, 8, rate, SimTime::ZERO, &mut |_| true).unwrap()
}

#[test]
fn places_in_the_workload_that_there_are_not_are_refused() {
    let changes: [(Change, &str); 9] = [
        (|of| of.commands = u64::MAX, "a count"),
        (|of| of.written = u64::MAX, "a count"),
        (|of| of.passes = u64::MAX, "a count"),
        (|of| of.idle = u64::MAX, "without a write"),
        (|of| of.end = 1001, "end of the drive"),
        (|of| of.began = of.written + 1, "passes"),
        (|of| of.pass = Some(1), "passes"),
        (|of| of.passes = 1, "passes"),
        (|of| of.at += 1, "another time"),
    ];
    for (change, told) in changes {
        let mut writes = writes(Some(1.0));
        writes.next(&mut Vec::new(), 100).unwrap();
        writes.check().unwrap();
        change(&mut writes);
        let error = writes.check().unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

/// However many commands a state claims, no more are drawn than it wrote pages.
#[test]
fn a_workload_that_is_another_one_is_not_caught_up_with() {
    let changes: [Change; 6] = [
        |_| {},
        |of| of.commands = 1 << 50,
        |of| of.commands -= 1,
        |of| of.written += 1,
        |of| of.end = of.next + 500,
        |of| of.last += 1,
    ];
    for (case, change) in changes.into_iter().enumerate() {
        let mut used = writes(Some(1.0));
        used.next(&mut Vec::new(), 100).unwrap();
        change(&mut used);
        let mut fresh = writes(Some(1.0));
        let mut bytes = Vec::new();
        used.archive(&mut Archive::saving(&mut bytes)).unwrap();
        // not all that is wrong shows before
        if fresh.archive(&mut Archive::loading(&mut &bytes[..])).is_err() {
            assert_eq!(case, 3, "written at another time");
            continue;
        }
        let caught_up = fresh.replay_pass(&mut || true);
        assert_eq!(caught_up.is_ok(), case == 0, "{case}: {caught_up:?}");
    }
}
