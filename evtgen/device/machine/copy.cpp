#include "copy.hpp"

#include <cstring>
#include <string>

#include "arith.hpp"
#include "core.hpp"
#include "shadow.hpp"

namespace machine {

namespace {

uint64_t FilledOf(CopyShape const& shape)
{
    return shape.filled != 0 ? shape.filled : shape.left + shape.bytes + shape.right;
}

void Pad(uint8_t* at, uint64_t bytes, CopyShape const& shape, void const* firstElement)
{
    void const* const value = shape.padDefined ? &shape.padValue : firstElement;
    for (uint64_t i = 0; i + shape.elementBytes <= bytes; i += shape.elementBytes) {
        std::memcpy(at + i, value, shape.elementBytes);
    }
}

void CopyBlocks(CopySide const& dst, CopySide const& src, CopyShape const& shape)
{
    auto* to = static_cast<uint8_t*>(dst.data);
    auto const* from = static_cast<uint8_t const*>(src.data);
    uint64_t const filled = FilledOf(shape);
    for (uint32_t b = 0; b < shape.blocks; ++b, to += dst.stride, from += src.stride) {
        if (filled != shape.bytes) {
            Pad(to, shape.left, shape, from);
            Pad(to + shape.left + shape.bytes, filled - shape.left - shape.bytes, shape, from);
        }
        std::memmove(to + shape.left, from, shape.bytes);
    }
}

void ShadowBlocks(CopySide const& dst, CopySide const& src, CopyShape const& shape)
{
    auto* to = static_cast<uint8_t*>(dst.data);
    auto const* from = static_cast<uint8_t const*>(src.data);
    uint64_t const filled = FilledOf(shape);
    State const padding = shape.padDefined ? kDefined : kUndefined;
    for (uint32_t b = 0; b < shape.blocks; ++b, to += dst.stride, from += src.stride) {
        if (filled != shape.bytes) {
            ShadowFill(to, shape.left, padding);
            ShadowFill(to + shape.left + shape.bytes, filled - shape.left - shape.bytes, padding);
        }
        ShadowCopy(to + shape.left, dst.space, from, src.space, shape.bytes);
    }
}

void CombineBlocks(ArithFn fn, CopySide const& dst, CopySide const& src, CopyShape const& shape)
{
    auto* to = static_cast<uint8_t*>(dst.data);
    auto const* from = static_cast<uint8_t const*>(src.data);
    for (uint32_t b = 0; b < shape.blocks; ++b, to += dst.stride, from += src.stride) {
        fn(to, to, from, nullptr, shape.bytes / shape.elementBytes);
    }
}

Finding CopyFinding(Fault fault, char const* name, Pipe pipe, Site site, std::string detail)
{
    return {fault, MakeCall(name, pipe, site), std::move(detail)};
}

}  // namespace

void RecordCopy(
    char const* name, Pipe pipe, CopySide const& dst, CopySide const& src, CopyShape const& shape, ElementType type,
    Site site)
{
    if (shape.blocks == 0 || shape.bytes == 0) {
        return;  // documented as a no-op
    }
    // Blocks that touch are one block.
    CopySide to = dst;
    if (dst.space == Space::L1 && src.space == Space::UB) { to.data = L1OfCubeCore(dst.data); }
    CopySide from = src;
    CopyShape merged = shape;
    uint64_t const filled = FilledOf(shape);
    if (filled == shape.bytes && dst.stride == shape.bytes && src.stride == shape.bytes) {
        merged.bytes *= shape.blocks;
        merged.filled = merged.bytes;
        merged.blocks = 1;
    }
    Instruction instruction(pipe, name, site);
    instruction.Reads(Within(src.buffer, Rows(src.space, src.data, shape.blocks, shape.bytes, src.stride)));
    Region written = Within(dst.buffer, Rows(dst.space, to.data, shape.blocks, filled, dst.stride));
    written.scratch = dst.space == Space::VREG;  // a register is loaded for one instruction, and again for the next
    instruction.Writes(written);
    instruction.Work(uint64_t{shape.blocks} * shape.bytes);
    if (pipe == Pipe::V) { instruction.Work((uint64_t{shape.blocks} * shape.bytes + 255) / 256); }
    AtomicMode const atomic = CurrentAtomic();
    Combine const combine = dst.space == Space::GM ? atomic.combine : Combine::Store;
    instruction.combine = combine;
    instruction.rounds = atomic.Rounds();
    if (combine == Combine::Store) {
        instruction.Act([=] { CopyBlocks(to, from, merged); });
    } else {
        if (atomic.type != type) { Report(CopyFinding(Fault::AtomicType, name, pipe, site, "")); }
        Op const op = combine == Combine::Add ? Op::Add : combine == Combine::Max ? Op::Max : Op::Min;
        ArithFn const fn = FindArith(op, type);
        if (fn == nullptr) {
            Report(CopyFinding(Fault::AtomicType, name, pipe, site, "this element type has no atomics"));
            return;
        }
        instruction.Act([=] { CombineBlocks(fn, to, from, merged); });
    }
    instruction.Shadow([=] { ShadowBlocks(to, from, merged); });
    Record(std::move(instruction));
}

void ReportRounded(char const* name, Pipe pipe, uint64_t bytes, uint64_t unit, Site site)
{
    Report(CopyFinding(
        Fault::CountRounded, name, pipe, site,
        std::to_string(bytes) + " bytes, " + std::to_string(bytes / unit * unit) + " take part"));
}

}  // namespace machine
