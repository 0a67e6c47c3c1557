//! A workload that was saved is caught up with, and another one is not.

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
        fresh.archive(&mut Archive::loading(&mut &bytes[..])).unwrap();
        let caught_up = fresh.replay_pass(&mut || true);
        assert_eq!(caught_up.is_ok(), case == 0, "{case}: {caught_up:?}");
    }
}
