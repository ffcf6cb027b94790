import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { RecordingVerdict } from '../../lib/wire/api.ts';
import {
  runningLine,
  seriesMarks,
  seriesMarkText,
  verdictLine,
  verdictMark,
  verdictWords,
} from './verdict.ts';

const MINUTE_MS = 60_000;
/** 21:00 in Japan. */
const START = Date.UTC(2026, 10, 21, 12, 0, 0);
const COMPLETE: RecordingVerdict = { level: 'complete', drops: 0, gaps: [], headMs: 10_000, tailMs: 15_000 };

function judged(verdict: RecordingVerdict | null, more: { state?: 'failed'; reason?: string } = {}) {
  return {
    verdict,
    state: more.state ?? ('recorded' as const),
    recording: false,
    startAt: broadcastMs(START),
    endAt: broadcastMs(START + 54 * MINUTE_MS),
    reason: more.reason ?? null,
  };
}

const sentences = (verdict: RecordingVerdict): readonly string[] =>
  verdictWords(judged(verdict))?.sentences ?? [];

describe('the mark', () => {
  test('of a complete recording that was started or stopped by hand says so', () => {
    const ends = (headMs: number, tailMs: number) =>
      verdictMark(judged({ ...COMPLETE, headMs, tailMs })).label;
    expect(ends(-15 * MINUTE_MS, 15_000)).toBe('途中から');
    expect(ends(10_000, -5 * MINUTE_MS)).toBe('途中まで');
    expect(ends(-400, -400)).toBe('完全');
  });

  test('is one of three, or unknown', () => {
    expect(verdictMark(judged(COMPLETE)).label).toBe('完全');
    expect(verdictMark(judged({ ...COMPLETE, level: 'damaged' })).label).toBe('一部に乱れ');
    expect(verdictMark(judged({ ...COMPLETE, level: 'lost' })).label).toBe('失敗');
    expect(verdictMark(judged(null, { state: 'failed' })).label).toBe('失敗');
    expect(verdictMark(judged(null)).label).toBe('検査前');
    expect(verdictMark({ ...judged(null), recording: true }).label).toBe('録画中');
  });
});

describe('the marks of a series', () => {
  const marks = (more: Partial<Parameters<typeof seriesMarks>[0]>): string[] =>
    seriesMarks({ count: 12, damaged: 0, lost: 0, newest: judged(COMPLETE), ...more }).map(seriesMarkText);

  test('list the problems, worst first, regardless of the newest', () => {
    expect(marks({})).toEqual(['完全']);
    expect(marks({ damaged: 3 })).toEqual(['一部に乱れ 3件']);
    expect(marks({ damaged: 3, lost: 1 })).toEqual(['失敗 1件', '一部に乱れ 3件']);
    expect(marks({ damaged: 1, newest: { ...judged(null), recording: true } })).toEqual([
      '録画中',
      '一部に乱れ 1件',
    ]);
  });

  test('are that of the only one without a number', () => {
    const newest = judged({ ...COMPLETE, level: 'damaged' });
    expect(marks({ count: 1, damaged: 1, newest })).toEqual(['一部に乱れ']);
  });
});

