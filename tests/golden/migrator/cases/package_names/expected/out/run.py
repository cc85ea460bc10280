from lib import cuda, pick
from lib.devices import current

cuda.cuda()
print(pick(), current())
