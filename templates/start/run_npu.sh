#!/usr/bin/env bash
@HEADERS@
# Starts @NAME@ on Ascend NPUs. What follows the name of this script is given to the program.
# @ORIGIN@
set -euo pipefail
cd "@DIRECTORY@"

@CANN@
@EXPORTS@

@NUMBERS@

# What is set already stays.
@VARIABLES@

@START@
