import { expect, test } from 'bun:test';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { GAP_CAUSES } from '../../lib/wire/gap-causes.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import { recordingReasonText, toRecording } from './recording-answers.ts';

test('every cause has a Japanese sentence', () => {
  for (const cause of GAP_CAUSES)
    expect(recordingReasonText({ code: 'missing', cause })).toMatch(/[ぁ-ん]た$/);
  expect(recordingReasonText({ code: 'text', text: '前の版の文' })).toBe('前の版の文');
  expect(recordingReasonText(null)).toBeNull();
});

const MINUTE = 60_000;

/** 30 minutes, of which its encoded file has the first 10 and the 10 after the commercials. */
function cut(resumeMs: number): ListedRecording {
  return {
    id: recordingId(1),
    name: '灯台',
    stationId: stationId(networkId(0x7fe8), serviceId(1024)),
    serviceName: '試験テレビ',
    startAt: broadcastMs(0),
    endAt: broadcastMs(30 * MINUTE),
    durationMs: 30 * MINUTE,
    resumeMs,
    ...{ watchedAt: null, posterAt: null, state: 'available', reason: null, programId: null, ruleId: null },
    ...{ genres: [], audios: [], verdict: null, cmReliable: true, series: null, bytes: 0, protected: false },
    binnedAt: null,
    files: [
      {
        ...{ source: 'encoded', codec: 'av1', path: '/r1.av1.mkv', durationMs: 20 * MINUTE },
        cuts: [
          { from: 0, to: 10 * MINUTE },
          { from: 12 * MINUTE, to: 22 * MINUTE },
        ],
      },
    ],
  };
}

test('a position behind the end of a cut file continues before that end', () => {
  const resume = (minutes: number) => toRecording(cut(minutes * MINUTE), new Map()).resumeMs;
  expect(resume(5)).toBe(5 * MINUTE);
  expect(resume(11)).toBe(10 * MINUTE);
  expect(resume(21)).toBe(19 * MINUTE);
  expect(resume(25)).toBe(20 * MINUTE - 30_000);
});
