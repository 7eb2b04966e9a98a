"""What the site has that is not in ``docs/``: a page for each epilogue of the gallery, the tutorial as a page, and the
files of the repository that pages link to. ``mkdocs.yml`` names :mod:`docs.generate.site.hooks`; nothing is committed.
"""
