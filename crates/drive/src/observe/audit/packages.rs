//! Commands and data inside packages with controllers: the channel is left alone, and the bus of a package has one user at a time.

use wordline_metrics::{IssuedCommand, PackageBusUse};
use wordline_units::SimTime;

use super::Audit;
use super::finding::Finding;

/// A command inside a package takes no time on the channel.
pub(super) fn check_command(command: &IssuedCommand<'_>) -> Finding {
    if command.bus_to == command.bus_from {
        Ok(())
    } else {
        Err(format!(
            "a {:?} inside a package takes {} on channel {}",
            command.kind,
            command.bus_to.since(command.bus_from),
            command.channel.0
        ))
    }
}

impl Audit {
    /// The bus of a package is used by one at a time; data that come out of a die are ready.
    pub(super) fn check_package_bus(&mut self, at: SimTime, use_: &PackageBusUse) -> Finding {
        self.check_clock(at)?;
        let chip = use_.chip;
        if self.geometry.chip_of(use_.die) != chip {
            return Err(format!(
                "the bus of {chip} is used for {}, which is not in it",
                use_.die
            ));
        }
        let Some(free) = self.packages.get_mut(chip.index()) else {
            return Err(format!("no package {chip}"));
        };
        if use_.from < at || use_.to < use_.from {
            let (from, to) = (use_.from, use_.to);
            return Err(format!("the bus of {chip} is used from {from} to {to}, at {at}"));
        }
        if use_.from < *free {
            return Err(format!(
                "the bus of {chip} has two users: it is taken until {free}"
            ));
        }
        *free = use_.to;
        let Some(page) = use_.page else { return Ok(()) };
        let die = &mut self.dies[use_.die.index()];
        let read = die.outstanding.iter_mut().find(|read| read.page == page);
        match read {
            Some(read) if read.ready <= use_.from => {
                read.ready = use_.to;
                Ok(())
            }
            Some(read) => Err(format!(
                "data of {} move inside their package before they are ready at {}",
                self.geometry.address(page),
                read.ready
            )),
            None => Err(format!(
                "data of {} move inside their package, on which nothing is under way",
                self.geometry.address(page)
            )),
        }
    }
}
