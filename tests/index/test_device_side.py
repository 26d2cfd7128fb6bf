"""The device side comes from the device pass: it is what the device runs."""

from __future__ import annotations

from opened_libraries import Library

KERNELS = {"device_kernel<float>", "device_kernel<double>"}


def test_a_kernel_calls_what_the_device_pass_sees(constructs: Library) -> None:
    scope = constructs.scope("c_device_code")
    assert scope.kernels("c_device_code") == KERNELS
    for kernel in KERNELS:
        generic = f"generic<{kernel[14:-1]}>"
        assert scope.calls(kernel) >= {generic, "on_either", "even", "sided"}
    assert scope.calls("generic<float>") == {"on_device"}
    assert scope.calls("generic<double>") == set()


def test_a_function_for_both_sides_differs_by_side(constructs: Library) -> None:
    scope = constructs.scope("c_device_code")
    either = scope.function("on_either")["instantiations"]
    device = {i["id"] for i in either if i["id"].endswith("@device")}
    assert len(either) == 2
    callees = {
        call["caller"]: scope.names[call["callee"]]
        for call in scope.scope["calls"]
        if call["caller"] in {i["id"] for i in either}
    }
    # Only the device's text calls the device's helper.
    assert callees == {next(iter(device)): "on_device"}


def test_device_functions_may_be_recursive(constructs: Library) -> None:
    scope = constructs.scope("c_device_code")
    assert scope.calls("even") == {"odd"}
    assert scope.calls("odd") == {"even"}


def test_overloads_by_side_are_two_functions(constructs: Library) -> None:
    scope = constructs.scope("c_device_code")
    kinds = {f["signature"]: f["kind"] for f in scope.scope["functions"] if f["name"] == "sided"}
    assert kinds == {
        "__host__ int sided(int v)": "host",
        "__device__ int sided(int v)": "device",
    }


def test_the_host_calls_nothing_of_the_device(constructs: Library) -> None:
    scope = constructs.scope("c_device_code")
    assert scope.calls("c_device_code") == {"on_either", "sided"}
    assert scope.kinds()["on_device"] == "device"
