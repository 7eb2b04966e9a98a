// Names of the cube's copies to L1, for programs that choose among them.
#ifndef EVTGEN_OVERLAY_COPY_GM_TO_L1_HPP
#define EVTGEN_OVERLAY_COPY_GM_TO_L1_HPP

namespace Catlass::Gemm::Tile {

template <class ArchTag, class GmType, class L1Type = void> struct CopyGmToL1 {};
template <class ArchTag, class GmType, class L1Type = void> struct CopyGmToL1IntervalDataCopy {};
template <class ArchTag, class GmType, class L1Type = void> struct CopyGmToL1GMMPTD {};

}  // namespace Catlass::Gemm::Tile

#endif  // EVTGEN_OVERLAY_COPY_GM_TO_L1_HPP
