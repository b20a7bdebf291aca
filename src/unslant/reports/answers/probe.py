"""The answer of a probe of a model's inferences."""

from unslant.reports.probe_words import short_name
from unslant.reports.words import Record, counted, interval, level, number, sentence


def probe_answer(record: Record) -> list[str]:
    """What was asked, what came out and how sure it is."""
    place = next((n for n, item in enumerate(record["measurements"]) if _has_value(item)), None)
    if place is None:
        nothing = "No measure has a value on these pairs."
        return [_asked(record), nothing, sentence([_limits(record)])]
    return [_asked(record), _found(record, place), _sure(record, place)]


def _has_value(item: Record) -> bool:
    return item["value"] is not None


def _asked(record: Record) -> str:
    pairs, model, debiasing = record["set"], record["models"][0], record["debiasing"]
    by = f" after {debiasing['expression']}" if debiasing else ""
    before = f", and {record['baseline']['name']} before it" if record["baseline"] else ""
    own = "a model of its own" if record["retrained"] else f"the model {model['model']}"
    read = f", which read {record['vectors']['name']}{by}{before}" if record["vectors"] else ""
    return (
        f"{counted(pairs['pairs'], 'pair')} of sentences whose right answer is known "
        f"(“{pairs['title']}”) were asked of {own}{read}."
    )


def _found(record: Record, place: int) -> str:
    item = record["measurements"][place]
    name = f"“{item['title']}” ({short_name(item['metric'])}; better: {item['better']})"
    if record["before"] and _has_value(record["before"][place]):
        said = (
            f"{name} went from {number(record['before'][place]['value'])} to "
            f"{number(item['value'])}"
        )
    else:
        said = f"{name} is {number(item['value'])}"
    # A side with one word says nothing about words.
    sides = [words for words in record["words"].values() if len(words) > 1]
    if not sides:
        return f"{said}."
    least, *_, most = sorted(sides[-1], key=lambda word: word["right"])
    return (
        f"{said}; the right answer is least probable for “{least['words'][0]}” "
        f"({number(least['right'], 2)}) and most for “{most['words'][0]}” "
        f"({number(most['right'], 2)})."
    )


def _sure(record: Record, place: int) -> str:
    item, said = record["measurements"][place], []
    if item["interval"]:
        said.append(f"its {level(item)} interval is {interval(item, 3)}")
    change = record["changes"][place] if record["changes"] else None
    if change and change["interval"]:
        is_clear = not change["interval"]["low"] <= 0 <= change["interval"]["high"]
        said.append(
            f"that of the change is {interval(change, 1)} %, "
            f"{'which leaves 0 out' if is_clear else 'so there may be no change'}"
        )
    control = record["controls"][place] if record["controls"] else None
    if control and control["details"].get("mean of the controls") is not None:
        draws = len(control["points"])
        mean = number(control["details"]["mean of the controls"])
        said.append(f"{counted(draws, 'removal')} of random directions gave {mean} on average")
    return sentence([*said, _limits(record)])


def _limits(record: Record) -> str:
    share = record["models"][0]["dev_accuracy"]
    known = f", and this model is right on {100 * share:.0f} % of its dev set" if share else ""
    return f"all of it holds for this model and these sentences{known}"
