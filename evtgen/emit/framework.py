"""The place of the framework's headers, and their C++ namespace."""

from __future__ import annotations

from dataclasses import dataclass

FUSION_DIRECTORY = "catlass/epilogue/fusion"


BLOCK_MMADS = ("by_tag", "mx", "fed", "hf32", "dequant")
"""Our block matmuls, in front of Catlass's, by their headers ``block_mmad_KIND.hpp``; ``fed`` has copies alone."""


@dataclass(frozen=True)
class Framework:
    """The place and the namespace of the framework.

    Attributes:
        namespace: C++ namespace of the fusion headers, inside ``Catlass``.
        directory: their directory below the include root. In another directory than Catlass's own the block epilogue
            and the kernel go there too, so that no file of Catlass's is overwritten, and all that they declare goes to
            the namespace, so that a program can include a framework of Catlass's as well.
        catlass: Catlass's own framework, EVG, takes its place; what that lacks goes to :data:`EXTENDED`.
        replaces: it stands in the place of one of a checkout's, which declares ``EpilogueAtlasA2Visitor`` in its
            ``dispatch_policy.hpp``, and may have other kernels, which call ``initialize_workspace``.
    """

    namespace: str = "Catlass::Epilogue::Fusion"
    directory: str = FUSION_DIRECTORY
    catlass: bool = False
    replaces: bool = False

    @property
    def alias(self) -> str:
        """The namespace's name in the header of an epilogue. One that the user chose could be that of a node there."""
        return "Fusion" if self.namespace == Framework.namespace else "Visitors"

    @property
    def prefix(self) -> str:
        """How the header of an epilogue spells a name of the framework."""
        return f"{self.alias}::"

    @property
    def in_epilogue(self) -> str:
        """How code in ``Catlass::Epilogue::Block`` spells a name of the framework: in full, unless Catlass has the
        namespace too, since a part of a name that the user chooses may be something else there."""
        return "Fusion::" if self.namespace == Framework.namespace else f"{self.namespace}::"

    @property
    def policy_namespace(self) -> str:
        """The namespace of the dispatch policy."""
        return "Catlass::Epilogue" if self.in_place else self.namespace

    @property
    def kernel_namespace(self) -> str:
        """The namespace of the kernel."""
        return "Catlass::Gemm::Kernel" if self.in_place else self.namespace

    @property
    def mmad_namespace(self) -> str:
        """The namespace of the block matmul that stands before Catlass's."""
        return "Catlass::Gemm::Block" if self.in_place else self.namespace

    @property
    def mmad_prefix(self) -> str:
        """How the header of an epilogue spells that namespace."""
        return "Gemm::Block::" if self.in_place else self.prefix

    @property
    def policy_prefix(self) -> str:
        """How the header of an epilogue spells the dispatch policy's namespace."""
        return "Catlass::Epilogue::" if self.in_place else self.prefix

    @property
    def kernel_prefix(self) -> str:
        """How the header of an epilogue spells the kernel's namespace."""
        return "Gemm::Kernel::" if self.in_place else self.prefix

    @property
    def policy_in_epilogue(self) -> str:
        """How code in ``Catlass::Epilogue::Block`` spells the dispatch policy's namespace."""
        return "" if self.in_place else self.in_epilogue

    @property
    def in_place(self) -> bool:
        """Whether it stands in Catlass's own place, under Catlass's own names."""
        return self.directory == FUSION_DIRECTORY

    @property
    def fusion_header(self) -> str:
        return f"{self.directory}/fusion.hpp"

    @property
    def block_header(self) -> str:
        return self._beside("catlass/epilogue/block", "block_epilogue_visitor.hpp")

    def kernel_header(self, name: str) -> str:
        """The header of a kernel, by its own name."""
        return self._beside("catlass/gemm/kernel", name)

    @property
    def kernel_base_header(self) -> str:
        """What the kernels have in common."""
        return self.kernel_header("visitor_kernel.hpp")

    @property
    def groups_header(self) -> str:
        """The lists of groups."""
        return self.kernel_header("visitor_groups.hpp")

    @property
    def handoff_header(self) -> str:
        return self._beside("catlass/gemm/kernel", "accumulator_handoff.hpp")

    @property
    def digits_header(self) -> str:
        return self.kernel_header("digits_of_a.hpp")

    @property
    def statistics_header(self) -> str:
        return self.kernel_header("statistics_of_a.hpp")

    def mmad_header(self, kind: str) -> str:
        """Where one of the :data:`BLOCK_MMADS` is."""
        return self._beside("catlass/gemm/block", f"block_mmad_{kind}.hpp")

    def _beside(self, directory: str, name: str) -> str:
        return f"{directory if self.in_place else self.directory}/{name}"


@dataclass(frozen=True)
class Extended:
    """The place and the namespace of the nodes that Catlass's own visitor framework lacks: within its own."""

    namespace: str = "Catlass::Epilogue::Fusion::Extended"
    directory: str = f"{FUSION_DIRECTORY}/extended"

    @property
    def prefix(self) -> str:
        """How the header of an epilogue spells a name of these nodes."""
        return "Fusion::Extended::"


EXTENDED = Extended()
