//! The loader: what it accepts, what it refuses, and in which words.

use std::fs;

use proptest::prelude::*;
use wordline_keys::When;

use crate::compose::DriveSource;
use crate::load::{Resolved, resolve};
use crate::presets;

fn text(toml: &str, overrides: &[(&str, &str)]) -> Result<Resolved, String> {
    let overrides: Vec<(String, String)> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    resolve(DriveSource::Text(toml), None, &overrides).map_err(|error| error.to_string())
}

fn refused(toml: &str, overrides: &[(&str, &str)]) -> String {
    match text(toml, overrides) {
        Ok(resolved) => panic!("accepted:\n{toml}\nas\n{}", resolved.toml),
        Err(error) => {
            assert!(!error.contains('\n'), "{error}");
            error
        }
    }
}

#[test]
fn every_preset_is_complete_and_resolves_without_a_word() {
    for preset in presets() {
        let resolved = resolve(DriveSource::Named(preset.name), None, &[])
            .unwrap_or_else(|error| panic!("{}: {error}", preset.name));
        assert_eq!(resolved.warnings, [""; 0], "{}", preset.name);
        assert!(preset.title().len() > 20, "{}", preset.name);
        let again = text(&resolved.toml, &[]).unwrap_or_else(|error| panic!("{}: {error}", preset.name));
        assert_eq!(again.config, resolved.config, "{}", preset.name);
        assert_eq!(again.toml, resolved.toml, "{}", preset.name);
        assert_eq!(again.hash, resolved.hash, "{}", preset.name);
        assert_eq!(again.warnings, [""; 0], "{}", preset.name);
    }
}

/// A preset file that the table does not name would be forgotten silently.
#[test]
fn every_file_is_a_preset() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets");
    let mut files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .file_name()
                .into_string()
                .unwrap()
                .replace(".toml", "")
        })
        .collect();
    files.sort();
    let mut names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
    names.sort_unstable();
    assert_eq!(files, names);
}

#[test]
fn sources_are_laid_over_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let drive = folder.path().join("drive.toml");
    let workload = folder.path().join("load.toml");
    fs::write(&drive, "base = \"tiny\"\nseed = 3\n[timing]\nt_r = \"30 us\"\n").unwrap();
    fs::write(&workload, "kind = \"trace\"\npath = \"traces/a.csv\"\n").unwrap();
    let resolved = resolve(
        DriveSource::Named(drive.to_str().unwrap()),
        Some(&workload),
        &[
            ("seed".to_owned(), "4".to_owned()),
            ("timing.t_r".to_owned(), "35 us".to_owned()),
        ],
    )
    .unwrap();
    assert_eq!(resolved.config.seed, 4);
    assert_eq!(resolved.get("timing.t_r").unwrap().as_str(), Some("35 us"));
    // the preset below the file, and the file itself
    assert_eq!(resolved.config.geometry.channels, 2);
    // a relative path starts at the file that names it
    let path = folder.path().join("traces/a.csv");
    assert_eq!(resolved.get("workload.path").unwrap().as_str(), path.to_str());
    // the preset's own workload has gone
    assert!(resolved.config.workload.queue_depth.is_none());
    assert_eq!(resolved.warnings, [""; 0]);
}

#[test]
fn a_drive_has_the_name_of_its_preset_or_file_and_the_name_changes_nothing_else() {
    let named = |drive, overrides: &[(String, String)]| resolve(drive, None, overrides).unwrap();
    let tiny = named(DriveSource::Named("tiny"), &[]);
    assert!(tiny.toml.starts_with("name = \"tiny\"\n"));
    assert_eq!(tiny.get("name").unwrap().as_str(), Some("tiny"));
    // it stays with the resolved text
    assert_eq!(named(DriveSource::Text(&tiny.toml), &[]).toml, tiny.toml);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my drive.toml");
    fs::write(&file, "base = \"tiny\"\n").unwrap();
    let of_file = named(DriveSource::Named(file.to_str().unwrap()), &[]);
    assert_eq!(of_file.get("name").unwrap().as_str(), Some("my drive"));
    assert_eq!(of_file.hash, tiny.hash);
    assert_eq!(of_file.config, tiny.config);

    let given = [("name".to_owned(), "\"A \\\"quoted\\\" one\"".to_owned())];
    let own = named(DriveSource::Named("tiny"), &given);
    assert_eq!(own.get("name").unwrap().as_str(), Some("A \"quoted\" one"));
    assert_eq!(own.hash, tiny.hash);
    assert_eq!(named(DriveSource::Text(&own.toml), &[]).toml, own.toml);

    let nameless = text("base = \"tiny\"", &[]).unwrap();
    assert_eq!(nameless.get("name"), None);
    assert!(refused("name = 3", &[]).contains("name = 3: a text is expected"));
}

