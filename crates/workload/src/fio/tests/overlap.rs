//! `serialize_overlap`: what overlaps is not under way together.

use proptest::prelude::*;

use super::*;

/// Two blocks of 4 KiB, written at random without a map.
const TWO_BLOCKS: &str =
    "ioengine=libaio\niodepth=8\nrw=randwrite\nnorandommap\nbs=4k\nsize=8k\nio_size=64k\n";

fn overlap(one: &HostCommand, other: &HostCommand) -> bool {
    let end = |command: &HostCommand| command.sector + u64::from(command.sectors);
    one.sector < end(other) && other.sector < end(one)
}

/// Sends commands until the job is held or has no more.
fn send(client: &mut Client, under_way: &mut Vec<HostCommand>) -> bool {
    while !client.source.is_held() {
        match client.source.next_command().unwrap() {
            Some(command) => under_way.push(command),
            None => return false,
        }
    }
    true
}

#[test]
fn a_command_waits_for_the_one_that_it_overlaps() {
    let mut client = job(&format!("{TWO_BLOCKS}serialize_overlap=1"));
    let plain = run(TWO_BLOCKS);
    let (mut under_way, mut sent) = (Vec::new(), Vec::new());
    while send(&mut client, &mut under_way) {
        // there are two places, so that no more than two commands are under way
        assert!((1..=2).contains(&under_way.len()));
        let done = under_way.remove(0);
        client.source.completed(&done, false);
        sent.push(done);
    }
    sent.extend(under_way);
    assert_eq!(sent, plain, "the same commands in the same order");
}

#[test]
fn offloaded_jobs_wait_for_each_other() {
    let jobs = |options: &str| {
        clients(&format!(
            "[global]\nfilename=/dev/x\nrw=write\nsize=4k\nserialize_overlap=1\n{options}\n[a]\n[b]\n"
        ))
    };
    let mut offloaded = jobs("io_submit_mode=offload");
    let first = offloaded[0].source.next_command().unwrap().unwrap();
    assert!(offloaded[1].source.is_held());
    // what is not sent any more holds nobody up
    offloaded[0].source.stopped(&[first]);
    assert!(!offloaded[1].source.is_held());
    let mut alone = jobs("");
    alone[0].source.next_command().unwrap().unwrap();
    assert!(!alone[1].source.is_held());
    let told = |options: &str| {
        job(&format!("serialize_overlap=1\nsize=16k\n{options}"))
            .source
            .notes()
            .iter()
            .any(|note| note.contains("serialize_overlap of job has no effect"))
    };
    assert!(told("rw=write\niodepth=1"));
    assert!(told("rw=randread\nioengine=libaio\niodepth=8"));
    assert!(!told("rw=randwrite\nioengine=libaio\niodepth=8"));
}

proptest! {
    /// Whatever completes when, nothing overlaps, and all commands are sent.
    #[test]
    fn nothing_that_overlaps_is_under_way(order in prop::collection::vec(0_usize..8, 1..80), sizes in 1_u64..5) {
        let options = format!(
            "ioengine=libaio\niodepth=8\nrw=randrw\nnorandommap\nbsrange=512-{}\nsize=8k\nio_size=32k\n",
            sizes * 512
        );
        let mut client = job(&format!("{options}serialize_overlap=1"));
        let (mut under_way, mut sent) = (Vec::new(), 0);
        let mut order = order.into_iter().cycle();
        loop {
            let goes_on = send(&mut client, &mut under_way);
            for (place, one) in under_way.iter().enumerate() {
                prop_assert!(under_way[..place].iter().all(|other| !overlap(one, other)));
            }
            if !goes_on {
                break;
            }
            let done = under_way.remove(order.next().unwrap() % under_way.len());
            client.source.completed(&done, false);
            sent += 1;
        }
        prop_assert_eq!(sent + under_way.len(), run(&options).len());
    }
}
