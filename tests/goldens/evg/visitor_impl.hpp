#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_IMPL_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_IMPL_HPP

#include "catlass/epilogue/fusion/extended/visitor_impl_base.hpp"

namespace Catlass::Epilogue::Fusion::Extended {
namespace detail {

/// Takes bytes of UB from ubOffset on, in whole data blocks.
template <class Element, class ArchTag>
CATLASS_DEVICE AscendC::LocalTensor<Element> TakeUb(
    Arch::Resource<ArchTag>& resource, uint32_t& ubOffset, uint32_t bytes)
{
    auto ub = resource.ubBuf.template GetBufferByByte<Element>(ubOffset);
    ubOffset += RoundUp<BYTE_PER_BLK>(bytes);
    assert(ubOffset <= ArchTag::UB_SIZE);
    return ub;
}

} // namespace detail
} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_VISITOR_IMPL_HPP
