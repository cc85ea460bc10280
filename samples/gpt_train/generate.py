"""Continue a prompt with a trained checkpoint."""

import argparse

import torch

from gpt.checkpoint import load_for_inference
from gpt.data import CharTokenizer
from gpt.utils import seed_everything


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("--prompt", default="three plus four is")
    parser.add_argument("--tokens", type=int, default=60)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--top-k", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    seed_everything(args.seed)
    tokenizer = CharTokenizer()
    model = load_for_inference(args.checkpoint, args.device)
    prompt = torch.tensor([tokenizer.encode(args.prompt)] * args.samples, device=args.device)
    with torch.amp.autocast("cuda", dtype=torch.float16, enabled=prompt.is_cuda):
        output = model.generate(prompt, args.tokens, args.temperature, args.top_k)
    for row in output.tolist():
        print(tokenizer.decode(row))
        print("-" * 20)


if __name__ == "__main__":
    main()
