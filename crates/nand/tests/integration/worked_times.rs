//! The worked numbers of the array specification: Hu et al. 2011 (ICS) with 2 KB pages, 25 ns per
//! cycle, t_r 20 us, t_prog 200 us, t_bers 1.5 ms, t_dbsy 0.5 us; and the ONFI values beside them.

use wordline_nand::{
    ArrayStep, CommandCycles, DieId, Geometry, GeometryConfig, Mode, Operation, PageType, PageTypes, Part,
    PerPageType, Select, Timing, TimingConfig, TimingModel,
};
use wordline_units::{ByteSize, Duration};

const PAGE: u64 = 2048;

fn timing_of(config: &TimingConfig, geometry: &GeometryConfig) -> Timing {
    let array = Geometry::new(geometry).unwrap();
    Timing::new(config, &array, &PageTypes::new(geometry, &array).unwrap()).unwrap()
}

fn hu() -> Timing {
    timing_of(&TimingConfig::default(), &GeometryConfig::default())
}

fn onfi() -> Timing {
    let config = TimingConfig {
        model: TimingModel::Onfi,
        interface: Some("sdr-4".to_owned()),
        ..TimingConfig::default()
    };
    timing_of(&config, &GeometryConfig::default())
}

fn part(die: u32, bytes: u64) -> Part {
    Part {
        die: DieId(die),
        bytes,
        page_type: PageType::LOWER,
        mode: Mode::NORMAL,
    }
}

/// Parts for `dies` dies with `planes` planes each.
fn parts(dies: u32, planes: u32, bytes: u64) -> Vec<Part> {
    (0..dies * planes)
        .map(|index| part(index / planes, bytes))
        .collect()
}

fn issue(timing: &Timing, operation: Operation, parts: &[Part]) -> (u64, Vec<ArrayStep>) {
    let mut arrays = Vec::new();
    let bus = timing.issue(operation, parts, &mut arrays);
    (bus.ns(), arrays)
}

/// From the start of the command to the end of its last array step.
fn whole(timing: &Timing, operation: Operation, parts: &[Part]) -> u64 {
    let ends = issue(timing, operation, parts).1;
    ends.iter()
        .map(|step| (step.from + step.length).ns())
        .max()
        .unwrap()
}

/// A read to the end of its last data-out.
fn whole_read(timing: &Timing, parts: &[Part]) -> u64 {
    let several_dies = parts.first().unwrap().die != parts.last().unwrap().die;
    let (bus, arrays) = issue(timing, Operation::Read, parts);
    let mut free = bus;
    for array in arrays {
        let planes: Vec<&Part> = parts.iter().filter(|part| part.die == array.die).collect();
        free = free.max((array.from + array.length).ns());
        for part in &planes {
            let select = Select {
                plane: planes.len() > 1,
                die: several_dies,
            };
            free += timing.data_out(part.bytes, select).ns();
        }
    }
    free
}

#[test]
fn basic_operations() {
    let timing = hu();
    assert_eq!(whole_read(&timing, &parts(1, 1, PAGE)), 71_375);
    assert_eq!(71_375 - timing.read_setup().ns(), 71_200);
    assert_eq!(whole(&timing, Operation::Program, &parts(1, 1, PAGE)), 251_375);
    assert_eq!(251_375 - timing.command_cycles(7).ns(), 251_200);
    assert_eq!(whole(&timing, Operation::Erase, &parts(1, 1, 0)), 1_500_125);
    assert_eq!(timing.erase_setup(1), Duration(125));
    assert_eq!(timing.program_setup(PAGE), Duration(51_375));
    // dies that saturate a channel
    assert_eq!(251_375 * 1_000 / timing.program_setup(PAGE).ns(), 4_892);
    let read_bus = timing.read_setup() + timing.data_out(PAGE, Select::default());
    assert_eq!(71_375 * 1_000 / read_bus.ns(), 1_389);
}

#[test]
fn sub_pages_move_alone() {
    let timing = hu();
    assert_eq!(timing.bytes(4), PAGE);
    assert_eq!(
        whole_read(&timing, &[part(0, timing.bytes(1))]),
        175 + 20_000 + 12_800
    );
    let with_spare = timing_of(
        &TimingConfig {
            transfer_spare: true,
            ..TimingConfig::default()
        },
        &GeometryConfig::default(),
    );
    assert_eq!((with_spare.bytes(1), with_spare.bytes(4)), (528, 2112));
    assert_eq!(with_spare.bytes(0), 0);
}