#[test]
fn a_trace_moved_elsewhere_is_the_same_configuration() {
    let hash = |path: &str| {
        let path = format!("\"{path}\"");
        text(
            "base = \"tiny\"",
            &[("workload.kind", "trace"), ("workload.path", &path)],
        )
        .unwrap()
        .hash
    };
    assert_eq!(hash("/a/trace.csv"), hash("/b/trace.csv"));
    assert_ne!(hash("/a/trace.csv"), hash("/a/other.csv"));
}

#[test]
fn says_where_and_what_and_what_instead() {
    for (toml, parts) in [
        (
            "[ftl.gc]\nvictm = \"greedy\"",
            &["drive text:2", "ftl.gc.victm", "did you mean `ftl.gc.victim`?"][..],
        ),
        (
            "[gc]\nvictim = \"greedy\"",
            &["drive text:1: gc", "did you mean `ftl.gc`?"],
        ),
        ("page_size = \"4 KiB\"", &["did you mean `geometry.page_size`?"]),
        (
            "[workload]\ntrace = \"x.csv\"",
            &["drive text:2", "did you mean `workload.path`?"],
        ),
        (
            "[workload]\niodepth = 4",
            &["did you mean `workload.queue_depth`?"],
        ),
        // a section without the key that other tools mean
        ("[geometry]\ntrace = 4", &["unknown key"]),
        (
            "\n\n[timing]\nt_r = 25",
            &["drive text:4: timing.t_r = 25", "25 us"],
        ),
        (
            "[timing]\nt_r = \"25 lightyears\"",
            &["drive text:2", "unknown unit `lightyears`", "ns, µs, us"],
        ),
        (
            "[geometry]\nchannels = -1",
            &["geometry.channels = -1", "from 0 to 4294967295"],
        ),
        (
            "[geometry]\nchannels = 0",
            &["drive text:2", "geometry.channels = 0", "at least 1"],
        ),
        (
            "[geometry]\nchannels = 99999999999999999999",
            &["drive text:2", "geometry.channels"],
        ),
        (
            "[geometry]\npage_size = \"600 B\"",
            &["geometry.page_size = 600 B", "multiple of 512 B"],
        ),
        ("geometry = 3", &["drive text:1: geometry = 3", "section"]),
        ("[geometry\n", &["drive text:1", "not valid TOML"]),
        ("seed = 1\nseed = 2", &["drive text:2", "duplicate key"]),
        ("seed = inf", &["finite", "seed"]),
        ("base = \"hu2012\"", &["drive text:1", "did you mean \"hu2011\"?"]),
        ("base = 7", &["base = 7", "not a preset"]),
        (
            "[scheduler]\npolicy = \"lifo\"",
            &["scheduler.policy", "`fcfs`", "`reads_first`"],
        ),
        (
            "[ftl.gc]\nd = 3",
            &["drive text:2: ftl.gc.d = 3", "ftl.gc.victim = \"d_choices\""],
        ),
        (
            "[firmware]\ncores = 2",
            &["firmware.cores", "firmware.enabled = true"],
        ),
        (
            "[buffer]\nsize = \"1 MiB\"",
            &["buffer.size", "buffer.policy other than \"none\""],
        ),
        (
            "[buffer]\npolicy = \"fab\"\nread_cache = true",
            &["drive text:3: buffer.read_cache", "\"fifo\" or \"lru\""],
        ),
        (
            "[buffer]\npolicy = \"lru\"\nwindow = 0.5",
            &["drive text:3: buffer.window", "buffer.policy = \"cflru\""],
        ),
        (
            "[buffer]\npolicy = \"lru\"\ndirty_low = 0.5",
            &["drive text:3: buffer.dirty_low", "with buffer.dirty_high"],
        ),
        (
            "[buffer]\npolicy = \"cflru\"",
            &["buffer.read_cache = false", "set buffer.read_cache = true"],
        ),
        (
            "[buffer]\npolicy = \"cflru\"\nread_cache = true\nwindow = 1.5",
            &["drive text:4: buffer.window = 1.5", "from 0 to 1"],
        ),
        (
            "[buffer]\npolicy = \"pt_lru\"\nread_cache = true\nprobability = nan",
            &["buffer.probability"],
        ),
        (
            "[buffer]\npolicy = \"slru\"\nprotected = -0.1",
            &["drive text:3: buffer.protected = -0.1", "from 0 to 1"],
        ),
        (
            "[buffer]\npolicy = \"lru\"\ndirty_high = 0.5\ndirty_low = 0.6",
            &[
                "drive text:4: buffer.dirty_low = 0.6",
                "at most buffer.dirty_high = 0.5",
            ],
        ),
        (
            "[buffer]\npolicy = \"lru\"\ndirty_high = 0.5\nbackground_limit = 0",
            &["drive text:4: buffer.background_limit = 0", "at least 1 page"],
        ),
        (
            "[buffer]\npolicy = \"bplru\"\ngroup_pages = 0",
            &["drive text:3: buffer.group_pages = 0", "from 1 to 65536"],
        ),
        (
            "[buffer]\npolicy = \"lru\"\nsize = \"1 KiB\"",
            &["drive text:3: buffer.size = 1 KiB", "at least one page"],
        ),
        (
            "[commands]\ncopyback = \"wise\"\n[geometry]\npages_per_block = 63",
            &["drive text:4", "geometry.pages_per_block = 63", "even"],
        ),
    ] {
        let error = refused(toml, &[]);
        for part in parts {
            assert!(error.contains(part), "`{part}` not in: {error}");
        }
    }
}

