#ifndef CATLASS_EPILOGUE_FUSION_EXTENDED_COPY_HPP
#define CATLASS_EPILOGUE_FUSION_EXTENDED_COPY_HPP

#include "catlass/catlass.hpp"

namespace Catlass::Epilogue::Fusion::Extended {

/// A copy within UB, by V, for Fusion::VisitorCompute. It stands between a load and a store: STORE must not read what
/// LOAD has written, since the next LOAD into the same buffer does not wait for it.
template <class Element>
struct Copy {
    CATLASS_DEVICE
    void operator()(
        AscendC::LocalTensor<Element> const& dst, uint32_t compute_length,
        AscendC::LocalTensor<Element> const& src) const
    {
        AscendC::DataCopy(dst, src, compute_length);
    }
};

} // namespace Catlass::Epilogue::Fusion::Extended

#endif // CATLASS_EPILOGUE_FUSION_EXTENDED_COPY_HPP
