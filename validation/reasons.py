"""What differs between drives that were simulated and measured, and why: findings of traced runs, by drive file."""

from __future__ import annotations

REASONS: dict[str, tuple[str, ...]] = {}