#[test]
fn overrides_name_themselves() {
    let error = refused("", &[("ftl.gc.victim", "gredy")]);
    assert!(
        error.starts_with("override `ftl.gc.victim=gredy`: ftl.gc.victim"),
        "{error}"
    );
    assert!(error.contains("`greedy`"), "{error}");
    assert!(refused("", &[("a..b", "1")]).contains("dotted path"));
    assert!(refused("", &[("", "1")]).contains("dotted path"));
    assert!(refused("", &[("workload.kind", "trace")]).starts_with("workload.path: not set"));
    // TOML has no larger whole numbers, and it is no text either
    for seed in ["9223372036854775808", "18446744073709551615"] {
        let error = refused("", &[("seed", seed)]);
        assert!(
            error.contains(&format!(
                "the number {seed} is too large, expected a whole number from 0 to 9223372036854775807"
            )),
            "{error}"
        );
    }
    // a second key cannot be smuggled in
    assert!(refused("", &[("seed", "1\nx = 2")]).contains("seed"));
    // 28 % in two spellings, and what is a percentage without its sign
    for spare in ["0.28", "28%"] {
        assert!(text("", &[("ftl.over_provisioning", spare)]).is_ok());
    }
    let error = refused("", &[("ftl.over_provisioning", "28")]);
    assert!(error.contains("28 % is written 0.28 or \"28%\""), "{error}");
    let resolved = text("", &[("timing.t_r", "25 us"), ("allocation.order", "PWDC")]).unwrap();
    assert_eq!(resolved.get("timing.t_r").unwrap().as_str(), Some("25 us"));
}

#[test]
fn a_key_that_an_override_makes_useless_is_only_reported() {
    let toml = "[ftl.gc]\nvictim = \"d_choices\"\nd = 3";
    assert_eq!(text(toml, &[]).unwrap().warnings, [""; 0]);
    let resolved = text(toml, &[("ftl.gc.victim", "greedy")]).unwrap();
    assert_eq!(resolved.warnings.len(), 1, "{:?}", resolved.warnings);
    assert!(
        resolved.warnings[0].contains("ftl.gc.d = 3"),
        "{:?}",
        resolved.warnings
    );
    assert!(!resolved.toml.contains("d = 3"), "{}", resolved.toml);
}

