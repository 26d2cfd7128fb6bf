"""Kernels called from Python on numpy arrays and torch tensors."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from cpu_program import HIP

from kernels.task.seed import SeedOptions, seed_task

np = pytest.importorskip("numpy")
pytest.importorskip("pybind11")


@pytest.fixture(scope="module")
def saxpy(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    from kernels.binding import load

    folder = tmp_path_factory.mktemp("binding")
    options = SeedOptions(extents={"x": "n", "y": "n"}, grid=("(n + 255) / 256",))
    seed_task(HIP / "saxpy.hip", folder, options)
    module = load(folder)
    assert load(folder) is module
    return module


def test_numpy_arrays_are_changed_in_place(saxpy: ModuleType) -> None:
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    saxpy.saxpy(4, 256, 0, 1000, 2.0, x, y)
    assert np.array_equal(y, 1 + 2 * np.arange(1000, dtype=np.float32))


def test_torch_tensors_are_changed_in_place(saxpy: ModuleType) -> None:
    torch = pytest.importorskip("torch")
    x, y = torch.arange(1000, dtype=torch.float32), torch.ones(1000)
    saxpy.saxpy((4, 1, 1), (256,), 0, 1000, 2.0, x, y)
    assert torch.equal(y, 1 + 2 * torch.arange(1000, dtype=torch.float32))


def test_what_does_not_fit_is_refused_before_the_launch(saxpy: ModuleType) -> None:
    x, y = np.ones(8, np.float32), np.ones(8, np.float32)
    with pytest.raises(TypeError, match="'x' holds float64, the kernel takes float32"):
        saxpy.saxpy(1, 8, 0, 8, 2.0, x.astype(np.float64), y)
    with pytest.raises(ValueError, match="'x' is not contiguous"):
        saxpy.saxpy(1, 4, 0, 4, 2.0, x[::2], y)
    with pytest.raises(TypeError, match="takes 7 arguments, got 6"):
        saxpy.saxpy(1, 8, 0, 8, 2.0, x)
    with pytest.raises(TypeError, match="neither a torch tensor nor a numpy array"):
        saxpy.saxpy(1, 8, 0, 8, 2.0, [1.0], y)
    frozen = np.ones(8, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="'y' is read-only"):
        saxpy.saxpy(1, 8, 0, 8, 2.0, x, frozen)
    with pytest.raises(RuntimeError, match="hipErrorInvalidConfiguration"):
        saxpy.saxpy(1, 2048, 0, 8, 2.0, x, y)
    assert np.array_equal(y, np.ones(8, np.float32))


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    from extractor.errors import MissingExtra
    from kernels.binding import load

    monkeypatch.setitem(sys.modules, "pybind11", None)
    with pytest.raises(MissingExtra, match=r"pip install 'rocquarry\[kernels\]'"):
        load(tmp_path)
