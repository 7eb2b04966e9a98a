#include "matrices.hpp"

#include "machine/keep.hpp"

namespace harness {

uint8_t const* Matrices::At(size_t matmul, uint32_t row, uint32_t column) const
{
    if (!each.empty()) { return each[matmul]; }
    return data + BytesOf(parts > 1 ? static_cast<int64_t>(matmul) * Stride() : Offset(row, column));
}

void KeepProducts(
    Problem const& problem, Matrices const& a, std::initializer_list<Matrices const*> bs, uint32_t n, uint8_t* c)
{
    std::vector<machine::KeptProduct> products;
    uint32_t column = 0;
    for (Matrices const* b : bs) {
        uint32_t first = 0;
        uint32_t inK = 0;
        for (uint32_t i = 0; i < problem.Count(); ++i) {
            bool const isOfK = !problem.depths.empty();
            bool const takesB = problem.weightCount == 0 || problem.weights[i] < problem.weightCount;
            if (isOfK ? problem.depths[i] > 0 : takesB) {
                uint8_t const* const ofA =
                    problem.Shares("gemm.A") ? a.data : a.At(i / problem.Repeat("gemm.A"), isOfK ? 0 : first, inK);
                uint8_t const* const ofB = problem.Shares("gemm.B") ? b->data : b->At(problem.PartOfB(i), inK);
                products.push_back({ofA, ofB, first, problem.rows[i], column, n});
            }
            first += problem.rows[i];
            inK += isOfK ? problem.depths[i] : 0;
        }
        column += n;
    }
    machine::Keep(std::move(products), c, column);
}

}  // namespace harness
