//! How long a read is expected to take before it begins.

use wordline_ecc::{Level, PageCode, Sensing, Start, StartFrom};
use wordline_nand::{Mode, PageType, Ppn, Select, Timing};
use wordline_units::{Duration, SimTime};

use super::Reliability;

impl Reliability {
    /// The first attempt to read a whole page: sensing, transfer and decoding at the level at which it starts. Where that is the
    /// one that the page needs, whoever estimates does not know it, and takes the lowest.
    pub(in crate::array) fn first_attempt(
        &self,
        page: Ppn,
        page_type: PageType,
        (timing, sectors): (&Timing, u32),
        lived: SimTime,
    ) -> Duration {
        let code = &self.codes[0];
        let bytes = timing.bytes(sectors);
        let setup = timing.read_setup();
        let decode = code.decode() * u64::from(code.codewords());
        let reference = timing.sensing(Mode::NORMAL, page_type);
        let PageCode::Ldpc(ldpc) = code else {
            let array = timing.read_array(Mode::NORMAL, page_type);
            return setup + array + timing.data_out(bytes, Select::default()) + decode;
        };
        let level = match code.start() {
            Some(StartFrom::Given(Start::At(level))) => *level,
            _ => self
                .learning
                .start(&self.pages, page, lived)
                .unwrap_or(Level::HARD),
        };
        let sensing = Sensing {
            level: level.get(),
            first: level.get(),
            last: level.get(),
            fails: false,
        };
        let array = timing.sense_array(ldpc.sensing(sensing, reference));
        let out = match ldpc.transfer(sensing, code.codewords()) {
            Some(time) => timing.data_out(0, Select::default()) + time,
            None => timing.data_out(bytes * u64::from(ldpc.bits(sensing)), Select::default()),
        };
        setup + array + out + decode
    }
}
