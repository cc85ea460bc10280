#include "ckpt_convert/app/app.h"

int main(int argc, char** argv) { return ckpt::run(argc, argv); }
