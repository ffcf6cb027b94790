import { expect, test } from 'bun:test';
import { GAP_CAUSES } from '../../lib/wire/gap-causes.ts';
import { span } from '../../test/record/span.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import { type Measured, nothingMeasured, type Verdict } from '../model/verdict.ts';
import {
  readMeasured,
  readReason,
  readVerdict,
  storedMeasured,
  storedReason,
  storedVerdict,
} from './recording-json.ts';

const VERDICT: Verdict = {
  level: 'damaged',
  drops: 3,
  gaps: GAP_CAUSES.map((cause, index) => ({ startMs: index * 1000, endMs: index * 1000 + 600, cause })),
  headMs: 10_000,
  tailMs: -200,
};
const MEASURED: Measured = {
  stretches: [span(0, 10)],
  breaks: [{ ...span(10, 12), cause: 'paused' }],
  damage: [
    { ...span(1, 2), packets: 5, drops: 1, errors: 0, scrambled: 0 },
    { ...span(2, 3), packets: 5, drops: 0, errors: 0, scrambled: 5, cause: 'not_subscribed' as const },
  ],
  sums: { packets: 9, drops: 1, errors: 0, scrambled: 0 },
  unwatchable: [{ ...span(3, 5), cause: 'no_picture' }],
  files: [{ path: '/a.ts', ...span(0, 10) }],
  isAired: true,
};

test('a verdict is read in the current form and in that of versions without a number', () => {
  expect(readVerdict(storedVerdict(VERDICT))).toEqual(VERDICT);
  expect(readVerdict(JSON.stringify(VERDICT))).toEqual(VERDICT);
  expect(JSON.parse(storedVerdict(VERDICT))).toMatchObject({ v: 2, level: 'damaged' });
});

test('a damaged verdict reads as none, and an unknown cause as a lost stream', () => {
  for (const text of [null, '', '[]', '{}', '{"level":"fine","gaps":[]}', '{"level":"lost","gaps":{}}'])
    expect(readVerdict(text)).toBeNull();
  const later = {
    ...VERDICT,
    v: 9,
    gaps: [{ startMs: 0, endMs: 1, cause: 'meteor' }, null, { startMs: 'x' }],
  };
  expect(readVerdict(JSON.stringify(later))?.gaps).toEqual([{ startMs: 0, endMs: 1, cause: 'stream_ended' }]);
});

test('measurements are read in the current form and in that of versions without a number', () => {
  for (const one of [MEASURED, nothingMeasured()]) expect(readMeasured(storedMeasured(one))).toEqual(one);
  const { files, isAired, ...old } = MEASURED;
  expect(readMeasured(JSON.stringify(old))).toEqual(old);
});

test('damaged measurements read as null', () => {
  const wrong = [
    ...[null, [], {}, { ...MEASURED, stretches: [null] }, { ...MEASURED, breaks: {} }],
    ...[
      { ...MEASURED, damage: [{ from: 1, to: 2 }] },
      { ...MEASURED, sums: { packets: 1 } },
    ],
    ...[
      { ...MEASURED, files: [1] },
      { ...MEASURED, stretches: [{ from: '1', to: 2 }] },
    ],
  ];
  for (const one of wrong) expect(readMeasured(JSON.stringify(one))).toBeNull();
  expect(readMeasured('{"v":2,')).toBeNull();
});

test('a reason is a code with its parameters; the sentence of an earlier version stays readable', () => {
  const reasons: RecordingReason[] = [
    { code: 'missing', cause: 'conflict' },
    { code: 'copy_never' },
    { code: 'file_gone' },
    { code: 'copied' },
    { code: 'unreadable' },
    { code: 'text', text: '受信が途切れました' },
  ];
  for (const reason of reasons) expect(readReason(storedReason(reason))).toEqual(reason);
  expect(readReason('受信が途切れました')).toEqual({ code: 'text', text: '受信が途切れました' });
  expect(readReason(null)).toBeNull();
  expect(storedReason(null)).toBeNull();
  expect(readReason('{"v":3,"code":"later"}')).toMatchObject({ code: 'text' });
});
