// Loads from global memory whose times are published (asc-devkit, data_copy): program SCENARIO PART, 1 to 8; only the
// first 1/PART of each strip of rows is loaded.
#include <acl/acl.h>

#include <cstdlib>

#include "kernel_operator.h"
#include "machine/launch.hpp"

using namespace AscendC;

namespace {

constexpr uint32_t kCores = 48;

struct Case {
    uint32_t rows, columns;          // of the matrix, in halfs
    uint32_t tileRows, tileColumns;  // of one copy
};

constexpr Case kCases[] = {
    {12288, 12288, 1, 64},    {12288, 12288, 64, 64},   {12288, 12288, 64, 1024}, {12288, 12287, 64, 1024},
    {12288, 12288, 64, 1024}, {12288, 12288, 64, 1024}, {6144, 512, 128, 64},     {6144, 512, 128, 64},
};

class Loads {
public:
    Loads(Case const& one, uint32_t part, half* from)
        : one_(one), part_(part), ub_(TPosition::VECIN, 0, one.tileRows * one.tileColumns)
    {
        matrix_.SetGlobalBuffer(from, uint64_t{one.rows} * one.columns);
    }

    /// The strip of rows number `strip`, columns [first, first + count).
    void Strip(uint32_t strip, uint32_t first, uint32_t count)
    {
        uint32_t const rows = one_.rows / kCores;
        for (uint32_t row = strip * rows; row < strip * rows + rows / part_; row += one_.tileRows) {
            for (uint32_t column = first; column < first + count; column += one_.tileColumns) {
                Tile(row, column, std::min(one_.tileColumns, first + count - column));
            }
        }
    }

    void PassCacheBy() { matrix_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE); }

private:
    void Tile(uint32_t row, uint32_t column, uint32_t columns)
    {
        auto const bytes = static_cast<uint32_t>(columns * sizeof(half));
        auto const gap = static_cast<uint32_t>((one_.columns - columns) * sizeof(half));
        DataCopyExtParams const params{static_cast<uint16_t>(one_.tileRows), bytes, gap, 0, 0};
        DataCopyPad(ub_, matrix_[uint64_t{row} * one_.columns + column], params, DataCopyPadExtParams<half>{});
    }

    Case const& one_;
    uint32_t part_;
    GlobalTensor<half> matrix_;
    LocalTensor<half> ub_;
};

void Run(int scenario, uint32_t part, half* from)
{
    Case const& one = kCases[scenario - 1];
    Loads loads(one, part, from);
    uint32_t const core = static_cast<uint32_t>(GetBlockIdx());
    if (scenario <= 4) {
        loads.Strip(core, 0, one.columns);
    } else if (scenario == 5) {  // the whole strip, four times over
        for (int i = 0; i < 4; ++i) { loads.Strip(core, 0, one.columns); }
    } else if (scenario == 6) {  // quarters of it, each four times over
        for (uint32_t quarter = 0; quarter < 4; ++quarter) {
            for (int i = 0; i < 4; ++i) { loads.Strip(core, quarter * one.columns / 4, one.columns / 4); }
        }
    } else {  // every core loads the whole matrix, from the same strip on or from its own
        loads.PassCacheBy();
        for (uint32_t i = 0; i < kCores; ++i) { loads.Strip(scenario == 7 ? i : (i + core) % kCores, 0, one.columns); }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 3) { return 2; }
    int const scenario = std::atoi(argv[1]);
    Case const& one = kCases[scenario - 1];
    void* from = nullptr;
    aclrtMalloc(&from, size_t{one.rows} * one.columns * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
    machine::Launch("copies", kCores, machine::KernelKind::AivOnly, [&](machine::Role) {
        Run(scenario, static_cast<uint32_t>(std::atoi(argv[2])), static_cast<half*>(from));
    });
    return 0;
}
