"""Reads exports with readers that know nothing of Polar, and prints what they found as JSON.

Usage: read_exports.py pyarrow|datasets|harbor FOLDER, where the folder has FORMAT.jsonl and FORMAT.parquet.
"""
import json
import os
import sys

FORMATS = ["messages", "tokens", "atif", "slime", "nemo-gym"]
TREES = ("agent", "steps", "final_metrics", "extra", "response", "responses_create_params", "prompt", "metadata")


def tree(value):
    return json.loads(value) if isinstance(value, str) else value


def sums(format, rows):
    """Rows, ids, sampled ids, and the sum of their log-probabilities, as far as the format has them."""
    found = {"rows": len(rows)}
    if format == "tokens":
        found["tokens"] = sum(len(row["input_ids"]) for row in rows)
        found["sampled"] = sum(1 for row in rows for label in row["labels"] if label != -100)
        found["logprobs"] = sum(sum(row["logprobs"]) for row in rows)
    elif format == "slime":
        found["tokens"] = sum(len(row["tokens"]) for row in rows)
        found["sampled"] = sum(sum(row["loss_mask"]) for row in rows)
        found["logprobs"] = sum(sum(row["rollout_log_probs"]) for row in rows)
    elif format == "atif":
        steps = [step for row in rows for step in tree(row["steps"]) if step.get("metrics")]
        found["completions"] = sum(len(step["metrics"]["completion_token_ids"]) for step in steps)
        found["logprobs"] = sum(sum(step["metrics"]["logprobs"]) for step in steps)
    elif format == "nemo-gym":
        items = [item for row in rows for item in tree(row["response"])["output"] if item.get("generation_token_ids")]
        found["completions"] = sum(len(item["generation_token_ids"]) for item in items)
        found["logprobs"] = sum(sum(item["generation_log_probs"]) for item in items)
    else:
        found["messages"] = sum(len(row["messages"]) for row in rows)
    return found


def with_pyarrow(path):
    import pyarrow.json
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path) if path.endswith("parquet") else pyarrow.json.read_json(path)
    return table.to_pylist()


def with_datasets(path):
    import datasets

    kind = "parquet" if path.endswith("parquet") else "json"
    cache = os.path.join(os.path.dirname(path), "cache")
    return list(datasets.load_dataset(kind, data_files=path, split="train", cache_dir=cache))


def with_harbor(path):
    from harbor.models.trajectories import Trajectory

    if path.endswith("parquet"):
        import pyarrow.parquet

        rows = [{key: tree(value) if key in TREES else value for key, value in row.items()} for row in pyarrow.parquet.read_table(path).to_pylist()]
    else:
        with open(path) as lines:
            rows = [json.loads(line) for line in lines]
    return [Trajectory.model_validate(row).model_dump(mode="json", exclude_none=True) for row in rows]


def main(reader, folder):
    read = {"pyarrow": with_pyarrow, "datasets": with_datasets, "harbor": with_harbor}[reader]
    found = {}
    for format in FORMATS if reader != "harbor" else ["atif"]:
        for kind in ("jsonl", "parquet"):
            path = os.path.join(folder, format + "." + kind)
            # This reader wants one type per column, and a tree has many.
            if reader == "pyarrow" and kind == "jsonl" and format not in ("messages", "tokens"):
                continue
            found[format + "." + kind] = sums(format, read(path))
    print(json.dumps(found))


main(*sys.argv[1:])
