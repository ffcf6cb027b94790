/**
 * JSON out of a row. One that was damaged says nothing: what else its row says is worth more than an error, which
 * would take every other row with it. What a start finds damaged is told (`damage.ts`).
 */

function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Empty when there is none. Whoever wrote it knew what is in it. */
export function readList<T>(text: string | null): T[] {
  const value = parsed(text);
  return Array.isArray(value) ? (value as T[]) : [];
}

/** null when there is none. */
export function readObject<T extends object>(text: string | null): T | null {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as T) : null;
}
