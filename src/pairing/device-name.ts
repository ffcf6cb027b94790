/** The name sent by a device: shown to users, so it must not imitate other text. */

const MAX_NAME_LENGTH = 40;
const NAMELESS = '名前のないテレビ';

/**
 * Line breaks and other controls; format characters, including bidirectional controls; unassigned, private and
 * surrogate code points. This also removes joiners within emoji.
 */
const HIDDEN = /\p{C}/gu;

/** One line of plain text; undefined if it is too long for a name. */
export function readDeviceName(text: string): string | undefined {
  // Far too long: not parsed at all.
  if (text.length > MAX_NAME_LENGTH * 2) return undefined;
  if ([...text].length > MAX_NAME_LENGTH) return undefined;
  const plain = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim();
  return plain === '' ? NAMELESS : plain;
}
