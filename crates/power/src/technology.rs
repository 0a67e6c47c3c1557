//! Devices and wires by feature size: the few numbers and closed forms that FlashPower takes from CACTI.
//!
//! The numbers are those of CACTI 7's parameter data, which took them from the ITRS ("hp" devices,
//! aggressive projection, local wires). Only here are lengths in micrometres and capacitances in
//! femtofarads.

use wordline_units::Length;

use crate::error::ChipError;

/// Permittivity of the vacuum in fF/um, rounded as in CACTI.
const VACUUM_PERMITTIVITY: f64 = 8.854e-3;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    /// Feature size in nanometres.
    feature_nm: f64,
    /// Gate capacitance by width, fF/um.
    gate: f64,
    /// Fringe capacitance of a gate edge by width, fF/um.
    fringe: f64,
    /// Junction capacitance by area, fF/um^2.
    junction: f64,
    /// Junction capacitance by perimeter, fF/um.
    sidewall: f64,
    /// Supply of the peripheral logic, V.
    supply: f64,
    /// Width of an n device by that of a p device of the same drive.
    n_to_p: f64,
    /// Thickness of a wire by its width.
    aspect: f64,
    /// Relative permittivity between wires of one layer.
    horizontal: f64,
    /// Relative permittivity between layers.
    vertical: f64,
    /// Distance of layers, um.
    interlayer: f64,
    /// Fringe capacitance of a wire, fF/um.
    wire_fringe: f64,
    /// Factor on the capacitance to neighbours that switch.
    miller: f64,
}

macro_rules! node {
    ($($value:expr),* $(,)?) => {{
        let [feature_nm, gate, fringe, junction, sidewall, supply, n_to_p, aspect, horizontal, vertical,
             interlayer, wire_fringe, miller] = [$($value),*];
        Node {
            feature_nm, gate, fringe, junction, sidewall, supply, n_to_p, aspect, horizontal, vertical,
            interlayer, wire_fringe, miller,
        }
    }};
}

/// Largest feature first.
const NODES: [Node; 5] = [
    node![
        90.0, 0.664, 0.080, 1.0, 0.25, 1.2, 2.45, 2.4, 2.709, 3.9, 0.48, 0.115, 1.5
    ],
    node![
        65.0, 0.469, 0.077, 1.0, 0.25, 1.1, 2.41, 2.7, 2.303, 3.9, 0.405, 0.115, 1.5
    ],
    node![
        45.0, 0.678, 0.050, 1.0, 0.25, 1.0, 2.41, 3.0, 1.958, 3.9, 0.315, 0.115, 1.5
    ],
    node![
        32.0, 0.534, 0.040, 1.0, 0.25, 0.9, 2.41, 3.0, 1.664, 3.9, 0.21, 0.115, 1.5
    ],
    // assumed: the junction capacitance is listed as 0 at 22 nm; 1.0 is carried on for continuity
    node![
        22.0, 0.327, 0.060, 1.0, 0.25, 0.8, 2.00, 3.0, 1.414, 3.9, 0.15, 0.115, 1.5
    ],
];

/// Devices and wires at one feature size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Technology {
    /// Feature size in micrometres.
    feature_um: f64,
    /// Device numbers, interpolated.
    device: Node,
    /// Capacitance of a local wire in fF/um: worked out with either node's numbers at the true feature
    /// size, then interpolated.
    wire: f64,
}

impl Technology {
    /// The technology of a feature size.
    ///
    /// # Errors
    /// A feature size outside 22 to 90 nm.
    pub fn at(feature: Length) -> Result<Self, ChipError> {
        let nm = feature.0 * 1e9;
        // the feature is a decimal number of nanometres; 90e-9 * 1e9 is not quite 90
        let inside = |node: &Node, bound: f64| (node.feature_nm - bound).abs() < 1e-9;
        let pair = NODES.windows(2).find_map(|pair| match pair {
            [high, low]
                if (nm <= high.feature_nm || inside(high, nm))
                    && (nm >= low.feature_nm || inside(low, nm)) =>
            {
                Some((high, low))
            }
            _ => None,
        });
        let Some((high, low)) = pair else {
            return Err(ChipError::new(
                "geometry.feature",
                feature,
                "accepted are 22 nm to 90 nm, the range of the technology table",
            ));
        };
        let share = ((nm - low.feature_nm) / (high.feature_nm - low.feature_nm)).clamp(0.0, 1.0);
        let mix = |high: f64, low: f64| share * high + (1.0 - share) * low;
        let feature_um = feature.0 * 1e6;
        Ok(Self {
            feature_um,
            device: Node {
                feature_nm: nm,
                gate: mix(high.gate, low.gate),
                fringe: mix(high.fringe, low.fringe),
                junction: mix(high.junction, low.junction),
                sidewall: mix(high.sidewall, low.sidewall),
                supply: mix(high.supply, low.supply),
                n_to_p: mix(high.n_to_p, low.n_to_p),
                ..*low
            },
            wire: mix(high.local_wire(feature_um), low.local_wire(feature_um)),
        })
    }

