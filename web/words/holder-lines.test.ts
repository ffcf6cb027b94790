import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { tunerOf } from '../../test/tuner.ts';
import { holderLines } from './holder-lines.ts';

/** 2026-11-21 21:54 in Japan. */
const END = broadcastMs(Date.UTC(2026, 10, 21, 12, 54));
const RUNNING = [{ id: recordingId(7), name: '[字]港の朝', serviceName: 'みなとテレビ', endAt: END }];
const user = (use: string) => ({ use, priority: 1, lagBytes: 0 });
const tuner = (name: string, use: string[], over: object = {}) =>
  tunerOf(['GR'], { name, users: use.map(user), ...over });

test('each used tuner of the type shows its use, and a recording its end', () => {
  const tuners = [
    tuner('地デジ 1', ['rec 7 live GR/T27']),
    tuner('地デジ 2', ['epg T13']),
    tuner('地デジ 3', []),
    tuner('地デジ 4', ['rec 7'], { disabled: true }),
    tunerOf(['BS'], { name: '衛星', users: [user('rec 7')] }),
    tuner('地デジ 5', ['rec 9']),
  ];
  expect(holderLines(tuners, 'GR', [], RUNNING)).toEqual([
    '地デジ 1：録画 「港の朝」（みなとテレビ）21:54まで、視聴 T27',
    '地デジ 2：番組表の取得 T13',
    '地デジ 5：録画',
  ]);
  expect(holderLines(tuners, 'CS', [], RUNNING)).toEqual([]);
});
