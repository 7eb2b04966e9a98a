// Programs written with TPipe and TQue, each compared with a plain loop on the host.
//   queues NAME    runs one; exits with 1 if a result differs, and names it
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "../../evtgen/device/machine/memory.hpp"
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t kTile = 512;
constexpr uint32_t kTiles = 6;
constexpr uint32_t kCount = kTile * kTiles;
constexpr uint32_t kBytes = kTile * sizeof(float);

struct Memory {
    GlobalTensor<float> x;
    GlobalTensor<float> y;
    GlobalTensor<float> z;
};
Memory gm;

/// z = x + y, a tile at a time: the shape of most AscendC programs.
template <int32_t depth, uint8_t buffers> void Add()
{
    TPipe pipe;
    TQue<TPosition::VECIN, depth> inX;
    TQue<TPosition::VECIN, depth> inY;
    TQue<TPosition::VECOUT, depth> out;
    pipe.InitBuffer(inX, buffers, kBytes);
    pipe.InitBuffer(inY, buffers, kBytes);
    pipe.InitBuffer(out, buffers, kBytes);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        LocalTensor<float> x = inX.template AllocTensor<float>();
        LocalTensor<float> y = inY.template AllocTensor<float>();
        DataCopy(x, gm.x[tile * kTile], kTile);
        DataCopy(y, gm.y[tile * kTile], kTile);
        inX.EnQue(x);
        inY.EnQue(y);
        x = inX.template DeQue<float>();
        y = inY.template DeQue<float>();
        LocalTensor<float> z = out.template AllocTensor<float>();
        AscendC::Add(z, x, y, kTile);
        out.template EnQue<float>(z);
        inX.FreeTensor(x);
        inY.FreeTensor(y);
        z = out.template DeQue<float>();
        DataCopy(gm.z[tile * kTile], z, kTile);
        out.FreeTensor(z);
    }
}

/// The same, with tensors that the program keeps.
void AddInPlace()
{
    TPipe pipe;
    TQue<TPosition::VECIN, 0> inX;
    TQue<TPosition::VECIN, 0> inY;
    TQue<TPosition::VECOUT, 0> out;
    pipe.InitBuffer(inX, 2, kBytes);
    pipe.InitBuffer(inY, 2, kBytes);
    pipe.InitBuffer(out, 2, kBytes);
    LocalTensor<float> x;
    LocalTensor<float> y;
    LocalTensor<float> z;
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        inX.AllocTensor(x);
        inY.AllocTensor(y);
        DataCopy(x, gm.x[tile * kTile], kTile);
        DataCopy(y, gm.y[tile * kTile], kTile);
        inX.EnQue(x);
        inY.EnQue(y);
        inX.DeQue(x);
        inY.DeQue(y);
        out.AllocTensor(z);
        AscendC::Add(z, x, y, kTile);
        out.EnQue(z);
        inX.FreeTensor(x);
        inY.FreeTensor(y);
        out.DeQue(z);
        DataCopy(gm.z[tile * kTile], z, kTile);
        out.FreeTensor(z);
    }
}

/// Two tiles are loaded before the first is used.
void Preload()
{
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, kBytes);
    pipe.InitBuffer(out, 1, kBytes);
    auto const load = [&in](uint32_t tile) {
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopy(x, gm.x[tile * kTile], kTile);
        in.EnQue(x);
    };
    load(0);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        if (tile + 1 < kTiles) { load(tile + 1); }
        LocalTensor<float> x = in.DeQue<float>();
        LocalTensor<float> z = out.AllocTensor<float>();
        Adds(z, x, 1.0f, kTile);
        in.FreeTensor(x);
        out.EnQue(z);
        z = out.DeQue<float>();
        DataCopy(gm.z[tile * kTile], z, kTile);
        out.FreeTensor(z);
    }
}

/// In and out through the same buffers, nothing computed.
void Copy()
{
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;
    pipe.InitBuffer(through, 2, kBytes);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        LocalTensor<float> x = through.AllocTensor<float>();
        DataCopy(x, gm.x[tile * kTile], kTile);
        through.EnQue(x);
        x = through.DeQue<float>();
        DataCopy(gm.z[tile * kTile], x, kTile);
        through.FreeTensor(x);
    }
}

