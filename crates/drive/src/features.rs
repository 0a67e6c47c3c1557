//! What a drive may have beside what every drive has, known when its code is compiled.
//!
//! Most of the options of a drive are off in most runs, and whether one is on never changes while a run lasts. The parts of the
//! drive are therefore compiled for three sets of [`Features`] from one source, and a run takes the least set that holds all it
//! needs; in development builds every run takes the set that has everything. What a set leaves out is an [`Optional`] that is
//! always empty, whose code the compiler leaves out.

use std::any::Any;
use std::marker::PhantomData;

use wordline_ftl::{Mapping, PageFtl};

/// Whether something may be there.
pub(crate) trait Presence {
    const IS_POSSIBLE: bool;
}

/// It is never there.
#[derive(Debug)]
pub(crate) struct Absent;

/// It may be there.
#[derive(Debug)]
pub(crate) struct Possible;

impl Presence for Absent {
    const IS_POSSIBLE: bool = false;
}

impl Presence for Possible {
    const IS_POSSIBLE: bool = true;
}

/// A set of what a drive may have.
pub(crate) trait Features {
    /// Write buffer, host interface, firmware time, reliability, suspension, modes, controllers of packages, schedulers that are more
    /// than ranks, acknowledgement at the end of the transfer.
    type Options: Presence;
    /// Accounts of response times, timeline, probes.
    type Watching: Presence;
    /// The mapping: a certain one, whose code becomes part of the loop, or any.
    type Ftl: Mapping + ?Sized;

    /// The mapping of a drive.
    ///
    /// # Panics
    /// It is not the one of this set.
    fn take_ftl(ftl: Box<dyn Mapping>) -> Box<Self::Ftl>;

    /// The same as any mapping.
    fn ftl(ftl: &Self::Ftl) -> &dyn Mapping;

    /// The same, to be changed.
    fn ftl_mut(ftl: &mut Self::Ftl) -> &mut dyn Mapping;
}

/// The drive has page-level mapping and no option, and only the figures of the summary are recorded.
#[derive(Debug)]
pub(crate) struct Plain;

/// The drive has no option; anything may be recorded.
#[derive(Debug)]
pub(crate) struct Watched;

/// Anything.
#[derive(Debug)]
pub(crate) struct Full;

impl Features for Plain {
    type Options = Absent;
    type Watching = Absent;
    type Ftl = PageFtl;

    fn take_ftl(ftl: Box<dyn Mapping>) -> Box<PageFtl> {
        let ftl: Box<dyn Any> = ftl;
        match ftl.downcast() {
            Ok(ftl) => ftl,
            Err(_) => panic!("a mapping that the features of the drive leave out"),
        }
    }

    #[inline(always)]
    fn ftl(ftl: &PageFtl) -> &dyn Mapping {
        ftl
    }

    fn ftl_mut(ftl: &mut PageFtl) -> &mut dyn Mapping {
        ftl
    }
}

impl Features for Watched {
    type Options = Absent;
    type Watching = Possible;
    type Ftl = dyn Mapping;

    fn take_ftl(ftl: Box<dyn Mapping>) -> Box<dyn Mapping> {
        ftl
    }

    #[inline(always)]
    fn ftl(ftl: &dyn Mapping) -> &dyn Mapping {
        ftl
    }

    fn ftl_mut(ftl: &mut dyn Mapping) -> &mut dyn Mapping {
        ftl
    }
}

impl Features for Full {
    type Options = Possible;
    type Watching = Possible;
    type Ftl = dyn Mapping;

    fn take_ftl(ftl: Box<dyn Mapping>) -> Box<dyn Mapping> {
        ftl
    }

    #[inline(always)]
    fn ftl(ftl: &dyn Mapping) -> &dyn Mapping {
        ftl
    }

    fn ftl_mut(ftl: &mut dyn Mapping) -> &mut dyn Mapping {
        ftl
    }
}

/// Whether a mapping is the one that [`Plain`] is compiled for.
pub(crate) fn is_plain(ftl: &dyn Mapping) -> bool {
    let ftl: &dyn Any = ftl;
    ftl.is::<PageFtl>()
}

/// A part that not every drive has. Where it is [`Absent`], what is done with it is not compiled.
#[derive(Debug)]
pub(crate) struct Optional<T, P> {
    part: Option<T>,
    presence: PhantomData<P>,
}

impl<T, P: Presence> Optional<T, P> {
    /// The part, if there is one.
    ///
    /// # Panics
    /// There is one where there can be none.
    pub(crate) fn new(part: Option<T>) -> Self {
        assert!(
            P::IS_POSSIBLE || part.is_none(),
            "a part that the features of the drive leave out"
        );
        Self {
            part,
            presence: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn is_some(&self) -> bool {
        P::IS_POSSIBLE && self.part.is_some()
    }

    #[inline(always)]
    pub(crate) fn as_ref(&self) -> Option<&T> {
        if P::IS_POSSIBLE { self.part.as_ref() } else { None }
    }

    #[inline(always)]
    pub(crate) fn as_mut(&mut self) -> Option<&mut T> {
        if P::IS_POSSIBLE { self.part.as_mut() } else { None }
    }

    /// The part, made where there is none.
    ///
    /// # Panics
    /// There can be none.
    pub(crate) fn get_or_insert_default(&mut self) -> &mut T
    where
        T: Default,
    {
        assert!(P::IS_POSSIBLE, "a part that the features of the drive leave out");
        self.part.get_or_insert_default()
    }

    /// Takes the part out.
    pub(crate) fn take(&mut self) -> Option<T> {
        self.part.take()
    }
}

impl<T, P: Presence> Optional<Vec<T>, P> {
    #[inline(always)]
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.as_ref().map(Vec::as_slice).unwrap_or_default().iter()
    }

    #[inline(always)]
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.as_mut()
            .map(Vec::as_mut_slice)
            .unwrap_or_default()
            .iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_there_where_it_may_be() {
        let mut part = Optional::<_, Possible>::new(Some(3));
        assert!(part.is_some());
        *part.as_mut().unwrap() += 1;
        assert_eq!(part.as_ref(), Some(&4));
        assert_eq!(part.take(), Some(4));
        assert!(!part.is_some() && part.as_ref().is_none());
        assert!(!Optional::<u8, Absent>::new(None).is_some());
    }

    #[test]
    #[should_panic(expected = "leave out")]
    fn no_part_is_given_to_a_drive_that_has_none() {
        let _ = Optional::<_, Absent>::new(Some(3));
    }
}
