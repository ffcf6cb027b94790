"""Writes arib/text/jis-x-0213.ts: the rows of JIS X 0213:2004 as Unicode, out of Python's euc_jis_2004 codec.

    python3 tools/jis-table.py > arib/text/jis-x-0213.ts

A row is 94 characters; an empty cell is a space (the set has no U+0020). Cells that Unicode writes with two
code points are listed apart. Characters that a normalising editor could change, and combining marks, are
written as escapes.
"""
import unicodedata

# The codec reads JIS X 0212 through the same shift as plane 2; only these rows belong to JIS X 0213.
PLANE_2_ROWS = [1, 3, 4, 5, 8, 12, 13, 14, 15, *range(78, 95)]


def decode(plane, row, cell):
    code = bytes([0xA0 + row, 0xA0 + cell])
    try:
        return (code if plane == 1 else b'\x8f' + code).decode('euc_jis_2004')
    except UnicodeDecodeError:
        return ''


def literal(text):
    out = ''
    for character in text:
        fragile = unicodedata.normalize('NFC', character) != character
        if fragile or unicodedata.category(character)[0] in 'MZC' and character != ' ':
            out += '\\u{%x}' % ord(character)
        elif character in "'\\":
            out += '\\' + character
        else:
            out += character
    return "'%s'" % out


def plane(number, rows):
    pairs = []
    lines = []
    for row in rows:
        text = ''
        for cell in range(1, 95):
            character = decode(number, row, cell)
            if len(character) > 1:
                pairs.append((row, cell, character))
            text += character if len(character) == 1 else ' '
        if text.strip(' '):
            lines.append('  [%d, %s],' % (row, literal(text.rstrip(' '))))
    return lines, pairs


first, pairs = plane(1, range(1, 95))
second, second_pairs = plane(2, PLANE_2_ROWS)
assert not second_pairs

print('''/**
 * JIS X 0213:2004 as Unicode, row by row: 94 cells a row, a space where nothing is assigned, the empty end of a
 * row cut off. Made by tools/jis-table.py; do not edit by hand.
 */

/** Plane 1. Rows 1 to 84 hold JIS X 0208 at its own places. */
// biome-ignore format: one row of the set a line
export const PLANE_1_ROWS: readonly (readonly [row: number, cells: string])[] = [''')
print('\n'.join(first))
print('''];

/** Cells of plane 1 that Unicode writes as a base and a combining character. */
// biome-ignore format: one row of the set a line
export const PLANE_1_PAIRS: readonly (readonly [row: number, cell: number, text: string])[] = [''')
print('\n'.join('  [%d, %d, %s],' % (row, cell, literal(text)) for row, cell, text in pairs))
print('''];

/** Plane 2. */
// biome-ignore format: one row of the set a line
export const PLANE_2_ROWS: readonly (readonly [row: number, cells: string])[] = [''')
print('\n'.join(second))
print('''];''')
