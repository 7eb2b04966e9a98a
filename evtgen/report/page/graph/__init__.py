"""The graph of an epilogue as a picture.

:func:`~evtgen.report.page.graph.contents.drawing_of` makes boxes, edges and bands out of a plan,
:func:`~.layout.laid_out` places them, :func:`~.svg.picture` writes the SVG. A module that draws another kind of graph
needs only the last two.
"""

from .contents import drawing_of
from .layout import laid_out
from .svg import picture, standalone

__all__ = ["drawing_of", "laid_out", "picture", "standalone"]
