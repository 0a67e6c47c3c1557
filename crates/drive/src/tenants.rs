//! From `[workload]` or `[tenants]` to the clients of a drive.

use std::collections::BTreeSet;
use std::path::Path;

use wordline_config::{Config, Priority};
use wordline_ftl::{AgeMethod, ZoneLayout};
use wordline_keys::RefusedValue;
use wordline_units::Duration;
use wordline_workload::{
    Admission, Client, DriveZones, FioDrive, FioZones, HostCommand, Source, SourceError, Translation,
    WorkloadConfig, WorkloadError, WorkloadKind, ZonedSpace, clients_over_zones, clients_watched,
    fio_job_file,
};

use crate::error::RunError;
use crate::host::clients::Tenant;

/// Most clients of one drive: NVMe's most I/O queues.
const MOST_CLIENTS: usize = 65_535;

/// Sectors of a logical block of a drive with zones, where its pages are no smaller; see `ftl.zones`.
const LOGICAL_BLOCK: u64 = 8;

/// A client alone on the whole drive.
pub(crate) fn of(client: Client) -> Tenant {
    Tenant {
        client,
        offset: 0,
        priority: Priority::default(),
        deadline: None,
        chain: 0,
        ahead: Vec::new(),
        end: None,
    }
}

/// A client that sends nothing of its own.
pub(crate) fn silent() -> Tenant {
    of(Client::alone(
        Box::new(Silence),
        Admission::OpenLoop { limit: None },
    ))
}

/// A source that gives nothing.
struct Silence;

impl Source for Silence {
    fn next_command(&mut self) -> Result<Option<HostCommand>, SourceError> {
        Ok(None)
    }