/// The same buffers with a computation between, so that a tensor is enqueued twice: for V, then for the copy.
void CopyAndCompute()
{
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;
    pipe.InitBuffer(through, 2, kBytes);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        LocalTensor<float> x = through.AllocTensor<float>();
        DataCopy(x, gm.x[tile * kTile], kTile);
        through.EnQue<TPosition::GM, TPosition::VECIN>(x);
        x = through.DeQue<TPosition::GM, TPosition::VECIN, float>();
        Muls(x, x, 2.0f, kTile);
        through.EnQue<TPosition::VECOUT, TPosition::GM>(x);
        x = through.DeQue<TPosition::VECOUT, TPosition::GM, float>();
        DataCopy(gm.z[tile * kTile], x, kTile);
        through.FreeTensor(x);
    }
}

/// Sums of tiles, with a TBuf to work in and a queue whose tensor never leaves V.
void Reduce()
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TQue<TPosition::VECOUT, 1> work;
    TBuf<TPosition::VECCALC> square;
    pipe.InitBuffer(in, 2, kBytes);
    pipe.InitBuffer(out, 2, 32);
    pipe.InitBuffer(work, 1, kBytes);
    pipe.InitBuffer(square, kBytes);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopy(x, gm.x[tile * kTile], kTile);
        in.EnQue(x);
        x = in.DeQue<float>();
        LocalTensor<float> squares = square.Get<float>();
        PipeBarrier<PIPE_V>();
        Mul(squares, x, x, kTile);
        in.FreeTensor(x);
        LocalTensor<float> scratch = work.AllocTensor<float>();
        LocalTensor<float> sum = out.AllocTensor<float>();
        PipeBarrier<PIPE_V>();
        ReduceSum(sum, squares, scratch, kTile);
        work.FreeTensor(scratch);
        out.EnQue(sum);
        sum = out.DeQue<float>();
        DataCopyPad(gm.z[tile], sum, DataCopyExtParams(1, sizeof(float), 0, 0, 0));
        out.FreeTensor(sum);
    }
}

/// The path of a matrix through the cube's memories; each copy that the model lacks is a plain one on its pipe.
void Matrix()
{
    constexpr uint32_t bytes = kBytes;
    auto const move = [](machine::Pipe pipe, machine::Region const& from, machine::Region const& to) {
        machine::Instruction i(pipe, "Move", Here());
        i.Reads(from).Writes(to).Work(bytes);
        i.Act([from, to] { std::memcpy(to.base, from.base, bytes); });
        machine::Record(std::move(i));
    };
    using machine::Space;
    auto const local = [](Space space, LocalTensor<float> const& tensor) {
        return machine::Bytes(space, detail::AddressOf(tensor), bytes);
    };
    TPipe pipe;
    TQue<TPosition::A1, 1> a1;
    TQue<TPosition::B1, 1> b1;
    TQue<TPosition::C1, 1> c1;
    TQue<TPosition::A2, 1> a2;
    TQue<TPosition::B2, 1> b2;
    TQue<TPosition::CO1, 1> co1;
    pipe.InitBuffer(a1, 2, bytes);
    pipe.InitBuffer(b1, 2, bytes);
    pipe.InitBuffer(c1, 1, bytes);
    pipe.InitBuffer(a2, 2, bytes);
    pipe.InitBuffer(b2, 2, bytes);
    pipe.InitBuffer(co1, 2, bytes);
    for (uint32_t tile = 0; tile < kTiles; ++tile) {
        auto const global = [tile](GlobalTensor<float> const& tensor) {
            return machine::Bytes(Space::GM, tensor[tile * kTile].GetPhyAddr(), bytes);
        };
        LocalTensor<float> a = a1.AllocTensor<float>();
        LocalTensor<float> b = b1.AllocTensor<float>();
        move(machine::Pipe::MTE2, global(gm.x), local(Space::L1, a));
        move(machine::Pipe::MTE2, global(gm.y), local(Space::L1, b));
        a1.EnQue(a);
        b1.EnQue(b);
        a = a1.DeQue<float>();
        b = b1.DeQue<float>();
        LocalTensor<float> left = a2.AllocTensor<float>();
        LocalTensor<float> right = b2.AllocTensor<float>();
        move(machine::Pipe::MTE1, local(Space::L1, a), local(Space::L0A, left));
        move(machine::Pipe::MTE1, local(Space::L1, b), local(Space::L0B, right));
        a1.FreeTensor(a);
        b1.FreeTensor(b);
        a2.EnQue(left);
        b2.EnQue(right);
        left = a2.DeQue<float>();
        right = b2.DeQue<float>();
        LocalTensor<float> product = co1.AllocTensor<float>();
        {
            machine::Instruction i(machine::Pipe::M, "Multiply", Here());
            i.Reads(local(Space::L0A, left)).Reads(local(Space::L0B, right)).Writes(local(Space::L0C, product));
            auto* const to = detail::AddressOf(product);
            auto const* const p = detail::AddressOf(left);
            auto const* const q = detail::AddressOf(right);
            i.Work(kTile).Act([=] {
                for (uint32_t k = 0; k < kTile; ++k) { to[k] = p[k] * q[k]; }
            });
            machine::Record(std::move(i));
        }
        a2.FreeTensor(left);
        b2.FreeTensor(right);
        co1.EnQue(product);
        product = co1.DeQue<float>();
        move(machine::Pipe::FIX, local(Space::L0C, product), global(gm.z));
        co1.FreeTensor(product);
    }
}