/// A share is a number or a percentage, in a file and in an override, and the same number then.
#[test]
fn shares_may_be_percentages() {
    for (key, percentage, share) in [
        ("ftl.over_provisioning", "7%", 0.07),
        ("workload.read_fraction", "30 %", 0.3),
        ("workload.trim_fraction", "12.5%", 0.125),
        ("age.fill", "90%", 0.9),
        ("age.ratio", "50%", 0.5),
        ("ftl.wear.age_variance", "15%", 0.15),
    ] {
        let base = match key {
            "age.ratio" => "[age]\nmethod = \"invalidated\"",
            "age.fill" => "base = \"tiny\"\n[age]\nmethod = \"overwritten\"",
            "ftl.wear.age_variance" => "[ftl.gc]\nvictim = \"wear_greedy\"",
            _ => "base = \"tiny\"",
        };
        let number = text(base, &[(key, &share.to_string())]).unwrap();
        assert_eq!(number.get(key).unwrap().as_float(), Some(share), "{key}");
        for spelt in [percentage.to_owned(), format!("\"{percentage}\"")] {
            let found = text(base, &[(key, &spelt)]).unwrap();
            assert_eq!(found.hash, number.hash, "{key} = {spelt}");
            assert_eq!(found.toml, number.toml, "{key} = {spelt}");
        }
    }
    let region = text("base = \"tiny\"", &[("workload.region", "[\"25%\", \"50%\"]")]).unwrap();
    let same = text("base = \"tiny\"", &[("workload.region", "[0.25, 0.5]")]).unwrap();
    assert_eq!(region.hash, same.hash);
    for (key, value) in [
        ("workload.read_fraction", "170%"),
        ("workload.read_fraction", "\"0.7\""),
        ("workload.queue_depth", "7%"),
        ("ftl.gc.hard", "10%"),
    ] {
        let error = refused("base = \"tiny\"", &[(key, value)]);
        assert!(error.contains(key), "{error}");
    }
}

/// Sizes in any case of letters; a letter alone is refused with what it may mean, in lists too.
#[test]
fn sizes_name_their_unit_in_full() {
    let of = |size| {
        text("base = \"tiny\"", &[("workload.request_size", size)])
            .unwrap()
            .hash
    };
    assert_eq!(of("16 kib"), of("16 KiB"));
    assert_eq!(of("[\"8 KIB\", \"16kib\"]"), of("[\"8 KiB\", \"16 KiB\"]"));
    for size in ["16k", "[\"8 KiB\", \"16k\"]"] {
        let error = refused("base = \"tiny\"", &[("workload.request_size", size)]);
        for words in ["workload.request_size", "`16 kB`", "`16 KiB`"] {
            assert!(error.contains(words), "{words}: {error}");
        }
    }
    let error = refused("base = \"tiny\"", &[("workload.region", "1g")]);
    assert!(error.contains("`1 GB`") && error.contains("`1 GiB`"), "{error}");
}

#[test]
fn the_value_that_was_meant_is_named() {
    for (key, value, meant) in [
        ("ftl.gc.victim", "gredy", "did you mean `greedy`?"),
        ("scheduler.policy", "read_first", "did you mean `reads_first`?"),
        ("workload.kind", "Random", "did you mean `random`?"),
        ("workload.profile", "finacial1", "did you mean `financial1`?"),
        ("workload.format", "msrr", "did you mean `msr`?"),
        ("power.chip", "b-mlc9", "b-mlc8"),
        ("timing.interface", "nv-ddr2-533x", "did you mean `nv-ddr2-533`?"),
    ] {
        let mut overrides = vec![(key, value)];
        if key == "workload.profile" {
            overrides.push(("workload.kind", "profile"));
        }
        if key == "workload.format" {
            overrides.extend([("workload.kind", "trace"), ("workload.path", "x.csv")]);
        }
        let error = refused("base = \"tiny\"", &overrides);
        assert!(error.contains(meant), "{key}: {error}");
    }
}

