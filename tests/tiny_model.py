"""A model of a few bytes in the form that fastembed loads: each word that it knows is an axis."""

import json
from importlib import import_module
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

MODEL = "metacortex/tiny"
DIMENSION = 8
WORDS = ("[PAD]", "[UNK]", "ferry", "harbour", "crane", "bread", "oven", "rye")


def save_tiny_model(folder: Path) -> None:
    """Write the model's files into `folder`, and make it known to fastembed."""
    save_tokenizer(folder)
    _save_network(folder / "model.onnx")
    _register()


def save_tokenizer(folder: Path) -> None:
    """Write the files of a tokenizer that knows `WORDS`; of a pair the second text is of type 1."""
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing("$A:0", "$A:0 $B:1", [])
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": 128, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))


def _save_network(path: Path) -> None:
    onnx = import_module("onnx")
    make, types = onnx.helper, onnx.TensorProto
    axes = [float(row == column) for row in range(DIMENSION) for column in range(DIMENSION)]
    shape = ["batch", "sequence"]
    graph = make.make_graph(
        [make.make_node("Gather", ["axes", "input_ids"], ["last_hidden_state"])],
        "tiny",
        [
            make.make_tensor_value_info("input_ids", types.INT64, shape),
            make.make_tensor_value_info("attention_mask", types.INT64, shape),
        ],
        [make.make_tensor_value_info("last_hidden_state", types.FLOAT, [*shape, DIMENSION])],
        [make.make_tensor("axes", types.FLOAT, [DIMENSION, DIMENSION], axes)],
    )
    opset = [make.make_opsetid("", 17)]
    onnx.save(make.make_model(graph, opset_imports=opset, ir_version=8), str(path))


def _register() -> None:
    description = import_module("fastembed.common.model_description")
    known = import_module("fastembed").TextEmbedding
    if MODEL not in {model["model"] for model in known.list_supported_models()}:
        known.add_custom_model(
            MODEL,
            pooling=description.PoolingType.MEAN,
            normalization=True,
            sources=description.ModelSource(hf=MODEL),
            dim=DIMENSION,
            model_file="model.onnx",
        )