/// Two stages that share their memory through pools, with the pipe reset between two runs of both.
void Pools()
{
    TPipe pipe;
    for (uint32_t half = 0; half < 2; ++half) {
        TBufPool<TPosition::VECCALC> all;
        TBufPool<TPosition::VECCALC> first;
        TBufPool<TPosition::VECCALC> second;
        TQue<TPosition::VECIN, 1> in[2];
        TQue<TPosition::VECOUT, 1> out[2];
        pipe.InitBufPool(all, 150 * 1024);  // twice that does not fit: the second run needs the reset
        all.InitBufPool(first, 2 * kBytes);
        all.InitBufPool(second, 2 * kBytes, first);
        auto const run = [&](uint32_t stage, uint32_t tile) {
            LocalTensor<float> x = in[stage].AllocTensor<float>();
            DataCopy(x, gm.x[tile * kTile], kTile);
            in[stage].EnQue(x);
            x = in[stage].DeQue<float>();
            LocalTensor<float> z = out[stage].AllocTensor<float>();
            Adds(z, x, 1.0f, kTile);
            in[stage].FreeTensor(x);
            out[stage].EnQue(z);
            z = out[stage].DeQue<float>();
            DataCopy(gm.z[tile * kTile], z, kTile);
            out[stage].FreeTensor(z);
        };
        first.InitBuffer(in[0], 1, kBytes);
        first.InitBuffer(out[0], 1, kBytes);
        run(0, 3 * half);
        run(0, 3 * half + 1);
        first.Reset();
        second.InitBuffer(in[1], 1, kBytes);
        second.InitBuffer(out[1], 1, kBytes);
        run(1, 3 * half + 2);
        second.Reset();
        all.Reset();
        pipe.Reset();
    }
}

/// One pipe object that is destroyed and begun again, reached through GetTPipePtr, and the answers of its queues.
bool Again()
{
    bool right = true;
    auto const expect = [&right](bool condition) { right = right && condition; };
    TPipe pipe;
    for (uint32_t time = 0; time < 2; ++time) {
        expect(GetTPipePtr() == &pipe);
        TQue<TPosition::VECIN, 2> in;
        GetTPipePtr()->InitBuffer(in, 3, kBytes);
        expect(!in.HasTensorInQue() && in.VacantInQue() && in.HasIdleBuffer());
        LocalTensor<float> t[3];
        for (LocalTensor<float>& tensor : t) {
            expect(in.HasIdleBuffer());
            tensor = in.AllocTensor<float>();
            expect(in.GetState(tensor) == TBufState::OCCUPIED && tensor.GetSize() == kTile);
        }
        expect(!in.HasIdleBuffer());
        expect(in.EnQue(t[1]) && in.EnQue(t[0]));
        expect(in.GetTensorCountInQue() == 2 && !in.VacantInQue() && in.GetState(t[0]) == TBufState::ENQUE);
        LocalTensor<float> head = in.DeQue<float>();
        expect(head.GetPhyAddr() == t[1].GetPhyAddr() && in.GetState(head) == TBufState::DEQUE);
        head = in.DeQue<float>();
        expect(head.GetPhyAddr() == t[0].GetPhyAddr() && !in.HasTensorInQue());
        for (LocalTensor<float>& tensor : t) {
            in.FreeTensor(tensor);
            expect(in.GetState(tensor) == TBufState::FREE);
        }
        in.FreeAllEvent();
        TEventID const a = pipe.AllocEventID<HardEvent::V_MTE2>();
        TEventID const b = pipe.AllocEventID<HardEvent::V_MTE2>();
        expect(a == 0 && b == 1 && pipe.FetchEventID(HardEvent::V_MTE2) == 2);
        pipe.ReleaseEventID<HardEvent::V_MTE2>(a);
        expect(pipe.FetchEventID<HardEvent::V_MTE2>() == 0 && pipe.AllocEventID<HardEvent::V_MTE2>() == 0);
        pipe.Destroy();
        pipe.Init();
    }
    return right;
}

