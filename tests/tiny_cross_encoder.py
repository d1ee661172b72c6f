"""A cross-encoder of a few bytes in the form that fastembed loads: it counts the words that query
and text share.
"""

from importlib import import_module
from pathlib import Path

from tests.tiny_model import WORDS, save_tokenizer

MODEL = "metacortex/tiny-cross-encoder"
UNKNOWN = 2
"""How many of the words stand for none: of the padding, and of words that it does not know."""


def save_tiny_cross_encoder(folder: Path) -> None:
    """Write the model's files into `folder`, and make it known to fastembed."""
    save_tokenizer(folder)
    _save_network(folder / "model.onnx")
    _register()


def _save_network(path: Path) -> None:
    onnx = import_module("onnx")
    make, types = onnx.helper, onnx.TensorProto
    size = len(WORDS)
    axes = [float(row == column >= UNKNOWN) for row in range(size) for column in range(size)]
    shape = ["batch", "sequence"]
    # What each text holds of each word, the second apart from both, then how much they share.
    nodes = [
        make.make_node("Gather", ["axes", "input_ids"], ["words"]),
        make.make_node("Cast", ["token_type_ids"], ["type"], to=types.FLOAT),
        make.make_node("Unsqueeze", ["type", "last"], ["of_text"]),
        make.make_node("Mul", ["words", "of_text"], ["words_of_text"]),
        make.make_node("ReduceSum", ["words", "middle"], ["both"], keepdims=0),
        make.make_node("ReduceSum", ["words_of_text", "middle"], ["text"], keepdims=0),
        make.make_node("Sub", ["both", "text"], ["query"]),
        make.make_node("Mul", ["query", "text"], ["shared"]),
        make.make_node("ReduceSum", ["shared", "middle"], ["logits"], keepdims=1),
    ]
    graph = make.make_graph(
        nodes,
        "tiny",
        [
            make.make_tensor_value_info(name, types.INT64, shape)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [make.make_tensor_value_info("logits", types.FLOAT, ["batch", 1])],
        [
            make.make_tensor("axes", types.FLOAT, [size, size], axes),
            make.make_tensor("last", types.INT64, [1], [2]),
            make.make_tensor("middle", types.INT64, [1], [1]),
        ],
    )
    opset = [make.make_opsetid("", 17)]
    onnx.save(make.make_model(graph, opset_imports=opset, ir_version=8), str(path))


def _register() -> None:
    description = import_module("fastembed.common.model_description")
    known = import_module("fastembed.rerank.cross_encoder").TextCrossEncoder
    if MODEL not in {model["model"] for model in known.list_supported_models()}:
        known.add_custom_model(
            MODEL, sources=description.ModelSource(hf=MODEL), model_file="model.onnx"
        )
