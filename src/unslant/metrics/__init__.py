"""Intrinsic bias measures, one file each."""

from unslant.metrics import direct_bias, weat  # each import registers its metric
from unslant.metrics.metric import METRICS, Metric, measure, metric_from

__all__ = ["METRICS", "Metric", "direct_bias", "measure", "metric_from", "weat"]
