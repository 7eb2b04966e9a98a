// Tiling structures of the advanced API, which the model does not have: a program that needs one is refused by its name.
#pragma once
