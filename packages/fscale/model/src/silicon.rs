//! Silicon that the FTL's work takes, and what it costs on a die of flash.

use crate::drive::{Design, Drive};

impl Drive {
    /// Square millimetres of what a package has beside its dies; 0 in a conventional drive.
    #[must_use]
    pub fn package_area(&self) -> f64 {
        let (area, local) = (&self.area, &self.local);
        let codec = if local.mini_ecc.present {
            area.mini_ecc
        } else {
            0.0
        };
        match self.design {
            Design::Conventional => 0.0,
            Design::Hybrid => codec,
            Design::FScale => {
                codec
                    + f64::from(local.cores) * area.local_core
                    + area.memory * (local.memory.0 as f64 / f64::from(1 << 20))
            }
        }
    }

    /// Square millimetres of all that FTL work is done with: central cores and what packages have.
    #[must_use]
    pub fn logic_area(&self) -> f64 {
        f64::from(self.processor.cores) * self.area.core + self.packages() as f64 * self.package_area()
    }

    /// How many times more a die of flash costs when the logic of a package is on it, as with a local controller for each die: more area, of which less
    /// is free of defects (Poisson).
    #[must_use]
    pub fn die_cost_with_logic(&self) -> f64 {
        let (die, logic) = (self.area.die, self.package_area() * self.area.flash_process);
        (1.0 + logic / die) * libm::exp(self.area.defects * logic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example_of_logic_on_a_die() {
        let drive = Drive {
            design: Design::FScale,
            ..Drive::default()
        };
        // 0.2 codec, 0.1 core, 4 MiB of 1.5 mm2
        assert!((drive.package_area() - 6.3).abs() < 1e-12);
        let factor = (1.0 + 25.2 / 130.0) * 0.0252_f64.exp();
        assert!((drive.die_cost_with_logic() - factor).abs() < 1e-12);
        assert!((drive.as_design(Design::Conventional).logic_area() - 2.0).abs() < 1e-12);
    }
}
