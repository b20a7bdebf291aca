"""Sets of questions put to a model, one probe a package; importing them registers them."""

import unslant.probes.aceat
import unslant.probes.aul
import unslant.probes.cbs
import unslant.probes.crows_pairs
import unslant.probes.eec
import unslant.probes.held_out
import unslant.probes.lpbs
import unslant.probes.name_swap
import unslant.probes.nli
import unslant.probes.stereoset  # noqa: F401
