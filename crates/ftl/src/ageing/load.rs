//! What the load of a run does to the pools that collection keeps at work: how ageing learns of it.

/// What a page that the host writes costs its pool in the long run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reclaim {
    /// Pages that collection moves for it: write amplification less one.
    pub moves: f64,
    /// Blocks that collection erases for it.
    pub erases: f64,
    /// Pages that a collection regains from when it starts until it stops.
    pub regained: f64,
}

impl Reclaim {
    /// The same of pages that so many logical ones share: `self` is of one of these.
    #[must_use]
    pub fn of_pages(self, units_per_page: u32) -> Self {
        let units = f64::from(units_per_page);
        Self {
            moves: self.moves,
            erases: self.erases * units,
            regained: self.regained / units,
        }
    }

    /// The same of pages that are written with all others of their unit: `self` is of a unit of so many.
    #[must_use]
    pub fn in_units(self, pages_per_unit: u32) -> Self {
        Self {
            moves: self.moves * f64::from(pages_per_unit),
            ..self
        }
    }
}

/// How a load presses on the pools.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressure {
    /// Share of the time in which a pool is being collected; from 1 on collection does not keep up with the host, which
    /// waits for the space that it makes.
    pub collecting: f64,
    /// Whether collection that gives way to the host (`ftl.gc.mode` other than foreground) finds the time that it needs:
    /// otherwise it falls behind until it goes ahead of the host.
    pub keeps_up: bool,
}

impl Pressure {
    /// Page moves are rationed per host write (`ftl.gc.mode = "partial"`): a pool is collected all the time, and keeps up.
    pub(crate) const PACED: Self = Self {
        collecting: 1.0,
        keeps_up: true,
    };

    /// No time passes while collection works: the functional mode.
    pub const NONE: Self = Self {
        collecting: 0.0,
        keeps_up: true,
    };
}

/// The pressure of a load whose pages cost so much to reclaim.
pub type Load<'a> = &'a dyn Fn(Reclaim) -> Pressure;
