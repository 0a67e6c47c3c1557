//! Full-sequence programming: all pages of a word line in one program, straight from the erased state (section 2.2 of the
//! specification: the equations of a page, with other pulses and shifts).

use wordline_units::Voltage;

use super::ChipConfig;
use super::ranges::{pulses, time};
use crate::error::ChipError;
use crate::inputs::{FullSequence, Ramp};
use crate::states::{PageKind, ProgramState};

impl ChipConfig {
    /// Pulses and shifts of the sequence; none for cells of one bit, and none where the pulses that it has by default are more, or
    /// higher, than any chip may have.
    ///
    /// The source gives neither pulses nor a time. By default the pulses step from the erased state to the highest one, which for
    /// two bits are those of a fast page of the source's preset (2.7 V in steps of 0.3 V), and take as long as pulses of the first
    /// page (assumed). `step_shift` is in V; `check_last` refuses a ramp that ends too high.
    ///
    /// # Errors
    /// A number of pulses or a time that is given and not accepted, or pulses that are given and end too high.
    pub(super) fn full_sequence(
        &self,
        first_page: &Ramp,
        step_shift: f64,
        check_last: impl Fn(&Ramp) -> Result<(), ChipError>,
    ) -> Result<Option<FullSequence>, ChipError> {
        let bits = self.geometry.bits_per_cell;
        if bits == 1 {
            return Ok(None);
        }
        let levels = f64::from((1_u32 << bits) - 1);
        let given = self.policy.program_pulses_full;
        let by_shift = (levels * step_shift / first_page.step - 1e-9).ceil();
        let number = match given {
            Some(given) => pulses("policy.program_pulses_full", given)?,
            None if by_shift.is_finite() && by_shift > 0.0 => by_shift.min(f64::from(u32::MAX)) as u32,
            // a single pulse without a step
            None => first_page.pulses,
        };
        let ramp = Ramp {
            pulses: number,
            time: match self.timing.t_prog_full {
                Some(given) => time("timing.t_prog_full", given)?,
                None => first_page.pulse_time() * f64::from(number),
            },
            ..*first_page
        };
        let fits = pulses("policy.program_pulses_full", number).and_then(|_| check_last(&ramp));
        if let Err(refused) = fits {
            return if given.is_some() { Err(refused) } else { Ok(None) };
        }
        if number > 1 && given.is_some() {
            super::ranges::step("bias.vstep", Voltage(first_page.step))?;
        }
        let last = PageKind(bits as u8 - 1);
        let shift = ProgramState::of(last)
            .map(|state| f64::from(state.rank()) * step_shift)
            .collect();
        Ok(Some(FullSequence { ramp, shift }))
    }
}
