/** Control messages of the live socket: requests, refusals and notices. */
import { Value } from '@sinclair/typebox/value';
import type { Notice } from '../../wire/api.ts';
import { type LiveControl, type LiveMessage, LiveRequestSchema } from '../../wire/live.ts';
import { LIVE_CHANNEL, LIVE_HEADER_BYTES } from '../../wire/live-frames.ts';
import { Failure } from '../model/failure.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Undefined if it is not a control message of this version. A text message counts as a frame of channel 0x40. */
export function readControl(data: string | Uint8Array): LiveControl | undefined {
  try {
    const value: unknown = JSON.parse(typeof data === 'string' ? data : textOf(data));
    return Value.Check(LiveRequestSchema, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error for octets that are not a control frame */
function textOf(data: Uint8Array): string {
  if (data[0] !== LIVE_CHANNEL.control) throw new Error('not the control channel');
  return decoder.decode(data.subarray(LIVE_HEADER_BYTES));
}

type ErrorMessage = Extract<LiveMessage, { type: 'error' }>;

export const BAD_MESSAGE: ErrorMessage = {
  type: 'error',
  code: 'bad_message',
  message: '制御メッセージの形が正しくありません。',
};

const SUSPENDED = 'この局は放送を休止しています。番組表で次の放送を確認してください。';
const INTERNAL = 'サーバーの内部でエラーが起きました。ログを確認してください。';

/** @param isSuspended the station is off air now, according to the guide */
export function errorOf(error: unknown, isSuspended: boolean): ErrorMessage {
  if (!(error instanceof Failure)) return { type: 'error', code: 'internal', message: INTERNAL };
  const { code, message } = error;
  if (code === 'no_signal' && isSuspended) return { type: 'error', code: 'suspended', message: SUSPENDED };
  // Every available encoder was tried.
  return { type: 'error', code: code === 'internal' ? 'encoder_failed' : code, message };
}

const NOTICE_TEXTS: Readonly<Record<Notice, string>> = {
  software_encoder: 'ハードウェアでの変換に失敗したため、ソフトウェアで変換しています。',
  slow_encoder: 'サーバが混んでいて、映像の変換を始めるのに時間がかかりました。',
  codec_fallback: 'AV1 に変換できないため、H.264 で送ります。',
  raw_fallback: '無変換では再生できないため、変換した映像を送ります。',
  audio_fallback: '選ばれた音声は放送されていないため、主音声で送ります。',
};

export function noticeText(code: Notice): string {
  return NOTICE_TEXTS[code];
}
