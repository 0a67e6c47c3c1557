//! Jobs on zones that come to an end: of what they may read, of the zones that may be open, of their time, of numbers.

use super::*;

/// The next command of a job.
fn next(client: &mut Client) -> HostCommand {
    assert!(!client.source.is_held());
    client.source.next_command().unwrap().unwrap()
}

/// Gets and completes commands of a job until it ends.
fn finish(client: &mut Client) -> Vec<HostCommand> {
    let mut found = Vec::new();
    while !client.source.is_held()
        && let Some(command) = client.source.next_command().unwrap()
    {
        client.source.completed(&command, false);
        found.push(command);
    }
    found
}

fn sectors(commands: &[HostCommand], op: HostOp) -> u64 {
    let found = commands.iter().filter(|command| command.op == op);
    found.map(|command| u64::from(command.sectors)).sum()
}

/// What others have under way, or wrote elsewhere, is nothing that a mixed job could read: it writes first.
#[test]
fn a_mixed_job_beside_another_writes_before_it_reads() {
    let text =
        "randseed=SEED\n[a]\nrw=write\nbs=4k\nsize=2z\n[b]\nrw=randrw\nrwmixread=90\nbs=4k\nnumber_ios=12\n";
    for (seed, completes) in [(1, false), (2, false), (3, true), (4, true)] {
        let text = text.replace("SEED", &format!("{seed}"));
        let mut clients = jobs(&format!("{text}offset=2z\n"), &zoned(4, None, &[]));
        let write = next(&mut clients[0]);
        if completes {
            clients[0].source.completed(&write, false);
        }
        let found = finish(&mut clients[1]);
        assert_eq!((found.len(), found[0].op), (12, HostOp::Write));
    }
    // in one zone it waits for its turn to write
    let mut clients = jobs(
        &format!("{}size=1z\n", text.replace("SEED", "1")),
        &zoned(4, None, &[]),
    );
    let write = next(&mut clients[0]);
    assert!(clients[1].source.is_held());
    clients[0].source.completed(&write, false);
    let found = finish(&mut clients[1]);
    assert_eq!((found.len(), found[0].op), (12, HostOp::Write));
}

/// A job whose only pass ends for want of something to read tells so, with a flush at its end as without.
#[test]
fn a_pass_that_breaks_off_is_told() {
    for text in [
        "[r]\nrw=randread\nbs=4k\n",
        "[w]\nrw=rw\nrwmixread=99\nbs=4k\nend_fsync=1\n",
    ] {
        let mut clients = jobs(text, &zoned(4, None, &[]));
        assert!(finish(&mut clients[0]).len() < 20);
        let notes = clients[0].source.notes();
        let told = notes
            .iter()
            .filter(|note| note.contains("ended early: of its zones nothing is left to read"));
        assert_eq!(told.count(), 1, "{text}{notes:?}");
    }
}

/// A reset that was given and never sent leaves the zone as it was.
#[test]
fn a_reset_that_is_not_sent_is_withdrawn() {
    // before a write: the zone is full, and closed
    let text = "[a]\nrw=write\nbs=16k\nsize=1z\nloops=2\n[b]\nrw=write\nbs=16k\noffset=1z\nsize=1z\n[c]\nrw=write\nbs=16k\nsize=1z\n";
    let mut clients = jobs(text, &zoned(2, Some(1), &[]));
    for _ in 0..2 {
        let write = next(&mut clients[0]);
        clients[0].source.completed(&write, false);
    }
    let reset = next(&mut clients[0]);
    assert_eq!(reset.op, HostOp::ZoneReset);
    clients[0].source.stopped(&[reset]);
    assert_eq!(sectors(&finish(&mut clients[1]), HostOp::Write), CAPACITY);
    let again = finish(&mut clients[2]);
    assert_eq!(again[0].op, HostOp::ZoneReset);
    assert_eq!(sectors(&again, HostOp::Write), CAPACITY);
    // in place of a trim: the zone is half written, and open
    let text = "[a]\nrw=write\nbs=16k\nsize=1z\nio_size=16k\n[t]\nrw=trim\nbs=48k\n[b]\nrw=write\nbs=16k\noffset=1z\nsize=1z\n[c]\nrw=write\nbs=16k\nsize=1z\n";
    let mut clients = jobs(text, &zoned(2, Some(1), &[]));
    assert_eq!(finish(&mut clients[0]).len(), 1);
    let reset = next(&mut clients[1]);
    clients[1].source.stopped(&[reset]);
    assert!(finish(&mut clients[2]).is_empty(), "zone 0 is open still");
    assert_eq!(next(&mut clients[3]).sector, 32);
}

