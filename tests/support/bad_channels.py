"""Channels that lose, double, delay and reorder messages, by a seed."""

import random
from collections import deque
from typing import Any

from motionc.control.channels import Channel


class BadChannel:
    """A channel in whose both directions each message is lost, doubled or kept back with this probability."""

    def __init__(self, channel: Channel, share: float, seed: int) -> None:
        self._channel, self._share, self._draw = channel, share, random.Random(seed)
        self._sent, self._received = deque[tuple[bytes, Any]](), deque[tuple[bytes, Any]]()
        self.mistakes = 0

    def _mistreated(self, message: tuple[bytes, Any], kept: deque[tuple[bytes, Any]]) -> list[tuple[bytes, Any]]:
        what = self._draw.random()
        if what >= 4 * self._share:
            return [message, *(kept.popleft() for _ in range(len(kept)))]  # what was kept back comes after this one
        self.mistakes += 1
        if what < self._share:
            return []
        if what < 2 * self._share:
            return [message, message]
        if what < 3 * self._share:
            kept.append(message)
            return []
        return [(message[0][: self._draw.randrange(len(message[0]))], message[1]), message]

    def send(self, data: bytes, peer: Any = None) -> None:
        for one, to in self._mistreated((data, peer), self._sent):
            self._channel.send(one, to)

    def receive(self, timeout: float) -> tuple[bytes, Any] | None:
        if not self._received:
            found = self._channel.receive(timeout)
            if found is None:
                return None
            kept = deque[tuple[bytes, Any]]()
            self._received.extend(self._mistreated(found, kept))
        return self._received.popleft() if self._received else None

    def close(self) -> None:
        self._channel.close()
