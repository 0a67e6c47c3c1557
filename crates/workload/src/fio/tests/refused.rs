//! What is refused, and with which words.

use super::*;
use crate::fio_options;

#[test]
fn problems_name_line_option_value_and_what_is_accepted() {
    for (line, words) in [
        ("rw=readd", "job.fio:3: rw=readd: accepted: read, write, trim"),
        (
            "rw=randread:0",
            "rw=randread:0: accepted: a whole number from 1 to",
        ),
        (
            "rw=write:100",
            "rw=write:100: accepted: a hole between sequential commands",
        ),
        ("bs=700", "bs=700: accepted: multiples of 512 up to 1 GiB"),
        (
            "rw=write\nfdp=1",
            "plids=unset: accepted: the placement handles that the job writes with",
        ),
        (
            "rw=write\ndataplacement=streams\nplids=0,1",
            "plids=0,1: accepted: the streams that the job writes to, from 1",
        ),
        (
            "plids=65536",
            "plids=65536: accepted: a whole number from 0 to 65535",
        ),
        (
            "plid_select=schema",
            "plid_select=schema: accepted: roundrobin, random or scheme",
        ),
        (
            "rw=write\nfdp=1\nplid_select=scheme",
            "dp_scheme=unset: accepted: the file of the scheme",
        ),
        (
            "rw=write\nfdp=1\nplid_select=scheme\ndp_scheme=/nowhere/at/all",
            "dp_scheme=/nowhere/at/all: accepted: a file that can be read",
        ),
        (
            "plids=4-2",
            "plids=4-2: accepted: ranges from the smaller to the larger",
        ),
        ("plids=0-500", "plids=0-500: accepted: at most 128 identifiers"),
        ("bs=0", "bs=0: accepted: multiples of 512"),
        ("kb_base=1000\nbs=4k", "bs=4000: accepted: multiples of 512"),
        ("bs=2g", "bs=2147483648: accepted: multiples of 512 up to 1 GiB"),
        ("bs=4q", "bs=4q: accepted: a whole number such as 4096, 4k"),
        ("bs", "bs: accepted: a value behind `=`"),
        (
            "bssplit=4k/60:8k/60",
            "percentages that add up to at most 100, not 120",
        ),
        ("iodepth=0", "iodepth=0: accepted: a whole number from 1 to"),
        (
            "numjobs=5000",
            "numjobs=5000: accepted: a whole number from 1 to 4096",
        ),
        ("rwmixread=101", "a whole number from 0 to 100"),
        ("runtime=60x", "a time such as 60, 60s"),
        ("runtime=9999999999d", "simulated time ends after 584 years"),
        ("direct=2", "direct=2: accepted: 1 or 0"),
        ("random_distribution=zipf:0", "zipf:theta with theta above 0"),
        ("random_distribution=zipf:", "zipf:theta"),
        ("random_distribution=zipf:1.2:2", "a center from 0 to 1"),
        ("random_distribution=pareto:1", "h above 0 and below 1"),
        ("random_distribution=normal:101", "a percentage from 0 to 100"),
        (
            "random_distribution=zoned:60/10:30/90",
            "accesses that add up to 100%, not 90%",
        ),
        ("random_distribution=zoned:60/50:40/60", "at most 100, not 110"),
        ("random_distribution=bell:3", "random, zipf:theta"),
        (
            "rw=randread\nrandom_distribution=zoned_abs:60/1g:40/1g",
            "zones within the region",
        ),
        (
            "rw=randread\nblockalign=100",
            "blockalign=100: accepted: multiples of 512",
        ),
        (
            "rw=write\nverify=crc31c",
            "verify=crc31c: accepted: 0, null, md5, crc64, crc32, crc32c, crc32c-intel",
        ),
        (
            "rw=write\nbs=4KiB",
            "bs=4000: accepted: multiples of 512 up to 1 GiB; in fio 4k is 4096 B and 4KiB is 4000 B",
        ),
        (
            "rw=write\nverify=md5\nverify_backlog=4\ntime_based\nruntime=1",
            "verify=md5: accepted: do_verify=0 beside zonemode=zbd, or time_based with verify_backlog",
        ),
        ("filesize=1m-2m", "one size: files of random sizes"),
        (
            "steadystate=iops",
            "steadystate=iops: accepted: iops, iops_slope, bw or bw_slope with :limit or :percentage%",
        ),
        ("ss=lat:5", "lat or lat_slope with :percentage%"),
        ("ss=bw:0", "a limit above 0"),
        ("ramp_time=soon", "ramp_time=soon: accepted: a time"),
        ("ramp_size=1g", "set ramp_time, or run.warm_up"),
        (
            "ss=bw:1%\nss_dur=2500ms",
            "job.fio:4: steadystate_duration=2500ms: accepted: a multiple of steadystate_check_interval (1 s), from 2 to",
        ),
        (
            "ss=bw:1%\nss_dur=1s",
            "a multiple of steadystate_check_interval (1 s), from 2 to",
        ),
        (
            "ss=bw:1%\nss_dur=10s\nss_interval=0",
            "steadystate_check_interval=0: accepted: a time above 0",
        ),
        (
            "numjobs=2\ngroup_reporting\nss=bw:1%\nss_dur=10s",
            "each job is judged alone",
        ),
        (
            "wait_for=x",
            "job.fio:3: wait_for=x: accepted: the name of a job above this one",
        ),
        ("rate=1m\nrate_iops=5", "one of rate and rate_iops"),
        ("exit_what=some", "accepted: group, stonewall, all"),
        ("size=(1/0)", "no division by zero"),
        ("runtime=(2*", "an expression in parentheses"),
        (
            "latency_target=1ms",
            "not supported: the iodepth that meets a latency is not searched for; write iodepth=${DEPTH}",
        ),
        ("bs_unaligned=1", "whole sectors of 512 bytes"),
        ("read_iolog=x", "accepted: a file that is there"),
        (
            "readwirte=read",
            "readwirte=read: unknown option; did you mean `readwrite`?",
        ),
        (
            "no_such_thing_at_all=1",
            "unknown option; accepted: the job options of fio 3",
        ),
        (
            "size=${SIZE}",
            "job.fio:3: size=${SIZE}: `SIZE` has no value; accepted: one in the environment, or by --define SIZE=VALUE",
        ),
        ("include more.fio", "other files are not read"),
    ] {
        let error = refusal(&format!("[job]\nfilename=/dev/x\n{line}\n"));
        assert!(error.contains(words), "{line}: {error}");
    }
}

