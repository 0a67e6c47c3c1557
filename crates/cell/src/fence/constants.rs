//! Constants of nature (CODATA 2019) and of the calendar.

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;
/// Seconds of a year of 365 days.
pub const YEAR: f64 = 365.0 * DAY;
/// Seconds of a month: the twelfth of a year.
pub const MONTH: f64 = YEAR / 12.0;

/// Elementary charge in coulombs.
pub(super) const ELEMENTARY_CHARGE: f64 = 1.602_176_634e-19;
/// Boltzmann constant in joules per kelvin.
pub(super) const BOLTZMANN: f64 = 1.380_649e-23;
/// Planck constant in joule seconds.
pub(super) const PLANCK: f64 = 6.626_070_15e-34;
/// Mass of an electron in kilograms.
pub(super) const ELECTRON_MASS: f64 = 9.109_383_7e-31;
/// Permittivity of the vacuum in farads per metre.
pub(super) const VACUUM_PERMITTIVITY: f64 = 8.854_187_8e-12;
