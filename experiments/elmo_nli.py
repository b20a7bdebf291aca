"""Tables 11 to 14, 16 and 17 of Dev et al. (2020) on an ELMo, ours beside published.

    python -m experiments.elmo_nli ELMO snli/ --corpus novels.txt.xz --work DIR
    python -m experiments.elmo_nli_tables

The first command trains one inference model on the ELMo for each setting, interventions in effect,
and asks it the template sets. A finished setting is a file in DIR; a run that was stopped goes on.
In the end everything is in experiments/results/elmo-nli.csv, from which the second command makes
the tables of docs/elmo-nli.md.
"""

import argparse
import csv
import io
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import unslant as us
from unslant.core.files import write_text
from unslant.core.seeds import generator
from unslant.datasets.corpora import sentences_of
from unslant.datasets.nli import Splits, read_corpus
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.language.averages import type_averages_at
from unslant.models.language.interventions import Intervention
from unslant.models.nli.elmo_asking import ElmoInference
from unslant.models.nli.elmo_trained import ElmoNli, load_elmo_nli
from unslant.models.nli.elmo_training import train_on_elmo
from unslant.models.nli.settings import ElmoTraining
from unslant.subspaces.stability import stability

RESULT = Path(__file__).resolve().parent / "results" / "elmo-nli.csv"
CONTEXTS = 11
"""Verbs with objects: 164 × 6 × 11 = 10,824 pairs on gender, the size of the thesis' set."""
SENTENCES = 8_000
MOST = 8_000
HOW = ElmoTraining(hidden=64, classification=64, epochs=4, learning_rate=5e-3, dropout=0.0)
SETS = {"gender": "gender-occupation", "nationality": "nationality", "religion": "religion"}
COLUMNS = (
    *("table", "setting", "active", "set", "seed", "measure", "value", "low", "high"),
    *("change", "change_low", "change_high"),
)
Row = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """What acts in the ELMo, by which concept, and the seed of the training."""

    name: str
    method: str = ""
    concept: str = "gender"
    contexts: str = "plain"
    seed: int = 0
    table: str = ""
    at_test_too: bool = False
    sets: Sequence[str] = field(default_factory=lambda: ("gender",))

    @property
    def slug(self) -> str:
        """What its files are called."""
        return f"{self.name}-{self.seed}".replace(" ", "-").replace("(", "").replace(")", "")


def settings(layers: int) -> Iterator[Setting]:
    """Every model that is trained."""
    yield Setting("orig", sets=tuple(SETS))
    for seed in (1, 2):
        yield Setting("orig", seed=seed, sets=tuple(SETS))
    yield Setting("gen(all)", "elmo-layers", contexts="types", table="11", at_test_too=True)
    for seed in range(4):
        chain = " | ".join(f"random(seed={1009 * n + seed})@output:{n}" for n in range(layers))
        yield Setting(f"rand(all) {seed}", chain, table="11", at_test_too=True)
    yield Setting("gen(1)", "elmo-static", table="13", at_test_too=True)
    for seed in range(8):
        chain = f"random(seed={seed})@chars"
        yield Setting(f"rand(1) {seed}", chain, table="13", at_test_too=True)
    for name, concept in (("nat(1)", "nationality"), ("rel(1)", "religion")):
        yield Setting(name, "elmo-static", concept, table="14", at_test_too=True, sets=(concept,))