/// Moves inside a plane, section 2.2, and un-covered updates, section 4.2.
#[test]
fn moves() {
    let timing = hu();
    let read = whole_read(&timing, &parts(1, 1, PAGE));
    let program = whole(&timing, Operation::Program, &parts(1, 1, PAGE));
    assert_eq!(read + program, 322_750);
    let copyback = |new_bytes| {
        whole(&timing, Operation::CopyBackRead, &parts(1, 1, 0))
            + whole(&timing, Operation::CopyBackProgram, &parts(1, 1, new_bytes))
    };
    assert_eq!(copyback(0), 220_350);
    assert_eq!(timing.copyback_first(), Duration(175));
    // each plane of a command takes its own seven cycles, and its array step begins after all of them
    let [two, four] = [2, 4].map(|planes| issue(&timing, Operation::CopyBackRead, &parts(1, planes, 0)));
    assert_eq!((two.0, two.1[0].from), (350, Duration(350)));
    assert_eq!((four.0, four.1[0].from), (700, Duration(700)));
    assert_eq!(timing.copyback_second(0), Duration(175));
    assert_eq!(copyback(timing.bytes(3)), 258_875);
    assert_eq!(
        whole_read(&timing, &[part(0, timing.bytes(1))]) + program,
        284_350
    );
}

#[test]
fn multi_plane() {
    let timing = hu();
    assert_eq!(whole(&timing, Operation::Program, &parts(1, 2, PAGE)), 303_250);
    assert_eq!(
        2 * whole(&timing, Operation::Program, &parts(1, 1, PAGE)),
        502_750
    );
    assert_eq!(whole_read(&timing, &parts(1, 2, PAGE)), 122_750);
    assert_eq!(2 * whole_read(&timing, &parts(1, 1, PAGE)), 142_750);
    assert_eq!(whole(&timing, Operation::Erase, &parts(1, 2, 0)), 1_500_350);
    assert_eq!(
        whole(&timing, Operation::Erase, &parts(1, 4, 0)),
        28 * 25 + 1_500_000
    );
    // T(MPW, k) = k (7 cycles + data) + (k - 1) tDBSY + tPROG
    for planes in 1..=8_u64 {
        assert_eq!(
            whole(&timing, Operation::Program, &parts(1, planes as u32, PAGE)),
            planes * 51_375 + (planes - 1) * 500 + 200_000
        );
    }
}

#[test]
fn multi_plane_in_onfi() {
    let timing = onfi();
    // 10 cycles and tDBSY; tWB before the array
    assert_eq!(timing.erase_setup(2), Duration(250 + 500));
    assert_eq!(whole(&timing, Operation::Erase, &parts(1, 2, 0)), 1_500_750 + 100);
    assert_eq!(timing.erase_setup(4), Duration(4 * 125 + 3 * 500));
    // 00h 5A 32h tDBSY 00h 5A 30h; tWB tR tRR; twice 06h 5A E0h tCCS data
    assert_eq!(
        whole_read(&timing, &parts(1, 2, PAGE)),
        2 * 175 + 500 + 100 + 20_000 + 20 + 2 * (175 + 500 + 51_200)
    );
    assert_eq!(
        whole(&timing, Operation::Program, &parts(1, 2, PAGE)),
        2 * (175 + 400 + 51_200) + 500 + 100 + 200_000
    );
}

#[test]
fn interleave() {
    let timing = hu();
    assert_eq!(whole(&timing, Operation::Program, &parts(2, 1, PAGE)), 302_750);
    assert_eq!(whole(&timing, Operation::Program, &parts(2, 2, PAGE)), 406_500);
    assert_eq!(whole_read(&timing, &parts(2, 1, PAGE)), 122_750);
    assert_eq!(
        whole(&timing, Operation::Erase, &parts(2, 1, 0)),
        14 * 25 + 1_500_000
    );
    assert_eq!(
        whole(&timing, Operation::Erase, &parts(2, 2, 0)),
        18 * 25 + 1_500_000
    );
    // each die starts at the end of its own last bus step
    let (bus, arrays) = issue(&timing, Operation::Program, &parts(2, 2, PAGE));
    assert_eq!(bus, 206_500);
    let starts: Vec<u64> = arrays.iter().map(|array| array.from.ns()).collect();
    assert_eq!(starts, [103_250, 206_500]);
    let (bus, arrays) = issue(&onfi(), Operation::Erase, &parts(2, 2, 0));
    assert_eq!(bus, 2 * (250 + 500));
    assert_eq!(arrays[0].from, Duration(750));
}

