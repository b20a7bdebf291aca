"""Sets of questions put to a model, one probe a package; importing them registers them."""

import unslant.probes.aceat
import unslant.probes.aul
import unslant.probes.cbs
import unslant.probes.crows_pairs
import unslant.probes.eec
import unslant.probes.gap
import unslant.probes.held_out
import unslant.probes.lpbs
import unslant.probes.name_swap
import unslant.probes.nli
import unslant.probes.sowinobias
import unslant.probes.stereoset
import unslant.probes.winobias
import unslant.probes.winogender  # noqa: F401