/// What of a preset is idle in a combination takes one sentence; what the user wrote is refused.
#[test]
fn idle_keys_of_a_preset_take_one_sentence() {
    let drive = "base = \"wu2013-pes-mlc\"";
    let combination = [("buffer.policy", "none"), ("scheduler.policy", "fcfs")];
    let told = text(drive, &combination).unwrap().warnings;
    let [line] = told.as_slice() else {
        panic!("{told:#?}")
    };
    for key in ["buffer.size", "scheduler.suspension.program_suspend"] {
        assert!(line.contains(key), "{key}: {line}");
    }
    let keys = line.split_once(": ").unwrap().1.split(", ").count();
    assert!(
        line.starts_with(&format!("{keys} keys of the preset have no effect here: ")),
        "{line}"
    );
    let planes = "base = \"onfi5-tlc\"\n[geometry]\nplanes_per_die = 1";
    let told = text(planes, &[]).unwrap().warnings;
    let keys = ["write", "read", "erase"].map(|command| format!("commands.multi_plane_{command}"));
    assert_eq!(
        told,
        [format!(
            "3 keys of the preset have no effect here: {}",
            keys.join(", ")
        )]
    );
    let one = text("base = \"wu2013-pes-mlc\"", &combination[..1])
        .unwrap()
        .warnings;
    assert_eq!(one, ["1 key of the preset has no effect here: buffer.size"]);
    let error = refused(drive, &[("buffer.policy", "none"), ("buffer.size", "1 MiB")]);
    assert!(
        error.contains("buffer.size") && error.contains("no effect"),
        "{error}"
    );
}

#[test]
fn a_later_rate_replaces_an_earlier_one() {
    let resolved = text("base = \"hu2011\"", &[("timing.transfer_rate", "100 MT/s")]).unwrap();
    assert_eq!(resolved.config.timing.t_rc, None);
    assert!(refused("[timing]\nt_rc = \"25 ns\"\ntransfer_rate = \"40 MT/s\"", &[]).contains("timing.t"));
    let both = [("workload.queue_depth", "4"), ("workload.interarrival", "1 us")];
    assert!(refused("base = \"tiny\"", &both).contains("without workload.interarrival"));
    let open = text("base = \"tiny\"", &[("workload.interarrival", "100 us")]).unwrap();
    assert!(open.config.workload.queue_depth.is_none());
}

#[test]
fn impossible_commands_are_switched_off_aloud() {
    let resolved = text(
        "[commands]\ninterleave = true\n[geometry]\ndies_per_chip = 1",
        &[],
    )
    .unwrap();
    assert!(!resolved.config.commands.interleave);
    assert!(
        resolved.warnings[0].contains("commands.interleave"),
        "{:?}",
        resolved.warnings
    );
}

#[test]
fn a_watermark_that_cannot_be_met_is_refused() {
    let error = refused("base = \"hu2011\"\n[age]\nfill = 1.0", &[]);
    assert!(
        error.contains("ftl.gc.high = 205 free blocks") && error.contains("preset hu2011, line"),
        "{error}"
    );
}

/// A preset of 7 % spare space keeps 5 blocks free, and 2 % leave 2 of them.
#[test]
fn the_key_that_the_user_set_is_blamed_for_what_it_leaves_no_room_for() {
    let spare = ("ftl.over_provisioning", "2%");
    let error = refused("base = \"datacenter-tlc\"", &[spare]);
    assert!(
        error.starts_with("override `ftl.over_provisioning=2%`: ftl.over_provisioning = \"2%\": leaves no room for ftl.gc.high = 5 free blocks (preset datacenter-tlc, line "),
        "{error}"
    );
    // what the user set itself is blamed, also beside others
    let error = refused("base = \"datacenter-tlc\"", &[spare, ("ftl.gc.high", "6")]);
    assert!(
        error.starts_with("override `ftl.gc.high=6`: ftl.gc.high = 6 free blocks: not accepted: at most"),
        "{error}"
    );
    // the capacity stands for the over-provisioning that follows from it
    let error = refused(
        "base = \"datacenter-tlc\"",
        &[("raw_capacity", "520 GB"), ("capacity", "515 GB")],
    );
    assert!(
        error.starts_with("override `capacity=515 GB`: ftl.over_provisioning = 0.0"),
        "{error}"
    );
}

#[test]
fn files_that_are_no_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("binary.toml");
    fs::write(&binary, [0xff, 0xfe, 0, 1]).unwrap();
    let named = |name: &str| {
        resolve(DriveSource::Named(name), None, &[])
            .unwrap_err()
            .to_string()
    };
    assert!(named(binary.to_str().unwrap()).contains("not UTF-8"));
    assert!(named(folder.path().to_str().unwrap()).contains("cannot be read"));
    assert!(named("hu2011-ssd9").contains("Did you mean `hu2011-ssd"));
    assert!(named("no such thing").contains("neither a file nor a preset"));
    for file in ["nothing.toml", "some/where"] {
        assert_eq!(named(file), format!("drive `{file}`: there is no such file"));
    }
    let both = folder.path().join("both.toml");
    fs::write(&both, "[workload]\n[geometry]\nchannels = 2\n").unwrap();
    let error = resolve(DriveSource::Named("tiny"), Some(&both), &[])
        .unwrap_err()
        .to_string();
    assert!(error.contains("both.toml:2: geometry"), "{error}");
}

