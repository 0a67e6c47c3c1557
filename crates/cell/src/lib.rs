//! How reliable the data in a cell are: threshold voltages, raw bit error rates, wear, retention.
//!
//! Pure functions of parameters and state; nothing here knows of drives or traces.
