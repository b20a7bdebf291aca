"""Decomposable attention in its plainest form: one pair at a time, in double precision."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from unslant.models.nli.settings import ElmoShape, Shape

Doubles = NDArray[np.float64]


class PairByPair:
    """Follows the published equations word by word, without padding, batches or shared parts."""

    def __init__(
        self, shape: Shape | ElmoShape, tensors: Mapping[str, NDArray[np.float32]]
    ) -> None:
        self.shape = shape
        self.w = {name: value.astype(np.float64) for name, value in tensors.items()}

    def logits(self, premise: Doubles, hypothesis: Doubles) -> Doubles:
        """The three logits of a pair, given as the vectors of its words."""
        a, b = self.encoded(premise), self.encoded(hypothesis)
        f_a, f_b = self.feed("attend", a), self.feed("attend", b)
        v1, v2 = (np.zeros(len(self.w["compare.1.bias"])) for _ in range(2))
        for i in range(len(a)):
            beta = sum(w * b[j] for j, w in enumerate(softmax([f_a[i] @ f for f in f_b])))
            v1 += self.feed("compare", np.concatenate([a[i], beta])[None])[0]
        for j in range(len(b)):
            alpha = sum(w * a[i] for i, w in enumerate(softmax([f_b[j] @ f for f in f_a])))
            v2 += self.feed("compare", np.concatenate([b[j], alpha])[None])[0]
        hidden = relu(self.layer("aggregate.0", np.concatenate([v1, v2])))
        return self.layer("aggregate.1", hidden)

    def encoded(self, x: Doubles) -> Doubles:
        """The words of a sentence after what they read of each other."""
        assert isinstance(self.shape, Shape)
        if self.shape.encoder == "bilstm":
            ends = self.lstm(x, ""), self.lstm(x[::-1], "_reverse")[::-1]
            x = np.concatenate(ends, axis=1)
        else:
            x = x @ self.w["project.weight"].T
        if not self.shape.intra:
            return x
        f = self.feed("intra", x)
        rows = []
        for i in range(len(x)):
            bias = [self.w["distance"][max(-10, min(10, i - j)) + 10] for j in range(len(x))]
            weights = softmax([f[i] @ f[j] + bias[j] for j in range(len(x))])
            rows.append(np.concatenate([x[i], sum(w * x[j] for j, w in enumerate(weights))]))
        return np.array(rows)

    def lstm(self, x: Doubles, end: str) -> Doubles:
        """One direction: input, forget, cell and output gates, in this order."""
        h = c = np.zeros(self.shape.hidden // 2)
        states = []
        for word in x:
            gates = self.w[f"lstm.weight_ih_l0{end}"] @ word + self.w[f"lstm.bias_ih_l0{end}"]
            gates += self.w[f"lstm.weight_hh_l0{end}"] @ h + self.w[f"lstm.bias_hh_l0{end}"]
            i, f, g, o = np.split(gates, 4)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            states.append(h)
        return np.array(states)

    def feed(self, name: str, x: Doubles) -> Doubles:
        """Two layers, each followed by a ReLU."""
        return relu(self.layer(f"{name}.1", relu(self.layer(f"{name}.0", x))))

    def layer(self, name: str, x: Doubles) -> Doubles:
        return np.asarray(x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"])


class OnLayers(PairByPair):
    """The same on the layers of an ELMo: a word is given as one vector for each layer."""

    def encoded(self, x: Doubles) -> Doubles:
        """Each word as the BiLSTM has it, with the second mix of its layers behind it."""
        before, beside = (np.array([self.mixed(name, word) for word in x]) for name in _MIXES)
        ends = self.lstm(before, ""), self.lstm(before[::-1], "_reverse")[::-1]
        return np.concatenate([*ends, beside], axis=1)

    def mixed(self, name: str, layers: Doubles) -> Doubles:
        """The weighted sum of the layers of one word."""
        total = np.zeros(layers.shape[1])
        weights = softmax(self.w[f"{name}.scores"].tolist())
        for weight, layer in zip(weights, layers, strict=True):
            total += weight * layer
        return total * float(self.w[f"{name}.gamma"][0])


_MIXES = ("before", "beside")


def softmax(scores: list[float]) -> Doubles:
    powers = np.exp(np.array(scores) - max(scores))
    return np.asarray(powers / powers.sum())


def sigmoid(x: Doubles) -> Doubles:
    return np.asarray(1 / (1 + np.exp(-x)))


def relu(x: Doubles) -> Doubles:
    return np.maximum(x, 0)