#[test]
fn the_reference_names_every_key() {
    let page = crate::reference();
    for path in crate::schema::known_paths() {
        // a tenant's workload has the keys of any workload
        let path = path.replace("tenants.<name>.workload.", "workload.");
        assert!(page.contains(&format!("| `{path}` |")), "{path}");
    }
    assert!(
        page.contains("| `timing.t_bers` | duration | `\"1500 us\"` |"),
        "{page}"
    );
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let cells = line.replace("\\|", "").matches('|').count();
        assert_eq!(cells, 5, "{line}");
        assert!(!line.ends_with("|  |"), "no meaning: {line}");
    }
}

#[test]
fn tenants_take_the_place_of_the_workload() {
    let two = "[tenants.b.workload]\nkind = \"zipf\"\ntheta = 1.2\n[tenants.a.workload]\nqueue_depth = 4\n";
    let resolved = text(two, &[]).unwrap();
    assert_eq!(resolved.config.tenants.len(), 2);
    assert!(!resolved.toml.contains("[workload]\n"), "{}", resolved.toml);
    assert!(!resolved.toml.contains("priority"), "idle: {}", resolved.toml);
    let again = text(&resolved.toml, &[]).unwrap();
    assert_eq!(again.config, resolved.config);
    // an override reaches into one tenant, and a later loop replaces an earlier one
    let paced = text(two, &[("tenants.a.workload.interarrival", "1 ms")]).unwrap();
    assert_eq!(paced.config.tenants["a"].workload.queue_depth, None);
    for (key, value, expected) in [
        ("workload.theta", "1.0", "without tenants"),
        (
            "tenants.a.workload.theta",
            "1.0",
            "tenants.a.workload.kind is \"random\"",
        ),
        ("tenants.a.workload.tetha", "1.0", "did you mean"),
        ("tenants.a.priority", "high", "host.nvme.arbitration"),
        ("tenants.aa.workload.queue_depth", "4", "did you mean `a`"),
        ("host.nvme.fetch", "2 s", "host.interface"),
        ("tenants.\"a b\".space", "0.5", "letters, digits"),
        ("tenants.a.space", "[0.5, 0.2]", "after its start"),
        ("host.nvme.burst", "2", "host.interface"),
        ("host.max_transfer", "100 B", "multiple of 512 B"),
    ] {
        let error = text(two, &[(key, value)]).unwrap_err().to_string();
        assert!(error.contains(expected), "{key}: {error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.toml");
    fs::write(&file, two).unwrap();
    let resolved = resolve(DriveSource::Named("tiny"), Some(&file), &[]).unwrap();
    assert_eq!(resolved.config.tenants.len(), 2);
}

#[test]
fn a_job_file_takes_the_place_of_the_workload() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["four.fio", "four.job"] {
        let file = folder.path().join(name);
        let resolved = resolve(DriveSource::Named("tiny"), Some(&file), &[]).unwrap();
        assert_eq!(
            resolved.config.workload.kind,
            wordline_workload::WorkloadKind::Fio
        );
        assert_eq!(resolved.config.workload.path, Some(file));
    }
    // by its content, whatever its name
    let named = folder.path().join("job.ini");
    std::fs::write(&named, "[a]\nfilename=/dev/nvme0n1\nrw=randread\n").unwrap();
    let resolved = resolve(DriveSource::Named("tiny"), Some(&named), &[]).unwrap();
    assert_eq!(resolved.config.workload.path, Some(named));
    let with = |key: &str, value: &str| {
        let file = folder.path().join("four.fio");
        resolve(
            DriveSource::Named("tiny"),
            Some(&file),
            &[(key.to_owned(), value.to_owned())],
        )
    };
    assert_eq!(with("workload.seed", "7").unwrap().config.workload.seed, 7);
    for (key, value) in [
        ("workload.compress_time", "2"),
        ("workload.repeat", "2"),
        ("workload.requests", "10"),
        ("workload.read_fraction", "0.5"),
        ("workload.queue_depth", "4"),
        ("host.queue_limit", "4"),
    ] {
        let error = with(key, value).unwrap_err().to_string();
        assert!(error.contains(key) && error.contains("fio"), "{error}");
    }
}

