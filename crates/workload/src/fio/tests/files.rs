//! How files and devices lie on the drive.

use super::*;

/// First and last sector that a client touches.
fn span(client: &mut Client) -> (u64, u64) {
    let commands = take(client, 1 << 20);
    let ends = commands
        .iter()
        .map(|command| command.sector + u64::from(command.sectors));
    (
        commands.iter().map(|command| command.sector).min().unwrap(),
        ends.max().unwrap(),
    )
}

fn spans(text: &str) -> Vec<(u64, u64)> {
    clients(text).iter_mut().map(span).collect()
}

#[test]
fn jobs_without_filename_have_files_of_their_own_side_by_side() {
    let text = "[global]\nsize=1m\ndirectory=/data\n[a]\nnumjobs=2\n[b]\nsize=10k\nbs=1k\n[c]\n";
    assert_eq!(spans(text), [(0, 2048), (2048, 4096), (4096, 4116), (4120, 6168)]);
    let notes = clients(text)[0].source.notes();
    assert!(
        notes
            .iter()
            .any(|note| note.contains("files of the jobs: 4, one behind the other on the first 3158016 B")),
        "{notes:?}"
    );
}

#[test]
fn jobs_that_name_one_file_share_it() {
    let text = "[global]\nfilename=/data/shared\nsize=1m\n[a]\n[b]\noffset=1m\n[c]\nfilename=other\n";
    assert_eq!(spans(text), [(0, 2048), (2048, 4096), (4096, 6144)]);
    // the same name in the same directory is the same file
    let text = "[a]\nfilename=/data/x\nsize=1m\n[b]\ndirectory=/data/\nfilename=x\nsize=1m\n";
    assert_eq!(spans(text), [(0, 2048), (0, 2048)]);
    let text = "[a]\nfilename_format=f.$jobnum.$filenum\nsize=1m\n[b]\nfilename_format=f.0.0\nsize=1m\n";
    assert_eq!(spans(text), [(0, 2048), (0, 2048)]);
}

#[test]
fn a_device_is_the_drive() {
    for device in [
        "/dev/nvme0n1",
        "/dev/sda",
        r"\\.\PhysicalDrive0",
        "trtype=PCIe traddr=0000.04.00.0 ns=1",
    ] {
        assert_eq!(
            spans(&format!(
                "[a]\nfilename={device}\nbs=1m\n[b]\nfilename={device}\nbs=1m\nsize=10m\n"
            )),
            [(0, DRIVE), (0, 20_480)]
        );
    }
}

#[test]
fn several_files_take_turns() {
    // two files of 512 KiB each: blocks 0..128 and 128..256
    let options = "[a]\nfilename=/data/x:/data/y\nsize=1m\n";
    let turns = |service: &str, most: usize| {
        let mut jobs = clients(&format!("{options}{service}\n"));
        starts(&take(&mut jobs[0], most), 8)
    };
    assert_eq!(turns("", 6), [0, 128, 1, 129, 2, 130]);
    assert_eq!(turns("file_service_type=roundrobin:2", 6), [0, 1, 128, 129, 2, 3]);
    assert_eq!(
        turns("file_service_type=sequential", 1000),
        (0..256).collect::<Vec<_>>()
    );
    let drawn = turns("file_service_type=random", 1000);
    let mut all = drawn.clone();
    all.sort_unstable();
    assert_eq!(all, (0..256).collect::<Vec<_>>());
    let first = drawn[..100].iter().filter(|block| **block < 128).count();
    assert!((30..70).contains(&first), "{first}");
    // four files of a job, each with a pass of its own
    let mut jobs = clients("[a]\nrw=randread\nnrfiles=4\nsize=1m\nloops=2\n");
    let mut places = starts(&take(&mut jobs[0], 1000), 8);
    places.sort_unstable();
    assert_eq!(places, (0..512).map(|index| index / 2).collect::<Vec<_>>());
    // a colon in a name
    assert_eq!(spans("[a]\nfilename=/data/x\\:y\nsize=1m\n"), [(0, 2048)]);
}

#[test]
fn a_share_is_one_of_the_drive() {
    assert_eq!(
        spans("[a]\nsize=50%\nbs=1m\n[b]\nsize=50%\nbs=1m\n"),
        [(0, DRIVE / 2), (DRIVE / 2, DRIVE)]
    );
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    for (text, words) in [
        (
            "[a]\nfilename=/dev/x\nsize=2g\n",
            [
                "job.fio:3: size=2147483648",
                "at most 1073741824 B behind offset 0",
            ],
        ),
        (
            "[a]\nfilename=/dev/x\nsize=1g\noffset=4k\n",
            [
                "job.fio:3: size=1073741824",
                "at most 1073737728 B behind offset 4096",
            ],
        ),
        (
            "[a]\nfilename=/dev/x\noffset=1g\n",
            [
                "job.fio:3: offset=1073741824",
                "less than the 1073741824 B of the drive",
            ],
        ),
        (
            "[a]\nfilename=/dev/x\noffset=700\n",
            ["job.fio:3: offset=700", "multiples of 512"],
        ),
        (
            "[a]\nfilename=/dev/x\nsize=2k\nbs=4k\n",
            ["job.fio:4: bs=4096", "at most the 2048 B"],
        ),
        (
            "[a]\nnumjobs=3\nsize=400m\n",
            [
                "job.fio:3: size=419430400",
                "at most the 1073741824 B of the drive",
            ],
        ),
        ("[a]\nrw=read\n", ["job.fio:1: size=unset", "size=1g"]),
        (
            "[a]\nfilename=/dev/x\n[b]\nfilename=/dev/y\n",
            ["job.fio:4: filename=/dev/y", "a single device, not also /dev/x"],
        ),
        (
            "[a]\nfilename=/dev/x\n[b]\nfilename=y\nsize=1m\n",
            ["job.fio:4: filename=y", "not both /dev/x and y"],
        ),
    ] {
        let error = refusal(text);
        for words in words {
            assert!(error.contains(words), "{error}");
        }
    }
}
