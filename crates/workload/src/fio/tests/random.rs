//! Where random commands fall.

use std::collections::BTreeMap;

use super::*;

fn sorted(mut values: Vec<u64>) -> Vec<u64> {
    values.sort_unstable();
    values
}

#[test]
fn the_map_visits_every_block_once_per_pass() {
    let commands = run("rw=randread\nsize=4m\nloops=2");
    let (first, second) = commands.split_at(1024);
    assert_eq!(sorted(starts(first, 8)), (0..1024).collect::<Vec<_>>());
    assert_eq!(sorted(starts(second, 8)), (0..1024).collect::<Vec<_>>());
    assert_ne!(starts(first, 8), starts(second, 8));
    // reads and writes of one size share the map
    let commands = run("rw=randrw\nsize=4m");
    assert_eq!(sorted(starts(&commands, 8)), (0..1024).collect::<Vec<_>>());
}

/// Commands of several blocks are cut where the next block was visited, as in fio.
#[test]
fn the_map_holds_for_several_block_sizes() {
    for sizes in ["bsrange=4k-64k", "bssplit=4k/20:16k/30:64k/50"] {
        let commands = run(&format!("rw=randwrite\n{sizes}\nsize=16m\nloops=2"));
        let mut visits = vec![0; 4096];
        for command in &commands {
            assert_eq!(command.sector % 8, 0);
            for block in command.sector / 8..(command.sector + u64::from(command.sectors)) / 8 {
                visits[block as usize] += 1;
            }
        }
        assert!(visits.iter().all(|visits| *visits == 2), "{sizes}");
        assert!(share(&commands, |command| command.sectors > 8) > 0.3);
    }
}

/// Where directions differ in size, each covers the region by itself.
#[test]
fn directions_of_different_sizes_have_maps_of_their_own() {
    let commands = run("rw=randrw\nbs=4k,16k\nsize=4m\nio_size=3m");
    for (op, block) in [(HostOp::Read, 8), (HostOp::Write, 32)] {
        let of: Vec<_> = commands
            .iter()
            .copied()
            .filter(|command| command.op == op)
            .collect();
        let places = sorted(starts(&of, block));
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(of.iter().all(|command| command.sector % block == 0));
    }
}

#[test]
fn without_the_map_places_are_independent() {
    let commands = run("rw=randread\nnorandommap\nsize=4m\nloops=4");
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for start in starts(&commands, 8) {
        *counts.entry(start).or_default() += 1;
    }
    // 4096 draws from 1024 blocks: a share of e^-4 is never drawn
    near((1024 - counts.len()) as f64 / 1024.0, (-4.0_f64).exp(), 0.01);
}

#[test]
fn aligned_places_may_overlap_and_switch_the_map_off() {
    let commands = run("rw=randread\nbs=16k\nblockalign=4k\nsize=1m\nloops=20");
    assert!(
        commands
            .iter()
            .all(|command| command.sector % 8 == 0 && command.sector + 32 <= 2048)
    );
    assert!(commands.iter().any(|command| command.sector % 32 != 0));
    assert_eq!(
        commands.iter().map(|command| command.sector).max(),
        Some(2048 - 32)
    );
}

#[test]
fn a_modifier_runs_on_from_each_random_place() {
    let commands = run("rw=randread:8\nsize=64m\nnumber_ios=8000");
    let next = |pair: &&[HostCommand]| pair[1].sector == pair[0].sector + 8;
    let follows = commands.windows(2).filter(next).count();
    near(follows as f64 / commands.len() as f64, 7.0 / 8.0, 0.01);
    let commands = run("rw=randread:4\nrw_sequencer=identical\nsize=64m\nnumber_ios=400");
    assert!(
        commands
            .chunks(4)
            .all(|four| four.iter().all(|command| command.sector == four[0].sector))
    );
    let places: std::collections::BTreeSet<u64> = commands.iter().map(|command| command.sector).collect();
    assert_eq!(places.len(), 100);
}

#[test]
fn percentage_random_mixes_jumps_and_runs() {
    let follows = |options: &str| {
        let commands = run(&format!("rw=randread\nsize=400m\nnumber_ios=50000\n{options}"));
        let pairs = commands.windows(2);
        pairs.filter(|pair| pair[1].sector == pair[0].sector + 8).count() as f64 / commands.len() as f64
    };
    near(follows("percentage_random=30"), 0.7, 0.01);
    near(follows("percentage_random=0"), 1.0, 0.001);
    near(follows(""), 0.0, 0.001);
    near(follows("percentage_random=,100"), 0.0, 0.001);
}

/// Shares of the blocks in the order of their popularity.
fn popularity(commands: &[HostCommand]) -> Vec<f64> {
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for command in commands {
        *counts.entry(command.sector).or_default() += 1;
    }
    let mut shares: Vec<f64> = counts
        .values()
        .map(|count| f64::from(*count) / commands.len() as f64)
        .collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    shares
}