/// A zone whose rest is too small for a block is finished, where it would keep others from being opened; on a drive without zones it is only closed.
#[test]
fn a_rest_that_is_too_small_holds_no_open_zone() {
    let text = "[a]\nrw=write\nbs=4k\nio_size=28k\n[b]\nrw=randwrite\nbs=8k\nnorandommap=1\nio_size=96k\n[r]\nrw=read\nbs=4k\nsize=1z\n";
    let kept = format!("zonesize=48k\nzonecapacity=32k\nmax_open_zones=1\n{text}");
    for (text, drive, finishes) in [
        (text, zoned(4, Some(1), &[]), 1),
        (kept.as_str(), FioDrive::plain(4 * SIZE), 0),
    ] {
        let mut clients = jobs(text, &drive);
        assert_eq!(finish(&mut clients[0]).len(), 7);
        let found = finish(&mut clients[1]);
        assert_eq!(sectors(&found, HostOp::Write), 192);
        let finished = found.iter().filter(|command| command.op == HostOp::ZoneFinish);
        let places: Vec<u64> = finished.map(|command| command.sector).collect();
        assert_eq!(places, vec![0; finishes]);
        let early = |note: &String| note.contains("ended early");
        assert!(!clients[1].source.notes().iter().any(early));
    }
    // a finish that is not sent leaves the zone open for smaller blocks
    let text = text.replace("rw=read", "rw=write");
    let mut clients = jobs(&text, &zoned(4, Some(1), &[]));
    finish(&mut clients[0]);
    let finished = next(&mut clients[1]);
    assert_eq!(finished.op, HostOp::ZoneFinish);
    assert!(clients[2].source.is_held());
    clients[1].source.stopped(&[finished]);
    assert_eq!(next(&mut clients[2]).sector, 56);
}

/// What was written of a zone that was finished can be read, and its rest cannot.
#[test]
fn a_finished_zone_is_read_up_to_its_pointer() {
    let text =
        "[a]\nrw=write\nbs=4k\nio_size=28k\n[b]\nrw=write\nbs=8k\nio_size=8k\n[r]\nrw=read\nbs=4k\nsize=1z\n";
    let mut clients = jobs(text, &zoned(4, Some(1), &[]));
    finish(&mut clients[0]);
    let found = finish(&mut clients[1]);
    let ops: Vec<HostOp> = found.iter().map(|command| command.op).collect();
    assert_eq!(ops, [HostOp::ZoneFinish, HostOp::Write]);
    assert_eq!(found[1].sector, SIZE);
    assert_eq!(sectors(&finish(&mut clients[2]), HostOp::Read), 56);
}

/// What is left out between zones may be more than any number holds.
#[test]
fn skips_beyond_all_numbers_end_the_pass() {
    let text = "[a]\nrw=write\nbs=32k\nzoneskip=18446744073709551615z\n";
    let mut clients = jobs(text, &zoned(4, None, &[]));
    assert_eq!(finish(&mut clients[0]).len(), 1);
    let mut strided = job(
        "rw=read\nbs=512\nsize=64k\nzonemode=strided\nzonesize=512\nzoneskip=18446744073709551104\ntime_based\nruntime=1",
    );
    assert_eq!(take(&mut strided, 2000).len(), 2000);
}

/// Zones of 32 KiB take one block of 24 KiB each; what is left of them is not written.
#[test]
fn blocks_need_not_divide_a_zone() {
    let mut clients = jobs("[a]\nrw=write\nbs=24k\nio_size=96k\n", &zoned(4, None, &[]));
    let writes: Vec<(u64, u32)> = finish(&mut clients[0])
        .iter()
        .filter(|command| command.op == HostOp::Write)
        .map(|command| (command.sector, command.sectors))
        .collect();
    assert_eq!(writes, [(0, 48), (SIZE, 48), (2 * SIZE, 48), (3 * SIZE, 48)]);
}

/// Appends name the starts of their zones, and fill them like writes.
#[test]
fn writes_may_be_appends() {
    let mut clients = jobs(
        "[a]\nrw=write\nbs=16k\nsize=2z\nzone_append=1\n",
        &zoned(4, None, &[]),
    );
    let appends: Vec<(HostOp, u64)> = finish(&mut clients[0])
        .iter()
        .map(|command| (command.op, command.sector))
        .collect();
    let append = HostOp::ZoneAppend;
    assert_eq!(
        appends,
        [(append, 0), (append, 0), (append, SIZE), (append, SIZE)]
    );
}
