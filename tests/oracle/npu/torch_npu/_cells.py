"""The fused recurrent cells, which torch takes for granted on a device other than the CPU, as formulas that it can differentiate."""

import torch

LIBRARY = torch.library.Library("aten", "IMPL")


def with_bias(gates, bias):
    return gates if bias is None else gates + bias


def gru_cell(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    reset_i, update_i, new_i = with_bias(input_gates, input_bias).chunk(3, 1)
    reset_h, update_h, new_h = with_bias(hidden_gates, hidden_bias).chunk(3, 1)
    new = torch.tanh(new_i + new_h * torch.sigmoid(reset_i + reset_h))
    return (hx - new) * torch.sigmoid(update_i + update_h) + new, hx.new_empty(0)


def lstm_cell(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    ins, forget, cell, out = (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, 1)
    cy = torch.sigmoid(forget) * cx + torch.sigmoid(ins) * torch.tanh(cell)
    return torch.sigmoid(out) * torch.tanh(cy), cy, cx.new_empty(0)


for key in ("AutogradPrivateUse1", "PrivateUse1"):
    LIBRARY.impl("_thnn_fused_gru_cell", gru_cell, key)
    LIBRARY.impl("_thnn_fused_lstm_cell", lstm_cell, key)
