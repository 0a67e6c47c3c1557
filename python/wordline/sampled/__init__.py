"""Long runs by systematic sampling: windows with a clock, everything else without one."""
