"""From a Plan to the text of files: :mod:`.render` prints views of the plan, :mod:`.finish` formats the result."""
