"""What `import wordline` offers, with the module that each name comes from.

`__init__.py` reads this file and imports a module when one of its names is first used.
"""

from ._wordline import __version__ as __version__
from ._wordline import write_amplification as write_amplification
from .cell import BlockClass as BlockClass
from .cell import Cells as Cells
from .comparison import Comparison as Comparison
from .comparison import compare as compare
from .config import Drive as Drive
from .config import Workload as Workload
from .ecc import Bch as Bch
from .ecc import Ldpc as Ldpc
from .ecc import PageCode as PageCode
from .ecc import find_codes as find_codes
from .errors import ConfigError as ConfigError
from .errors import Interrupted as Interrupted
from .errors import OutputError as OutputError
from .errors import ResultError as ResultError
from .errors import RunError as RunError
from .errors import TraceError as TraceError
from .errors import WordlineError as WordlineError
from .fitting import Fit as Fit
from .fitting import fit as fit
from .lifetimes import CellVariation as CellVariation
from .lifetimes import Lifetime as Lifetime
from .lifetimes import LifetimeFiles as LifetimeFiles
from .lifetimes import LifetimeStudy as LifetimeStudy
from .lifetimes import fleet_life as fleet_life
from .lifetimes import lifetime as lifetime
from .loading import load as load
from .notes import Note as Note
from .power import Calibrated as Calibrated
from .power import Chip as Chip
from .power import Energy as Energy
from .power import Measured as Measured
from .power import StateEnergy as StateEnergy
from .replicas import LifetimeReplicas as LifetimeReplicas
from .replicas import lifetime_replicas as lifetime_replicas
from .results import Result as Result
from .retention import RetentionModel as RetentionModel
from .retention import cell_constants as cell_constants
from .seeds import SeedRuns as SeedRuns
from .seeds import simulate_seeds as simulate_seeds
from .simulation import simulate as simulate
from .statistics import Estimate as Estimate
from .statistics import Interval as Interval
from .traces import Converted as Converted
from .traces import convert as convert
from .traces import trace_stats as trace_stats
