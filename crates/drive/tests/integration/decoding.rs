//! Every mode of the preset of DiffECC meets its error target, by decoding with its code ("diffecc", section 9). `make trust` does the
//! same with many more code words.

mod pages;

use pages::modes_of;
use wordline_config::{DriveSource, resolve};
use wordline_units::Seed;

fn preset() -> wordline_config::Config {
    resolve(DriveSource::Named("wu2013-diffecc"), None, &[])
        .unwrap()
        .config
}

/// One failure in 10^15 code words cannot be waited for: by importance sampling, at the rate of the mode's program step.
#[test]
fn every_mode_meets_its_target() {
    let config = preset();
    let names: Vec<String> = modes_of(&config).into_iter().map(|mode| mode.name).collect();
    assert_eq!(names, ["normal", "n2", "n4", "n8"]);
    for mode in modes_of(&config) {
        let words = 6_000_000 / mode.code().n();
        let found = mode.estimate(words, &mut Seed(1).stream(&mode.name));
        let (name, closed) = (&mode.name, mode.failure());
        assert!(
            found.error < 0.4 * closed,
            "{name}: {} of {words} words is no estimate",
            found.error
        );
        assert!(
            (found.failure - closed).abs() < 4.0 * found.error,
            "{name}: {} for {closed}",
            found.failure
        );
        // the printed deviation has six digits, which is 1e-5 of the rate and 1e-3 of its failures
        assert!(
            found.failure - 4.0 * found.error < 1.001 * config.ecc.target,
            "{name}: {}",
            found.failure
        );
        assert!(closed < 1.002 * config.ecc.target, "{name}: {closed}");
    }
}

/// With cells so noisy that three words in ten fail, voltages drawn one by one: as many fail as the closed form says.
#[test]
fn words_of_noisy_cells_fail_as_often_as_computed() {
    for mode in modes_of(&preset()) {
        let words = 3_000_000 / mode.code().n();
        let found = mode.decode_noisy(0.3, words, &mut Seed(2).stream(&mode.name));
        let [failures, rate] = found.deviations();
        assert!(
            failures.abs() < 4.0,
            "{}: {} for {}",
            mode.name,
            found.found,
            found.expected
        );
        assert!(
            rate.abs() < 4.0,
            "{}: {} for {}",
            mode.name,
            found.rate_found,
            found.rate
        );
    }
}
