// Breaches of the device's rules that clang++ refuses itself. The code stands at the end of each line that breaks a rule; all other
// lines are near misses, which must be silent.
#ifndef REFUSED_HPP
#define REFUSED_HPP

#include <cstdint>
#include <regex>

namespace refused {

inline int OfTheHost(int value)
{
    return value + 1;
}

CATLASS_HOST_DEVICE int OfBoth(int value)
{
    return value + 1;
}

constexpr int Unmarked(int value)
{
    return value + 1;
}

struct Unqualified {
    int operator()(int value) const
    {
        return value;
    }
};

struct Qualified {
    CATLASS_DEVICE int operator()(int value) const
    {
        return value;
    }
};

template <class Functor>
CATLASS_DEVICE int Apply(int value)
{
    return Functor{}(value);  // EVT160
}

inline int OnTheHost(int value)
{
    std::regex pattern("x");
    throw OfTheHost(value) + OfBoth(value) + static_cast<int>(pattern.mark_count());
}

struct Arguments {
    int ToEvt() const  // EVT160
    {
        return 1;
    }
};

struct Kernel {
    struct Params {
        int32_t number;
    };

    struct Arguments {
        int evt_args;
    };

    CATLASS_HOST_DEVICE static Params ToUnderlyingArguments(Arguments const& args, GM_ADDR workspace);

    static Params OfArguments(int number)
    {
        return {OnTheHost(number)};
    }

    template <int32_t CORE>
    CATLASS_DEVICE void operator()(Params const& params)
    {
        result = OfTheHost(params.number);  // EVT160
        result += OfBoth(params.number);
        result += Apply<Unqualified>(params.number);
        result += Apply<Qualified>(params.number);
        if (result < 0) {
            throw result;  // EVT168
        }
        constexpr int known = Unmarked(1);
        result += known;
    }

    int result;
};

}  // namespace refused

#endif  // REFUSED_HPP
