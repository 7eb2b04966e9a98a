// Breaches of the device's rules that show at run time. The code stands at the end of each line that breaks a rule; all other lines
// are near misses, which must be silent.
#ifndef RUN_TIME_HPP
#define RUN_TIME_HPP

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

/// Of C++, with the name of a function of C.
CATLASS_DEVICE int read(float value)
{
    return static_cast<int>(value);
}

namespace run_time {

// Virtual functions and bases

struct Base {
    CATLASS_DEVICE virtual int Virtual()  // EVT161
    {
        return 1;
    }
    int base = 0;
};

struct Derived : virtual Base {  // EVT161
    CATLASS_DEVICE int Virtual() override  // EVT161
    {
        return 2;
    }
};

template <class Self>
struct Static {
    CATLASS_DEVICE int Call()
    {
        return static_cast<Self*>(this)->NotVirtual();
    }
};

struct Chosen : Static<Chosen> {
    CATLASS_DEVICE int NotVirtual()
    {
        return 3;
    }
};

// Recursion

CATLASS_DEVICE int Factorial(int n)  // EVT162
{
    return n < 2 ? 1 : n * Factorial(n - 1);
}

CATLASS_DEVICE bool IsOdd(int n);

CATLASS_DEVICE bool IsEven(int n)  // EVT162
{
    return n == 0 || IsOdd(n - 1);
}

CATLASS_DEVICE bool IsOdd(int n)
{
    return n != 0 && IsEven(n - 1);
}

CATLASS_HOST_DEVICE constexpr int AtCompileTime(int n)
{
    return n < 2 ? 1 : n * AtCompileTime(n - 1);
}

template <int N>
CATLASS_DEVICE int OfTemplates()
{
    if constexpr (N > 1) {
        return N * OfTemplates<N - 1>();
    }
    return 1;
}

// Memory

struct Pool {
    CATLASS_DEVICE int* malloc(int)
    {
        return memory;
    }
    CATLASS_DEVICE void free(int*) {}
    int memory[4];
};

CATLASS_DEVICE int Memory(Pool& pool)
{
    int* one = new int(1);  // EVT163
    int* many = new int[4];  // EVT163
    void* raw = std::malloc(8);  // EVT163
    int sum = *one + (raw != nullptr);
    delete one;  // EVT163
    delete[] many;  // EVT163
    ::free(raw);  // EVT163
    int* own = pool.malloc(4);
    int* placed = new (own) int(5);
    pool.free(own);
    return sum + *placed;
}

// Types at run time

CATLASS_DEVICE int Types(Base& base)
{
    int sum = typeid(int) == typeid(float);  // EVT164
    sum += dynamic_cast<Derived*>(&base) != nullptr;  // EVT164
    sum += std::is_same_v<decltype(base), Base&>;
    return sum;
}

// Files

struct File {
    CATLASS_DEVICE int fopen(int mode)
    {
        return mode;
    }
};

CATLASS_DEVICE int Files()
{
    std::FILE* file = std::fopen("x", "r");  // EVT165
    File own;
    return own.fopen(file != nullptr) + ::read(1.0f);
}

// The standard library

CATLASS_DEVICE int Library(int* values, int count)
{
    std::sort(values, values + count);  // EVT166
    std::remove(values, values + count, 0);  // EVT166
    std::tuple<int, int> pair{values[0], count};  // EVT166
    int sum = std::get<0>(pair);  // EVT166
    sum += std::max(values[0], values[1]);  // EVT166
    sum += static_cast<int>(std::strlen(reinterpret_cast<char const*>(values)));  // EVT166
    constexpr int larger = std::max(1, 2);
    using Element = std::tuple_element_t<0, std::tuple<int, float>>;
    return sum + larger + static_cast<int>(sizeof(decltype(std::declval<Element>() + 1)));
}

// Arguments of kernels

struct Plain {
    int32_t number;
    float table[3];
    GM_ADDR address;
    half* values;
};

struct Node {
    int32_t value;
};

struct Crooked {
    int& reference;  // EVT167
    int (*function)(int);  // EVT167
    Node* structs;  // EVT167
    int** pointers;  // EVT167
    int Node::*member;  // EVT167
};

struct Arguments {
    CATLASS_HOST_DEVICE int ToEvt() const
    {
        return 1;
    }
};

struct Kernel {
    struct Params {
        Plain plain;
        Crooked crooked;
    };

    struct Arguments {
        int evt_args;
    };

    CATLASS_HOST_DEVICE static Params ToUnderlyingArguments(Arguments const& args, GM_ADDR workspace);

    template <int32_t CORE>
    CATLASS_DEVICE void operator()(Params const& params)
    {
        Derived derived;
        Chosen chosen;
        Pool pool;
        int values[4] = {params.plain.number, Types(derived), Memory(pool), Files()};
        constexpr int known = AtCompileTime(5);
        result = derived.Virtual() + chosen.Call() + Factorial(values[0]) + IsEven(values[1]) + known
                 + OfTemplates<5>() + Library(values, 4);
    }

    int result;
};

}  // namespace run_time

#endif  // RUN_TIME_HPP