/// With a queue depth the requests of a profile come in a closed loop, and nothing that concerns its arrival times has an effect.
#[test]
fn a_profile_in_a_closed_loop_has_no_times() {
    let with = |key: &str, value: &str| {
        let keys = [
            ("workload.kind", "profile"),
            ("workload.profile", "msn"),
            ("workload.queue_depth", "8"),
            (key, value),
        ];
        let keys = keys.map(|(key, value)| (key.to_owned(), value.to_owned()));
        resolve(DriveSource::Named("tiny"), None, &keys)
    };
    let closed = with("workload.requests", "10").unwrap();
    assert_eq!(closed.config.workload.queue_depth, Some(8));
    // that of a preset is none of the profile
    let keys = [("workload.kind", "profile"), ("workload.profile", "msn")];
    let keys = keys.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let open = resolve(DriveSource::Named("tiny"), None, &keys).unwrap();
    assert_eq!(open.config.workload.queue_depth, None);
    for (key, value) in [
        ("workload.compress_time", "2"),
        ("workload.burst_bias", "0.7"),
        ("workload.duration", "1 s"),
        ("host.queue_limit", "4"),
    ] {
        let error = with(key, value).unwrap_err().to_string();
        assert!(
            error.contains(key) && error.contains("workload.queue_depth"),
            "{error}"
        );
    }
}

/// The rules about keys without effect name keys, sections and values that exist.
#[test]
fn rules_name_existing_keys_and_values() {
    let known = crate::schema::known_paths();
    for (section, rules) in crate::RULES {
        for rule in *rules {
            for key in rule.named() {
                let key = format!("{section}.{key}");
                let below = format!("{key}.");
                let exists = known.iter().any(|path| *path == key || path.starts_with(&below));
                assert!(exists, "{key}");
            }
            for when in rule.any {
                let key = when.governor();
                assert!(known.iter().any(|path| path == key), "{key}");
                if let When::Is(_, words) | When::IsNot(_, words) = when {
                    let choices = key
                        .split('.')
                        .fold(crate::schema(), |schema, name| &schema["properties"][name]);
                    let choices = choices.to_string();
                    // the formats of traces are a table of their own
                    if key == "workload.format" {
                        continue;
                    }
                    for word in *words {
                        assert!(
                            choices.contains(&format!("\"const\":\"{word}\"")),
                            "{key} = {word}: {choices}"
                        );
                    }
                }
            }
        }
    }
}

fn fragment() -> impl Strategy<Value = String> {
    let key = prop::sample::select(crate::schema::known_paths());
    let value = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        (0..300_i64).prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| format!("{n:?}")),
        (
            0..10_u64,
            prop::sample::select(&["us", "ms", "KiB", "MT/s", "MHz", "d", "PiB"][..])
        )
            .prop_map(|(n, unit)| format!("\"{n} {unit}\"")),
        (
            any::<u64>(),
            prop::sample::select(&["ns", "d", "PiB", "GT/s"][..])
        )
            .prop_map(|(n, unit)| format!("\"{n} {unit}\"")),
        prop::sample::select(
            &[
                "true",
                "false",
                "\"greedy\"",
                "\"wise\"",
                "\"onfi\"",
                "[]",
                "{}",
                "\"CDPW\""
            ][..]
        )
        .prop_map(str::to_owned),
        "[ -~]{0,8}",
    ];
    (key, value).prop_map(|(key, value)| format!("{key} = {value}\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever the text: a clear refusal or a configuration that resolves to itself.
    #[test]
    fn never_panics(fragments in prop::collection::vec(fragment(), 0..4), noise in "\\PC{0,12}") {
        let plain: String = fragments.concat();
        let _ = text(&noise, &[]);
        let _ = text(&format!("{plain}{noise}"), &[]);
        let _ = text("", &[("seed", &noise), (&noise, "1")]);
        if let Ok(resolved) = text(&plain, &[]) {
            let again = text(&resolved.toml, &[]).map_err(TestCaseError::fail)?;
            prop_assert_eq!(again.config, resolved.config);
            prop_assert_eq!(again.hash, resolved.hash);
        }
    }
}
