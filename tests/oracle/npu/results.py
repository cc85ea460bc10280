"""The rows of the suite as a table."""

HEADINGS = ("program", "style", "machine", "processes", "losses", "largest difference", "result")


def cells(row):
    difference = "-" if row.difference != row.difference else f"{row.difference:.1e}"
    return (row.program.name, row.style.name, row.world, str(row.processes), str(row.losses), difference, row.result)


def as_text(rows):
    lines = [HEADINGS, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
