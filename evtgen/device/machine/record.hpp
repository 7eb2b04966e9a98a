// The only entry point of the machine: a device call does not act, it records an instruction on its core's stream.
//
//   machine::Instruction i(machine::Pipe::FIX, "BlockMmad", site);
//   i.Reads(machine::Rows(machine::Space::GM, a, m, k * sizeof(half), lda * sizeof(half)));
//   i.Writes(machine::Rows(machine::Space::GM, c, m, n * sizeof(half), ldc * sizeof(half)));
//   i.Work(m * n * k);                        // multiply-accumulates on M and FIX, bytes on MTE*, repeats on V
//   i.Act([=] { Multiply(a, b, c, m, n, k); });
//   machine::Record(std::move(i));
#pragma once

#include <cstdint>
#include <utility>

#include "arch.hpp"
#include "elements.hpp"
#include "names.hpp"
#include "task.hpp"

namespace machine {

/// The place of a device call in the user's C++.
struct Site {
    char const* file;
    uint32_t line;
};

/// As a trailing default argument, `Site site = Here()` is the place of a call that omits it.
constexpr Site Here(char const* file = __builtin_FILE(), uint32_t line = __builtin_LINE()) { return Site{file, line}; }

/// A strided rectangle of bytes: `blocks` runs of `length` bytes, the starts `stride` bytes apart; and `outer` of those
/// rectangles, `outerStride` bytes apart.
struct Region {
    void* base = nullptr;
    Space space = Space::GM;
    uint32_t blocks = 1;
    uint64_t length = 0;
    uint64_t stride = 0;
    uint32_t outer = 1;
    uint64_t outerStride = 0;
    uint64_t shorter = 0;          // bytes by which the last run is shorter than the others, if `outer` is 1
    bool scratch = false;          // written, but not meant to be read
    void const* buffer = nullptr;  // start of the buffer that it should lie in, if the program has one

    bool Empty() const { return blocks == 0 || length == 0 || outer == 0; }
    /// Bytes from base to one past the last byte.
    uint64_t Extent() const
    {
        return Empty() ? 0 : (outer - 1) * outerStride + (blocks - 1) * stride + length - shorter;
    }
    /// Bytes touched.
    uint64_t Size() const { return length * blocks * outer - shorter; }

    /// Calls f(pointer, bytes) for every run.
    template <class F> void ForEachRun(F&& f) const
    {
        for (uint32_t o = 0; o < outer; ++o) {
            auto* run = static_cast<uint8_t*>(base) + o * outerStride;
            for (uint32_t b = 0; b < blocks; ++b, run += stride) {
                f(run, b + 1 == blocks && o + 1 == outer ? length - shorter : length);
            }
        }
    }
};

/// `rows` runs of `length` bytes that start `stride` bytes apart; runs that touch become one.
Region Rows(Space space, void const* base, uint64_t rows, uint64_t length, uint64_t stride);

/// `length` contiguous bytes.
inline Region Bytes(Space space, void const* base, uint64_t length) { return Rows(space, base, 1, length, length); }

/// The region, as one that should lie in the buffer which starts at `buffer`; null: anywhere.
inline Region Within(void const* buffer, Region region)
{
    region.buffer = buffer;
    return region;
}

enum class Kind : uint8_t { Data, SetFlag, WaitFlag, Barrier, BarrierAll, CrossSet, CrossWait, Gate };

/// Of a block of a matmul: one instruction of FIX as a whole, or its parts, each of which takes what it takes of the whole.
enum class BlockPart : uint8_t { Whole, Load, Multiply, Store };

/// How a GM write combines with the previous contents.
enum class Combine : uint8_t { Store, Add, Max, Min };

/// Names on stderr the call that has more regions than an instruction holds, and aborts.
[[noreturn]] void TooManyRegions(char const* name, char const* verb, size_t limit);

class Instruction {
public:
    static constexpr size_t kMaxReads = 4;
    static constexpr size_t kMaxWrites = 2;

    Instruction() = default;
    Instruction(Pipe pipe, char const* name, Site site) : pipe(pipe), name(name), site(site) {}

