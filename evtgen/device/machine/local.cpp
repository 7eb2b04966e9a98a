// Core-local memory: made when a kernel first asks for it, filled when it is first touched.
#include <cstring>

#include "core.hpp"
#include "running.hpp"
#include "scalar.hpp"

namespace machine {

LocalMemory::LocalMemory(Space space, uint64_t bytes)
    : space(space), bytes(bytes), data(new uint8_t[bytes + kGuard]), states(new uint8_t[bytes]), history(bytes)
{}

void LocalMemory::Prepare(uint64_t end)
{
    if (end > prepared) {
        std::memset(data.get() + prepared, 0xcd, end - prepared);  // earlier contents must not look like a result
        std::memset(states.get() + prepared, kNeverWritten, end - prepared);
        prepared = end;
    }
}

LocalMemory* Core::Local(Space space)
{
    auto& memory = locals_[static_cast<size_t>(space)];
    if (memory == nullptr) { memory = std::make_unique<LocalMemory>(space, Arch().SizeOf(space)); }
    return memory.get();
}

LocalMemory* Core::LocalNear(void const* address)
{
    for (auto const& memory : locals_) {
        if (memory != nullptr && memory->Contains(address, LocalMemory::kGuard)) { return memory.get(); }
    }
    return nullptr;
}

LocalMemory* Core::LocalOf(void const* address)
{
    for (auto const& memory : locals_) {
        if (memory != nullptr && memory->Contains(address)) { return memory.get(); }
    }
    Core const* vector = nullptr;
    for (uint32_t sub = 0; Arch().cubeWritesUb && (vector = VectorCore(sub)) != nullptr; ++sub) {
        LocalMemory* const ub = vector->locals_[static_cast<size_t>(Space::UB)].get();
        if (ub != nullptr && ub->Contains(address)) { return ub; }
    }
    if (Core const* const cube = Arch().vectorWritesL1 ? CubeCore() : nullptr) {
        LocalMemory* const l1 = cube->locals_[static_cast<size_t>(Space::L1)].get();
        if (l1 != nullptr && l1->Contains(address)) { return l1; }
    }
    return nullptr;
}

Core* Core::CubeCore() const
{
    if (id_.role != Role::AIV || running->groupSize == 1) { return nullptr; }
    Core* const first = running->fibers[size_t{id_.group} * running->groupSize].core.get();
    return first->Id().role == Role::AIC ? first : nullptr;
}

Core* Core::VectorCore(uint32_t sub) const
{
    bool const has = id_.role == Role::AIC && sub + 1 < running->groupSize;
    return has ? running->fibers[size_t{id_.group} * running->groupSize + 1 + sub].core.get() : nullptr;
}

void* UbOfVectorCore(uint32_t sub, void const* address)
{
    Core* const core = CurrentCore();
    Core* const vector = core == nullptr ? nullptr : core->VectorCore(sub);
    LocalMemory const* const own = vector == nullptr ? nullptr : core->LocalOf(address);
    return own == nullptr || own->space != Space::UB ? nullptr
                                                     : vector->Local(Space::UB)->data.get() + own->Offset(address);
}

void* L1OfCubeCore(void* address)
{
    Core* const core = CurrentCore();
    Core* const cube = core == nullptr || !Arch().vectorWritesL1 ? nullptr : core->CubeCore();
    LocalMemory const* const own = cube == nullptr ? nullptr : core->LocalOf(address);
    return own == nullptr || !core->Owns(*own) || own->space != Space::L1
               ? address
               : cube->Local(Space::L1)->data.get() + own->Offset(address);
}

Space SpaceAt(void const* local)
{
    Core* const core = CurrentCore();
    LocalMemory const* const memory = core == nullptr ? nullptr : core->LocalOf(local);
    return memory == nullptr ? Space::UB : memory->space;
}

void Core::ReleaseAll()
{
    taken_.fill(0);
    for (auto const& memory : locals_) {
        if (memory != nullptr) { memory->buffers.clear(); }
    }
}

uint64_t Core::Take(Space space, uint64_t bytes)
{
    constexpr uint64_t block = 32;
    uint64_t& taken = taken_[static_cast<size_t>(space)];
    uint64_t const offset = taken;
    taken += (bytes + block - 1) / block * block;
    return offset;
}

}  // namespace machine
