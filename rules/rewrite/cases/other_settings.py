import lightgbm as lgb  # expect: third_party.native
import torch
import xgboost  # expect: third_party.native

PARAMS = dict(device_type="cuda", max_depth=3)  # ok: device.string
params = {"objective": "binary", "device_type": "cuda", "inner": 1}  # ok: device.string
params["device_type"] = "cuda"  # ok: device.string
params.update(device_type="cuda")  # ok: device.string
params.update({"device": "cuda"})  # ok: device.string


def fit(x, y):
    lgb.train(params, lgb.Dataset(x, y))
    lgb.cv({"device": "cuda"}, lgb.Dataset(x, y))  # ok: device.string
    lgb.LGBMRegressor(**PARAMS)
    xgboost.train(params={"device": "cuda"}, dtrain=xgboost.DMatrix(x, y))  # ok: device.string
    return torch.from_numpy(x)
