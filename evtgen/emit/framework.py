"""Where the framework's headers go, and what C++ calls them there."""

from __future__ import annotations

from dataclasses import dataclass

FUSION_DIRECTORY = "catlass/epilogue/fusion"


@dataclass(frozen=True)
class Framework:
    """Where the framework lives.

    Attributes:
        namespace: C++ namespace of the fusion headers, inside ``Catlass``.
        directory: their directory below the include root. In another directory than Catlass's own the block epilogue
            and the kernel go there too, so that nothing of Catlass's is written over.
    """

    namespace: str = "Catlass::Epilogue::Fusion"
    directory: str = FUSION_DIRECTORY

    @property
    def prefix(self) -> str:
        """How code in ``Catlass::Epilogue`` and below spells a name of the framework."""
        return f"{self.alias}::"

    @property
    def alias(self) -> str:
        """The namespace within ``Catlass::Epilogue``, and its alias in the header of an epilogue."""
        return self.namespace.removeprefix("Catlass::Epilogue::")

    @property
    def fusion_header(self) -> str:
        return f"{self.directory}/fusion.hpp"

    @property
    def block_header(self) -> str:
        return self._beside("catlass/epilogue/block", "block_epilogue_visitor.hpp")

    @property
    def kernel_header(self) -> str:
        return self._beside("catlass/gemm/kernel", "matmul_visitor.hpp")

    def _beside(self, directory: str, name: str) -> str:
        return f"{directory if self.directory == FUSION_DIRECTORY else self.directory}/{name}"
