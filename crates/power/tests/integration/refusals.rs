//! Bad input is refused with key, value found and what is accepted: section 10 of the specification.

use crate::common::{self, try_chip};
use wordline_power::config::parameter;
use wordline_power::{Chip, ChipSource, PageKind, chips};

#[test]
fn values_and_combinations() {
    for (name, key, value, words) in [
        ("b-mlc8", "geometry.feature", "20 nm", "22 nm to 90 nm"),
        ("b-mlc8", "geometry.bits_per_cell", "5", "1 to 4"),
        ("b-mlc8", "geometry.bits_per_cell", "0", "1 to 4"),
        ("b-mlc8", "geometry.pages_per_block", "130", "multiples of 4"),
        ("b-slc4", "geometry.pages_per_block", "63", "multiples of 2"),
        ("b-mlc8", "geometry.pages_per_block", "0", "multiples of 4"),
        ("b-mlc8", "geometry.pages_per_block", "4294967292", "up to 65536"),
        ("b-mlc8", "geometry.pages_per_block", "12.5", "whole number"),
        ("b-mlc8", "geometry.page_size", "0 B", "1 B to 1 MiB"),
        ("b-mlc8", "geometry.page_size", "2048", "16 KiB"),
        ("b-mlc8", "geometry.block_rows", "0", "1 to"),
        ("b-mlc8", "geometry.block_rows", "-1", "whole number"),
        (
            "b-mlc8",
            "geometry.word_lines_per_block",
            "129",
            "1 to the 128 pages",
        ),
        (
            "b-mlc8",
            "geometry.page_kinds_modulo",
            "true",
            "leave the key out",
        ),
        ("b-slc4", "geometry.page_kinds", "[1, 1]", "leave the key out"),
        (
            "b-mlc8",
            "geometry.page_kinds",
            "[1, 2]",
            "one for each of the 128 pages",
        ),
        (
            "planar-tlc",
            "geometry.page_kinds_modulo",
            "false",
            "geometry.page_kinds",
        ),
        ("b-mlc8", "device.gcr", "1.0", "between 0 and 1"),
        ("b-mlc8", "device.gcr", "nan", "between 0 and 1"),
        ("b-mlc8", "device.beta", "0.0", "between 0 and 1"),
        ("b-mlc8", "device.tunnel_oxide", "0 nm", "1 nm to 100 nm"),
        ("b-mlc8", "device.tunnel_oxide", "0.001 nm", "1 nm to 100 nm"),
        ("b-mlc8", "device.doping_pwell", "1e12 cm^-3", "1e13"),
        ("b-mlc8", "device.doping_nwell", "1e22 cm^-3", "1e21"),
        ("b-mlc8", "device.temperature", "200 K", "233 K to 423 K"),
        ("b-mlc8", "device.aspect_ratio", "inf", "up to 100"),
        ("b-mlc8", "workload.ones", "1.5", "0.0 to 1.0"),
        ("b-mlc8", "workload.ones", "16897", "16896"),
        ("b-mlc8", "workload.ones", "-3", "share"),
        ("b-mlc8", "timing.t_prog", "0 us", "above 0"),
        ("b-mlc8", "timing.t_bers", "2 s", "up to 1 s"),
        ("b-mlc8", "timing.t_prog_slow", "200 us", "at least timing.t_prog"),
        ("b-mlc8", "timing.t_r_slow", "20 us", "at least timing.t_r"),
        ("b-slc4", "timing.t_prog_slow", "900 us", "no slow page"),
        ("b-slc4", "timing.t_r_slow", "900 us", "no slow page"),
        ("b-slc4", "bias.vread_slow", "2 V", "no slow page"),
        ("b-slc4", "bias.vstep_slow", "0.2 V", "no slow page"),
        ("b-slc4", "policy.program_pulses_slow", "9", "no slow page"),
        ("b-slc4", "policy.dvth_mlc", "1 V", "policy.dvth_slc"),
        ("b-mlc8", "policy.dvth_slc", "1 V", "policy.dvth_mlc"),
        ("b-mlc8", "bias.vdd", "5.5 V", "1 V to 5 V"),
        ("b-mlc8", "bias.vdd", "0.5 V", "1 V to 5 V"),
        ("b-mlc8", "bias.vbl_pre", "3.1 V", "0 V to 3 V"),
        ("b-mlc8", "bias.bl_residual_0", "1.9 V", "0 V to 1.8 V"),
        ("b-mlc8", "bias.bl_residual_1", "-1 mV", "0 V to 1.8 V"),
        ("b-mlc8", "bias.vread_slow", "4.6 V", "0 V to 4.5 V"),
        (
            "b-mlc8",
            "bias.vread_selected",
            "[[\"1 V\"]]",
            "each of the 2 kinds",
        ),
        (
            "b-mlc8",
            "bias.vread_selected",
            "[[\"1 V\"], []]",
            "1 to 15 voltages",
        ),
        ("b-mlc8", "bias.vpass", "17.2 V", "below bias.vpgm"),
        ("b-mlc8", "bias.vpgm", "31 V", "8 V to 30 V"),
        ("b-mlc8", "bias.vpgm", "1e9999 V", "too large"),
        ("b-mlc8", "bias.vera", "7 V", "8 V to 30 V"),
        ("b-mlc8", "bias.vstep", "0 V", "above 0 V"),
        ("b-mlc8", "bias.vstep", "3 V", "at most 35 V"),
        ("b-mlc8", "device.tunnel_oxide.x", "3 nm", "length"),
        ("b-mlc8", "policy.program_pulses", "0", "1 to 1000"),
        ("b-mlc8", "policy.erase_pulses", "1001", "1 to 1000"),
        ("b-mlc8", "policy.dvth_mlc", "0 V", "above 0 V"),
        ("b-mlc8", "policy.verify_bitlines", "never", "as_read"),
        ("b-mlc8", "policy.state_shift.\"slow 11\"", "-1 V", "0 V to 35 V"),
        (
            "b-mlc8",
            "policy.state_pulses.\"fast 2\"",
            "3",
            "fast 0, fast 1, slow 00",
        ),
        (
            "b-mlc8",
            "policy.state_pulses.\"fast 0\"",
            "10",
            "1 to the 9 pulses",
        ),
        ("b-mlc8", "calibration.field_coupling_program", "1.1", "0 to 1"),
        (
            "b-mlc8",
            "calibration.tunnel_current_program",
            "1 uA",
            "field_coupling_program",
        ),
        ("b-mlc8", "calibration.pump", "-1 uJ", "0 J to 1 mJ"),
        ("b-mlc8", "calibration.control", "2 mJ", "0 J to 1 mJ"),
        ("b-mlc8", "calibration.pump_reference", "0 V", "1 V to 35 V"),
    ] {
        let error = try_chip(name, &[(key, value)]).map(|_| ()).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(words), "{key} = {value}: {said}");
        assert!(!said.contains('\n'), "{said}");
        assert!(
            error.place.is_some() || error.key.starts_with("calibration.field"),
            "{key}: {said}"
        );
    }
}

