//! Quantities survive the way to text and back, and their arithmetic never rounds down.

use proptest::prelude::*;
use wordline_units::{ByteSize, Duration, Frequency, SimTime, TransferRate};

proptest! {
    #[test]
    fn text_round_trips(value in any::<u64>()) {
        let value = value >> (value % 60);
        prop_assert_eq!(Duration(value).to_string().parse(), Ok(Duration(value)));
        prop_assert_eq!(ByteSize(value).to_string().parse(), Ok(ByteSize(value)));
        prop_assert_eq!(TransferRate(value).to_string().parse(), Ok(TransferRate(value)));
        prop_assert_eq!(Frequency(value).to_string().parse(), Ok(Frequency(value)));
    }

    /// A transfer takes the least whole number of nanoseconds that is enough.
    #[test]
    fn transfers_round_up(rate in 1..10_000_000_u64, bytes in 0..1_000_000_u64) {
        let time = u128::from(TransferRate(rate).transfer(bytes).ns());
        let enough = |time: u128| time * u128::from(rate) >= u128::from(bytes) * 1_000_000;
        prop_assert!(enough(time) && (time == 0 || !enough(time - 1)));
    }

    /// Any text is read or refused, never a panic.
    #[test]
    fn any_text_is_answered(text in "\\PC{0,24}") {
        if let Ok(time) = text.parse::<Duration>() {
            prop_assert_eq!(time.to_string().parse(), Ok(time));
        }
    }

    #[test]
    fn times_do_not_wrap(a in any::<u64>(), b in any::<u64>()) {
        let sum = SimTime(a) + Duration(b);
        prop_assert!(sum >= SimTime(a));
        prop_assert_eq!(SimTime(a).since(SimTime(b)).ns(), a.saturating_sub(b));
    }
}
