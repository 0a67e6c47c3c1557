"""Why claims do not hold everywhere, as traced."""

from __future__ import annotations

WAITING = "CAUSE"
SERVED_BY_BUFFER = "CAUSE"
LONGER_QUEUE = "CAUSE"