/// A data-out after commands to several dies names the die with 78h first.
#[test]
fn interleave_in_onfi_selects_the_die() {
    let timing = onfi();
    let plain = timing.data_out(PAGE, Select::default()).ns();
    let of_die = |plane| timing.data_out(PAGE, Select { plane, die: true }).ns();
    assert_eq!(of_die(false) - plain, 4 * 25 + 80 + 25 + 25);
    assert_eq!(of_die(true) - plain, 4 * 25 + 80 + 25 + 7 * 25 + 500);
}

#[test]
fn ssdsim_combined_bus_charges_one_transfer() {
    let timing = hu().with_ssdsim_combined_bus(true);
    assert_eq!(whole(&timing, Operation::Program, &parts(2, 2, PAGE)), 251_375);
    assert_eq!(whole(&timing, Operation::Program, &parts(2, 1, PAGE)), 302_750);
    assert_eq!(whole(&timing, Operation::Program, &parts(1, 2, PAGE)), 303_250);
}

/// Programs `commands` in turn as soon as the bus and, with `whole_chip`, every die of the chip or
/// else the dies concerned are free; gives the end of the last array.
fn play(commands: &[Vec<Part>], whole_chip: bool, chip_of: impl Fn(DieId) -> u32) -> u64 {
    let timing = hu();
    let mut bus_free = 0;
    let mut dies = std::collections::BTreeMap::new();
    let mut arrays = Vec::new();
    for parts in commands {
        let waits_for = |die: &DieId| {
            if whole_chip {
                chip_of(*die) == chip_of(parts[0].die)
            } else {
                parts.iter().any(|part| part.die == *die)
            }
        };
        let ready = dies
            .iter()
            .filter(|(die, _)| waits_for(die))
            .map(|(_, free)| *free)
            .max();
        let start = bus_free.max(ready.unwrap_or(0));
        bus_free = start + timing.issue(Operation::Program, parts, &mut arrays).ns();
        for step in &arrays {
            dies.insert(step.die, start + (step.from + step.length).ns());
        }
    }
    dies.values().copied().max().unwrap()
}

/// Four pages, the argument of Figure 19 of Hu et al.
#[test]
fn four_pages() {
    let one_chip = |_| 0;
    let two_mpw = [parts(1, 2, PAGE), parts(1, 2, PAGE)];
    assert_eq!(play(&two_mpw, true, one_chip), 606_500);
    let two_interleaves = [parts(2, 1, PAGE), parts(2, 1, PAGE)];
    assert_eq!(play(&two_interleaves, true, one_chip), 605_500);
    let singly: Vec<Vec<Part>> = (0..4).map(|page| vec![part(page % 2, PAGE)]).collect();
    assert_eq!(play(&singly, false, one_chip), 554_125);
    let four_chips: Vec<Vec<Part>> = (0..4).map(|page| vec![part(page, PAGE)]).collect();
    assert_eq!(play(&four_chips, true, |die| die.0), 405_500);
    let one_plane: Vec<Vec<Part>> = (0..4).map(|_| vec![part(0, PAGE)]).collect();
    assert_eq!(play(&one_plane, false, one_chip), 1_005_500);
    assert_eq!(play(&one_plane[..1], false, one_chip), 251_375);
}

/// SDR mode 4 with a page of 2112 bytes, section 4.6.
#[test]
fn onfi_sdr_mode_4() {
    let config = TimingConfig {
        model: TimingModel::Onfi,
        interface: Some("sdr-4".to_owned()),
        transfer_spare: true,
        ..TimingConfig::default()
    };
    let timing = timing_of(&config, &GeometryConfig::default());
    let bytes = timing.bytes(4);
    assert_eq!(bytes, 2112);
    assert_eq!(whole_read(&timing, &parts(1, 1, bytes)), 73_095);
    assert_eq!(whole(&timing, Operation::Program, &parts(1, 1, bytes)), 253_475);
}