#[test]
fn files_without_jobs_and_options_without_section_are_refused() {
    for (text, words) in [
        ("", "job.fio:1: no job"),
        ("[global]\nbs=4k\n", "job.fio:1: no job"),
        ("bs=4k\n[a]\n", "job.fio:1: `bs` stands before the first section"),
        ("[a]\nsize=1m\n[global]\nbs=x\n", "job.fio:4: bs=x"),
        ("[a\n", "job.fio:1: `[a` is not a section"),
    ] {
        let error = refusal(text);
        assert!(error.contains(words), "{error}");
    }
    let many = "[a]\nfilename=/dev/x\n".repeat(5000);
    assert!(refusal(&many).contains("one job too many; accepted: 4096"));
    let many = "[a]\nfilename=/dev/x\nnumjobs=4096\n".repeat(2);
    assert!(refusal(&many).contains("at most 4096 jobs in all"));
    let many = "[a]\nnrfiles=1024\nnumjobs=65\nsize=4k\n";
    assert!(refusal(many).contains("at most 65536 files in all"));
}

#[test]
fn values_that_ask_for_nothing_are_taken() {
    for line in [
        "ramp_time=0",
        "zonemode=none",
        "iodepth_batch=1",
        "iodepth_batch_complete=0",
        "flow=0",
        "exitall=0",
        "buffered=0",
        "verify=0\nrw=write",
        "verify=crc32c\nrw=randread",
        "verify=md5\ndo_verify=0\nrw=write",
        "io_submit_mode=inline",
        "write_barrier=0",
        "create_only=0",
    ] {
        assert!(!run(&format!("{line}\nsize=16k")).is_empty(), "{line}");
    }
}

/// Every option of the table does what its row says: it is taken, or refused by name.
#[test]
fn the_table_and_the_reader_agree() {
    for option in fio_options() {
        for name in [option.name].into_iter().chain(option.aliases.iter().copied()) {
            let text = format!("[job]\nfilename=/dev/x\nsize=64k\n{name}=nonsense\n");
            let answer = fio_clients(&text, "job.fio", &FioDrive::plain(DRIVE), 1);
            match (option.treatment, answer) {
                ("ignored" | "noted", Ok(clients)) => {
                    let told = clients[0]
                        .source
                        .notes()
                        .iter()
                        .any(|note| note.contains(option.name));
                    assert_eq!(told, option.treatment == "noted", "{name}");
                }
                // names may be anything
                ("used", Ok(_)) => {
                    let free = [
                        "name",
                        "directory",
                        "filename",
                        "filename_format",
                        "libblkio_path",
                        "verify_pattern",
                        "dp_scheme",
                        "replay_redirect",
                    ];
                    assert!(free.contains(&name), "{name}");
                }
                ("used" | "refused", Err(error)) => {
                    let error = error.to_string();
                    let words = if option.treatment == "refused" {
                        "not supported"
                    } else {
                        "accepted"
                    };
                    assert!(
                        error.starts_with(&format!("job.fio:4: {name}=nonsense: ")),
                        "{error}"
                    );
                    assert!(error.contains(words), "{error}");
                }
                (_, Ok(_)) => panic!("{name} is taken, but is {}", option.treatment),
                (_, Err(error)) => panic!("{name} is {}: {error}", option.treatment),
            }
        }
    }
}

/// Options that need another one beside them say so where it is not there, and nothing where it is.
#[test]
fn options_without_their_partner_are_told() {
    let told = |options: &str, name: &str| {
        let notes = job(&format!("size=1m\n{options}")).source.notes();
        notes
            .iter()
            .any(|note| note.contains(&format!("{name} of job has no effect")))
    };
    for (option, name, partner) in [
        ("rw=read\nverify=md5", "verify", "rw=write"),
        ("rw=write\nverify_backlog=4", "verify_backlog", "verify=md5"),
        (
            "rw=write\nverify=md5\nverify_backlog_batch=4",
            "verify_backlog_batch",
            "verify_backlog=8",
        ),
        ("rw=read\nflow_id=3", "flow_id", "flow=2"),
        ("rw=read\nexit_what=all", "exit_what", "exitall"),
        ("rw=read\nrate_cycle=500", "rate_cycle", "ratemin=1k"),
        ("rw=trim\nnum_range=1", "num_range", "num_range=2"),
        ("rw=write\nplids=1,2", "plids", "dataplacement=streams"),
    ] {
        assert!(told(option, name), "{option}");
        assert!(
            !told(&format!("{option}\n{partner}"), name),
            "{option} beside {partner}"
        );
    }
    assert!(told("rw=read\nreplay_no_stall=1", "replay_no_stall"));
}
