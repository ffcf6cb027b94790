/** Japanese names of the qualities of live pictures. */
import type { LiveQuality } from '../../lib/wire/api.ts';

interface QualityWords {
  readonly name: string;
  readonly note: string;
}

export const QUALITY_WORDS: Readonly<Record<LiveQuality, QualityWords>> = {
  high: { name: '高画質（720p）', note: '最大 6 Mbps（1時間に約 2 GB）' },
  middle: { name: '標準（540p）', note: '最大 2.6 Mbps（1時間に約 0.9 GB）' },
  low: { name: '低画質（360p）', note: '最大 1.1 Mbps（1時間に約 0.4 GB）' },
  least: { name: 'データ節約（240p）', note: '最大 0.32 Mbps（1時間に約 0.14 GB）' },
};

export const AUTO_QUALITY: QualityWords = { name: '自動', note: '回線の速度に合わせて切り替えます' };

/** Why the picture does not come in time: the network, the service's encoder, or no data at all. */
export type Shortage = 'network' | 'encoder' | 'silence';

const BECAUSE: Readonly<Record<Shortage, string>> = {
  network: '回線が遅いため、',
  encoder: 'サーバーの変換が間に合わないため、',
  silence: '映像が届かないため、',
};

/** Notices for a lower quality, and for a higher one again. @param why undefined: it is higher */
export function qualityChangeText(quality: LiveQuality, why: Shortage | undefined): string {
  return `${why === undefined ? '' : BECAUSE[why]}${QUALITY_WORDS[quality].name}に切り替えました`;
}

const WAITS: Readonly<Record<Shortage, string>> = {
  network: '回線が遅く、映像が届くのを待っています',
  encoder: 'サーバーの変換が間に合わず、映像を待っています',
  silence: '映像を待っています',
};

/** Why the picture waits. */
export function shortageText(why: Shortage): string {
  return WAITS[why];
}
