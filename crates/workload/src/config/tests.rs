//! `[workload]` as users write it.

use super::*;
use crate::{Admission, admission};

fn of(text: &str) -> WorkloadConfig {
    toml::from_str(text).unwrap()
}

fn refused(text: &str) -> String {
    of(text).check().unwrap_err().to_string()
}

#[test]
fn every_key_survives_a_round_trip() {
    let all = of(r#"
        kind = "mixed"
        read_fraction = 0.5
        trim_fraction = 0.1
        request_size = ["4 KiB", "16 KiB"]
        align = "8 KiB"
        region = ["1 MiB", 0.5]
        interarrival = "100 us"
        arrival = "on_off"
        gap_fraction = 0.75
        on = "1 ms"
        off = "2 ms"
        requests = 10
        duration = "1 s"
        seed = 7
        theta = 1.2
        hot_space = 0.1
        hot_requests = 0.9
        mix = [{ size = "4 KiB", weight = 3.0, read_fraction = 0.9 }, { size = "64 KiB" }]
        profile = "msn"
        path = "a.spc"
        format = "spc"
        time_unit = "100ns"
        replay = "closed_loop"
        compress_time = 2.5
        fold = "modulo"
        devices = "fold"
        device_size = "1 GiB"
        disorder = "refuse"
        zero_length = "skip"
        skip = 1
        take = 2
        repeat = 3
    "#);
    all.check().unwrap();
    assert_eq!(
        all.mix[1],
        RequestClass {
            placement: None,
            size: ByteSize(65_536),
            weight: 1.0,
            read_fraction: None
        }
    );
    assert_eq!(
        all.region,
        Some(Region::Range([
            Extent::Size(ByteSize(1 << 20)),
            Extent::Share(0.5)
        ]))
    );
    assert_eq!(of(&toml::to_string(&all).unwrap()), all);
    let default = WorkloadConfig::default();
    default.check().unwrap();
    assert_eq!(of(&toml::to_string(&default).unwrap()), default);
    assert_eq!(of("region = 0.5").region, Some(Region::UpTo(Extent::Share(0.5))));
    assert!(toml::from_str::<WorkloadConfig>("regions = 1").is_err());
    let error = toml::from_str::<WorkloadConfig>("region = true")
        .unwrap_err()
        .to_string();
    assert!(error.contains("the first part of the user space"), "{error}");
}

#[test]
fn wrong_values_name_key_value_and_what_is_accepted() {
    for (text, words) in [
        (
            "read_fraction = 1.5",
            ["workload.read_fraction", "1.5", "from 0 to 1"],
        ),
        (
            "read_fraction = nan",
            ["workload.read_fraction", "NaN", "from 0 to 1"],
        ),
        (
            "read_fraction = 0.7\ntrim_fraction = 0.4",
            ["workload.trim_fraction", "0.4", "read_fraction = 0.7"],
        ),
        (
            "request_size = []",
            ["workload.request_size", "[]", "at least one"],
        ),
        (
            "request_size = \"0 B\"",
            ["workload.request_size", "0 B", "multiple of 512 B"],
        ),
        (
            "request_size = \"700 B\"",
            ["workload.request_size", "700 B", "multiple of 512 B"],
        ),
        (
            "request_size = \"2 GiB\"",
            ["workload.request_size", "2 GiB", "at most 1 GiB"],
        ),
        (
            "align = \"100 B\"",
            ["workload.align", "100 B", "multiple of 512 B"],
        ),
        ("requests = 0", ["workload.requests", "0", "at least 1"]),
        ("queue_depth = 0", ["workload.queue_depth", "0", "at least 1"]),
        (
            "interarrival = \"0 us\"",
            ["workload.interarrival", "0 ns", "at least 1 ns"],
        ),
        (
            "region = [0.5, 0.5]",
            ["workload.region", "[0.5, 0.5]", "after its start"],
        ),
        (
            "region = [\"2 GiB\", \"1 GiB\"]",
            ["workload.region", "[\"2 GiB\", \"1 GiB\"]", "after its start"],
        ),
        ("region = 1.5", ["workload.region", "1.5", "from 0 to 1"]),
        ("theta = -1.0", ["workload.theta", "-1", "0 to 10"]),
        (
            "hot_space = 0.0",
            ["workload.hot_space", "0", "above 0 and below 1"],
        ),
        ("kind = \"mixed\"", ["workload.mix", "[]", "at least one class"]),
        (
            "kind = \"mixed\"\nmix = [{ size = \"4 KiB\", weight = 0.0 }]",
            ["workload.mix", "weight 0", "above 0"],
        ),
        ("kind = \"profile\"", ["workload.profile", "unset", "financial1"]),
        (
            "kind = \"trace\"",
            ["workload.path", "unset", "the trace to replay"],
        ),
        (
            "kind = \"fio\"\npath = \"\"",
            ["workload.path", "\"\"", "the fio job file"],
        ),
        (
            "kind = \"profile\"\nprofile_file = \"\"",
            ["workload.profile_file", "\"\"", "the file of a profile"],
        ),
        (
            "format = \"spd\"",
            ["workload.format", "spd", "spc, msr, disksim"],
        ),
        ("take = 0", ["workload.take", "0", "at least 1"]),
    ] {
        let error = refused(text);
        for word in words {
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}

#[test]
fn keys_that_exclude_or_need_each_other() {
    for (text, word) in [
        ("queue_depth = 8\ninterarrival = \"1 ms\"", "not both"),
        ("arrival = \"poisson\"", "workload.interarrival = unset"),
        (
            "interarrival = \"1 ms\"\narrival = \"self_similar\"",
            "workload.burst_bias = unset",
        ),
        (
            "kind = \"profile\"\nprofile = \"financial1\"\nburst_bias = 0.4",
            "0.5 (no bursts) to 1",
        ),
        ("duration = \"1 s\"", "closed loop"),
        ("interarrival = \"1 ms\"\nduration = \"0 s\"", "longer than 0 ns"),
        (
            "kind = \"trace\"\npath = \"a\"\nqueue_depth = 8",
            "workload.replay",
        ),
        (
            "kind = \"trace\"\npath = \"a\"\ninterarrival = \"1 ms\"",
            "workload.compress_time",
        ),
        (
            "interarrival = \"1 ms\"\narrival = \"on_off\"\non = \"0 s\"",
            "workload.on = 0 ns",
        ),
    ] {
        let error = refused(text);
        assert!(error.contains(word), "{text}: {error}");
    }
}

#[test]
fn loops_are_open_or_closed() {
    let admission = |text: &str| admission(&of(text), Some(5));
    assert_eq!(admission(""), Admission::ClosedLoop { depth: 32 });
    assert_eq!(admission("queue_depth = 3"), Admission::ClosedLoop { depth: 3 });
    let profile = "kind = \"profile\"\nprofile = \"msn\"\n";
    assert_eq!(admission(profile), Admission::OpenLoop { limit: Some(5) });
    assert_eq!(
        admission(&format!("{profile}queue_depth = 3")),
        Admission::ClosedLoop { depth: 3 }
    );
    assert_eq!(
        admission("interarrival = \"1 ms\""),
        Admission::OpenLoop { limit: Some(5) }
    );
    assert_eq!(
        admission("kind = \"profile\"\nprofile = \"msn\""),
        Admission::OpenLoop { limit: Some(5) }
    );
    assert_eq!(
        admission("kind = \"trace\"\nreplay = \"closed_loop\""),
        Admission::ClosedLoop { depth: 32 }
    );
}
