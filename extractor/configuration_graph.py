"""Both sides of one configuration: its linked graphs, and how to walk and join them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from extractor.graph.linked import DeviceJoin, Divergence, LinkedGraph
from extractor.graph.walk import Walker
from extractor.records import FailedUnit
from extractor.rules import Rule
from extractor.units import Unit


@dataclass
class ConfigurationGraph:
    """Both sides of one configuration.

    Attributes:
        name: The configuration.
        host: Host side, linked.
        device: Device side, linked; kernels join by symbol and unit.
        units: Host units by their number in ``host``.
        failed: Units with errors among those read.
    """

    name: str
    host: LinkedGraph
    device: LinkedGraph | None
    units: Sequence[Unit]
    failed: Sequence[FailedUnit] = ()
    rule: Rule | None = None

    @cached_property
    def host_walker(self) -> Walker:
        """Walks the host side."""
        return Walker(self.host, self.rule)

    @cached_property
    def device_walker(self) -> Walker | None:
        """Walks the device side."""
        if self.device is None:
            return None
        return Walker(self.device, self.rule, stop_at_kernels=False)

    @cached_property
    def divergences(self) -> list[Divergence]:
        """Symbols with several bodies on the host side."""
        return self.host.divergences()

    @cached_property
    def join(self) -> DeviceJoin | None:
        """Finds a host kernel on the device side."""
        return DeviceJoin(self.host, self.device) if self.device is not None else None
