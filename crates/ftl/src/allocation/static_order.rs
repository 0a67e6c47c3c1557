//! Static allocation: the plane of a logical page is a function of its number alone.

use wordline_nand::{Geometry, PlaneId};

use super::order::{Level, Order};
use crate::plan::Lpn;

/// The mixed-radix rule (allocation specification, 6.1): with levels x1..x4, fastest first, and
/// radices n, coordinate(x_k) = floor(L / (n(x_1) ... n(x_{k-1}))) mod n(x_k).
#[derive(Clone, Debug)]
pub struct StaticOrder {
    /// The plane of every logical page number modulo the planes of the drive.
    planes: Vec<u32>,
}

impl StaticOrder {
    /// Tabulates one period of the rule.
    #[must_use]
    pub fn new(geometry: &Geometry, order: Order) -> Self {
        let planes = (0..geometry.planes())
            .map(|number| {
                let (mut rest, mut at) = (number, [0; 4]);
                for level in order.levels() {
                    let (index, radix) = match level {
                        Level::Channel => (0, geometry.channels),
                        Level::Chip => (1, geometry.chips_per_channel),
                        Level::Die => (2, geometry.dies_per_chip),
                        Level::Plane => (3, geometry.planes_per_die),
                    };
                    at[index] = rest % radix;
                    rest /= radix;
                }
                geometry.plane_at(at[0], at[1], at[2], at[3]).0
            })
            .collect();
        Self { planes }
    }

    /// The plane of a logical page, for life.
    #[must_use]
    #[inline]
    pub fn plane(&self, lpn: Lpn) -> PlaneId {
        PlaneId(self.planes[(lpn.0 % self.planes.len() as u64) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use wordline_nand::GeometryConfig;

    const SCHEMES: [&str; 6] = ["WDPC", "CWDP", "CPWD", "CDWP", "CPDW", "CDPW"];

    fn geometry() -> Geometry {
        Geometry::new(&GeometryConfig::default()).unwrap()
    }

    fn coordinates(scheme: &str, lpn: u64) -> (u32, u32, u32, u32) {
        let geometry = geometry();
        let plane = StaticOrder::new(&geometry, scheme.parse().unwrap()).plane(Lpn(lpn));
        let at = geometry.address(geometry.page(geometry.block(plane, 0), 0));
        (at.channel, at.chip, at.die, at.plane)
    }

    /// The test vectors of the allocation specification, 6.2.
    #[test]
    fn schemes_of_figure_11() {
        #[rustfmt::skip]
        let vectors = [
            (1, [(0,1,0,0), (1,0,0,0), (1,0,0,0), (1,0,0,0), (1,0,0,0), (1,0,0,0)]),
            (5, [(0,1,1,0), (1,1,0,0), (1,0,0,1), (1,0,1,0), (1,0,0,1), (1,0,1,0)]),
            (9, [(0,1,0,1), (1,2,0,0), (1,1,0,0), (1,1,0,0), (1,0,1,0), (1,0,0,1)]),
            (17, [(1,1,0,0), (1,0,1,0), (1,2,0,0), (1,2,0,0), (1,1,0,0), (1,1,0,0)]),
            (37, [(2,1,1,0), (1,1,0,1), (1,0,1,1), (1,0,1,1), (1,2,0,1), (1,2,1,0)]),
            (63, [(3,3,1,1); 6]),
            (1234, [(1,2,0,0), (2,0,1,0), (2,2,0,0), (2,2,0,0), (2,1,0,0), (2,1,0,0)]),
            (0, [(0,0,0,0); 6]),
            (64, [(0,0,0,0); 6]),
        ];
        for (lpn, expected) in vectors {
            for (scheme, expected) in SCHEMES.iter().zip(expected) {
                assert_eq!(coordinates(scheme, lpn), expected, "page {lpn}, {scheme}");
            }
        }
    }

    /// The example of the specification of DLV, 9.5: channels, chips, dies, planes.
    #[test]
    fn the_order_of_dlv() {
        let config = GeometryConfig {
            channels: 4,
            chips_per_channel: 4,
            dies_per_chip: 4,
            planes_per_die: 2,
            ..GeometryConfig::default()
        };
        let geometry = Geometry::new(&config).unwrap();
        let order = StaticOrder::new(&geometry, "CWDP".parse().unwrap());
        for (lpn, expected) in [
            (0, (0, 0, 0, 0)),
            (1, (1, 0, 0, 0)),
            (4, (0, 1, 0, 0)),
            (16, (0, 0, 1, 0)),
            (64, (0, 0, 0, 1)),
            (128, (0, 0, 0, 0)),
        ] {
            let at = geometry.address(geometry.page(geometry.block(order.plane(Lpn(lpn)), 0), 0));
            assert_eq!((at.channel, at.chip, at.die, at.plane), expected, "page {lpn}");
        }
    }

    #[test]
    fn eight_consecutive_pages() {
        let touched = SCHEMES.map(|scheme| {
            let pages: Vec<_> = (0..8).map(|lpn| coordinates(scheme, lpn)).collect();
            (
                pages.iter().map(|p| p.0).collect::<BTreeSet<_>>().len(),
                pages.iter().map(|p| (p.0, p.1)).collect::<BTreeSet<_>>().len(),
                pages
                    .iter()
                    .map(|p| (p.0, p.1, p.2))
                    .collect::<BTreeSet<_>>()
                    .len(),
            )
        });
        assert_eq!(
            touched,
            [(1, 4, 8), (4, 8, 8), (4, 4, 4), (4, 4, 8), (4, 4, 4), (4, 4, 8)]
        );
    }

    #[test]
    fn every_order_visits_every_plane_once_a_period() {
        let geometry = geometry();
        for order in Order::all() {
            let map = StaticOrder::new(&geometry, order);
            let planes: BTreeSet<_> = (0..64).map(|lpn| map.plane(Lpn(lpn))).collect();
            assert_eq!(planes.len(), 64, "{order}");
        }
    }
}
