/** State of a recording folder, as a word and a tone. */
import type { StorageFacts } from '../../lib/wire/api.ts';

export const FOLDER_STATE_WORDS: Readonly<
  Record<StorageFacts['folders'][number]['state'], readonly [text: string, tone: string]>
> = {
  ok: ['使えます', 'good'],
  floor: ['空き容量の下限に達しました', 'bad'],
  full: ['いっぱいです', 'bad'],
  away: ['見つかりません', 'bad'],
};
