//! When commands are sent: rates, pauses, delays, depths.

use wordline_units::Duration;

use super::*;
use crate::{Admission, Think};

fn gaps(commands: &[HostCommand]) -> Vec<u64> {
    commands
        .windows(2)
        .map(|pair| pair[1].arrival.since(pair[0].arrival).ns())
        .collect()
}

#[test]
fn linear_rates_give_each_command_its_time() {
    let mut client = job("rw=write\nsize=1m\nrate_iops=1000\nioengine=libaio\niodepth=8");
    assert_eq!(
        client.admission,
        Admission::Paced {
            depth: 8,
            think: None
        }
    );
    assert!(gaps(&take(&mut client, 300)).iter().all(|gap| *gap == 1_000_000));
    // 1 MiB/s in blocks of 4 KiB: 256 a second
    let commands = run("size=1m\nrate=1m");
    assert_eq!(commands[0].arrival.ns(), 0);
    assert_eq!(commands[128].arrival.ns(), 500_000_000);
    // larger blocks take longer
    let commands = run("rw=read\nbssplit=4k/50:64k/50\nsize=64m\nrate=1m");
    let sectors: u64 = commands
        .iter()
        .rev()
        .skip(1)
        .map(|command| u64::from(command.sectors))
        .sum();
    let last = commands.last().unwrap().arrival.ns();
    assert_eq!(last, sectors * 512 * 1_000_000_000 / (1 << 20));
    // the smallest block counts for rate_iops
    let commands = run("rw=read\nbsrange=8k-8k\nsize=1m\nrate_iops=100");
    assert!(gaps(&commands).iter().all(|gap| *gap == 10_000_000));
}

#[test]
fn poisson_rates_have_the_mean_and_the_spread_of_an_exponential() {
    let commands = run("rw=randread\nsize=400m\nrate_iops=10000\nrate_process=poisson");
    let gaps = gaps(&commands);
    let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    near(mean, 100_000.0, 1_500.0);
    let long = gaps.iter().filter(|gap| **gap > 200_000).count() as f64 / gaps.len() as f64;
    near(long, (-2.0_f64).exp(), 0.005);
}

#[test]
fn reads_and_writes_keep_rates_of_their_own() {
    let commands = run("rw=randrw\nsize=400m\nrate_iops=3000,1000\nnumber_ios=40000");
    near(
        share(&commands, |command| command.op == HostOp::Read),
        0.75,
        0.001,
    );
    assert!(commands.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
    near(commands.last().unwrap().arrival.ns() as f64 / 1e9, 10.0, 0.01);
}

#[test]
fn depth_counts_with_asynchronous_engines_only() {
    for (engine, depth) in [
        ("libaio", 32),
        ("io_uring", 32),
        ("posixaio", 32),
        ("psync", 1),
        ("sync", 1),
        ("mmap", 1),
    ] {
        let client = job(&format!("ioengine={engine}\niodepth=32"));
        assert_eq!(client.admission, Admission::ClosedLoop { depth });
        let noted = client
            .source
            .notes()
            .iter()
            .any(|note| note.contains("counts as 1"));
        assert_eq!(noted, depth == 1, "{engine}");
    }
}

#[test]
fn pauses_come_after_blocks() {
    let think = |commands, ns| {
        Some(Think {
            commands,
            time: Duration(ns),
        })
    };
    let paced = |options: &str| job(&format!("ioengine=libaio\niodepth=4\n{options}")).admission;
    assert_eq!(
        paced("thinktime=100"),
        Admission::Paced {
            depth: 4,
            think: think(1, 100_000)
        }
    );
    assert_eq!(
        paced("thinktime=2ms\nthinktime_blocks=16"),
        Admission::Paced {
            depth: 4,
            think: think(16, 2_000_000)
        }
    );
    assert_eq!(
        paced("thinktime=0\nthinktime_blocks=16"),
        Admission::ClosedLoop { depth: 4 }
    );
}

#[test]
fn delays_and_limits_have_fio_units() {
    let client = job("startdelay=5\nruntime=2m");
    assert_eq!(
        (client.delay, client.time_limit),
        (Duration::from_ms(5_000), Some(Duration::from_ms(120_000)))
    );
    let copies = clients("[a]\nfilename=/dev/x\nstartdelay=1-3\nnumjobs=50\n");
    assert!(
        copies
            .iter()
            .all(|client| (1_000..=3_000).contains(&(client.delay.ns() / 1_000_000)))
    );
    assert!(copies.iter().any(|client| client.delay != copies[0].delay));
    assert_eq!(job("runtime=0").time_limit, None);
}

/// 1 GiB at one byte a second takes 34 years: within reach; 4 GiB in one loop of 100 is not.
#[test]
fn time_that_runs_out_is_an_error() {
    let mut client = job("bs=512m\nsize=1g\nrate=1\nloops=100");
    let error = (0..200).find_map(|_| client.source.next_command().err()).unwrap();
    assert!(error.to_string().contains("584 years"), "{error}");
    assert_eq!(client.source.next_command(), Ok(None));
}
