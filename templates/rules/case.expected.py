# What stands behind a line is what must be found on it. What the file becomes stands in the file with .expected.
import our_package

print(our_package.npu_count())  # expect: NAME.example


def of_somebody_else(our_package):
    return our_package.gpu_count()  # ok: NAME.example