/// Fast data, slow commands: their share grows with the rate.
#[test]
fn strobed_interfaces() {
    let geometry = GeometryConfig {
        page_size: ByteSize(16_384),
        ..GeometryConfig::default()
    };
    let named = |name: &str| {
        let config = TimingConfig {
            model: TimingModel::Onfi,
            interface: Some(name.to_owned()),
            ..TimingConfig::default()
        };
        timing_of(&config, &geometry)
    };
    let slow = named("nv-ddr2-533");
    assert_eq!(slow.data_out(16_384, Select::default()), Duration(30_740 + 30));
    assert_eq!(slow.program_setup(16_384), Duration(175 + 400 + 30_740 + 20));
    let quick = named("nv-lpddr4-2400");
    assert_eq!(quick.data_out(16_384, Select::default()), Duration(6_827 + 30));
    assert_eq!(quick.read_setup(), slow.read_setup());
}

#[test]
fn page_types_have_their_own_times() {
    let geometry = GeometryConfig {
        cell_type: wordline_nand::CellType::Tlc,
        ..GeometryConfig::default()
    };
    let us = Duration::from_us;
    let config = TimingConfig {
        t_r: PerPageType::Each(vec![us(50), us(70), us(90)]),
        t_prog: PerPageType::Each(vec![us(500), us(700), us(2_000)]),
        ..TimingConfig::default()
    };
    let timing = timing_of(&config, &geometry);
    assert_eq!(timing.read_array(Mode::NORMAL, PageType(2)), us(90));
    // planes of different types (block restrictions off) wait for the slowest
    let mixed = [
        part(0, PAGE),
        Part {
            page_type: PageType(2),
            ..part(0, PAGE)
        },
    ];
    assert_eq!(issue(&timing, Operation::Program, &mixed).1[0].length, us(2_000));
}

/// A plane with a cache register sustains one page per max(x, p) + tCBSY instead of x + p.
#[test]
fn cached_programs_overlap_data_in() {
    for page in [PAGE, 16_384] {
        let timing = hu();
        let transfer = timing.program_setup(page);
        let program = timing.program_array(Mode::NORMAL, PageType::LOWER);
        let busy = timing.cache_program_busy();
        let (mut entered, mut array_free, mut last) = (transfer, Duration::ZERO, Duration::ZERO);
        for _ in 0..100 {
            let accepted = entered.max(array_free) + busy;
            last = accepted + program;
            (entered, array_free) = (accepted + transfer, last);
        }
        assert_eq!(
            last,
            transfer + (transfer.max(program) + busy) * 99 + busy + program
        );
        assert!(last < (transfer + program) * 100);
    }
}

#[test]
fn overridden_cycles() {
    let with = |cmd_cycles| {
        let geometry = GeometryConfig::default();
        let array = Geometry::new(&geometry).unwrap();
        let config = TimingConfig {
            cmd_cycles,
            ..TimingConfig::default()
        };
        Timing::new(&config, &array, &PageTypes::new(&geometry, &array).unwrap())
    };
    let none = CommandCycles {
        read: Some(8),
        copyback: Some(20),
        ..CommandCycles::default()
    };
    let timing = with(none).unwrap();
    assert_eq!(timing.read_setup(), Duration(200));
    assert_eq!(timing.copyback_second(0), Duration(300));
    let short = CommandCycles {
        copyback: Some(3),
        ..CommandCycles::default()
    };
    let error = with(short).unwrap_err();
    assert_eq!(error.key, "timing.cmd_cycles.copyback");
    assert!(error.to_string().contains("at least the 7 cycles"), "{error}");
}

