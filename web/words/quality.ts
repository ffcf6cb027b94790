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

/** Notices for a lower quality on a slow network, and for a higher one again. */
export function qualityChangeText(quality: LiveQuality, isLower: boolean): string {
  const { name } = QUALITY_WORDS[quality];
  return isLower ? `回線が遅いため、${name}に切り替えました` : `${name}に切り替えました`;
}

/** Why the picture waits. @param bitRate that arrives, bits a second */
export function shortageText(bitRate: number): string {
  return `回線が遅く、映像が届くのを待っています（約 ${(bitRate / 1_000_000).toFixed(1)} Mbps）`;
}
