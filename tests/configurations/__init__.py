"""Random configurations over the whole schema: drawn (`draw`), run in a process of their own (`runner`), judged (`checks`)."""
