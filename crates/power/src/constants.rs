//! Constants of nature and of silicon.

/// Elementary charge in coulombs (SI, exact).
pub const ELEMENTARY_CHARGE: f64 = 1.602_176_634e-19;
/// Boltzmann constant in joules per kelvin (SI, exact).
pub const BOLTZMANN: f64 = 1.380_649e-23;
/// Planck constant in joule seconds (SI, exact).
pub const PLANCK: f64 = 6.626_070_15e-34;
/// Mass of an electron in kilograms (CODATA 2018).
pub const ELECTRON_MASS: f64 = 9.109_383_7e-31;
/// Permittivity of the vacuum in farads per metre (CODATA 2018).
pub const VACUUM_PERMITTIVITY: f64 = 8.854_187_8e-12;
/// Relative permittivity of silicon (textbook).
pub const SILICON_PERMITTIVITY: f64 = 11.7;
/// Intrinsic carriers of silicon at 300 K per cubic centimetre (textbook).
pub const INTRINSIC_CARRIERS: f64 = 1.0e10;
/// Band gap of silicon in electronvolts (textbook).
pub const BAND_GAP: f64 = 1.12;