    /// At most kMaxReads regions that are not empty; more are an error in the call's header and end the program.
    Instruction& Reads(Region const& region)
    {
        if (!region.Empty()) {
            if (readCount == kMaxReads) { TooManyRegions(name, "reads", kMaxReads); }
            reads[readCount++] = region;
        }
        return *this;
    }
    /// Likewise, at most kMaxWrites.
    Instruction& Writes(Region const& region)
    {
        if (!region.Empty()) {
            if (writeCount == kMaxWrites) { TooManyRegions(name, "writes", kMaxWrites); }
            writes[writeCount++] = region;
        }
        return *this;
    }
    /// The amount that the cost table prices: repeats of 256 bytes on V, bytes on MTE1/2/3, multiply-accumulates on M
    /// and FIX.
    Instruction& Work(uint64_t amount)
    {
        work = amount;
        return *this;
    }
    /// The instruction's effect on memory when it runs.
    template <class F> Instruction& Act(F function)
    {
        action.Set(std::move(function));
        return *this;
    }
    /// Its effect on definedness. By default every byte written is undefined if any byte read is.
    template <class F> Instruction& Shadow(F function)
    {
        shadow.Set(std::move(function));
        return *this;
    }

    Pipe pipe = Pipe::S;
    Kind kind = Kind::Data;
    Combine combine = Combine::Store;
    BlockPart part = BlockPart::Whole;
    Pipe other = Pipe::S;  // the pipe that a flag goes to (SetFlag) or comes from (WaitFlag)
    uint8_t mode = 0;      // of a cross-core flag
    uint8_t readCount = 0;
    uint8_t writeCount = 0;
    uint8_t alignment = 32;          // bytes that written local operands must start on
    bool faulty = false;             // a bounds check failed: the action must not run
    bool again = false;              // sets a flag again whose wait has not even been issued
    bool pooled = false;             // the flag's id is one that the pipe has given out
    bool cached = false;             // reads or writes global memory through the data cache of S
    bool autoSync = false;           // the compiler orders it against V, MTE2 and MTE3 by default
    bool rounds = false;             // adds floats atomically: the order of these shows in the sum
    int32_t flag = 0;                // flag id; of a cross-core flag, NumberOfCross()
    int32_t tile = -1;               // the tile that it belongs to, where the program says so
    NodeName const* node = nullptr;  // likewise
    char const* name = "";
    Site site = {"", 0};
    uint64_t work = 0;
    uint64_t sequence = 0;      // position in its core's stream
    uint32_t scalars = 0;       // instructions of S before it in the stream
    uint32_t declarations = 0;  // of buffers, before it
    Region reads[kMaxReads];
    Region writes[kMaxWrites];
    Task action;
    Task shadow;
};

/// Appends to the stream of the core that is running. Outside a launch this is a fault.
void Record(Instruction&& instruction);

/// Runs the stream until everything recorded on `pipe` has run: a scalar read needs its value now.
void Force(Pipe pipe);

void RecordSetFlag(Pipe from, Pipe to, int32_t id, char const* name, Site site);
void RecordWaitFlag(Pipe from, Pipe to, int32_t id, char const* name, Site site);
void RecordBarrier(Pipe pipe, Site site);
void RecordBarrierAll(Site site);
/// Mode 0 joins all cores of one kind, 1 the vector cores of a group, 2 the cube core of a group and its vector cores, 4
/// the cube core and one of its vector cores: the cube core names the flags of the second by 16 more than that does.
void RecordCrossSet(uint8_t mode, Pipe pipe, uint16_t id, Site site);
/// Holds back what `pipe` runs later; S, and any pipe where the architecture's waits have none: everything that is issued
/// later. The flags of mode 4 are others than those of modes 0 to 2, which have one set of flags.
void RecordCrossWait(uint8_t mode, Pipe pipe, uint16_t id, Site site);

/// The address in the UB of vector core `sub` of the running cube core's group that has the offset which `address` has in
/// the cube core's own UB, by which its program names it. Null if there is no such core or `address` lies elsewhere.
/// Instructions on FIX of a cube core may write there on architectures with cubeWritesUb. `buffer` of such a region is a
/// buffer of the cube core's own UB.
void* UbOfVectorCore(uint32_t sub, void const* address);

/// The address in the L1 of the cube core of the running vector core's group that has the offset which `address` has in the
/// vector core's own L1, by which its program names it; elsewhere, `address` itself. Copies on MTE3 of a vector core may
/// write there on architectures with vectorWritesL1.
void* L1OfCubeCore(void* address);

/// How GM writes of a core combine, the element type they must have, and the call that set this.
struct AtomicMode {
    Combine combine = Combine::Store;
    ElementType type = ElementType::I8;  // unused while `combine` is Store
    Site site = {"", 0};

    /// Whether each addition rounds, so that their order shows in the sum.
    bool Rounds() const { return combine == Combine::Add && IsFloat(type); }
};

void SetAtomic(Combine combine, ElementType type, Site site);
void ResetAtomic(Site site);
/// The running core's; plain stores outside a launch.
AtomicMode CurrentAtomic();

}  // namespace machine
