/**
 * Reads JSON and text of a row. A damaged value counts as absent: an error would also lose the rest of the row and
 * all other rows of the response. Damage is detected and logged by `integrity-check.ts`.
 */

/** Value of a text column. A flipped bit may turn it into a blob or null, whatever the schema requires. */
export function storedText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : '';
}

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The objects of a list; empty if it is not a list. @param isSound check for rows that may be damaged */
export function readList<T extends object>(text: string | null, isSound?: (one: T) => boolean): T[] {
  const value = parsed(text);
  if (!Array.isArray(value)) return [];
  const objects = value.filter((one): one is T => typeof one === 'object' && one !== null);
  return isSound === undefined ? objects : objects.filter(isSound);
}

/** Like `readList`, for a list of ids. */
export function readIds<T extends number>(text: string | null): T[] {
  const value = parsed(text);
  return Array.isArray(value) ? value.filter((one): one is T => Number.isSafeInteger(one)) : [];
}

/** Like `readIds`, for a list of codes. */
export function readCodes<T extends string>(text: string | null): T[] {
  const value = parsed(text);
  return Array.isArray(value) ? value.filter((one): one is T => typeof one === 'string') : [];
}

/** null if there is none. */
export function readObject<T extends object>(text: string | null): T | null {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as T) : null;
}

/**
 * Keys and values of an object of texts, alternating. Most contain nothing that JSON escapes, so that quotation marks
 * are only around them: splitting takes a third of the time of parsing.
 */
export function readTexts(text: string | null): string[] {
  if (text?.startsWith('{"') === true && text.endsWith('"}') && !text.includes('\\'))
    return text.slice(2, -2).split(/":"|","/);
  return Object.entries(readObject<Record<string, string>>(text) ?? {}).flat();
}