#[test]
fn thin_oxides_leave_the_range_of_the_formula() {
    let said = try_chip("b-mlc8", &[("device.tunnel_oxide", "4 nm")])
        .unwrap_err()
        .to_string();
    assert!(said.contains("4e7 V/cm"), "{said}");
}

#[test]
fn texts() {
    let load = |text: &str| Chip::load(ChipSource::Text(text), &[]).unwrap_err().to_string();
    assert!(
        load("[geometry\n").contains("text, line 1: "),
        "{}",
        load("[geometry\n")
    );
    let said = load("base = \"b-mlc8\"\n\n[geometry]\npage_sise = \"2 KiB\"\n");
    assert!(said.starts_with("text, line 4: geometry.page_sise"), "{said}");
    assert!(said.contains("did you mean `page_size`?"), "{said}");
    let said = load("[chip]\nname = \"x\"\n");
    assert!(said.contains("geometry = nothing: the key is required"), "{said}");
    let said = load(&chips()[0].text.replace("vdd = \"3 V\"", ""));
    assert!(said.contains("bias.vdd = nothing: the key is required"), "{said}");
    assert!(load("base = \"b-mlc9\"").contains("did you mean \"b-mlc8\"?"));
    let said = load("base = \"b-mlc8\"\n[bias]\nvdd = \"9 V\"\n");
    assert_eq!(said, "text, line 3: bias.vdd = 9 V: accepted are 1 V to 5 V");
    assert!(load("base = 3").contains("base"));
}

