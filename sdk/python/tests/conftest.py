"""The product runs behind a relay that fails on request: sdk/testing/python.test.ts starts both and sets the variables."""

import json
import os
import sys
from pathlib import Path
from typing import Callable, List

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from finmeter import CallOptions, Finmeter  # noqa: E402

URL = os.environ["FINMETER_URL"]


@pytest.fixture
def relay() -> Callable[..., List[str]]:
    """Orders faults. Returns the idempotency keys that have arrived since the last order."""

    def order(*faults: str) -> List[str]:
        content = json.dumps(faults)
        keys: List[str] = httpx.post(f"{URL}/faults", content=content).json()
        return keys

    order()
    return order


@pytest.fixture
def finmeter():
    with Finmeter() as client:
        yield client


@pytest.fixture
def charged(finmeter):
    """Credits charged since the test began."""
    left = finmeter.get_usage().data["credits_remaining"]
    return lambda: left - finmeter.get_usage().data["credits_remaining"]


@pytest.fixture
def impatient() -> CallOptions:
    return CallOptions(retries=2, max_wait=0.0)
