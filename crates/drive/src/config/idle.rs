//! Keys that have no effect in the chosen combination: one table, from which the refusal, the
//! warning and the omission from a resolved configuration all follow.

use toml::Value;

use super::error::ConfigError;
use super::merged::{Merged, collect, lookup};
use super::schema::ANY_NAME;

/// When a key has an effect.
enum When {
    /// The governing key has one of these values.
    Is(&'static str, &'static [&'static str]),
    /// The governing key has none of these values.
    IsNot(&'static str, &'static [&'static str]),
    /// The governing key is `true`.
    On(&'static str),
    /// The governing key is not set.
    Unset(&'static str),
    /// The governing key is set.
    Set(&'static str),
}

/// Keys and the conditions of which one must hold.
struct Rule {
    keys: &'static [&'static str],
    any: &'static [When],
}

const fn rule(keys: &'static [&'static str], any: &'static [When]) -> Rule {
    Rule { keys, any }
}

use When::{Is, IsNot, On, Set, Unset};

/// Workloads whose requests are drawn.
const DRAWN: &[&str] = &["random", "sequential", "zipf", "hot_cold", "mixed"];
/// The same, and surrogates of traces.
const SYNTHETIC: &[&str] = &["random", "sequential", "zipf", "hot_cold", "mixed", "profile"];

/// A key that several rules name needs all of them.
const RULES: &[Rule] = &[
    rule(&["ftl.gc.d"], &[Is("ftl.gc.victim", &["d_choices"])]),
    rule(&["ftl.gc.window"], &[Is("ftl.gc.victim", &["windowed_greedy"])]),
    rule(
        &["ftl.gc.age_basis"],
        &[Is("ftl.gc.victim", &["cost_benefit", "cost_benefit_lfs", "cat"])],
    ),
    rule(&["ftl.gc.idle"], &[Is("ftl.gc.mode", &["background"])]),
    rule(
        &["ftl.wear.gap"],
        &[Is("ftl.wear.static", &["swap", "dual_pool"])],
    ),
    rule(&["ftl.wear.check_erases"], &[IsNot("ftl.wear.static", &["off"])]),
    rule(
        &["ftl.wear.age_variance", "ftl.wear.erase_limit"],
        &[
            Is("ftl.wear.static", &["rate_limited"]),
            Is("ftl.gc.victim", &["wear_greedy"]),
        ],
    ),
    rule(
        &["ftl.wear.retirement"],
        &[Is("ftl.wear.static", &["rate_limited"])],
    ),
    rule(
        &["allocation.dynamic", "allocation.wear_aware"],
        &[Is("allocation.mode", &["dynamic"])],
    ),
    rule(&["allocation.active_block"], &[Is("ftl.wear.dynamic", &["off"])]),
    rule(
        &[
            "timing.t_wb",
            "timing.t_rr",
            "timing.t_adl",
            "timing.t_ccs",
            "timing.ddr_read_preamble",
            "timing.ddr_write_preamble",
        ],
        &[Is("timing.model", &["onfi"])],
    ),
    rule(&["timing.t_whr"], &[Is("timing.model", &["onfi"])]),
    rule(&["timing.t_rcbsy"], &[On("commands.cache_read")]),
    rule(&["timing.t_cbsy"], &[On("commands.cache_program")]),
    rule(
        &[
            "timing.cmd_cycles.copyback",
            "timing.cmd_cycles.copyback_random_in",
            "commands.copyback_max_hops",
        ],
        &[IsNot("commands.copyback", &["off"])],
    ),
    rule(
        &["timing.cmd_cycles.multi_plane_read2"],
        &[On("commands.multi_plane_read")],
    ),
    rule(
        &["timing.cmd_cycles.multi_plane_erase2"],
        &[On("commands.multi_plane_erase")],
    ),
    rule(
        &[
            "timing.cmd_cycles.interleave_read2",
            "timing.cmd_cycles.interleave_erase2",
        ],
        &[On("commands.interleave")],
    ),
    rule(
        &["timing.cmd_cycles.interleave_multi_plane_erase2"],
        &[On("commands.interleave")],
    ),
    rule(
        &["timing.cmd_cycles.interleave_multi_plane_erase2"],
        &[On("commands.multi_plane_erase")],
    ),
    rule(&["age.ratio"], &[Is("age.method", &["invalidated"])]),
    rule(&["age.random_factor"], &[Is("age.method", &["overwritten"])]),
    rule(
        &["age.fill", "age.time_per_write"],
        &[Is("age.method", &["overwritten", "steady_state"])],
    ),
    rule(&["age.snapshot"], &[Is("age.method", &["snapshot"])]),
    rule(&["age.initial_cycles"], &[IsNot("age.method", &["snapshot"])]),
    rule(
        &[
            "buffer.size",
            "buffer.access",
            "buffer.capacitor",
            "buffer.dirty_high",
        ],
        &[IsNot("buffer.policy", &["none"])],
    ),
    // the policies of groups gather writes
    rule(
        &["buffer.read_cache"],
        &[Is(
            "buffer.policy",
            &["fifo", "lru", "slru", "cflru", "lru_wsr", "ccf_lru", "pt_lru"],
        )],
    ),
    rule(
        &["buffer.dirty_low", "buffer.background_limit"],
        &[Set("buffer.dirty_high")],
    ),
    rule(&["buffer.protected"], &[Is("buffer.policy", &["slru"])]),
    rule(&["buffer.window"], &[Is("buffer.policy", &["cflru"])]),
    rule(&["buffer.probability"], &[Is("buffer.policy", &["pt_lru"])]),
    rule(
        &["buffer.group_pages"],
        &[Is("buffer.policy", &["fab", "bplru", "bpac"])],
    ),
    rule(
        &["host.queue_limit"],
        &[
            Set("workload.interarrival"),
            Is("workload.kind", &["trace", "profile"]),
        ],
    ),
    rule(
        &["host.queue_limit"],
        &[
            IsNot("workload.kind", &["trace"]),
            Is("workload.replay", &["recorded"]),
        ],
    ),
    rule(
        &[
            "workload.read_fraction",
            "workload.trim_fraction",
            "workload.align",
            "workload.interarrival",
            "workload.arrival",
            "workload.gap_fraction",
            "workload.on",
            "workload.off",
        ],
        &[Is("workload.kind", DRAWN)],
    ),
    rule(
        &["workload.requests", "workload.duration", "workload.region"],
        &[Is("workload.kind", SYNTHETIC)],
    ),
    rule(
        &["workload.seed"],
        &[
            IsNot("workload.kind", &["trace"]),
            Is("workload.format", &["offset_frequency"]),
        ],
    ),
    rule(
        &["workload.request_size"],
        &[Is("workload.kind", &["random", "sequential", "zipf", "hot_cold"])],
    ),
    rule(
        &["workload.queue_depth"],
        &[IsNot("workload.kind", &["profile", "fio"])],
    ),
    rule(
        &["workload.queue_depth"],
        &[Unset("workload.interarrival"), Is("workload.kind", &["trace"])],
    ),
    rule(
        &["workload.queue_depth"],
        &[
            IsNot("workload.kind", &["trace"]),
            Is("workload.replay", &["closed_loop"]),
        ],
    ),
    rule(
        &[
            "workload.arrival",
            "workload.gap_fraction",
            "workload.on",
            "workload.off",
        ],
        &[Set("workload.interarrival")],
    ),
    rule(&["workload.gap_fraction"], &[Is("workload.arrival", &["fixed"])]),
    rule(
        &["workload.on", "workload.off"],
        &[Is("workload.arrival", &["on_off"])],
    ),
    rule(
        &["workload.duration"],
        &[Set("workload.interarrival"), Is("workload.kind", &["profile"])],
    ),
    rule(&["workload.theta"], &[Is("workload.kind", &["zipf"])]),
    rule(
        &["workload.hot_space", "workload.hot_requests"],
        &[Is("workload.kind", &["hot_cold"])],
    ),
    rule(&["workload.mix"], &[Is("workload.kind", &["mixed"])]),
    rule(
        &["workload.profile", "workload.profile_file"],
        &[Is("workload.kind", &["profile"])],
    ),
    rule(&["workload.path"], &[Is("workload.kind", &["trace", "fio"])]),
    rule(
        &[
            "workload.format",
            "workload.time_unit",
            "workload.action",
            "workload.replay",
            "workload.fold",
            "workload.devices",
            "workload.device_size",
            "workload.disorder",
            "workload.zero_length",
            "workload.skip",
            "workload.take",
            "workload.repeat",
        ],
        &[Is("workload.kind", &["trace"])],
    ),
    rule(
        &["workload.compress_time"],
        &[Is("workload.kind", &["trace", "profile"])],
    ),
    rule(
        &["workload.compress_time"],
        &[
            IsNot("workload.kind", &["trace"]),
            Is("workload.replay", &["recorded"]),
        ],
    ),
    rule(
        &["workload.action"],
        &[
            Is("workload.format", &["blkparse", "wiscsee"]),
            Unset("workload.format"),
        ],
    ),
    rule(
        &[
            "workload.csv.time",
            "workload.csv.op",
            "workload.csv.offset",
            "workload.csv.size",
            "workload.csv.device",
            "workload.csv.offset_unit",
            "workload.csv.size_unit",
            "workload.csv.separator",
            "workload.csv.header",
            "workload.csv.read",
            "workload.csv.write",
            "workload.csv.trim",
            "workload.csv.flush",
        ],
        &[Is("workload.format", &["csv"])],
    ),
    rule(
        &["workload.device_size"],
        &[Is("workload.devices", &["side_by_side"])],
    ),
    rule(
        &[
            "host.nvme.queue_depth",
            "host.nvme.arbitration",
            "host.nvme.burst",
            "host.nvme.command_slots",
            "host.nvme.doorbell",
            "host.nvme.fetch",
            "host.nvme.completion",
            "host.pcie.generation",
            "host.pcie.lanes",
            "host.pcie.max_payload",
            "host.pcie.packet_overhead",
            "host.pcie.max_read_request",
        ],
        &[Is("host.interface", &["nvme"])],
    ),
    rule(
        &[
            "host.nvme.weight_high",
            "host.nvme.weight_medium",
            "host.nvme.weight_low",
        ],
        &[Is("host.interface", &["nvme"])],
    ),
    rule(
        &[
            "host.nvme.weight_high",
            "host.nvme.weight_medium",
            "host.nvme.weight_low",
        ],
        &[Is("host.nvme.arbitration", &["weighted_round_robin"])],
    ),
    rule(
        &["tenants.<name>.priority"],
        &[Is("host.nvme.arbitration", &["weighted_round_robin"])],
    ),
    rule(&["tenants.<name>.priority"], &[Is("host.interface", &["nvme"])]),
    rule(
        &["host.sata.generation", "host.sata.tags", "host.sata.turnaround"],
        &[Is("host.interface", &["sata"])],
    ),
    rule(
        &[
            "firmware.clock",
            "firmware.cores",
            "firmware.fetch_and_split",
            "firmware.map_lookup",
            "firmware.allocation",
            "firmware.buffer",
            "firmware.flash_command",
            "firmware.completion",
            "firmware.gc_per_page",
            "firmware.gc_victim",
            "firmware.merge",
            "firmware.merge_per_byte",
        ],
        &[On("firmware.enabled")],
    ),
    rule(
        &[
            "power.pattern",
            "power.ones",
            "power.ones_min",
            "power.ones_max",
            "power.controller",
            "power.dram",
            "power.channel_io",
            "power.idle",
        ],
        &[Set("power.chip")],
    ),
    rule(&["power.ones"], &[Is("power.pattern", &["fixed"])]),
    rule(
        &["power.ones_min", "power.ones_max"],
        &[Is("power.pattern", &["sampled"])],
    ),
];

impl When {
    fn governor(&self) -> &'static str {
        match self {
            Is(key, _) | IsNot(key, _) | On(key) | Unset(key) | Set(key) => key,
        }
    }

    fn holds(&self, values: &toml::Table, scope: &str) -> bool {
        let value = lookup(values, &scoped(self.governor(), scope));
        let word = value.and_then(Value::as_str);
        match self {
            Is(_, words) => word.is_some_and(|word| words.contains(&word)),
            IsNot(_, words) => word.is_some_and(|word| !words.contains(&word)),
            On(_) => value.and_then(Value::as_bool).unwrap_or(false),
            Unset(_) => value.is_none(),
            Set(_) => value.is_some(),
        }
    }

    /// The condition as a sentence goes on after "only".
    fn words(&self, scope: &str) -> String {
        let key = scoped(self.governor(), scope);
        let listed = |words: &[&str]| {
            words
                .iter()
                .map(|word| format!("\"{word}\""))
                .collect::<Vec<_>>()
                .join(" or ")
        };
        match self {
            Is(_, words) => format!("with {key} = {}", listed(words)),
            IsNot(_, words) => format!("with {key} other than {}", listed(words)),
            On(_) => format!("with {key} = true"),
            Unset(_) => format!("without {key}"),
            Set(_) => format!("with {key}"),
        }
    }
}

impl Rule {
    fn names(&self, path: &str) -> bool {
        self.keys.contains(&path)
    }

    /// Whether the key has its effect in one of the workloads at least.
    fn holds(&self, values: &toml::Table, scopes: &[String]) -> bool {
        scopes
            .iter()
            .any(|scope| self.any.iter().any(|when| when.holds(values, scope)))
    }
}

/// A key of the rules inside a scope: that of a tenant's workload, or as it stands.
pub(crate) fn scoped(key: &str, scope: &str) -> String {
    if key.starts_with("workload.") {
        format!("{scope}{key}")
    } else {
        key.to_owned()
    }
}

/// The places of workloads: `tenants.<name>.` for each tenant, or the top level without tenants.
pub(crate) fn scopes(values: &toml::Table) -> Vec<String> {
    match values.get("tenants").and_then(Value::as_table) {
        Some(tenants) if !tenants.is_empty() => {
            tenants.keys().map(|name| format!("tenants.{name}.")).collect()
        }
        _ => vec![String::new()],
    }
}

/// Why a key has no effect.
enum Idle {
    /// A rule takes it away, in these places.
    Rule(&'static Rule, Vec<String>),
    /// Tenants bring their own workloads.
    Tenants,
}

/// What takes a key's effect away, if anything does.
fn broken(path: &str, values: &toml::Table) -> Option<Idle> {
    let scopes = scopes(values);
    let in_tenants = scopes.iter().any(|scope| !scope.is_empty());
    if in_tenants && path.starts_with("workload.") {
        return Some(Idle::Tenants);
    }
    let scope = scopes.iter().find(|scope| path.starts_with(scope.as_str()));
    let (path, scopes) = match scope {
        // a key of one tenant's workload depends on that workload only
        Some(scope) if !scope.is_empty() => match &path[scope.len()..] {
            inner if inner.starts_with("workload.") => (inner.to_owned(), vec![scope.clone()]),
            own => (format!("tenants.{ANY_NAME}.{own}"), scopes),
        },
        _ => (path.to_owned(), scopes),
    };
    RULES
        .iter()
        .find(|rule| rule.names(&path) && !rule.holds(values, &scopes))
        .map(|rule| Idle::Rule(rule, scopes))
}

/// Dotted paths of the keys that have no effect.
pub(crate) fn paths(values: &toml::Table) -> Vec<String> {
    let mut all = Vec::new();
    collect(values, "", &mut all);
    all.retain(|path| broken(path, values).is_some());
    all
}

/// Checks the keys that were set: those without effect are refused where the user set them, and
/// reported where a preset brought them or a later source took their effect away. In a workload
/// and an age that is not worth a word: a preset may say how it replays traces, and another kind
/// of workload or past was asked for on purpose. Returns the keys to be forgotten.
///
/// # Errors
/// A key that the user set and that has no effect.
pub(crate) fn check(
    merged: &Merged,
    values: &toml::Table,
    warnings: &mut Vec<String>,
) -> Result<Vec<String>, ConfigError> {
    let mut forgotten = Vec::new();
    for path in merged.leaves() {
        let Some(idle) = broken(&path, values) else {
            continue;
        };
        let (governors, conditions) = match &idle {
            Idle::Tenants => (
                vec!["tenants".to_owned()],
                vec!["without tenants, which have workloads of their own".to_owned()],
            ),
            Idle::Rule(rule, scopes) => {
                let mut governors = Vec::new();
                let mut conditions = Vec::new();
                for scope in scopes {
                    governors.extend(rule.any.iter().map(|when| scoped(when.governor(), scope)));
                    conditions.extend(rule.any.iter().map(|when| when.words(scope)));
                }
                governors.dedup();
                conditions.dedup();
                (governors, conditions)
            }
        };
        let taken_away = governors.iter().any(|governor| merged.overrules(governor, &path));
        let found: Vec<String> = governors
            .iter()
            .map(|governor| found(governor, values, merged))
            .collect();
        let problem = format!(
            "has no effect here: it is used only {}; {}",
            conditions.join(", or "),
            found.join(", ")
        );
        if !taken_away && !merged.is_of_preset(&path) {
            return Err(merged.error(&path, problem));
        }
        if !(path.starts_with("workload.") || path.starts_with("age.")) {
            warnings.push(merged.error(&path, problem).to_string());
        }
        forgotten.push(path);
    }
    Ok(forgotten)
}

/// What a governing key is, and why.
fn found(key: &str, values: &toml::Table, merged: &Merged) -> String {
    let value = match lookup(values, key) {
        None => "unset".to_owned(),
        Some(Value::Table(_)) => "set".to_owned(),
        Some(value) => value.to_string(),
    };
    match merged.set_exactly(key).and_then(|_| merged.place(key)) {
        Some(place) => format!("{key} is {value} ({place})"),
        None => format!("{key} is {value} by default"),
    }
}

/// Every key that the rules mention, for a test.
#[cfg(test)]
pub(crate) fn named_keys() -> impl Iterator<Item = &'static str> {
    RULES.iter().flat_map(|rule| {
        rule.keys
            .iter()
            .copied()
            .chain(rule.any.iter().map(When::governor))
    })
}