/// Section 13: every bad time is refused with its key, the value found and what is accepted.
#[test]
fn refuses_bad_times() {
    for (text, key, accepted) in [
        ("t_r = \"0 ns\"", "timing.t_r", "longer than 0 ns"),
        ("t_bers = \"0 s\"", "timing.t_bers", "longer than 0 ns"),
        ("t_prog = [\"1 us\", \"2 us\"]", "timing.t_prog", "a list of 1"),
        ("interface = \"sdr-9\"", "timing.interface", "sdr-0, sdr-1"),
        (
            "transfer_rate = \"40 MT/s\"\nt_rc = \"25 ns\"",
            "timing.t_rc",
            "one way",
        ),
        (
            "transfer_rate = \"0 MT/s\"",
            "timing.transfer_rate",
            "from 100 kT/s",
        ),
        ("t_wc = \"0 ns\"", "timing.t_wc", "longer than 0 ns"),
        ("t_dbsy = \"500 s\"", "timing.t_dbsy", "at most 100 s"),
        ("address_cycles = 7", "timing.address_cycles", "5 or 6"),
        ("cmd_cycles.read = 0", "timing.cmd_cycles.read", "from 1 to"),
    ] {
        let config: TimingConfig = toml::from_str(text).unwrap();
        let geometry = GeometryConfig::default();
        let array = Geometry::new(&geometry).unwrap();
        let error = Timing::new(&config, &array, &PageTypes::new(&geometry, &array).unwrap()).unwrap_err();
        assert_eq!(error.key, key, "{text}");
        assert!(error.accepted.contains(accepted), "{text}: {error}");
    }
    for text in [
        "t_r = 20",
        "t_r = \"-1 us\"",
        "t_r = \"20\"",
        "t_read = \"20 us\"",
    ] {
        assert!(toml::from_str::<TimingConfig>(text).is_err(), "{text}");
    }
    let config: TimingConfig = toml::from_str("t_r = \"2 ms\"").unwrap();
    let odd = timing_of(&config, &GeometryConfig::default()).warnings();
    assert!(odd[0].contains("t_r = 2 ms is longer than"), "{odd:?}");
}

#[test]
fn configuration_round_trips() {
    let config: TimingConfig =
        toml::from_str("t_r = [\"20 us\"]\ntransfer_rate = \"333 MT/s\"\nmodel = \"onfi\"").unwrap();
    let text = toml::to_string(&config).unwrap();
    assert_eq!(toml::from_str::<TimingConfig>(&text).unwrap(), config);
    let timing = timing_of(&config, &GeometryConfig::default());
    assert_eq!(
        timing.program_setup(4096).ns(),
        175 + 400 + (4096_u64 * 1_000).div_ceil(333)
    );
}

/// Sensing with other times than tR, and data that change in a copy-back: tWB 100 ns, tRR 20 ns, tADL 300 ns, 25 ns a
/// cycle and a byte. In `two_step` there are no waits.
#[test]
fn waits_of_onfi_by_hand() {
    let config = |model| TimingConfig {
        model,
        t_wb: Some(Duration(100)),
        t_rr: Some(Duration(20)),
        t_adl: Duration(300),
        ..TimingConfig::default()
    };
    let of = |model| timing_of(&config(model), &GeometryConfig::default());
    let (onfi, two_step) = (of(TimingModel::Onfi), of(TimingModel::TwoStep));
    assert_eq!(onfi.sense_array(Duration(30_000)), Duration(30_120));
    assert_eq!(two_step.sense_array(Duration(30_000)), Duration(30_000));
    // 85h, five of address and 10h; 2,048 bytes
    assert_eq!(onfi.copyback_second(PAGE), Duration(7 * 25 + 300 + 51_200));
    assert_eq!(
        (onfi.model(), two_step.model()),
        (TimingModel::Onfi, TimingModel::TwoStep)
    );
    // a strobe has a preamble: NV-DDR mode 0 takes a byte in 25 ns too
    let strobed = TimingConfig {
        interface: Some("nv-ddr-0".to_owned()),
        t_cad: Some(Duration(25)),
        ddr_write_preamble: Duration(30),
        ..config(TimingModel::Onfi)
    };
    let strobed = timing_of(&strobed, &GeometryConfig::default());
    assert_eq!(
        strobed.copyback_second(PAGE),
        Duration(7 * 25 + 300 + 30 + 51_200)
    );
}

#[test]
fn a_read_that_is_slower_than_a_program_is_odd() {
    let warnings = |t_r| {
        let config = TimingConfig {
            t_r: PerPageType::All(Duration::from_us(t_r)),
            t_prog: PerPageType::All(Duration::from_us(200)),
            ..TimingConfig::default()
        };
        timing_of(&config, &GeometryConfig::default()).warnings()
    };
    assert_eq!(warnings(200), Vec::<String>::new());
    assert_eq!(
        warnings(201),
        ["timing.t_r = 201 us is longer than timing.t_prog = 200 us"]
    );
}

#[test]
fn what_is_no_duration_is_refused_in_words() {
    let error = toml::from_str::<TimingConfig>("t_r = true")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("a duration with its unit, such as \"25 us\", or a list"),
        "{error}"
    );
}
