//! What it takes to read raw bit errors away: codes, sensing levels, retries, decode latency.
//!
//! Pure functions of parameters and state; nothing here knows of drives or traces.
