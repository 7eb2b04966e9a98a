// Vector cores that wait for each other through global memory (pages of IBSet and IBWait).
#pragma once

#include "../../machine/words.hpp"
#include "copy.h"
#include "sync.h"

namespace AscendC {

namespace detail {

/// Waits until the word of a core and an event is `from`, and makes it `to`.
template <bool isAIVOnly>
void ChangeWord(
    GlobalTensor<int32_t> const& gmWorkspace, LocalTensor<int32_t> const& ubWorkspace, int32_t blockIdx,
    int32_t eventID, int32_t from, int32_t to, char const* name, Site site)
{
    if (machine::CurrentRole() == machine::Role::AIC) { return; }  // only vector cores take part
    constexpr int32_t words = ONE_BLK_SIZE / sizeof(int32_t);
    auto const cores = static_cast<int32_t>(GetBlockNum()) * (isAIVOnly ? 1 : 2);
    GlobalTensor<int32_t> const word = gmWorkspace[static_cast<uint64_t>((cores * eventID + blockIdx) * words)];
    machine::RecordBarrierAll(site);
    machine::AwaitWord(AddressOf(word), from, name, site);
    DataCopy(ubWorkspace, word, words, site);
    machine::RecordBarrierAll(site);
    (void)ubWorkspace.GetValue(0, site);
    ubWorkspace.SetValue(0, to, site);
    machine::RecordBarrierAll(site);
    machine::RecordWord(AddressOf(word), AddressOf(ubWorkspace), ubWorkspace.Buffer(), name, site);
    machine::RecordBarrierAll(site);
}

}  // namespace detail

/// Tells a core that waits for `blockIdx` and `eventID` that all is over which this core has issued. `gmWorkspace` must be
/// zero before; 32 bytes of `ubWorkspace` are overwritten.
template <bool isAIVOnly = true>
void IBSet(
    GlobalTensor<int32_t> const& gmWorkspace, LocalTensor<int32_t> const& ubWorkspace, int32_t blockIdx,
    int32_t eventID, Site site = Here())
{
    detail::ChangeWord<isAIVOnly>(gmWorkspace, ubWorkspace, blockIdx, eventID, 0, 1, "IBSet", site);
}

/// Waits for IBSet with the same arguments.
template <bool isAIVOnly = true>
void IBWait(
    GlobalTensor<int32_t> const& gmWorkspace, LocalTensor<int32_t> const& ubWorkspace, int32_t blockIdx,
    int32_t eventID, Site site = Here())
{
    detail::ChangeWord<isAIVOnly>(gmWorkspace, ubWorkspace, blockIdx, eventID, 1, 0, "IBWait", site);
}

}  // namespace AscendC