fn drawn(distribution: &str) -> Vec<HostCommand> {
    // 1000 blocks, 200,000 draws
    run(&format!(
        "rw=randread\nsize=4000k\nio_size=800000k\nrandom_distribution={distribution}"
    ))
}

#[test]
fn zipf_follows_the_power_law() {
    for theta in [0.5, 1.2] {
        let shares = popularity(&drawn(&format!("zipf:{theta}")));
        let harmonic = |upto: u32| (1..=upto).map(|k| f64::from(k).powf(-theta)).sum::<f64>();
        for upto in [1, 10, 100] {
            let found = shares[..upto].iter().sum::<f64>();
            near(found, harmonic(upto as u32) / harmonic(1000), 0.01);
        }
    }
}

/// The share h of the blocks gets the share 1 - h of the commands, and again inside it.
#[test]
fn pareto_gives_the_few_most() {
    for h in [0.1, 0.2] {
        let shares = popularity(&drawn(&format!("pareto:{h}")));
        near(shares[..(1000.0 * h) as usize].iter().sum(), 1.0 - h, 0.01);
        near(
            shares[..(1000.0 * h * h) as usize].iter().sum(),
            (1.0 - h) * (1.0 - h),
            0.015,
        );
    }
}

/// The mean of twelve uniform draws has the deviation n/12, a uniform shift of width w adds w^2/12.
#[test]
fn normal_has_its_spread() {
    for (deviation, wanted) in [
        (0.0, 1000.0 / 12.0),
        (
            20.0,
            (1000.0_f64.powi(2) / 144.0 + 200.0_f64.powi(2) / 12.0).sqrt(),
        ),
    ] {
        let shares = popularity(&drawn(&format!("normal:{deviation}")));
        // ranks by popularity alternate around the mean: the k-th lies about k/2 away from it
        let squares: f64 = (0_u32..)
            .zip(&shares)
            .map(|(rank, share)| share * (f64::from(rank) / 2.0).powi(2))
            .sum();
        near(squares.sqrt(), wanted, wanted * 0.05);
    }
}

#[test]
fn a_center_is_where_the_most_popular_block_lies() {
    for (law, center) in [("zipf:1.5", 0.25), ("pareto:0.05", 0.75), ("zipf:1.5", 1.0)] {
        let commands = drawn(&format!("{law}:{center}"));
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        for start in starts(&commands, 8) {
            *counts.entry(start).or_default() += 1;
        }
        let most = counts
            .iter()
            .max_by_key(|(_, count)| **count)
            .map(|(block, _)| *block);
        assert_eq!(most, Some(((1000.0 * center) as u64).min(999)), "{law}");
    }
}

/// The example of fio's HOWTO, and its sizes in bytes.
#[test]
fn zones_get_their_shares() {
    for zones in [
        "zoned:60/10:30/20:8/30:2/40",
        "zoned:60/10:30/20:8/30:2/",
        "zoned_abs:60/400k:30/800k:8/1200k:2/1600k",
    ] {
        let commands = drawn(zones);
        for (from, to, wanted) in [
            (0, 100, 0.6),
            (100, 300, 0.3),
            (300, 600, 0.08),
            (600, 1000, 0.02),
        ] {
            let inside = |command: &HostCommand| (from..to).contains(&(command.sector / 8));
            near(share(&commands, inside), wanted, 0.005);
        }
        // uniform inside a zone
        near(share(&commands, |command| command.sector / 8 < 50), 0.3, 0.01);
    }
    let commands =
        run("rw=randrw\nsize=4000k\nio_size=400000k\nrandom_distribution=zoned:90/50:10/50,10/50:90/50");
    for (op, wanted) in [(HostOp::Read, 0.9), (HostOp::Write, 0.1)] {
        let of: Vec<_> = commands
            .iter()
            .copied()
            .filter(|command| command.op == op)
            .collect();
        near(share(&of, |command| command.sector < 4000), wanted, 0.01);
    }
}

#[test]
fn seeds_and_copies_draw_differently_and_repeatably() {
    let with = |options: &str| starts(&run(&format!("rw=randread\nsize=1m\n{options}")), 8);
    assert_eq!(with(""), with("randrepeat=1"));
    assert_eq!(with("randseed=7"), with("randseed=7"));
    assert_ne!(with("randseed=7"), with("randseed=8"));
    let mut copies = clients("[a]\nfilename=/dev/x\nrw=randread\nsize=1m\nnumjobs=2\n");
    let (one, two) = (take(&mut copies[0], 300), take(&mut copies[1], 300));
    assert_ne!(starts(&one, 8), starts(&two, 8));
}
