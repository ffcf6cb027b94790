/** Japanese texts for the conversion of recordings. */
import type { EncodeItem, Encodes } from '../../lib/wire/encode.ts';
import { bytesText } from './bytes.ts';
import { lengthText } from './time.ts';

const CODECS = { av1: 'AV1', h264: 'H.264', both: 'AV1 と H.264' } as const;
const COMMERCIALS = { chapters: 'CMにチャプター', cut: 'CMをカット', none: '' } as const;
const QUALITIES = { small: '小さめ', standard: '標準', fine: '高画質' } as const;

export const WISH_CHOICES = {
  codecs: { label: '変換の形式', options: CODECS },
  quality: { label: '変換の画質', options: QUALITIES },
  commercials: { label: 'CMの扱い', options: { ...COMMERCIALS, none: 'CMはそのまま' } },
  keepTs: { label: '元の録画', options: { no: '元の録画は残さない', yes: '元の録画も残す' } },
} as const;

/** Summary of the conversion: `AV1・標準・CMにチャプター・元の録画は残さない`. */
export function wishText({ codecs, quality, commercials, keepTs }: EncodeItem): string {
  const original = WISH_CHOICES.keepTs.options[keepTs ? 'yes' : 'no'];
  const parts = [CODECS[codecs], QUALITIES[quality], COMMERCIALS[commercials], original];
  return parts.filter((part) => part !== '').join('・');
}

const WAITS = {
  paused: '一時停止しています。',
  window: '設定した時間帯になると始まります。',
  machine: '視聴を優先して待っています。',
} as const;

/** Why conversion is waiting now; empty: it is running. */
export function waitText({ wait }: Pick<Encodes, 'wait'>): string {
  return wait === null ? '' : WAITS[wait];
}

const WAITS_FOR = {
  commercials: 'CMを検出しています',
  pictures: 'サムネイルを作っています',
  retry: 'あとでもう一度試します',
  recording: 'ごみ箱にあるか、ファイルがありません',
} as const;

/** Where one is: `43%・あと12分`, `待機中`, `失敗`. */
export function placeText({ state, percent, etaMs, waitsFor }: EncodeItem): string {
  switch (state) {
    case 'running': {
      const done = percent === null ? '準備中' : `${Math.floor(percent * 100)}%`;
      return etaMs === null ? done : `${done}・あと${lengthText(etaMs)}`;
    }
    case 'waiting':
      return waitsFor === null ? '待機中' : WAITS_FOR[waitsFor];
    case 'done':
      return '完了';
    case 'failed':
      return '失敗';
    default:
      return '取り消しました';
  }
}

/** `AV1・標準：1時間あたり約1.2 GB、変換に約40分（12件の実績）`. */
export function measuredText({
  codec,
  quality,
  bytesPerHour,
  speed,
  files,
}: Encodes['measured'][number]): string {
  const time = speed > 0 ? `、変換に約${lengthText(3_600_000 / speed)}` : '';
  const source = files === 0 ? '録画の一部で測った目安' : `${files}件の実績`;
  return `${CODECS[codec]}・${QUALITIES[quality]}：1時間あたり約${bytesText(bytesPerHour)}${time}（${source}）`;
}
