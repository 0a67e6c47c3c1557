//! What is sent: operations, sizes, sequential places, ends.

use super::*;

#[test]
fn the_defaults_are_sequential_reads_of_4_kib_over_the_drive() {
    let mut client = job("size=64k");
    let commands = take(&mut client, 100);
    assert_eq!(starts(&commands, 8), (0..16).collect::<Vec<_>>());
    assert!(
        commands
            .iter()
            .all(|command| command.op == HostOp::Read && command.sectors == 8)
    );
    // psync: one at a time
    assert_eq!(client.admission, crate::Admission::ClosedLoop { depth: 1 });
    assert_eq!(run("").len() as u64, DRIVE / 8);
}

#[test]
fn patterns_do_what_their_names_say() {
    for (rw, op, random) in [
        ("read", HostOp::Read, false),
        ("write", HostOp::Write, false),
        ("trim", HostOp::Trim, false),
        ("randread", HostOp::Read, true),
        ("randwrite", HostOp::Write, true),
        ("randtrim", HostOp::Trim, true),
    ] {
        let commands = run(&format!("rw={rw}\nsize=1m"));
        assert_eq!(commands.len(), 256, "{rw}");
        assert!(commands.iter().all(|command| command.op == op), "{rw}");
        assert_eq!(
            starts(&commands, 8) != (0..256).collect::<Vec<_>>(),
            random,
            "{rw}"
        );
    }
}

#[test]
fn mixes_keep_their_percentage() {
    for (options, reads) in [
        ("rw=randrw", 0.5),
        ("rw=rw\nrwmixread=70", 0.7),
        ("rw=randrw\nrwmixwrite=90", 0.1),
        ("rw=randrw\nrwmixread=20\nrwmixwrite=30", 0.7),
        ("rw=readwrite\nrwmixread=100", 1.0),
        ("rw=randrw\nrwmixread=0", 0.0),
    ] {
        let commands = run(&format!("{options}\nsize=400m"));
        near(
            share(&commands, |command| command.op == HostOp::Read),
            reads,
            0.01,
        );
    }
}

