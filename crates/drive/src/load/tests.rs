use wordline_config::Config;
use wordline_ftl::Reclaim;
use wordline_nand::{GeometryConfig, PageTypes, Timing};
use wordline_units::ByteSize;

use super::demand::{Demand, Pieces};
use super::model::Model;

/// Four dies of one plane on two channels; programs take 200 us, reads 20 us, erases 1.5 ms, a page of 2 KiB 51.2 us on
/// the bus.
fn model(demand: Demand) -> Model {
    with_chips(2, demand)
}

/// The same with so many dies on each of the two channels, in four pools.
fn with_chips(chips_per_channel: u32, demand: Demand) -> Model {
    let mut config = Config {
        geometry: GeometryConfig {
            channels: 2,
            chips_per_channel,
            dies_per_chip: 1,
            planes_per_die: 1,
            page_size: ByteSize(2048),
            ..GeometryConfig::default()
        },
        ..Config::default()
    };
    config.timing.transfer_spare = false;
    let geometry = config.array_geometry().unwrap();
    let types = PageTypes::new(&config.geometry, &geometry).unwrap();
    let timing = Timing::new(&config.timing, &geometry, &types).unwrap();
    Model::new(&config, &geometry, &types, &timing, (4, false), demand)
}

fn writes(pages: f64) -> Pieces {
    Pieces {
        writes: pages,
        ..Pieces::default()
    }
}

/// Three moves and an erase of 30 pages for each page written: 3 (20 + 2 x 51 + 200) + 50 = about 1.0 ms.
const RECLAIM: Reclaim = Reclaim {
    moves: 3.0,
    erases: 1.0 / 30.0,
    regained: 100.0,
};

/// One write at a time takes 252 us, whichever die it finds, and costs 0.3 (20 + 2 x 51 + 200) + 5 = 102 us of collection:
/// 0.404 collections are under way on an endless drive, and by Erlang's formula for four dies, of which the last is left to
/// the host, (a + 2 a^2 / 2 + 3 a^3 / 6) / (1 + a + a^2 / 2 + a^3 / 6) = 0.401. The network also counts waits that a single
/// request does not have, which slows the writer by a tenth at most.
#[test]
fn a_single_writer_leaves_collection_its_time() {
    let demand = Demand {
        depth: 1.0,
        closed: writes(1.0),
        ..Demand::default()
    };
    let light = Reclaim {
        moves: 0.3,
        erases: 1.0 / 300.0,
        regained: 100.0,
    };
    let pressure = model(demand).pressure(light);
    let share = 0.401 / 4.0;
    assert!(
        (0.9 * share..share).contains(&pressure.collecting),
        "{pressure:?}"
    );
}

/// 100 writes a second are what they are, whatever the drive could do: 0.1 s of collection over four dies.
#[test]
fn an_open_loop_sets_the_rate() {
    let demand = Demand {
        open: writes(100.0),
        ..Demand::default()
    };
    let pressure = model(demand).pressure(RECLAIM);
    assert!(
        (pressure.collecting - 100.0 * 1.02e-3 / 4.0).abs() < 0.002,
        "{pressure:?}"
    );
    assert!(pressure.keeps_up);
}

/// A host that always has writes waiting uses the time that collection leaves, 1.02 ms to 0.25 ms: a die is being
/// collected for p = 0.80 of the time, independently of the others. Requests see the state in proportion to the dies that
/// serve them: when one is served the three others are being collected with probability p, which makes 3 p / 4 in the mean.
#[test]
fn a_saturating_host_shares_the_dies_with_collection() {
    let demand = Demand {
        depth: 256.0,
        closed: writes(1.0),
        ..Demand::default()
    };
    let pressure = model(demand).pressure(RECLAIM);
    let share = 1.02 / (1.02 + 0.252) * 3.0 / 4.0;
    assert!(
        (pressure.collecting - share).abs() < 0.01,
        "{pressure:?}, {share}"
    );
    assert!(!pressure.keeps_up);
}

/// Sixteen dies program faster than a channel brings them pages: 1 / 51 us a channel, and 50 us of erases for each page
/// written, in four pools.
#[test]
fn the_channels_bound_a_saturating_host() {
    let demand = Demand {
        depth: 256.0,
        closed: writes(1.0),
        ..Demand::default()
    };
    let erased = Reclaim {
        moves: 0.0,
        ..RECLAIM
    };
    let pressure = with_chips(16, demand).pressure(erased);
    let share = 2.0 / 51.2 * 50.0 / 4.0;
    assert!(
        (0.95 * share..share).contains(&pressure.collecting),
        "{pressure:?}, {share}"
    );
}

/// Pools of two dies, which are collected beside the host, so that a read finds its die at an erase now and then. Half of
/// 4,730 pages a second are written, with an erase for each four: half the square of 1.5 ms over eight dies makes a mean rest
/// of 83 us of an erase, and programs and reads add 7 us. With 2 % of the time for other reads a read waits 92 us. It takes
/// 71 + 92 us and a program 251 us, both wait 4 us for the bus: 211 us in the mean, which is what 4,730 pages a second take
/// one after another.
#[test]
fn reads_wait_for_erases() {
    let demand = Demand {
        depth: 1.0,
        closed: Pieces {
            reads: 0.5,
            writes: 0.5,
            ..Pieces::default()
        },
        ..Demand::default()
    };
    let erased = Reclaim {
        moves: 0.1,
        erases: 0.25,
        regained: 4.0,
    };
    let pressure = with_chips(4, demand).pressure(erased);
    // a move takes 20 + 2 x 51 us and half of a program, of which two run side by side
    let share = 4730.0 / 2.0 * (0.1 * 222e-6 + 0.25 * 1.5e-3) / 4.0;
    assert!(
        (pressure.collecting - share).abs() < 0.02 * share,
        "{pressure:?}, {share}"
    );
}

/// Who only reads presses on nothing.
#[test]
fn reads_need_no_collection() {
    let demand = Demand {
        depth: 8.0,
        closed: Pieces {
            reads: 1.0,
            ..Pieces::default()
        },
        ..Demand::default()
    };
    assert_eq!(model(demand).pressure(RECLAIM).collecting, 0.0);
    assert_eq!(model(Demand::default()).pressure(RECLAIM).collecting, 0.0);
}