describe('the sentences', () => {
  test('of complete recordings name the margins', () => {
    expect(sentences(COMPLETE)).toEqual([
      '番組の始まりから終わりまで、欠けることなく録画できました。',
      '番組の前に10秒、後に15秒のマージンがあります。',
    ]);
  });

  test('name each gap by the clock, how long it is, and why', () => {
    const gaps = [
      { startMs: 0, endMs: 43_000, cause: 'no_tuner' as const },
      { startMs: 12 * MINUTE_MS + 5_000, endMs: 12 * MINUTE_MS + 48_000, cause: 'stream_ended' as const },
      { startMs: 30 * MINUTE_MS, endMs: 30 * MINUTE_MS + 600, cause: 'stream_ended' as const },
      { startMs: 50 * MINUTE_MS, endMs: 54 * MINUTE_MS, cause: 'disk_full' as const },
    ];
    const verdict = { level: 'damaged', drops: 0, gaps, headMs: -43_000, tailMs: -4 * MINUTE_MS } as const;
    expect(sentences({ ...verdict, gaps })).toEqual([
      '冒頭の43秒（21:00:43まで）が録画できていません。チューナーを確保できませんでした。',
      '21:12:05から21:12:48まで（43秒）が録画できていません。受信が途切れました。',
      '21:30:00に1秒未満の欠けがあります。受信が途切れました。',
      '終わりの4分（21:50:00から）が録画できていません。録画先の空き容量がなくなりました。',
    ]);
    expect(verdictWords(judged({ ...verdict, gaps }))?.remedies).toHaveLength(3);
  });

  test('name what is missing of a part that was recorded', () => {
    const gaps = [
      { startMs: 0, endMs: 8_000, cause: 'no_picture' as const },
      { startMs: MINUTE_MS, endMs: MINUTE_MS + 8_000, cause: 'no_sound' as const },
    ];
    expect(sentences({ ...COMPLETE, level: 'damaged', gaps }).slice(0, 2)).toEqual([
      '冒頭の8秒（21:00:08まで）の映像がありません。放送の映像が途切れました。',
      '21:01:00から21:01:08まで（8秒）の音声がありません。放送の音声が途切れました。',
    ]);
  });

  test('report a yielded margin without counting it as damage', () => {
    const gaps = [
      { startMs: 54 * MINUTE_MS + 3_000, endMs: 54 * MINUTE_MS + 15_000, cause: 'yielded' as const },
    ];
    expect(sentences({ ...COMPLETE, gaps, tailMs: 3_000 })[0]).toBe(
      '終了後のマージンは21:54:03までです。次の録画にチューナーを渡しました。',
    );
  });

  test('name where it started and ended when nothing else explains it', () => {
    const words = sentences({ ...COMPLETE, headMs: -20 * MINUTE_MS, tailMs: -9 * MINUTE_MS });
    expect(words[0]).toBe('番組の途中、21:20:00から録画しました。');
    expect(words[1]).toBe('21:45:00で録画を終えました（番組の終わりは21:54:00）。');
  });

  test('summarise when there are too many gaps', () => {
    const gaps = Array.from({ length: 40 }, (_, index) => ({
      startMs: (index + 1) * MINUTE_MS,
      endMs: (index + 1) * MINUTE_MS + 2_000,
      cause: 'stalled' as const,
    }));
    const words = sentences({ ...COMPLETE, level: 'damaged', drops: 1_234, gaps });
    expect(words).toHaveLength(8);
    expect(words[6]).toBe('ほかに34か所、合わせて1分8秒が録画されていません。');
    expect(words[7]).toContain('1,234か所');
  });

  test('of a failure without measurements give its reason', () => {
    expect(verdictWords(judged(null, { state: 'failed', reason: '空きがありません' }))).toEqual({
      first: '録画できませんでした。空きがありません',
      sentences: [],
      remedies: [],
    });
    expect(verdictWords(judged(null))).toBeUndefined();
  });
});