/// fio keeps one position for each direction.
#[test]
fn sequential_reads_and_writes_go_on_each_by_themselves() {
    let commands = run("rw=rw\nsize=1m");
    assert_eq!(commands.len(), 256);
    for op in [HostOp::Read, HostOp::Write] {
        let of: Vec<_> = commands
            .iter()
            .copied()
            .filter(|command| command.op == op)
            .collect();
        assert_eq!(starts(&of, 8), (0..of.len() as u64).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_trimmed_is_then_written() {
    for rw in ["trimwrite", "randtrimwrite"] {
        let commands = run(&format!("rw={rw}\nsize=1m"));
        assert_eq!(commands.len(), 512, "{rw}");
        let mut places: Vec<u64> = commands
            .chunks(2)
            .map(|pair| {
                assert_eq!([pair[0].op, pair[1].op], [HostOp::Trim, HostOp::Write]);
                assert_eq!(
                    (pair[0].sector, pair[0].sectors),
                    (pair[1].sector, pair[1].sectors)
                );
                pair[0].sector
            })
            .collect();
        places.sort_unstable();
        assert_eq!(places, (0..256).map(|block| block * 8).collect::<Vec<_>>());
    }
}

#[test]
fn block_sizes_belong_to_directions() {
    let commands = run("rw=randrw\nbs=8k,32k\nsize=64m");
    assert!(
        commands
            .iter()
            .all(|command| command.sectors == if command.op == HostOp::Read { 16 } else { 64 })
    );
    assert!(
        run("rw=write\nbs=8k,\nsize=1m")
            .iter()
            .all(|command| command.sectors == 8)
    );
    assert!(
        run("kb_base=1000\nbs=4kib\nsize=1mib")
            .iter()
            .all(|command| command.sectors == 8)
    );
}

#[test]
fn ranges_hold_every_multiple_alike() {
    let commands = run("rw=randread\nnorandommap\nbsrange=4k-16k\nsize=1g\nio_size=512m");
    for blocks in 1..=4 {
        near(
            share(&commands, |command| command.sectors == 8 * blocks),
            0.25,
            0.01,
        );
    }
}

#[test]
fn splits_keep_their_percentages() {
    let commands = run("rw=randread\nnorandommap\nbssplit=4k/10:64k/50:32k/40\nio_size=512m");
    for (kib, wanted) in [(4, 0.1), (64, 0.5), (32, 0.4)] {
        near(
            share(&commands, |command| command.sectors == kib * 2),
            wanted,
            0.02,
        );
    }
    // a blank shares what is left: 50 % of 4k, 25 % of 1k and of 32k
    let commands = run("rw=randread\nnorandommap\nbssplit=4k/50:1k/:32k/\nio_size=256m");
    for (kib, wanted) in [(4, 0.5), (1, 0.25), (32, 0.25)] {
        near(
            share(&commands, |command| command.sectors == kib * 2),
            wanted,
            0.02,
        );
    }
    let commands = run("rw=randrw\nnorandommap\nbssplit=2k/50:4k/50,4k/90:8k/10\nio_size=256m");
    let writes: Vec<_> = commands
        .iter()
        .copied()
        .filter(|command| command.op == HostOp::Write)
        .collect();
    near(share(&writes, |command| command.sectors == 8), 0.9, 0.01);
    near(share(&writes, |command| command.sectors == 16), 0.1, 0.01);
}

/// A split or a range stands above `bs`, wherever it is written.
#[test]
fn lists_of_sizes_win_over_one_size() {
    for options in [
        "bssplit=8k/100\nbs=4k",
        "bsrange=8k-8k\nbs=4k",
        "bs=4k\nbsrange=4k\nbssplit=8k",
    ] {
        assert!(
            run(&format!("{options}\nsize=1m"))
                .iter()
                .all(|command| command.sectors == 16),
            "{options}"
        );
    }
}

#[test]
fn holes_part_sequential_commands() {
    let commands = run("rw=write:4k\nsize=64k");
    // eight writes: no block begins in the region behind the last hole
    assert_eq!(starts(&commands, 8), [0, 2, 4, 6, 8, 10, 12, 14]);
    // fio starts at the first block
    let commands = run("rw=read:-8k\nsize=32k");
    assert_eq!(starts(&commands, 8), [0, 6, 5, 4, 3, 2, 1, 0]);
}

#[test]
fn a_tail_that_holds_no_block_is_left_out_at_the_end_of_a_file() {
    let in_file = |options: &str| take(&mut clients(&format!("[a]\nbs=4k\n{options}\n")).remove(0), 99).len();
    assert_eq!(in_file("size=10k"), 2);
    assert_eq!(in_file("size=10k\nloops=3"), 6);
    // on a device the last block ends behind the region
    assert_eq!(run("bs=4k\nsize=10k").len(), 3);
}

#[test]
fn size_offset_and_io_size_bound_the_region_and_the_volume() {
    let commands = run("offset=1m\nsize=64k");
    assert_eq!(starts(&commands, 8), (256..272).collect::<Vec<_>>());
    let commands = run("size=64k\nio_size=16k");
    assert_eq!(starts(&commands, 8), [0, 1, 2, 3]);
    let commands = run("size=16k\nio_size=40k");
    assert_eq!(starts(&commands, 8), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
    let commands = run("size=25%\noffset=50%\nbs=1m");
    assert_eq!((commands[0].sector, commands.len()), (DRIVE / 2, 256));
    // rounded up to the block: 33 % of 1 GiB
    let first = run("offset=33%\nbs=1m\nsize=1m")[0].sector;
    assert_eq!((first % 2048, first), (0, 338 * 2048));
    assert_eq!(run("filesize=1m\nsize=64k").len(), 16);
}

#[test]
fn loops_start_over_and_number_ios_ends() {
    assert_eq!(starts(&run("size=8k\nloops=3"), 8), [0, 1, 0, 1, 0, 1]);
    // fio counts the commands of all loops together, and multiplies by them
    assert_eq!(run("size=1m\nloops=9\nnumber_ios=30").len(), 270);
    assert_eq!(run("size=1m\nloops=9\nnumber_ios=300").len(), 9 * 256);
    let mut endless = job("size=8k\ntime_based\nruntime=1");
    assert_eq!(starts(&take(&mut endless, 5), 8), [0, 1, 0, 1, 0]);
    assert_eq!(endless.time_limit, Some(wordline_units::Duration(1_000_000_000)));
}

#[test]
fn flushes_follow_writes() {
    use HostOp::{Flush, Write};
    assert_eq!(
        ops(&run("rw=write\nsize=16k\nfsync=2")),
        [Write, Write, Flush, Write, Write],
        "a flush comes before the next command"
    );
    assert_eq!(
        ops(&run("rw=write\nsize=12k\nfdatasync=2")),
        [Write, Write, Flush, Write]
    );
    assert_eq!(
        ops(&run("rw=write\nsize=8k\nend_fsync=1\nloops=2")),
        [Write, Write, Flush, Write, Write, Flush]
    );
    assert_eq!(
        ops(&run("rw=write\nsize=8k\nfsync=2\nfsync_on_close=1")),
        [Write, Write, Flush]
    );
    assert!(
        run("rw=read\nsize=8k\nfsync=1\nend_fsync=1")
            .iter()
            .all(|command| command.op == HostOp::Read)
    );
    let flush = run("rw=write\nsize=8k\nfsync=1")[1];
    assert_eq!((flush.sector, flush.sectors, flush.fua), (0, 0, false));
}

#[test]
fn synchronous_writes_are_forced_to_the_medium() {
    for (sync, fua) in [
        ("1", true),
        ("sync", true),
        ("dsync", true),
        ("0", false),
        ("none", false),
    ] {
        let commands = run(&format!("rw=rw\nsize=1m\nsync={sync}"));
        assert!(
            commands
                .iter()
                .all(|command| command.fua == (fua && command.op == HostOp::Write))
        );
    }
    assert!(
        run("rw=write\nsize=8k\nwrite_mode=zeroes")
            .iter()
            .all(|command| command.op == HostOp::WriteZeroes)
    );
}

/// Handles of the writes of a job, in turn: reads and trims carry none.
#[test]
fn writes_carry_placement_handles() {
    let handles = |options: &str| -> Vec<u16> {
        run(&format!("rw=write\nsize=24k\n{options}"))
            .iter()
            .map(|command| command.placement)
            .collect()
    };
    assert_eq!(handles(""), [0; 6]);
    assert_eq!(handles("plids=3"), [0; 6]);
    assert_eq!(handles("dataplacement=fdp\nplids=0,2,5"), [0, 2, 5, 0, 2, 5]);
    assert_eq!(handles("fdp=1\nfdp_pli=7"), [7; 6]);
    assert_eq!(handles("dataplacement=streams\nplids=1,4"), [1, 4, 1, 4, 1, 4]);
    for (hint, handle) in [
        ("none", 0),
        ("short", 1),
        ("medium", 2),
        ("long", 3),
        ("extreme", 4),
    ] {
        assert_eq!(handles(&format!("write_hint={hint}")), [handle; 6]);
    }
    let others = run("rw=randtrim\nsize=24k\nwrite_hint=short");
    assert!(others.iter().all(|command| command.placement == 0));
    let drawn = run("rw=write\nsize=400m\nfdp=1\nplids=1,2,3,4\nplid_select=random");
    for handle in 1..=4 {
        near(share(&drawn, |command| command.placement == handle), 0.25, 0.01);
    }
}

/// On a drive with flexible data placement `plids` counts the identifiers that it reports; without `plids` a job writes with all of them.
#[test]
fn placement_identifiers_are_those_of_the_drive() {
    let drive = FioDrive {
        placement_identifiers: Some(vec![0, 1, 256, 257]),
        ..FioDrive::plain(DRIVE)
    };
    let run = |options: &str| {
        let text = format!("[job]\nfilename=/dev/nvme0n1\nrw=write\nsize=24k\nfdp=1\n{options}\n");
        fio_clients(&text, "job.fio", &drive, 1).map(|mut clients| {
            let commands = take(&mut clients[0], 100);
            commands
                .iter()
                .map(|command| command.placement)
                .collect::<Vec<u16>>()
        })
    };
    assert_eq!(run("").unwrap(), [0, 1, 256, 257, 0, 1]);
    assert_eq!(run("plids=1-2").unwrap(), [1, 256, 1, 256, 1, 256]);
    assert_eq!(
        run("plids=1,4").unwrap_err().to_string(),
        "job.fio:6: plids=1,4: accepted: numbers from 0 to 3: the drive has 4 placement identifiers (ftl.placement)"
    );
}

/// `dp_scheme`: the first range of the file that holds the start of a write says its handle.
#[test]
fn a_scheme_says_the_handle_by_place() {
    let folder = tempfile::tempdir().unwrap();
    let drive = FioDrive {
        folder: folder.path().to_owned(),
        placement_identifiers: Some(vec![0, 1, 256]),
        ..FioDrive::plain(DRIVE)
    };
    let run = |scheme: &str| {
        std::fs::write(folder.path().join("scheme"), scheme).unwrap();
        let text =
            "[job]\nfilename=/dev/nvme0n1\nrw=write\nsize=24k\nfdp=1\nplid_select=scheme\ndp_scheme=scheme\n";
        fio_clients(text, "job.fio", &drive, 1).map(|mut clients| {
            let commands = take(&mut clients[0], 100);
            commands
                .iter()
                .map(|command| command.placement)
                .collect::<Vec<u16>>()
        })
    };
    assert_eq!(
        run("4096, 12288, 1\n0,16384,2\n").unwrap(),
        [256, 1, 1, 256, 0, 0]
    );
    for (scheme, words) in [
        (
            "0,4096\n",
            "in line 1 of it, which is `0,4096`: first byte, byte behind the range",
        ),
        (
            "0,4096,1\n\n8,8,1\n",
            "in line 3 of it, which is `8,8,1`: a range that ends behind its first byte",
        ),
        (
            "0,4096,3\n",
            "numbers from 0 to 2: the drive has 3 placement identifiers",
        ),
        ("", "1 to 32 ranges, not 0"),
    ] {
        let found = run(scheme).unwrap_err().to_string();
        assert!(
            found.contains("job.fio:7: dp_scheme=scheme: accepted: ") && found.contains(words),
            "{found}"
        );
    }
}
