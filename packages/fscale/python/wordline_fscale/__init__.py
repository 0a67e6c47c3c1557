"""FScale: very large drives, what limits them, and what controllers inside the packages change.

```python
import wordline_fscale

drive = wordline_fscale.LargeDrive("fscale-128tb", **{"workload.write_fraction": 0.5})
drive.outlook()["limited_by"]
```
"""

from wordline_fscale.drives import LargeDrive as LargeDrive
from wordline_fscale.drives import large_drives as large_drives

__all__ = ["LargeDrive", "large_drives"]