describe('the first line', () => {
  const first = (verdict: Partial<RecordingVerdict>, more: Parameters<typeof judged>[1] = {}) =>
    verdictWords(judged({ ...COMPLETE, ...verdict }, more))?.first;
  const gap = (fromMin: number, toMin: number, cause: RecordingVerdict['gaps'][number]['cause']) => ({
    startMs: fromMin * MINUTE_MS,
    endMs: toMin * MINUTE_MS,
    cause,
  });

  test('of a complete recording', () => {
    expect(first({})).toBe('完全に録画できました');
    const yielded = gap(54.1, 54.3, 'yielded');
    expect(first({ gaps: [yielded], tailMs: 3_000 })).toBe('完全に録画できました');
  });

  test('of one that was begun or ended by hand', () => {
    const rest = '。録れた部分に乱れはありません';
    expect(first({ headMs: -9.4 * MINUTE_MS })).toBe(`21:09から録画しました（最初の9分がありません）${rest}`);
    expect(first({ headMs: -9.4 * MINUTE_MS, drops: 3 })).toBe(
      '21:09から録画しました（最初の9分がありません）',
    );
    expect(first({ headMs: -72_000 })).toBe(`21:01:12から録画しました（最初の1分12秒がありません）${rest}`);
    // Both in whole minutes: 21:54 less 9 is 21:45.
    expect(first({ tailMs: -8.5 * MINUTE_MS })).toBe(`21:45まで録画しました（最後の9分がありません）${rest}`);
    expect(first({ headMs: -20 * MINUTE_MS, tailMs: -9 * MINUTE_MS })).toBe(
      `21:20から21:45まで録画しました（最初の20分と最後の9分がありません）${rest}`,
    );
  });

  test('of one that began late by itself, with a gap that follows a beginning by hand', () => {
    const late = { level: 'damaged', headMs: -9 * MINUTE_MS } as const;
    const expected = '21:09から録画しました（最初の9分がありません）';
    expect(first({ ...late, gaps: [gap(0, 9, 'no_tuner')] })).toBe(expected);
    expect(first({ ...late, gaps: [gap(8, 9, 'late')] })).toBe(expected);
  });

  test('of gaps in the middle, alone and beside a missing beginning', () => {
    const one = gap(12, 13, 'stream_ended');
    const two = gap(30, 30.5, 'stalled');
    expect(first({ level: 'damaged', gaps: [one] })).toBe('21:12:00から1分が欠けています');
    expect(first({ level: 'damaged', gaps: [one, two], drops: 37 })).toBe(
      '途中の2か所、合わせて1分30秒が欠けています。受信の乱れが37か所あります',
    );
    expect(
      first({ level: 'damaged', gaps: [gap(0, 9, 'no_tuner'), one], headMs: -9 * MINUTE_MS, drops: 37 }),
    ).toBe('21:09から録画しました（最初の9分がありません）。21:12:00から1分が欠けています');
  });

  test('of what was received, but not whole', () => {
    expect(first({ level: 'damaged', gaps: [gap(1, 1.5, 'no_picture')] })).toBe('映像が30秒途切れています');
    const both = [gap(1, 1.5, 'no_picture'), gap(3, 4, 'no_sound')];
    expect(first({ level: 'damaged', gaps: both })).toBe('映像や音声が2か所、合わせて1分30秒途切れています');
    expect(first({ level: 'damaged', drops: 1_234 })).toBe('受信の乱れが1,234か所あります');
    expect(first({ level: 'damaged' })).toBe('受信の状態が悪く、映像や音声が乱れるところがあります');
  });

  test('of a failure, with what there is of it', () => {
    const lost = { level: 'lost', headMs: -54 * MINUTE_MS, tailMs: -54 * MINUTE_MS } as const;
    const gaps = [gap(0, 54, 'agent_unavailable')];
    expect(first({ ...lost, gaps }, { state: 'failed' })).toBe(
      '録画できませんでした。チューナーエージェントに接続できませんでした',
    );
    const most = [gap(0, 48, 'no_signal')];
    expect(first({ level: 'lost', gaps: most, headMs: -48 * MINUTE_MS }, { state: 'failed' })).toBe(
      '54分のうち6分しか録画できませんでした。放送を受信できませんでした',
    );
    expect(first({ level: 'lost', gaps: [gap(0, 54, 'no_picture')] }, { state: 'failed' })).toBe(
      '録画できませんでした。放送の映像が途切れました',
    );
  });

  test('of a recording in progress tells what it lacks already', () => {
    const at = (minutes: number) => broadcastMs(START + minutes * MINUTE_MS);
    const running = (recordedMs: number | undefined) => ({
      startAt: at(0),
      progress: {
        ...({ phase: 'receiving', cause: null, bytes: 1, drops: 0, slow: false, tunerId: 't1' } as const),
        until: at(54),
        ...(recordedMs === undefined ? {} : { recordedMs }),
      },
    });
    expect(runningLine(running(20 * MINUTE_MS), at(20))).toBe('録画中');
    expect(runningLine(running(undefined), at(20))).toBe('録画中');
    expect(runningLine(running(11 * MINUTE_MS), at(20))).toBe(
      '録画中（始まりから20分のうち、録画できたのは11分）',
    );
    expect(runningLine({ startAt: at(0), progress: null }, at(20))).toBe('録画中');
  });
});

