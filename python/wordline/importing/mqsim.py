"""MQSim: `ssdconfig.xml`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from wordline.importing import xml
from wordline.importing.rows import (
    PAGES,
    Fixed,
    Row,
    Simulator,
    Value,
    counts,
    duration,
    latency,
    number,
    one_of,
    positive,
    share,
    size,
    switch,
    whole,
)

ROOT = "Execution_Parameter_Set"
CELLS = {"SLC": "slc", "MLC": "mlc", "TLC": "tlc"}
SCHEMES = {"".join(order): "".join(order) for order in permutations("CWDP")}
GENERATIONS = {0.25: 1, 0.5: 2, 1.0: 3, 2.0: 4, 4.0: 5, 8.0: 6}
"""GB/s of a lane and the generation of PCI Express."""


def page_latency(key: str, kind: str, default: str) -> Row:
    """The row of a latency that depends on the page."""
    names = {page: f"Page_{kind}_Latency_{page}" for page in PAGES["tlc"]}
    return latency(key, "Flash_Technology", CELLS, names, 1, ("MLC", default, default, default))


def megatransfers(rate: str, width: str) -> str:
    """Rate of a channel of 8 bits that is as fast."""
    return f"{number(rate) * positive(width):g} MT/s"


def generation(bandwidth: str) -> int:
    """The generation of PCI Express whose lanes have this bandwidth."""
    rate = number(bandwidth)
    return min(GENERATIONS.items(), key=lambda known: abs(known[0] - rate))[1]


def gap(enabled: str, threshold: str) -> int | None:
    """The threshold, where wear is levelled."""
    return positive(threshold) if switch(enabled) else None


def cache_size(mechanism: str, capacity: str) -> str | None:
    """The size of the cache, where there is one."""
    return None if mechanism.strip().upper() == "TURNED_OFF" else size(capacity)


def read(text: str, file: str) -> Mapping[str, Value]:
    """The values by the names of their elements."""
    return {path[-1]: value for path, value in xml.elements(text, file)}


ROWS: tuple[Row | Fixed, ...] = (
    *counts(
        ("Flash_Channel_Count", "8"),
        ("Chip_No_Per_Channel", "4"),
        ("Die_No_Per_Chip", "2"),
        ("Plane_No_Per_Die", "2"),
        ("Block_No_Per_Plane", "2048"),
        ("Page_No_Per_Block", "256"),
    ),
    Row(("Page_Capacity",), "geometry.page_size", size, ("8192",)),
    Row(("Page_Metadat_Capacity",), "geometry.spare_size", size, ("448",)),
    Row(("Flash_Technology",), "geometry.cell_type", one_of(CELLS), ("MLC",)),
    Row(
        ("Flash_Comm_Protocol",),
        "timing.model",
        one_of({"NVDDR2": "onfi", "NVDDR3": "onfi", "SDR": "onfi"}),
        ("NVDDR2",),
        "with the waiting times of the ONFI command set",
    ),
    Row(
        ("Channel_Transfer_Rate", "Flash_Channel_Width"),
        "timing.transfer_rate",
        megatransfers,
        ("333", "1"),
        "Wordline's channels are 8 bits wide",
    ),
    page_latency("timing.t_r", "Read", "75000"),
    page_latency("timing.t_prog", "Program", "750000"),
    Row(("Block_Erase_Latency",), "timing.t_bers", duration(1), ("3800000",)),
    Row(
        ("Use_Copyback_for_GC",),
        "commands.copyback",
        lambda text: "wise" if switch(text) else "off",
        ("false",),
    ),
    Fixed("commands.multi_plane_write", "wise", "MQSim joins transactions to equal offsets"),
    Fixed("commands.multi_plane_read", True, "MQSim joins transactions to equal offsets"),
    Fixed("commands.multi_plane_erase", True, "MQSim joins transactions to equal offsets"),
    Fixed("commands.interleave", True, "dies of a chip work at the same time"),
    Fixed("allocation.mode", "static", "MQSim's allocation schemes are static"),
    Row(("Plane_Allocation_Scheme",), "allocation.order", one_of(SCHEMES), ("CWDP",)),
    Row(
        ("Address_Mapping",),
        "ftl.mapping",
        one_of({"PAGE_LEVEL": "page"}),
        ("PAGE_LEVEL",),
        "the whole map in memory: CMT_Capacity has no equal",
    ),
    Row(("Overprovisioning_Ratio",), "ftl.over_provisioning", share, ("0.127",)),
    Fixed("ftl.over_provisioning_basis", "raw", "a share of all space, as in MQSim"),
    Row(
        ("GC_Block_Selection_Policy",),
        "ftl.gc.victim",
        one_of(
            {
                "GREEDY": "greedy",
                "RGA": "d_choices",
                "RANDOM": "random",
                "RANDOM_P": "random",
                "RANDOM_PP": "random_pp",
                "FIFO": "fifo",
            }
        ),
        ("RGA",),
    ),
    Row(
        ("GC_Block_Selection_Policy", "Block_No_Per_Plane"),
        "ftl.gc.d",
        lambda policy, blocks: (
            max(1, positive(blocks).bit_length() - 1) if policy.strip().upper() == "RGA" else None
        ),
        ("RGA", "2048"),
        "log2 of the blocks of a plane",
    ),
    Fixed("ftl.gc.pool", "plane", "MQSim collects in each plane"),
    Fixed("ftl.gc.basis", "pool", "MQSim's thresholds are shares"),
    Row(("GC_Exec_Threshold",), "ftl.gc.low", share, ("0.05",)),
    Row(("GC_Exec_Threshold",), "ftl.gc.high", share, ("0.05",), "up to where it began"),
    Row(("GC_Hard_Threshold",), "ftl.gc.hard", share, ("0.005",)),
    Row(
        ("Preemptible_GC_Enabled",),
        "ftl.gc.mode",
        lambda text: "preemptible" if switch(text) else "foreground",
        ("true",),
    ),
    Fixed("ftl.gc.frontier", "separate", "moved pages have a block of their own"),
    Row(
        ("Dynamic_Wearleveling_Enabled",),
        "ftl.wear.dynamic",
        lambda text: "lowest_erase" if switch(text) else "off",
        ("true",),
    ),
    Row(
        ("Static_Wearleveling_Enabled",),
        "ftl.wear.static",
        lambda text: "swap" if switch(text) else "off",
        ("true",),
    ),
    Row(
        ("Static_Wearleveling_Enabled", "Static_Wearleveling_Threshold"),
        "ftl.wear.gap",
        gap,
        ("true", "100"),
    ),
    Row(
        ("CMD_Suspension_Support",),
        "nand.suspend",
        one_of(
            {
                "NONE": "none",
                "ERASE": "erase",
                "PROGRAM": "program_erase",
                "PROGRAM_ERASE": "program_erase",
            }
        ),
        ("NONE",),
    ),
    Row(
        ("Enabled_Preconditioning",),
        "age.method",
        lambda text: "steady_state" if switch(text) else "fresh",
        ("true",),
        "MQSim draws its state from a closed form too",
    ),
    Row(
        ("Transaction_Scheduling_Policy",),
        "scheduler.policy",
        one_of(
            {
                "OUT_OF_ORDER": "out_of_order",
                "PRIORITY_OUT_OF_ORDER": "out_of_order",
                "FLIN": "out_of_order",
            }
        ),
        ("OUT_OF_ORDER",),
        "FLIN's fairness between flows has no equal",
    ),
    Fixed("scheduler.busy_grain", "die", "each die of MQSim works for itself"),
    Row(
        ("HostInterface_Type",),
        "host.interface",
        one_of({"NVME": "nvme", "SATA": "sata"}),
        ("NVME",),
    ),
    Row(("PCIe_Lane_Bandwidth",), "host.pcie.generation", generation, (), "by GB/s of a lane"),
    Row(("PCIe_Lane_Count",), "host.pcie.lanes", positive),
    Row(
        ("HostInterface_Type", "IO_Queue_Depth"),
        "host.nvme.queue_depth",
        lambda interface, depth: positive(depth) if interface.strip().upper() == "NVME" else None,
        ("NVME", "1024"),
    ),
    Row(
        ("Caching_Mechanism",),
        "buffer.policy",
        one_of({"TURNED_OFF": "none", "SIMPLE": "lru", "ADVANCED": "lru"}),
        ("TURNED_OFF",),
        "no buffer where the file does not say",
    ),
    Row(("Caching_Mechanism", "Data_Cache_Capacity"), "buffer.size", cache_size),
    Row(("Seed",), "seed", whole),
    Row(("SATA_Processing_Delay",), why="the time of the host's driver is not simulated"),
    Row(("Memory_Type",), why="flash is all that Wordline simulates"),
    Row(("Queue_Fetch_Size",), why="host.nvme.burst counts otherwise"),
    Row(
        (
            "Data_Cache_Sharing_Mode",
            "Data_Cache_DRAM_Row_Size",
            "Data_Cache_DRAM_Data_Rate",
            "Data_Cache_DRAM_Data_Busrt_Size",
            "Data_Cache_DRAM_tRCD",
            "Data_Cache_DRAM_tCL",
            "Data_Cache_DRAM_tRP",
        ),
        why="the buffer has one access time (buffer.access)",
    ),
    Row(
        ("Ideal_Mapping_Table", "CMT_Capacity", "CMT_Sharing_Mode"),
        why='the whole map is in memory; set ftl.mapping = "dftl" and ftl.cached_entries for a cached one',
    ),
    Row(
        (
            "Preferred_suspend_erase_time_for_read",
            "Preferred_suspend_erase_time_for_write",
            "Preferred_suspend_write_time_for_read",
            "Suspend_Erase_Time",
            "Suspend_Program_Time",
            "Suspend_Program_time",
        ),
        why="see nand.vendor and scheduler.suspension",
    ),
    Row(("Block_PE_Cycles_Limit",), why="blocks wear as [cell] says"),
)
SIMULATOR = Simulator(
    name="MQSim",
    file="ssdconfig.xml",
    source="MQSim's public repository (CMU-SAFARI/MQSim): ssdconfig.xml, src/exec/Device_Parameter_Set.cpp, Flash_Parameter_Set.cpp",
    defaults="as in MQSim's code and its ssdconfig.xml",
    is_one=lambda text: f"<{ROOT}" in text or "<Device_Parameter_Set" in text,
    read=read,
    rows=ROWS,
    passed_over=frozenset(
        {"Enable_ResponseTime_Logging", "ResponseTime_Logging_Period_Length", "Input_File_Path"}
    ),
)
