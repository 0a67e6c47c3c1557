"""MQSim: `workload.xml`. The flows of the first scenario become the workload; several of them become tenants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wordline.errors import ConfigError
from wordline.importing import xml
from wordline.importing.rows import (
    Fixed,
    Row,
    Simulator,
    Value,
    in_bytes,
    nanoseconds,
    number,
    one_of,
    positive,
    whole,
)

ROOT = "MQSim_IO_Scenarios"
SCENARIO = "IO_Scenario"
SYNTHETIC = "IO_Flow_Parameter_Set_Synthetic"
TRACE = "IO_Flow_Parameter_Set_Trace_Based"
SECTOR = 512
MOST_FLOWS = 8
"""Flows that MQSim has at most."""
KINDS = {
    "UNIFORM_RANDOM": "random",
    "RANDOM_UNIFORM": "random",
    "STREAMING": "sequential",
    "RANDOM_HOTCOLD": "hot_cold",
    "HOTCOLD_RANDOM": "hot_cold",
}
UNITS = {"NANOSECOND": "ns", "MICROSECOND": "us"}
CLOSED = "QUEUE_DEPTH"


def percent(text: str) -> float:
    """A share, given in percent."""
    if (value := number(text)) <= 100:
        return value / 100
    raise ValueError("percent, from 0 to 100")


def request_size(text: str) -> str:
    """Bytes of a request, given in sectors."""
    return in_bytes(positive(text) * SECTOR)


def depth(generator: str, outstanding: str) -> int | None:
    """Requests outstanding, where the flow keeps a queue full."""
    return positive(outstanding) if generator.strip().upper() == CLOSED else None


def gap(generator: str, intensity: str, sectors: str) -> str | None:
    """Mean gap of a flow of this bandwidth."""
    if generator.strip().upper() == CLOSED:
        return None
    return nanoseconds(max(1.0, positive(sectors) * SECTOR / number(intensity) * 1e9))


def poisson(generator: str) -> str | None:
    """Law of the gaps of such a flow."""
    return None if generator.strip().upper() == CLOSED else "poisson"


def hot(kind: str, percentage: str) -> float | None:
    """Share of the region that is hot."""
    return percent(percentage) if is_hot_cold(kind) else None


def hot_requests(kind: str, percentage: str) -> float | None:
    """Share of the requests that go there."""
    return 1 - percent(percentage) if is_hot_cold(kind) else None


def is_hot_cold(kind: str) -> bool:
    """Whether a flow has a hot region."""
    return bool(one_of(KINDS)(kind) == "hot_cold")


def alignment(aligned: str, unit: str) -> str | None:
    """Alignment of the addresses, given in sectors."""
    return request_size(unit) if aligned.strip().lower() == "true" else None


def some(text: str) -> int | None:
    """A number, where it is not 0."""
    return whole(text) or None


def stop(generator: str, time: str, requests: str) -> str | None:
    """How long requests arrive, where neither a number of them nor a queue says it."""
    if generator.strip().upper() == CLOSED or whole(requests):
        return None
    return nanoseconds(whole(time)) if whole(time) else None


def scenario(text: str, file: str) -> list[tuple[str, dict[str, Value]]]:
    """The flows of the first scenario: what each is, and its values."""
    flows: list[tuple[str, dict[str, Value]]] = []
    fresh = True
    for path, value in xml.elements(text, file):
        if len(path) < 3 or path[:2] != (ROOT, SCENARIO) or path[2] not in (SYNTHETIC, TRACE):
            raise ConfigError(
                f"{file}: line {value.line}: {path[-1]} is no parameter of a flow; accepted: {ROOT}, in it {SCENARIO}, in it {SYNTHETIC} or {TRACE}"
            )
        # elements of a flow do not repeat, so that one that does begins the next
        if fresh or path[2] != flows[-1][0] or path[-1] in flows[-1][1]:
            flows.append((path[2], {}))
            fresh = False
        flows[-1][1][path[-1]] = value
    if not flows:
        raise ConfigError(f"{file}: has no flow; accepted: {SYNTHETIC} or {TRACE} in {SCENARIO}")
    return flows


def read(text: str, file: str) -> Mapping[str, Value]:
    """The values of the first scenario, under the names of their elements; those of a further flow with its number before them."""
    first = first_scenario(text)
    flows = scenario(first, file)[:MOST_FLOWS]
    if len(flows) == 1:
        return flows[0][1]
    return {
        f"flow{number}.{name}": value
        for number, (_, flow) in enumerate(flows, start=1)
        for name, value in flow.items()
    }


def first_scenario(text: str) -> str:
    """The text with the scenarios behind the first left out."""
    end = text.find(f"</{SCENARIO}>")
    rest = text.find(f"</{ROOT}>", end)
    return text if end < 0 or rest < 0 else text[: end + len(f"</{SCENARIO}>")] + text[rest:]


SYNTHETIC_ROWS = (
    Row(("Address_Distribution",), "workload.kind", one_of(KINDS), ("UNIFORM_RANDOM",)),
    Row(("Read_Percentage",), "workload.read_fraction", percent, ("0",)),
    Row(
        ("Average_Request_Size",),
        "workload.request_size",
        request_size,
        ("8",),
        "in sectors of 512 B; all requests have the mean size",
    ),
    Row(
        ("Synthetic_Generator_Type", "Average_No_of_Reqs_in_Queue"),
        "workload.queue_depth",
        depth,
        (CLOSED, "16"),
    ),
    Row(
        ("Synthetic_Generator_Type", "Intensity", "Average_Request_Size"),
        "workload.interarrival",
        gap,
        (CLOSED, "32768", "8"),
        "mean gap at the bandwidth of the flow",
    ),
    Row(
        ("Synthetic_Generator_Type",),
        "workload.arrival",
        poisson,
        (CLOSED,),
        "exponential gaps, as in MQSim",
    ),
    Row(
        ("Address_Distribution", "Percentage_of_Hot_Region"),
        "workload.hot_space",
        hot,
        ("UNIFORM_RANDOM", "0"),
    ),
    Row(
        ("Address_Distribution", "Percentage_of_Hot_Region"),
        "workload.hot_requests",
        hot_requests,
        ("UNIFORM_RANDOM", "0"),
        "so much of the region gets the rest of the requests",
    ),
    Row(("Working_Set_Percentage",), "workload.region", percent),
    Row(
        ("Generated_Aligned_Addresses", "Address_Alignment_Unit"),
        "workload.align",
        alignment,
        (),
        "in sectors of 512 B",
    ),
    Row(("Total_Requests_To_Generate",), "workload.requests", some),
    Row(
        ("Synthetic_Generator_Type", "Stop_Time", "Total_Requests_To_Generate"),
        "workload.duration",
        stop,
    ),
    Row(("Seed",), "workload.seed", whole),
    Row(
        ("Request_Size_Distribution", "Variance_Request_Size"),
        why="all requests have the mean size; workload.request_size may be a list of sizes",
    ),
    Row(("Initial_Occupancy_Percentage",), why="the drive says how it is aged (age.fill)"),
)
TRACE_FIXED = (
    Fixed("workload.kind", "trace", "a flow with a trace"),
    Fixed("workload.format", "mqsim", "MQSim's own traces"),
)
TRACE_ROWS = (
    Row(("File_Path",), "workload.path", lambda text: text.replace("\\", "/")),
    Row(
        ("Time_Unit",),
        "workload.time_unit",
        one_of(UNITS),
        ("NANOSECOND",),
    ),
    Row(("Relay_Count",), "workload.repeat", lambda text: max(1, whole(text))),
    Row(
        ("Percentage_To_Be_Executed",),
        why="set workload.take to a number of requests",
    ),
)
COMMON_ROWS = (
    Row(("Priority_Class",), why="tenants have priorities (tenants.NAME.priority)"),
    Row(("Device_Level_Data_Caching_Mode",), why="the drive says whether it has a buffer"),
    Row(
        ("Channel_IDs", "Chip_IDs", "Die_IDs", "Plane_IDs"),
        why="a workload uses every part of the drive",
    ),
)


def of_flow(flow: int, row: Row | Fixed) -> Row | Fixed:
    """A row for the flow of this number among several."""
    if isinstance(row, Fixed):
        return replace(row, key=f"tenants.flow{flow}.{row.key}")
    return replace(
        row,
        names=tuple(f"flow{flow}.{name}" for name in row.names),
        key=row.key and f"tenants.flow{flow}.{row.key}",
    )


def of_flows(found: Mapping[str, Value]) -> Simulator:
    """The rows of what a file holds: of its flow, or of each of several."""
    flows = sorted({name.partition(".")[0] for name in found if "." in name})
    if not flows:
        return replace(SIMULATOR, rows=rows_of(found))
    each = (
        of_flow(int(flow.removeprefix("flow")), row)
        for flow in flows
        for row in rows_of(
            {
                name.removeprefix(f"{flow}."): value
                for name, value in found.items()
                if name.startswith(f"{flow}.")
            }
        )
    )
    return replace(SIMULATOR, rows=tuple(each))


def rows_of(flow: Mapping[str, Value]) -> tuple[Row | Fixed, ...]:
    """The rows of a flow, by whether it replays a trace."""
    if "File_Path" in flow:
        return (*TRACE_FIXED, *TRACE_ROWS, *COMMON_ROWS)
    return (*SYNTHETIC_ROWS, *COMMON_ROWS)


SIMULATOR = Simulator(
    name="MQSim workload",
    file="workload.xml",
    source="MQSim's public repository (CMU-SAFARI/MQSim): README.md, workload.xml",
    defaults="as in MQSim's workload.xml",
    is_one=lambda text: f"<{ROOT}" in text,
    read=read,
    rows=(*SYNTHETIC_ROWS, *TRACE_FIXED, *TRACE_ROWS, *COMMON_ROWS),
    is_workload=True,
)