describe('the line', () => {
  test('contains the programme between its margins', () => {
    const line = verdictLine(judged({ ...COMPLETE, headMs: 54 * MINUTE_MS, tailMs: 108 * MINUTE_MS }));
    expect(line?.start).toBeCloseTo(0.25);
    expect(line?.end).toBeCloseTo(0.5);
    expect(line?.pieces.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ['margin', 0, 0.25],
      ['margin', 0.5, 1],
    ]);
  });

  test('shows what is missing, also where no gap was reported', () => {
    const gaps = [{ startMs: 27 * MINUTE_MS, endMs: 30 * MINUTE_MS, cause: 'stalled' as const }];
    const line = verdictLine(judged({ level: 'damaged', drops: 0, gaps, headMs: -MINUTE_MS, tailMs: 0 }));
    const pieces = line?.pieces.filter(({ kind }) => kind === 'gap') ?? [];
    expect(pieces.map(({ from }) => from)).toEqual([0, 0.5]);
    expect(pieces[1]?.label).toBe('21:27:00から3分：放送のデータが届きませんでした');
  });

  test('shows when packets were damaged, without what lies beyond the line', () => {
    const window = { drops: 0, errors: 0, scrambled: 0 };
    const line = verdictLine(judged({ ...COMPLETE, level: 'damaged', drops: 4, headMs: 0, tailMs: 0 }), [
      { ...window, startMs: -10_000, endMs: 0, drops: 1 },
      { ...window, startMs: 27 * MINUTE_MS, endMs: 27 * MINUTE_MS + 10_000, drops: 1_204, errors: 3 },
      { ...window, startMs: 54 * MINUTE_MS - 5_000, endMs: 54 * MINUTE_MS + 5_000, scrambled: 9 },
    ]);
    const pieces = line?.pieces.filter(({ kind }) => kind === 'damage') ?? [];
    expect(pieces.map(({ from, to }) => [from, Number(to.toFixed(4))])).toEqual([
      [0.5, 0.5031],
      [1 - 5 / (54 * 60), 1],
    ]);
    expect(pieces.map(({ label }) => label)).toEqual([
      '21:27:00から10秒：乱れ1,204か所、受信エラー3件',
      '21:53:55から10秒：スクランブルを解除できないところがあります',
    ]);
  });

  test('is grey outside the requested span', () => {
    const verdict = { ...COMPLETE, headMs: -20 * MINUTE_MS };
    expect(verdictLine(judged(verdict))?.pieces.map(({ kind }) => kind)).toContain('absent');
  });

  test('of a programme that was never recorded is one gap within the line', () => {
    const length = 54 * MINUTE_MS;
    const verdict = { level: 'lost', drops: 0, gaps: [], headMs: -length, tailMs: -length } as const;
    const line = verdictLine(judged({ ...verdict, gaps: [] }));
    expect(line?.pieces.every(({ from, to }) => from >= 0 && to <= 1)).toBe(true);
    expect(line?.pieces[0]).toMatchObject({ kind: 'gap', from: 0, to: 1 });
  });
});
