//! Requests that come, change and leave, beside a list of them that is searched.

use proptest::prelude::*;

use super::*;

/// A request that comes, one that leaves, a page that comes to one, one that is behind others, or time that passes.
#[derive(Clone, Debug)]
enum Change {
    Push {
        units: Vec<u32>,
        arrival: u64,
        due: u64,
        behind: u32,
    },
    Remove(usize),
    Add(usize, u32),
    Behind(usize, u32),
    Expire(u64),
}

fn any_change() -> impl Strategy<Value = Change> {
    let units = proptest::collection::btree_set(0_u32..3, 0..3);
    prop_oneof![
        (units, 0_u64..9, 0_u64..20, 0_u32..2).prop_map(|(units, arrival, due, behind)| Change::Push {
            units: units.into_iter().collect(),
            arrival,
            due,
            behind,
        }),
        (0_usize..20).prop_map(Change::Remove),
        (0_usize..20, 0_u32..4).prop_map(|(index, unit)| Change::Add(index, unit)),
        (0_usize..20, 0_u32..2).prop_map(|(index, behind)| Change::Behind(index, behind)),
        (0_u64..20).prop_map(Change::Expire),
    ]
}

/// A request as the list has it.
#[derive(Clone, Debug)]
struct Listed {
    place: usize,
    number: u64,
    due: SimTime,
    is_expired: bool,
    request: WaitingRequest,
}

/// What is told of a group that may be found by a search.
fn expected(list: &[Listed], wanted: &Wanted) -> (Option<(u64, usize)>, [Option<Member>; 2]) {
    let members = || {
        list.iter()
            .filter(|row| row.request.behind == 0 && row.request.wanted == *wanted)
    };
    let first = |is_expired: bool| {
        let of_kind = members().filter(|row| row.is_expired == is_expired);
        let member = |row: &Listed| Member {
            arrival: row.request.arrival,
            number: row.number,
            place: row.place,
        };
        of_kind.map(member).min()
    };
    let oldest = members().map(|row| (row.number, row.place)).min();
    (oldest, [first(false), first(true)])
}

fn check(waiting: &WaitingRequests, list: &[Listed]) -> Result<(), TestCaseError> {
    prop_assert_eq!(waiting.len(), list.len());
    prop_assert!(waiting.places().eq(list.iter().map(|row| row.place)));
    prop_assert_eq!(waiting.last(), list.last().map(|row| row.place));
    let free = || list.iter().filter(|row| row.request.behind == 0);
    let late = free().any(|row| row.is_expired);
    let due = free().map(|row| row.due).min().unwrap_or(SimTime::NEVER);
    prop_assert_eq!(waiting.first_due(), if late { SimTime::ZERO } else { due });
    for row in list {
        prop_assert_eq!(&waiting[row.place], &row.request);
        prop_assert_eq!(waiting.number(row.place), row.number);
        let group = waiting.group_of(row.place);
        prop_assert_eq!(group.is_some(), row.request.behind == 0);
        if let Some(group) = group.map(|place| &waiting.groups()[place]) {
            prop_assert_eq!(group.kind(), row.request.kind());
            prop_assert_eq!(group.shares(), row.request.shares());
            let found = (group.oldest(), [group.first_patient(), group.first_expired()]);
            prop_assert_eq!(found, expected(list, &row.request.wanted));
            let same = free()
                .filter(|other| other.request.wanted == row.request.wanted && other.number < row.number);
            prop_assert_eq!(
                group.last_before(row.number),
                same.map(|other| (other.number, other.place)).max()
            );
        }
    }
    for unit in 0..5 {
        let names = |shares: &[UnitShare]| shares.iter().any(|share| share.unit == unit);
        let of_unit = list.iter().filter(|row| names(row.request.shares()));
        prop_assert_eq!(waiting.count_of_unit(unit) as usize, of_unit.count());
        let mut groups = waiting.groups_of_unit(unit).to_vec();
        groups.sort_unstable();
        let there = |group: &RequestGroup| group.oldest().is_some() && names(group.shares());
        let all = waiting.groups().iter().enumerate();
        prop_assert!(
            groups
                .into_iter()
                .eq(all.filter(|(_, group)| there(group)).map(|(place, _)| place))
        );
    }
    Ok(())
}

proptest! {
    /// Order, groups, deadlines and counts are those that a search through a list finds.
    #[test]
    fn what_is_known_is_what_a_search_finds(changes in proptest::collection::vec(any_change(), 1..60)) {
        let mut waiting = WaitingRequests::default();
        let mut list: Vec<Listed> = Vec::new();
        let mut next = 0;
        for change in changes {
            match change {
                Change::Push { units, arrival, due, behind } => {
                    let share = |unit: u32| UnitShare { unit, pages: 1, time: Duration(1) };
                    let wanted = Wanted {
                        kind: RequestKind::Write,
                        shares: units.into_iter().map(share).collect(),
                    };
                    let request = WaitingRequest { wanted, arrival: SimTime(arrival), deadline: None, behind };
                    let due = if due == 0 { SimTime::NEVER } else { SimTime(due) };
                    let place = waiting.push(request.clone(), due);
                    list.push(Listed { place, number: next, due, is_expired: false, request });
                    next += 1;
                }
                Change::Remove(index) if index < list.len() => {
                    let row = list.remove(index);
                    prop_assert_eq!(waiting.remove(row.place), row.request);
                }
                Change::Add(index, unit) if index < list.len() => {
                    let row = &mut list[index];
                    waiting.add_page(row.place, unit, Duration(1));
                    add_page(&mut row.request.wanted.shares, unit, Duration(1));
                }
                Change::Behind(index, behind) if index < list.len() => {
                    let row = &mut list[index];
                    waiting.set_behind(row.place, behind);
                    row.request.behind = behind;
                }
                Change::Expire(now) => {
                    waiting.expire(SimTime(now));
                    for row in &mut list {
                        row.is_expired |= row.request.behind == 0 && row.due <= SimTime(now);
                    }
                }
                Change::Remove(_) | Change::Add(..) | Change::Behind(..) => {}
            }
            check(&waiting, &list)?;
        }
    }
}
