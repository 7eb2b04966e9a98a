// DeviceGemm: the host's handle on a kernel class.
#ifndef CATLASS_GEMM_DEVICE_DEVICE_GEMM_HPP
#define CATLASS_GEMM_DEVICE_DEVICE_GEMM_HPP

#include <acl/acl.h>

#include "catlass/catlass.hpp"
#include "catlass/detail/kernel_adapter.hpp"
#include "catlass/status.hpp"
#include "machine/launch.hpp"

namespace Catlass::Gemm::Device {

template <class GemmKernel> class DeviceGemm {
public:
    using Kernel = GemmKernel;
    using Arguments = typename GemmKernel::Arguments;
    using Params = typename GemmKernel::Params;

    Params const &params() const { return params_; }

    static Status CanImplement(Arguments const &args)
    {
        return GemmKernel::CanImplement(args) ? Status::kSuccess : Status::kInvalid;
    }

    /// Bytes of GM that the caller allocates and hands to Initialize.
    static size_t GetWorkspaceSize(Arguments const &args) { return GemmKernel::GetWorkspaceSize(args); }

    Status Initialize(Arguments const &args, uint8_t *workspace = nullptr, aclrtStream = nullptr)
    {
        params_ = GemmKernel::ToUnderlyingArguments(args, workspace);
        return Status::kSuccess;
    }

    /// Launches `blockDim` groups of one cube core and two vector cores. An address of 0 means that the kernel does
    /// not synchronise between cores.
    Status Run(aclrtStream stream, uint32_t blockDim, uint64_t fftsAddr, machine::Site site = machine::Here())
    {
        auto const run = [&](machine::Role) {
            if (fftsAddr == 0) {
                KernelAdapter<GemmKernel>(params_);
            } else {
                KernelAdapter<GemmKernel>(params_, fftsAddr);
            }
        };
        machine::Launch("DeviceGemm", blockDim, machine::KernelKind::Mix, run, site, stream);
        return Status::kSuccess;
    }

    Status operator()(aclrtStream stream, uint32_t blockDim, machine::Site site = machine::Here())
    {
        return Run(stream, blockDim, 0, site);
    }
    Status operator()(aclrtStream stream, uint32_t blockDim, uint64_t fftsAddr, machine::Site site = machine::Here())
    {
        return Run(stream, blockDim, fftsAddr, site);
    }

private:
    Params params_;
};

}  // namespace Catlass::Gemm::Device

#endif  // CATLASS_GEMM_DEVICE_DEVICE_GEMM_HPP
