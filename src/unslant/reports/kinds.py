"""The kinds of records that reports and figures know, as ``record["kind"]`` says them."""

AUDIT = "unslant audit 2"
PROBE = "unslant nli probe 1"
STUDY = "unslant study 1"

KINDS = (AUDIT, PROBE, STUDY)