#[test]
fn names_that_are_no_chip() {
    let load = |name| Chip::load(ChipSource::Named(name), &[]).unwrap_err().to_string();
    assert!(load("b-mlc9").contains("did you mean \"b-mlc8\"?"));
    assert!(load("/no/such/file.toml").contains("cannot be opened"));
    assert!(load("/").contains("cannot be read"));
}

#[test]
fn overrides_that_are_none() {
    for key in ["", ".", "bias..vdd", "bias."] {
        assert!(
            try_chip("b-mlc8", &[(key, "3 V")])
                .unwrap_err()
                .to_string()
                .contains("dotted keys")
        );
    }
    let said = try_chip("b-mlc8", &[("bias.vddd", "3 V")])
        .unwrap_err()
        .to_string();
    assert!(said.contains("did you mean `vdd`?"), "{said}");
}

#[test]
fn requests() {
    let chip = common::chip("b-mlc8", &[]);
    for (result, words) in [
        (chip.read(PageKind(2), None).map(|_| ()), "kinds 0 to 1"),
        (chip.read(PageKind(0), Some(16_897.0)).map(|_| ()), "16896"),
        (chip.read(PageKind(0), Some(f64::NAN)).map(|_| ()), "16896"),
        (chip.erase(1.5).map(|_| ()), "0 to 1"),
        (
            chip.in_planes(chip.erase(0.0).unwrap(), 3).map(|_| ()),
            "2 planes",
        ),
        (chip.map().kind(128).map(|_| ()), "0 to 127"),
        (chip.kind("upper").map(|_| ()), "fast, slow"),
    ] {
        let said = result.unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn numbers_of_arrays() {
    let mut config = common::chip("b-mlc8", &[]).config().clone();
    for (key, value) in [
        ("geometry.block_rows", 1.5),
        ("bias.vdd", f64::NAN),
        ("timing.t_prog", -1.0),
    ] {
        let said = parameter(key)
            .unwrap()
            .set(&mut config, value)
            .unwrap_err()
            .to_string();
        assert!(said.starts_with(key), "{said}");
    }
    assert!(
        parameter("bias.vdds")
            .unwrap_err()
            .to_string()
            .contains("did you mean `bias.vdd`?")
    );
}

#[test]
fn advisories() {
    let advised = |overrides: &[(&str, &str)]| common::chip("b-mlc8", overrides).advisories().join("; ");
    assert_eq!(advised(&[]), "");
    assert!(
        advised(&[
            ("calibration.field_coupling_program", "1.0"),
            ("device.tunnel_oxide", "6 nm")
        ])
        .contains("tunnelling is")
    );
    assert!(advised(&[("calibration.field_coupling_program", "0.2")]).contains("6e6 V/cm"));
    assert!(advised(&[("geometry.spare_size", "600 B")]).contains("a quarter"));
}

/// Every built-in chip is accepted and says what it is.
#[test]
fn built_in_chips_are_accepted() {
    for built_in in chips() {
        let chip = Chip::load(ChipSource::Named(built_in.name), &[]).unwrap();
        assert!(chip.capacity_bits() > 1e9, "{}", built_in.name);
        assert!(built_in.text.starts_with("# "), "{}", built_in.name);
        assert!(built_in.title().len() > 10, "{}", built_in.name);
    }
}

proptest::proptest! {
    /// No text and no override panics.
    #[test]
    fn texts_are_chips_or_refused(text in "(base = \"b-mlc8\"\n)?.{0,40}", key in "[a-z_.\"]{0,20}", value in ".{0,12}") {
        let _ = Chip::load(ChipSource::Text(&text), &[(key, value)]);
    }

    /// Any number for any input gives a chip whose energies are finite, or a refusal.
    #[test]
    fn numbers_are_chips_or_refused(index in 0_usize..51, value in proptest::num::f64::ANY) {
        let parameter = &wordline_power::config::PARAMETERS[index % wordline_power::config::PARAMETERS.len()];
        let mut config = common::chip("b-mlc8", &[]).config().clone();
        if parameter.set(&mut config, value).is_ok()
            && let Ok(chip) = Chip::new(config)
        {
            for row in chip.energies() {
                proptest::prop_assert!(row.energy.total().is_finite(), "{} = {value:e}: {}", parameter.key, row.state);
            }
        }
    }
}
