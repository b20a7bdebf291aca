"""A network with a head on the base that a model has already read."""

from typing import Any


def on_shared_base(net: Any, base: Any) -> Any:
    """The network with the base's own arrays in the place of its copies of them.

    Arrays of the head that are tied to the base, such as the table of word pieces, follow.
    """
    inside = getattr(net, net.base_model_prefix)
    own = dict(base.named_parameters())
    shared = {id(old): own[name] for name, old in inside.named_parameters() if name in own}
    for module in net.modules():
        for name, value in list(module.named_parameters(recurse=False)):
            if id(value) in shared:
                setattr(module, name, shared[id(value)])
    return net
