"""Where claims on the FTL family come from: papers that a reader can open, or nobody but us."""

from __future__ import annotations

from collections.abc import Mapping

from wordline.studies.verdict import OWN as OWN

BAST = "Kim et al., IEEE Transactions on Consumer Electronics 48(2), 2002"
FAST = "Lee et al., ACM TECS 6(3), 2007"
LAST = "Lee et al., ACM SIGOPS Operating Systems Review 42(6), 2008"
SAST = "Kang et al., EMSOFT 2006; Park et al., ACM TECS 7(4), 2008"
SUPERBLOCK = "Jung et al., ACM TECS 9(4), article 40, 2010"
DFTL = "Gupta, Kim and Urgaonkar, ASPLOS 2009"
GREEDY = "Desnoyers, SYSTOR 2012"
CHOICES = "Van Houdt, SIGMETRICS 2013"
BLOOM = "Park and Du, MSST 2011"
TRIM = "Frankie, Hughes and Kreutz-Delgado, ACM Southeast Conference 2012"
PREEMPTIBLE = "Lee et al., ISPASS 2011"
FAB = "Jo et al., IEEE Transactions on Consumer Electronics 52(2), 2006"
BPLRU = "Kim and Ahn, FAST 2008"

MAPPING: Mapping[str, str] = {
    "dftl": DFTL,
    "superblock": SUPERBLOCK,
    "last": LAST,
    "fast": FAST,
    "sast": SAST,
    "bast": BAST,
}
"""The papers that introduced the mappings."""
IDEAL: Mapping[str, str] = {"dftl": DFTL, "fast": DFTL}
"""Papers that compare a mapping with a map of pages in memory, as the ideal."""
BEFORE_SUPERBLOCK = ("fast", "sast", "bast", "block")
"""Mappings of the kinds that superblocks were introduced to replace; LAST is of the same years, and not among them."""

CLASSIFIERS: Mapping[str, str] = {
    "two_level_lru": "Chang and Kuo, RTAS 2002",
    "multi_hash": "Hsieh, Kuo and Chang, ACM Transactions on Storage 2(1), 2006",
    "multi_bloom": BLOOM,
    "dac": "Chiang, Lee and Chang, Software: Practice and Experience 29(3), 1999",
    "wdac": BLOOM,
    "gc_separation": "Van Houdt, Performance Evaluation 70(10), 2013",
}
"""The papers that introduced the classifiers of hot and cold data."""
LEVELLING: Mapping[str, str] = {
    "dual_pool": "Chang, ACM Symposium on Applied Computing 2007",
    "rate_limited": "Agrawal et al., USENIX ATC 2008",
}
"""The papers that introduced the methods of wear levelling."""

PAPERS = (
    "W. Wu, dissertation, 2013, chapters 1 and 4. Mappings: J. Kim et al., *A space-efficient flash translation layer for CompactFlash systems*, 2002 (BAST); "
    "S.-W. Lee et al., *A log buffer-based flash translation layer using fully-associative sector translation*, 2007 (FAST); S. Lee et al., *LAST: locality-aware sector translation for "
    "NAND flash memory-based storage systems*, 2008; J.-U. Kang et al., *A superblock-based flash translation layer for NAND flash memory*, 2006, and C. Park et al., *A reconfigurable FTL "
    "architecture for NAND flash-based applications*, 2008 (SAST); D. Jung et al., *Superblock FTL*, 2010; A. Gupta, Y. Kim and B. Urgaonkar, *DFTL*, 2009. Write amplification: P. Desnoyers, "
    "*Analytic modeling of SSD write performance*, 2012; B. Van Houdt, *A mean field model for a class of garbage collection algorithms in flash-based solid state drives*, 2013; T. Frankie et al., "
    "*A mathematical model of the Trim command in NAND-flash SSDs*, 2012."
)
"""The source of the chapter: who is cited in its claims, with titles."""
