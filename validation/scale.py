"""Drives with fewer blocks in each plane, which behave alike and take less memory and time."""

from __future__ import annotations

KEPT_FREE = 4
"""Blocks of a plane that hold nothing in the long run, at every scale: `ftl.gc.low` of 5, less the one that is being filled."""


def scaled_spare(blocks: int, fewer: int, spare: float, kept: float = KEPT_FREE) -> float:
    """The over-provisioning of a drive with fewer blocks a plane which has the write amplification of the full one.

    Write amplification follows from the share of blocks that are neither kept free nor needed for what the host stores. Blocks kept free are as many
    at every scale, so that the smaller drive needs more spare space: user space shrinks as the blocks beyond those kept free do.

    Args:
        blocks: blocks of a plane of the full drive.
        fewer: those of the scaled one.
        spare: over-provisioning of the full drive, as a share of user space.
        kept: blocks of a plane that are kept free.
    """
    user = blocks / (1 + spare) * (fewer - kept) / (blocks - kept)
    return fewer / user - 1
