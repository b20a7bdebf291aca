"""The examples of the command reference; command_inputs.py makes the files that they read."""

SETUP = [
    "unslant train nli --data pairs -o own-nli.safetensors --batch 8 --learning-rate 0.003",
    "unslant train heads minilm --apply minilm-heads.safetensors -o minilm-heads",
]
"""What other examples need, so it runs first."""

EXAMPLES: dict[str, list[str]] = {
    "audit": ["unslant audit --record audit.json --html audit.html"],
    "recommend": ["unslant recommend --for audit"],
    "debias": ['unslant debias --with "hard | misp" -o fair.safetensors --record debias.json'],
    "check": ['unslant check audit.json --max "weat:career-family=2"'],
    "card": ["unslant card audit.json"],
    "measure": ["unslant measure weat --test career-family"],
    "probe aceat": ["unslant probe aceat minilm --corpus people.conll --by gender"],
    "probe aul": ["unslant probe aul minilm-heads --kinds gender"],
    "probe eec": ["unslant probe eec"],
    "probe nli": ["unslant probe nli --set marked-attribute"],
    "probe stereoset": ["unslant probe stereoset minilm-heads --tasks intra --domain gender"],
    "probe crows-pairs": ["unslant probe crows-pairs minilm-heads --kinds gender"],
    "probe winobias": ["unslant probe winobias"],
    "probe winogender": ["unslant probe winogender"],
    "probe winopron": ["unslant probe winopron"],
    "probe gap": ["unslant probe gap"],
    "probe perplexity": ["unslant probe perplexity smollm2"],
    "probe sowinobias": ["unslant probe sowinobias --sample"],
    "probe cbs": ["unslant probe cbs minilm-heads"],
    "probe lpbs": ["unslant probe lpbs minilm-heads"],
    "probe masked-accuracy": ["unslant probe masked-accuracy minilm-heads"],
    "probe name-swap": ["unslant probe name-swap --corpus people.conll --export sentences.csv"],
    "probe nli-accuracy": ["unslant probe nli-accuracy --model own-nli.safetensors --data pairs"],
    "probe coref-scores": ["unslant probe coref-scores key.conll response.conll"],
    "study run": ["unslant study run small.toml -o small"],
    "study resume": ["unslant study resume small"],
    "study status": ["unslant study status small"],
    "study correlate": ["unslant study correlate small --on E"],
    "study rank": ["unslant study rank small --on E --on DB"],
    "study best": ['unslant study best small --on "WEAT 6"'],
    "study diff": ["unslant study diff small small"],
    "study show": ["unslant study show small slice/hard/DB"],
    "study recompute": ["unslant study recompute small slice/hard/DB"],
    "serve": ["unslant serve --no-browser --port 8765"],
    "list": ["unslant list"],
    "list metrics": ["unslant list metrics", "unslant list metrics weat"],
    "list methods": ["unslant list methods", "unslant list methods hard"],
    "list probes": ["unslant list probes", "unslant list probes nli"],
    "list directions": ["unslant list directions", "unslant list directions pair-pca"],
    "list concepts": ["unslant list concepts", "unslant list concepts gender"],
    "list words": ["unslant list words dev-2020/occupations"],
    "list data": ["unslant list data"],
    "inspect places": ["unslant inspect places minilm"],
    "inspect layers": ["unslant inspect layers weat minilm --test career-family"],
    "inspect heads": [
        "unslant inspect heads minilm-heads --set crows-pairs --kinds gender --ablate 4"
    ],
    "inspect re-emergence": ['unslant inspect re-emergence minilm --with "leace@layer:-2"'],
    "inspect subspace": ["unslant inspect subspace --concept nationality"],
    "export html": ["unslant export html audit.json -o again.html"],
    "export figures": ["unslant export figures audit.json -o figures --format svg"],
    "export table": ["unslant export table small --by method"],
    "train heads": ["unslant train heads minilm --apply minilm-heads.safetensors -o minilm-heads"],
    "train glove": ["unslant train glove text.txt -o own.safetensors --minimum 2 --dimensions 20"],
    "train gn-glove": [
        "unslant train gn-glove text.txt -o neutral.safetensors --minimum 2 --dimensions 20"
    ],
    "train nli": [
        "unslant train nli --data pairs -o own-nli.safetensors --batch 8 --learning-rate 0.003"
    ],
    "train ner": [
        "unslant train ner minilm --data tagged -o minilm-ner --tune last:1 --learning-rate 0.002"
    ],
    "train sentiment": [
        "unslant train sentiment minilm --data reviews.tsv -o minilm-sentiment --tune last:1"
    ],
    "train coref": ["unslant train coref --data stories -o own-coref.safetensors --rounds 20"],
    "files doctor": ["unslant files doctor damaged.txt"],
    "files convert": ["unslant files convert fair.safetensors -o fair.txt --limit 5000"],
    "files fetch": ["unslant files fetch crows-pairs"],
    "files swap": ['unslant files swap "He told Mary that her brother is a nurse."'],
    "files cache": ["unslant files cache"],
}
"""What is run for each command, in an order in which each finds the files of the earlier ones."""
