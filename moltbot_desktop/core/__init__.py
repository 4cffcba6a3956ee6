"""Values everybody shares.

Nothing here touches the outside world: no clock, no disk, no threads. A value made here may
cross any thread because it is frozen.
"""
