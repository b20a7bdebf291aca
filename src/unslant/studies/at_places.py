"""Methods fitted at places of a language model, each on what the ones before it left."""

from dataclasses import dataclass, field

from unslant.concepts import Concept, GivenConcept, WordPolicy
from unslant.concepts import concept as concept_from
from unslant.concepts.concept_sentences import in_contexts, in_corpus
from unslant.concepts.contexts import EVERYDAY, GivenContexts, TypeContexts, any_contexts_from
from unslant.core.errors import UnslantError
from unslant.core.expression import Chain, parse_chain
from unslant.core.files import Progress
from unslant.datasets.corpora import Corpus
from unslant.erasers import Eraser
from unslant.methods.chains import GivenChain, chain_of
from unslant.methods.method import FitSetting
from unslant.methods.pipeline import fitted_stage
from unslant.models.language.base import LanguageModel
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.recipes import expanded
from unslant.studies.tunings import is_tuning


@dataclass
class Fits:
    """Fitted erasers, by the chain that ends with each, and the sentences used for fitting.

    It belongs to one model, concept, policy and choice of sentences.
    """

    steps: dict[tuple[str, ...], AtPlace] = field(default_factory=dict)
    sentences: Concept | None = None


def fit_at_places(
    expression: GivenChain,
    model: LanguageModel,
    concept: GivenConcept,
    policy: WordPolicy | None = None,
    *,
    contexts: GivenContexts = EVERYDAY,
    corpus: Corpus | None = None,
    known: Fits | None = None,
    progress: Progress | None = None,
) -> Intervention:
    """The methods of a chain fitted at their places, in its order.

    Words of the concept are put into ``contexts``, so that methods for word pairs are fitted on
    sentence pairs that differ only in the group; with a ``corpus`` (a text file of any size, or
    sentences) on its own sentences, with one word swapped. At a place without tokens a method is
    fitted on the mean over the tokens of each sentence, and acts on every token. With the contexts
    ``types(FILE)`` it is fitted at each place on words, each the mean over a corpus at that place.

    ``known`` keeps what was fitted for other chains that begin in the same way.
    """
    chain = chain_at_places(expression, model)
    subject, around = concept_from(concept), any_contexts_from(contexts)
    known = known or Fits()
    if known.sentences is None:
        if isinstance(around, TypeContexts):
            _refuse_two(around, corpus)
            known.sentences = subject
        else:
            known.sentences = (
                in_contexts(subject, around) if corpus is None else in_corpus(subject, corpus)
            )
    setting = FitSetting(progress=progress)
    if policy is not None:
        setting = FitSetting(policy=policy, progress=progress)
    steps: list[AtPlace] = []
    current = model
    for number, step in enumerate(chain, 1):
        assert step.place is not None
        begun = tuple(str(each) for each in chain.steps[:number])
        if begun not in known.steps:
            if step.place.part == "wordpieces":
                stage = fitted_stage(step, current.at(step.place), subject, setting)
            else:
                space = current.at(step.place, around, fitting=True, progress=progress)
                stage = fitted_stage(step, space, known.sentences, setting)
            known.steps[begun] = AtPlace(step.place, Eraser((stage,)))
        steps.append(known.steps[begun])
        current = model.intervened(Intervention(tuple(steps)))
        if progress:
            progress(f"Fitting at {len(chain)} places of {model.name}", number, len(chain))
    return Intervention(tuple(steps))


def _refuse_two(around: TypeContexts, corpus: Corpus | None) -> None:
    if corpus is not None:
        raise UnslantError(
            f"{around.name} and a corpus of sentence pairs are two ways to fit. Name one."
        )


def chain_at_places(expression: GivenChain, model: LanguageModel) -> Chain:
    """The chain with recipes expanded, and every place, width and method checked."""
    if not isinstance(expression, str | Chain):
        raise UnslantError(
            f'Expected methods at places, such as "leace@layer:-1", not '
            f"{type(expression).__name__}."
        )
    chain = parse_chain(expression) if isinstance(expression, str) else expression
    for step in chain:
        if is_tuning(step):
            raise UnslantError(
                f"{step.call.name} trains the weights, so it is no eraser that could be fitted and "
                f"kept apart. Use us.debias, or: unslant debias MODEL --with METHODS -o OUT"
            )
    chain = chain_of(expanded(chain, model.layout, model.name))
    for step in chain:
        assert step.place is not None
        model.site(step.place)
        if step.place.tokens == "word":
            raise UnslantError(
                f"{step}: nothing can act on [word] alone, because the model does not know which "
                f"word is asked about. Leave [word] out."
            )
    return chain
