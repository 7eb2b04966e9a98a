// Policies that select a BlockEpilogue. That of evtgen's visitors is not here: Catlass v1.0 to v1.5 have none, so
// generated headers define it.
#ifndef CATLASS_EPILOGUE_DISPATCH_POLICY_HPP
#define CATLASS_EPILOGUE_DISPATCH_POLICY_HPP

#include "catlass/arch/arch.hpp"
#include "catlass/catlass.hpp"

namespace Catlass::Epilogue {

/// D = f(C, X).
struct EpilogueAtlasA2ElemWiseOneSource {
    using ArchTag = Arch::AtlasA2;
    static constexpr uint32_t OPERANDS_NUM = 3;
};

/// D = f(C).
struct EpilogueAtlasA2ElemWiseNoSource {
    using ArchTag = Arch::AtlasA2;
    static constexpr uint32_t OPERANDS_NUM = 2;
};

#if CATLASS_ARCH == 3510
/// A graph of visitors (Catlass v1.6, EVG), on an accumulator in GM or in UB.
template <bool USE_UB_WORKSPACE_ = false> struct EpilogueVisitor {
    static constexpr bool USE_UB_WORKSPACE = USE_UB_WORKSPACE_;
};
#endif

}  // namespace Catlass::Epilogue

#endif  // CATLASS_EPILOGUE_DISPATCH_POLICY_HPP
