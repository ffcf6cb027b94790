/** The name that a device gives itself: shown to people, so nothing in it may pretend to be something else. */

const MAX_NAME_LENGTH = 40;
const NAMELESS = '名前のないテレビ';

/**
 * Line breaks and other controls; format characters, among them those that turn the direction of a text round, and
 * unassigned, private and surrogate code points. A joiner within an emoji is lost with them.
 */
const HIDDEN = /\p{C}/gu;

/** One line of plain text; undefined when it is longer than a name may be. */
export function readDeviceName(text: string): string | undefined {
  // Far too long: not parsed at all.
  if (text.length > MAX_NAME_LENGTH * 2) return undefined;
  if ([...text].length > MAX_NAME_LENGTH) return undefined;
  const plain = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').trim();
  return plain === '' ? NAMELESS : plain;
}