float Of(std::vector<float> const& v, uint32_t i) { return v[i]; }

struct Program {
    char const* name;
    machine::KernelKind kind;
    std::function<bool()> run;
    std::function<float(std::vector<float> const&, std::vector<float> const&, uint32_t)> want;
    uint32_t count = kCount;
};

template <void (*f)()> bool Run()
{
    f();
    return true;
}

float Sum(std::vector<float> const& x, std::vector<float> const& y, uint32_t i) { return Of(x, i) + Of(y, i); }
float Next(std::vector<float> const& x, std::vector<float> const&, uint32_t i) { return Of(x, i) + 1.0f; }

std::vector<Program> const kPrograms = {
    {"add_1_1", machine::KernelKind::AivOnly, Run<Add<1, 1>>, Sum},
    {"add_1_2", machine::KernelKind::AivOnly, Run<Add<1, 2>>, Sum},
    {"add_2_2", machine::KernelKind::AivOnly, Run<Add<2, 2>>, Sum},
    {"add_1_4", machine::KernelKind::AivOnly, Run<Add<1, 4>>, Sum},
    {"add_in_place", machine::KernelKind::AivOnly, Run<AddInPlace>, Sum},
    {"preload", machine::KernelKind::AivOnly, Run<Preload>, Next},
    {"copy", machine::KernelKind::AivOnly, Run<Copy>, [](auto const& x, auto const&, uint32_t i) { return Of(x, i); }},
    {"copy_and_compute", machine::KernelKind::AivOnly, Run<CopyAndCompute>,
     [](auto const& x, auto const&, uint32_t i) { return 2.0f * Of(x, i); }},
    {"reduce", machine::KernelKind::AivOnly, Run<Reduce>,
     [](auto const& x, auto const&, uint32_t i) {
         float sum = 0;
         for (uint32_t k = 0; k < kTile; ++k) { sum += x[i * kTile + k] * x[i * kTile + k]; }
         return sum;
     },
     kTiles},
    {"matrix", machine::KernelKind::AicOnly, Run<Matrix>,
     [](auto const& x, auto const& y, uint32_t i) { return Of(x, i) * Of(y, i); }},
    {"pools", machine::KernelKind::AivOnly, Run<Pools>, Next},
    {"again", machine::KernelKind::AivOnly, Again, Next, 0},
};

int RunProgram(Program const& program)
{
    std::vector<float> x(kCount);
    std::vector<float> y(kCount);
    std::vector<float> z(kCount);
    for (uint32_t i = 0; i < kCount; ++i) {  // whole numbers: sums are exact in any order
        x[i] = static_cast<float>(static_cast<int32_t>(i * 7 % 23) - 11);
        y[i] = static_cast<float>(static_cast<int32_t>(i * 5 % 19) - 9);
    }
    auto const put = [](std::vector<float> const& host) {
        void* const device = machine::AllocateGlobal(kCount * sizeof(float));
        machine::WriteGlobal(device, host.data(), kCount * sizeof(float));
        return reinterpret_cast<float*>(device);
    };
    auto* const out = reinterpret_cast<float*>(machine::AllocateGlobal(kCount * sizeof(float)));
    gm.x.SetGlobalBuffer(put(x), kCount);
    gm.y.SetGlobalBuffer(put(y), kCount);
    gm.z.SetGlobalBuffer(out, kCount);
    bool right = false;
    machine::Launch(program.name, 1, program.kind, [&](machine::Role) { right = program.run(); });
    if (!right) {
        std::fprintf(stderr, "%s: an answer of a queue is wrong\n", program.name);
        return 1;
    }
    machine::ReadGlobal(z.data(), out, program.count * sizeof(float));
    for (uint32_t i = 0; i < program.count; ++i) {
        if (z[i] != program.want(x, y, i)) {
            std::fprintf(stderr, "%s: element %u is %g, not %g\n", program.name, i, z[i], program.want(x, y, i));
            return 1;
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    for (Program const& program : kPrograms) {
        if (argc == 2 && std::strcmp(argv[1], program.name) == 0) { return RunProgram(program); }
    }
    return 2;
}
