# cmake -DPROGRAM=LIST -DTEXTS=DIRECTORY -P: what the program prints of itself, as files man, bash, zsh and fish of the directory.
cmake_policy(VERSION 3.22)
file(MAKE_DIRECTORY ${TEXTS})
list(REMOVE_ITEM PROGRAM "")
set(ENV{LC_ALL} C)

function(print_text file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${TEXTS}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

print_text(man --print-man)
foreach(shell bash zsh fish)
  print_text(${shell} completion ${shell})
endforeach()
