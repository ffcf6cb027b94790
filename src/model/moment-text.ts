/** A moment in Japan for a sentence, in the format of the screens. Pure. */
import { JST_OFFSET_MS } from '../../lib/arib/time.ts';

const WEEKDAYS = '日月火水木金土';

/** `11/25(火) 21:00`. @param at epoch ms */
export function momentText(at: number): string {
  const date = new Date(at + JST_OFFSET_MS);
  const minutes = String(date.getUTCMinutes()).padStart(2, '0');
  const day = `${date.getUTCMonth() + 1}/${date.getUTCDate()}(${WEEKDAYS[date.getUTCDay()]})`;
  return `${day} ${date.getUTCHours()}:${minutes}`;
}
