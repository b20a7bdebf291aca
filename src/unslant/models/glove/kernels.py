"""The inner loops, compiled by numba: counting pairs of words, and one pass over counted pairs.

Importing this module needs numba. All of it runs without the interpreter's lock, so that threads
work at the same time. A whole number times a single-precision one is double precision in numba and
takes several times as long, so there are none of them here.
"""

from typing import Any

import numpy as np
from numba import njit

NEUTRAL, FREE = 0, -1
"""Kinds of words: neutral ones, those that no term concerns, and the groups, from 1."""

EMPTY = -1
_SCATTER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, as in Knuth


@njit(nogil=True)
def count_pairs(
    ranks: Any, begin: int, end: int, weights: Any, keys: Any, units: Any, filled: int, most: int
) -> tuple[int, int]:
    """Add the pairs of each word from ``begin`` on with the words before it to a hash table.

    A pair's key is its smaller rank times 2^32 plus the larger. Returns where it stopped, because
    the table holds ``most`` pairs or the end is reached, and how many pairs the table holds.
    """
    window, mask = len(weights), len(keys) - 1
    shift, size = np.uint64(64), len(keys)
    while size > 1:
        size >>= 1
        shift -= np.uint64(1)
    for place in range(begin, end):
        if filled + window > most:
            return place, filled
        word = ranks[place]
        if word < 0:
            continue
        for distance in range(1, min(window, place) + 1):
            other = ranks[place - distance]
            if other < 0:
                break
            key = (np.int64(min(word, other)) << 32) | np.int64(max(word, other))
            slot = np.int64((np.uint64(key) * _SCATTER) >> shift)
            while keys[slot] != key and keys[slot] != EMPTY:
                slot = (slot + 1) & mask
            if keys[slot] == EMPTY:
                keys[slot] = key
                filled += 1
            units[slot] += weights[distance - 1]
    return end, filled


@njit(nogil=True, fastmath=True, error_model="numpy")
def _step(Q: Any, a: int, b: int, log_x: Any, f: Any, rate: Any, adagrad: bool) -> Any:
    """One step for a word (row ``a``) and a context (row ``b``); the loss before it."""
    d = Q.shape[2] - 1
    w, c, gw, gc = Q[a, 0], Q[b, 0], Q[a, 1], Q[b, 1]
    inner = w[d] + c[d]
    for k in range(d):
        inner += w[k] * c[k]
    off = inner - log_x
    pull = rate * f * off
    if adagrad:
        for k in range(d):
            w_k, c_k, gw_k, gc_k = w[k], c[k], gw[k], gc[k]
            to_w, to_c = pull * c_k, pull * w_k
            w[k], gw[k] = w_k - to_w / np.sqrt(gw_k), gw_k + to_w * to_w
            c[k], gc[k] = c_k - to_c / np.sqrt(gc_k), gc_k + to_c * to_c
        w[d] -= pull / np.sqrt(gw[d])
        c[d] -= pull / np.sqrt(gc[d])
        gw[d] += pull * pull
        gc[d] += pull * pull
    else:
        for k in range(d):
            w_k, c_k = w[k], c[k]
            w[k], c[k] = w_k - pull * c_k, c_k - pull * w_k
        w[d] -= pull
        c[d] -= pull
    return f * off * off / 2


@njit(nogil=True, fastmath=True, error_model="numpy")
def _hold(
    w: Any, kind: int, directions: Any, targets: Any, to_group: Any, to_neutral: Any, form: int
) -> None:
    """The steps of J_D (a group's word) or J_E (a neutral word), without the clip."""
    whole, neutral = len(w) - 1, directions.shape[1]
    if kind > 0:
        for k in range(neutral, whole):
            target = targets[kind - 1, k - neutral]
            if form == 1:
                w[k] += to_group * np.sign(target)
            else:
                w[k] -= (to_group + to_group) * (w[k] - target)
    elif kind == NEUTRAL:
        for m in range(len(directions)):
            v = directions[m]
            along = w[0] * v[0]
            for k in range(1, neutral):
                along += w[k] * v[k]
            along *= to_neutral + to_neutral
            for k in range(neutral):
                w[k] -= along * v[k]


@njit(nogil=True, fastmath=True, error_model="numpy")
def _clipped(w: Any, clip: Any) -> None:
    for k in range(len(w) - 1):
        w[k] = min(max(w[k], -clip), clip)


@njit(nogil=True, fastmath=True, error_model="numpy")
def glove_pass(cells: Any, Q: Any, rate: Any, alpha: Any, log_most: Any, adagrad: bool) -> float:
    """Steps for each cell in both roles, i as word and j as context and the reverse; their loss."""
    V = len(Q) // 2
    loss = 0.0
    for n in range(len(cells)):
        i, j = np.int64(cells[n]["i"]), np.int64(cells[n]["j"])
        log_x = cells[n]["log_x"]
        f = np.exp(alpha * min(log_x - log_most, log_most - log_most))
        loss += _step(Q, i, V + j, log_x, f, rate, adagrad)
        if i != j:
            loss += _step(Q, j, V + i, log_x, f, rate, adagrad)
    return loss


@njit(nogil=True, fastmath=True, error_model="numpy")
def neutral_pass(
    cells: Any,
    Q: Any,
    rate: Any,
    alpha: Any,
    log_most: Any,
    adagrad: bool,
    kinds: Any,
    directions: Any,
    targets: Any,
    to_group: Any,
    to_neutral: Any,
    form: int,
    clip: Any,
) -> float:
    """As :func:`glove_pass`; after each step both of its vectors also take one of J_D and J_E."""
    V = len(Q) // 2
    loss = 0.0
    for n in range(len(cells)):
        i, j = np.int64(cells[n]["i"]), np.int64(cells[n]["j"])
        log_x = cells[n]["log_x"]
        f = np.exp(alpha * min(log_x - log_most, log_most - log_most))
        for role in range(1 if i == j else 2):
            word, context = (i, j) if role == 0 else (j, i)
            loss += _step(Q, word, V + context, log_x, f, rate, adagrad)
            w, c = Q[word, 0], Q[V + context, 0]
            _hold(w, kinds[word], directions, targets, to_group, to_neutral, form)
            _hold(c, kinds[context], directions, targets, to_group, to_neutral, form)
            if clip > 0:
                _clipped(w, clip)
                _clipped(c, clip)
    return loss