    fn len_hint(&self) -> Option<u64> {
        None
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// How long the jobs that start with the run ramp up, the longest of them, from the start of the run.
pub(crate) fn ramp(tenants: &[Tenant]) -> Duration {
    let ramps = tenants.iter().map(|tenant| &tenant.client);
    ramps
        .filter(|client| client.ramp > Duration::ZERO)
        .map(|client| client.delay + client.ramp)
        .max()
        .unwrap_or_default()
}

/// The clients of a configuration for a user space of `sectors`. `watch` is told how much of a trace was read for its
/// totals and stops that by returning false.
///
/// # Errors
/// A workload that cannot be opened, a space that does not lie on the drive, too many clients; `RunError::Interrupted`.
pub(crate) fn open(
    config: &Config,
    sectors: u64,
    base_dir: &Path,
    watch: &mut dyn FnMut(f64) -> bool,
) -> Result<Vec<Tenant>, RunError> {
    let limit = config.host.queue_limit;
    if let Some(space) = zoned_space(config)? {
        let clients = clients_over_zones(&config.workload, &space, base_dir, limit, watch)?;
        return Ok(clients.into_iter().map(of).collect());
    }
    if config.tenants.is_empty() {
        let clients = if config.workload.kind == WorkloadKind::Fio {
            fio_job_file(&config.workload, fio_drive(config, sectors)?, base_dir)?
        } else {
            clients_watched(&config.workload, sectors, base_dir, limit, watch)?
        };
        return bounded(clients.into_iter().map(of).collect());
    }
    let mut tenants = Vec::new();
    for (chain, (name, tenant)) in config.tenants.iter().enumerate() {
        let wrong = |problem: String| RunError::Tenant {
            tenant: name.clone(),
            problem,
        };
        let (from, end) = match tenant.space {
            None => (0, sectors),
            Some(space) => space
                .sectors(sectors)
                .filter(|(from, end)| from < end)
                .ok_or_else(|| {
                    wrong(format!(
                        "tenants.{name}.space = {space}: no sector of the user space of {} B; accepted is a part \
                         of it of at least one sector",
                        sectors * u64::from(wordline_units::SECTOR_BYTES)
                    ))
                })?,
        };
        let opened = if tenant.workload.kind == WorkloadKind::Fio {
            fio_job_file(&tenant.workload, fio_drive(config, end - from)?, base_dir)
        } else {
            clients_watched(&tenant.workload, end - from, base_dir, limit, watch)
        };
        let clients = opened.map_err(|error| match error {
            WorkloadError::Interrupted => RunError::Interrupted,
            error => wrong(error.to_string()),
        })?;
        let alone = clients.len() == 1;
        let before = tenants.len() as u32;
        tenants.extend(clients.into_iter().map(|mut client| Tenant {
            client: Client {
                conduct: {
                    for other in &mut client.conduct.waits_for {
                        *other += before;
                    }
                    client.conduct
                },
                name: if alone {
                    name.clone()
                } else {
                    format!("{name}_{}", client.name)
                },
                ..client
            },
            offset: from,
            priority: tenant.priority,
            deadline: tenant.deadline,
            chain: chain as u32,
            ahead: Vec::new(),
            end: None,
        }));
    }
    bounded(tenants)
}

/// The zones of the drive, where the host translates the workload to them.
///
/// # Errors
/// Tenants, which would share them; a drive without zones, or one whose zones may hold data.
fn zoned_space(config: &Config) -> Result<Option<ZonedSpace>, RunError> {
    const KEY: &str = "workload.translation";
    let refused = |accepted: &str| {
        let value = RefusedValue::new(KEY, "\"zones\"", accepted);
        Err(RunError::from(WorkloadError::from(value)))
    };
    let is_translated = |workload: &WorkloadConfig| workload.translation == Translation::Zones;
    if config
        .tenants
        .values()
        .any(|tenant| is_translated(&tenant.workload))
    {
        return refused("\"none\" in a tenant: a host translates the workload of the whole drive");
    }
    if !config.tenants.is_empty() || !is_translated(&config.workload) {
        return Ok(None);
    }
    if config.age.method != AgeMethod::Fresh {
        return refused(
            "\"none\" with age.method = \"snapshot\": what the host knows of the zones is not in the snapshot",
        );
    }
    let geometry = config.array_geometry()?;
    let Some((layout, lost)) = config.zone_layout(&geometry)? else {
        return refused("\"none\" on a drive without zones (ftl.mapping = \"zoned\")");
    };
    let page_sectors = geometry.sectors_per_page();
    let start = |zone: u32| layout.start(zone).0 * u64::from(page_sectors);
    Ok(Some(ZonedSpace {
        starts: (0..layout.zones)
            .filter(|zone| !lost.contains(zone))
            .map(start)
            .collect(),
        capacity_pages: layout.capacity_pages,
        page_sectors,
        most_open: most_open(&layout),
    }))
}

/// What fio jobs know of `sectors` of the drive.
///
/// # Errors
/// Zones, or placement, that are not possible.
fn fio_drive(config: &Config, sectors: u64) -> Result<FioDrive, RunError> {
    let geometry = config.array_geometry()?;
    let zones = match config.zone_layout(&geometry)? {
        None => DriveZones::None,
        Some(_) if !config.tenants.is_empty() => {
            DriveZones::Unknown("none in a tenant, which has a part of the drive and not its zones")
        }
        Some(_) if config.age.method != AgeMethod::Fresh => DriveZones::Unknown(
            "none with age.method = \"snapshot\": what the zones hold is not known to the jobs",
        ),
        Some((layout, lost)) => {
            let page = u64::from(geometry.sectors_per_page());
            DriveZones::Known(FioZones {
                count: layout.zones,
                size: layout.zone_pages * page,
                capacity: layout.capacity_pages * page,
                block: page.min(LOGICAL_BLOCK),
                most_open: most_open(&layout),
                lost,
            })
        }
    };
    Ok(FioDrive {
        zones,
        placement_identifiers: config.ftl.placement.identifiers(&geometry)?,
        ..FioDrive::plain(sectors)
    })
}

/// Zones that a host can write at once.
fn most_open(layout: &ZoneLayout) -> Option<u32> {
    layout.max_open.into_iter().chain(layout.max_active).min()
}

fn bounded(mut tenants: Vec<Tenant>) -> Result<Vec<Tenant>, RunError> {
    if tenants.len() > MOST_CLIENTS {
        return Err(RunError::Tenant {
            tenant: tenants[MOST_CLIENTS].client.name.clone(),
            problem: format!(
                "a drive has at most {MOST_CLIENTS} queues; these are {}",
                tenants.len()
            ),
        });
    }
    let mut names = BTreeSet::new();
    for tenant in &mut tenants {
        tenant.client.name = unused(plain(&tenant.client.name), &mut names);
    }
    Ok(tenants)
}

/// A name that can be a part of a summary key.
fn plain(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || letter == '-';
    name.chars()
        .map(|letter| if plain(letter) { letter } else { '_' })
        .collect()
}

/// `name`, with a number behind it where another client has it already.
fn unused(name: String, names: &mut BTreeSet<String>) -> String {
    let found = (2_u64..)
        .map(|number| format!("{name}_{number}"))
        .find(|other| !names.contains(other));
    let name = if names.contains(&name) {
        found.unwrap_or_default()
    } else {
        name
    };
    names.insert(name.clone());
    name
}
