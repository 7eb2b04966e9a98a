// Random inputs.
#ifndef EXAMPLES_COMMON_GOLDEN_FILL_DATA_HPP
#define EXAMPLES_COMMON_GOLDEN_FILL_DATA_HPP

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace Catlass::golden {

/// One value, uniform in [low, high], converted to the element type.
template <class Element, class ElementRandom> void GenRandomData(Element &data, ElementRandom low, ElementRandom high)
{
    ElementRandom const fraction = static_cast<ElementRandom>(std::rand()) / static_cast<ElementRandom>(RAND_MAX);
    data = static_cast<Element>(low + fraction * (high - low));
}

template <class Element, class ElementRandom>
void FillRandomData(std::vector<Element> &data, ElementRandom low, ElementRandom high)
{
    for (Element &value : data) { GenRandomData(value, low, high); }
}

/// Integers: every value from low to high, both included.
template <> inline void FillRandomData<int8_t, int>(std::vector<int8_t> &data, int low, int high)
{
    for (int8_t &value : data) { value = static_cast<int8_t>(low + std::rand() % (high - low + 1)); }
}

}  // namespace Catlass::golden

#endif  // EXAMPLES_COMMON_GOLDEN_FILL_DATA_HPP
