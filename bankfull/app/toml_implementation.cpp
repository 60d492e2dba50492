// Compiled with TOML_IMPLEMENTATION: the functions of toml++, once for the program.
#include <toml++/toml.h>