    /// Capacitance of a gate of a width in feature sizes, in farads.
    #[must_use]
    pub fn gate(&self, widths: f64) -> f64 {
        let Node { gate, fringe, .. } = self.device;
        (gate + 0.2 * gate + 3.0 * fringe) * widths * self.feature_um * 1e-15
    }

    /// Capacitance of a drain, not folded, of a width in feature sizes, in farads: a contact of one
    /// feature size with as much on both sides.
    #[must_use]
    pub fn drain(&self, widths: f64) -> f64 {
        let Node {
            gate,
            fringe,
            junction,
            sidewall,
            ..
        } = self.device;
        let width = widths * self.feature_um;
        let area = 3.0 * self.feature_um * width;
        let perimeter = width + 6.0 * self.feature_um;
        (junction * area + sidewall * perimeter + 2.0 * (fringe + 0.2 * gate) * width) * 1e-15
    }

    /// Capacitance of a local wire in farads per metre.
    #[must_use]
    pub fn wire(&self) -> f64 {
        self.wire * 1e-9
    }

    /// Supply of the peripheral logic in volts.
    #[must_use]
    pub fn peripheral_supply(&self) -> f64 {
        self.device.supply
    }

    /// Width of an n device by that of a p device of the same drive.
    #[must_use]
    pub fn n_to_p(&self) -> f64 {
        self.device.n_to_p
    }
}

impl Node {
    /// Capacitance of a local wire with this node's numbers at a feature size in um, in fF/um.
    fn local_wire(&self, feature_um: f64) -> f64 {
        // pitch 2.5 features, half of it wire
        let width = 1.25 * feature_um;
        let spacing = width;
        let thickness = self.aspect * width;
        2.0 * VACUUM_PERMITTIVITY * self.vertical * width / self.interlayer
            + 2.0 * VACUUM_PERMITTIVITY * self.miller * self.horizontal * thickness / spacing
            + self.wire_fringe
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(nm: f64) -> Technology {
        Technology::at(Length(nm * 1e-9)).unwrap()
    }

    /// The check values of the specification, section 4.2, to the digits printed.
    #[test]
    fn check_values() {
        for (nm, gate_um, drain, gate, wire, supply) in [
            (80.0, 0.9396, 0.1906, 0.07517, 0.30014, 1.160),
            (73.0, 0.8716, 0.1706, 0.06362, 0.29736, 1.132),
            (72.0, 0.8618, 0.1678, 0.06205, 0.29695, 1.128),
            (51.0, 0.9127, 0.1155, 0.04655, 0.28681, 1.030),
        ] {
            let technology = at(nm);
            let near = |value: f64, printed: f64, digit: f64| {
                assert!(
                    (value - printed).abs() <= digit / 2.0,
                    "{nm} nm: {value} is not {printed}"
                );
            };
            near(technology.gate(1e3 / nm) * 1e15, gate_um, 1e-4);
            near(technology.drain(1.0) * 1e15, drain, 1e-4);
            near(technology.gate(1.0) * 1e15, gate, 1e-5);
            near(technology.wire() * 1e9, wire, 1e-5);
            near(technology.peripheral_supply(), supply, 1e-3);
        }
    }

    #[test]
    fn refuses_what_is_outside_the_table() {
        for nm in [21.999, 90.001, 0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Technology::at(Length(nm * 1e-9)).unwrap_err().to_string();
            assert!(error.contains("22 nm to 90 nm"), "{error}");
        }
    }

    #[test]
    fn a_node_is_its_row() {
        for node in NODES {
            let device = at(node.feature_nm).device;
            for (value, row) in device.numbers().into_iter().zip(node.numbers()) {
                assert!(
                    (value - row).abs() < 1e-12,
                    "{} nm: {value} is not {row}",
                    node.feature_nm
                );
            }
        }
    }

    impl Node {
        fn numbers(&self) -> [f64; 6] {
            [
                self.gate,
                self.fringe,
                self.junction,
                self.sidewall,
                self.supply,
                self.n_to_p,
            ]
        }
    }

    proptest! {
        #[test]
        fn between_nodes_lies_between_them(nm in 22.0..90.0_f64) {
            let pair = NODES.windows(2).find(|pair| nm <= pair[0].feature_nm && nm >= pair[1].feature_nm).unwrap();
            let values = at(nm).device.numbers();
            for (value, (high, low)) in values.into_iter().zip(pair[0].numbers().into_iter().zip(pair[1].numbers())) {
                prop_assert!(value >= high.min(low) - 1e-12 && value <= high.max(low) + 1e-12);
            }
        }
    }
}