@dataclass(frozen=True)
class Bench:
    """The ELMo, the pairs, the corpus for averages and the folder of what is done."""

    elmo: ElmoModel
    pairs: Splits
    corpus: Path
    work: Path

    def intervention(self, setting: Setting) -> Intervention:
        """What acts in the ELMo: fitted on plain words, or on averages over the corpus."""
        if not setting.method:
            return Intervention(())
        around = f"types({self.corpus})" if setting.contexts == "types" else setting.contexts
        return us.fit(setting.method, self.elmo, setting.concept, contexts=around)

    def model(self, setting: Setting) -> ElmoNli:
        """The model of a setting: found in the folder, or trained and put there."""
        path = self.work / f"{setting.slug}.safetensors"
        if not path.exists():
            kept = path.with_suffix(".checkpoint")
            how = ElmoTraining(**{**HOW.__dict__, "seed": setting.seed})
            treated = self.elmo.intervened(self.intervention(setting))
            train_on_elmo(treated, self.pairs, how, checkpoint=kept).save(path)
            kept.unlink(missing_ok=True)
        return load_elmo_nli(path)

    def rows(self, setting: Setting) -> list[Row]:
        """What a setting's model answers, and how well it knows the dev set."""
        began, trained = time.monotonic(), self.model(setting)
        plain = self.model(Setting("orig"))
        before = plain.on(self.elmo)
        asked = {"train and test": trained.on(self.elmo)}
        if setting.at_test_too:
            treated = self.elmo.intervened(trained.intervention)
            asked["test"] = ElmoInference(treated, plain)
        dev = {
            "measure": "dev",
            "value": trained.record["dev_accuracy"],
            "active": "train and test",
        }
        rows: list[Row] = [dev]
        for name in setting.sets:
            expression = f"nli(set={SETS[name]}, contexts={CONTEXTS})"
            for active, model in asked.items():
                is_plain = setting.name == "orig" and not setting.seed
                found = us.probe(expression, model, baseline=None if is_plain else before)
                rows += [
                    {"set": name, "active": active, **_numbers(result)}
                    for result in found.record.results
                ]
        facts = {"table": setting.table, "setting": setting.name, "seed": setting.seed}
        print(f"{setting.slug}: {time.monotonic() - began:.0f} s", flush=True)
        return [{**facts, **row} for row in rows]

    def stabilities(self) -> list[Row]:
        """Table 12 at the characters, and the second value of every layer's averages."""
        lists = {
            "gender": "pair-pca(stability)",
            "nationality": "set-pca(demonyms)",
            "religion": "set-pca(adherents)",
        }
        rows: list[Row] = []
        for name, other in lists.items():
            space = self.elmo.at("chars[word]", "plain")
            [found] = stability(space, us.concept(name), others=(other,))
            for number, ratio in zip(("2nd", "3rd", "4th"), found.ratios, strict=True):
                rows.append({"table": "12", "setting": name, "measure": number, "value": ratio})
            rows.append(
                {"table": "12", "setting": name, "measure": "cosine", "value": found.cosine}
            )
        places = self.elmo.layout.outputs()
        for place, space in zip(
            places, type_averages_at(self.elmo, places, self.corpus), strict=True
        ):
            [found] = stability(space, us.concept("gender"), others=("pair-pca(stability)",))
            rows.append(
                {"table": "12", "setting": str(place), "measure": "2nd", "value": found.ratios[0]}
            )
        return rows


def _numbers(result: Any) -> Row:
    now, change = result.now, result.change
    found = {"measure": now.metric.removeprefix("nli-"), "value": now.value}
    if now.interval is not None:
        found |= {"low": now.interval.low, "high": now.interval.high}
    if change is not None:
        found["change"] = change.difference
        if change.interval is not None:
            found |= {"change_low": change.interval.low, "change_high": change.interval.high}
    return found


def _kept(path: Path, make: Any) -> list[Row]:
    """What a file has, or is made and written to it."""
    if not path.exists():
        write_text(path, json.dumps(make()))
    rows: list[Row] = json.loads(path.read_text())
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("elmo", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    corpus = given.work / "sentences.txt"
    if not corpus.exists():
        write_text(corpus, "\n".join(islice(sentences_of(given.corpus), SENTENCES)) + "\n")
    pairs = read_corpus(given.data, keeps_case=True)
    few = pairs.train.drawn(MOST, generator(0, "training pairs", str(MOST)))
    elmo = load_elmo(given.elmo)
    bench = Bench(elmo, pairs._replace(train=few), corpus, given.work)
    rows = _kept(given.work / "stability.json", bench.stabilities)
    for setting in settings(elmo.layout.layers + 1):
        path = given.work / f"{setting.slug}.json"
        rows += _kept(path, lambda chosen=setting: bench.rows(chosen))
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n", restval="")
    table.writeheader()
    for row in rows:
        table.writerow({key: f"{v:.6f}" if isinstance(v, float) else v for key, v in row.items()})
    write_text(RESULT, out.getvalue())


if __name__ == "__main__":
    main()
