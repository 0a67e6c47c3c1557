//! What holds for any job file.

use proptest::prelude::*;

use super::*;

fn any_option() -> impl Strategy<Value = String> {
    let size = || prop::sample::select(vec!["512", "1k", "4k", "8k", "24k", "64k", "1m"]);
    prop_oneof![
        prop::sample::select(vec![
            "read",
            "write",
            "trim",
            "randread",
            "randwrite",
            "randtrim",
            "rw",
            "randrw",
            "trimwrite",
            "randtrimwrite",
            "randread:4",
            "read:4k",
            "write:-8k",
        ])
        .prop_map(|rw| format!("rw={rw}")),
        size().prop_map(|bs| format!("bs={bs}")),
        (size(), size()).prop_map(|(a, b)| format!("bs={a},{b}")),
        (size(), size()).prop_map(|(a, b)| format!("bsrange={a}-{b}")),
        (size(), size(), 1..99_u32).prop_map(|(a, b, share)| format!("bssplit={a}/{share}:{b}/")),
        size().prop_map(|ba| format!("blockalign={ba}")),
        (1..100_u32).prop_map(|share| format!("size={share}%")),
        (0..8_u32).prop_map(|step| format!("offset={}", step * 131_072)),
        (1..4_u32).prop_map(|copies| format!("numjobs={copies}")),
        Just("offset_increment=64k".to_owned()),
        Just("norandommap".to_owned()),
        Just("time_based\nruntime=1".to_owned()),
        (0..=100_u32).prop_map(|share| format!("percentage_random={share}")),
        prop::sample::select(vec![
            "zipf:1.1",
            "zipf:0.9:0.5",
            "pareto:0.2",
            "normal:20",
            "normal:5:0.9",
            "zoned:60/10:40/",
            "zoned:50/99:50/1",
            "zoned_abs:60/64k:40/128k",
        ])
        .prop_map(|law| format!("random_distribution={law}")),
        (1..5000_u32).prop_map(|rate| format!("rate_iops={rate}")),
        (1..9_u32).prop_map(|every| format!("fsync={every}")),
        Just("rw_sequencer=identical".to_owned()),
        Just("rate_process=poisson".to_owned()),
        Just("loops=3".to_owned()),
        Just("end_fsync=1".to_owned()),
        prop::sample::select(vec![
            "verify=crc32c",
            "verify_backlog=3",
            "verify_backlog_batch=2",
            "rate=,1m",
            "rate=1m,",
            "flow=3",
            "num_range=4",
            "size=(64k * 2 + 1m)",
            "fill_device=1",
            "ioengine=libaio\niodepth=8\niodepth_batch_complete=4",
            "ioengine=rbd",
            "write_mode=zeroes",
            "writefua=1",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Commands lie on the drive, are whole blocks at their alignment, and never go back in time.
    #[test]
    fn commands_stay_in_the_region_aligned_and_repeatable(
        options in prop::collection::vec(any_option(), 0..10),
        device: bool,
        seed: u64,
    ) {
        // 8 MiB
        const SECTORS: u64 = 1 << 14;
        let target = if device { "filename=/dev/x" } else { "size=1m" };
        let text = format!("[job]\n{target}\n{}\n", options.join("\n"));
        let first = fio_clients(&text, "job.fio", &FioDrive::plain(SECTORS), seed);
        let Ok(mut clients) = first else { return Ok(()) };
        let mut again = fio_clients(&text, "job.fio", &FioDrive::plain(SECTORS), seed).unwrap_or_default();
        for (index, client) in clients.iter_mut().enumerate() {
            let commands = take(client, 500);
            prop_assert!(!commands.is_empty(), "{text}");
            prop_assert_eq!(&commands, &take(&mut again[index], 500));
            prop_assert!(commands.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival));
            for command in &commands {
                prop_assert_eq!(command.sectors == 0, command.op == HostOp::Flush);
                prop_assert!(command.sector + u64::from(command.sectors) <= SECTORS, "{text}");
                prop_assert_eq!(usize::from(command.queue), index);
            }
        }
    }

    /// Any text is read or refused with its line.
    #[test]
    fn any_text_is_read_or_refused(text in "(\\[[a-z]{0,6}\\]?\n|[a-z_=:/,%0-9 ]{0,20}\n|.{0,20}\n){0,12}") {
        read_or_refuse(&text)?;
    }

    /// So is any value of any option.
    #[test]
    fn any_value_is_read_or_refused(
        lines in prop::collection::vec((any::<prop::sample::Index>(), "[-0-9a-z:/.,%]{0,12}"), 1..8),
    ) {
        let names: Vec<&str> = crate::fio_options().map(|option| option.name).collect();
        let options: Vec<String> = lines.iter().map(|(name, value)| format!("{}={value}", name.get(&names))).collect();
        read_or_refuse(&format!("[a]\nfilename=/dev/x\n{}\n", options.join("\n")))?;
    }
}

fn read_or_refuse(text: &str) -> Result<(), TestCaseError> {
    match fio_clients(text, "job.fio", &FioDrive::plain(DRIVE), 1) {
        Ok(mut clients) => {
            for client in &mut clients {
                let commands = take(client, 20);
                prop_assert!(
                    commands
                        .iter()
                        .all(|command| command.sector + u64::from(command.sectors) <= DRIVE),
                    "{}",
                    text
                );
            }
        }
        Err(error) => {
            prop_assert!(
                (1..=text.lines().count().max(1)).contains(&error.line),
                "{error}\n{text}"
            );
            prop_assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
        }
    }
    Ok(())
}
