/**
 * The decisions of a scan: which channels may be opened, how outcomes are classified, the resulting channel table.
 */
import { describe, expect, test } from 'bun:test';
import { type BroadcastType, networkId, serviceId, transportStreamId } from '../../lib/arib/ids.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { tunerOf } from '../../test/tuner.ts';
import type { ScannedStream, SurveyOutcome } from '../reception/survey-types.ts';
import { hasTunerFor } from '../tuner/tuner-list.ts';
import { MOST_AT_ONCE, startable } from './channel-scan.ts';
import {
  beginScan,
  giveUp,
  nothingFound,
  type ScanProgress,
  type ScanTask,
  scannedTable,
  scanRange,
  settleTask,
  startTask,
  unseenChannels,
} from './scan-progress.ts';

type TunerUser = Tuner['users'][number];

function tuner(types: BroadcastType[], users: TunerUser[] = [], over: Partial<Tuner> = {}): Tuner {
  return tunerOf(types, { state: users.length > 0 ? 'tuned' : 'idle', users, ...over });
}

const user = (use: string, priority: number): TunerUser => ({ use, priority, lagBytes: 0 });
const gr = (...names: string[]) => names.map((channel) => ({ type: 'GR' as const, channel }));
const bs = (...names: string[]) => names.map((channel) => ({ type: 'BS' as const, channel }));

describe('startable', () => {
  const waiting = gr('T13', 'T14', 'T15', 'T16');

  test('takes all free tuners but one, which stays free for other users', () => {
    const free = Array.from({ length: 3 }, () => tuner(['GR']));
    expect(startable(waiting, [], free)).toEqual(gr('T13', 'T14'));
    expect(startable(waiting, [], [tuner(['GR'])])).toEqual(gr('T13'));
    expect(startable(waiting, gr('T20'), [tuner(['GR'])])).toEqual([]);
  });

  test("does not take tuners from viewers, recordings and 'collect now', but from guide and logos", () => {
    const taken = [9, 10, 8, 5].map((priority) => tuner(['GR'], [user('other', priority)]));
    expect(startable(waiting, [], taken)).toEqual([]);
    const lower = [tuner(['GR'], [user('epg T27', 3)]), tuner(['GR'], [user('logo GR/T27', 1)])];
    expect(startable(waiting, [], lower)).toEqual(gr('T13'));
  });

  test('shares an existing tuning of the channel, whatever else is free', () => {
    const open = tuner(['GR'], [user('rec 1', 10)], { tuned: { type: 'GR', channel: 'T15' } });
    expect(startable(waiting, [], [open])).toEqual(gr('T15'));
    // Its own reading does not keep a channel open for another one.
    const own = tuner(['GR'], [user('scan T15', 5)], { tuned: { type: 'GR', channel: 'T15' } });
    expect(startable(waiting, [], [own])).toEqual([]);
  });

  test('skips disabled and unusable tuners, and other types', () => {
    const useless = [
      tuner(['GR'], [], { disabled: true }),
      tuner(['GR'], [], { rank: null }),
      tuner(['BS', 'CS']),
    ];
    expect(startable(waiting, [], useless)).toEqual([]);
    expect(useless.map((one) => hasTunerFor([one], 'GR'))).toEqual([false, false, false]);
    expect(startable([...waiting, ...bs('BS01_0')], [], useless)).toEqual(bs('BS01_0'));
  });

  test('never opens more tuners than are available, for any set of tuners', () => {
    const seed = fuzzSeed();
    const random = new Random(seed);
    const types: BroadcastType[][] = [['GR'], ['BS', 'CS'], ['GR', 'BS', 'CS'], ['CS']];
    for (let round = 0; round < 2000; round++) {
      const tuners = Array.from({ length: random.below(6) }, () =>
        tuner(
          random.pick(types),
          Array.from({ length: random.below(3) }, () => user('x', random.below(12))),
          { disabled: random.below(5) === 0, rank: random.below(6) === 0 ? null : 0 },
        ),
      );
      const range = scanRange(['GR', 'BS', 'CS']);
      const all = Array.from({ length: random.below(12) }, () => random.pick(range));
      const running = all.splice(0, random.below(3));
      const started = startable(all, running, tuners);
      const usable = tuners.filter(
        (one) => !one.disabled && one.rank !== null && one.users.every(({ priority }) => priority < 5),
      );
      const what = `seed ${seed} round ${round}`;
      expect(started.length, what).toBeLessThanOrEqual(usable.length);
      expect(started.length + running.length, what).toBeLessThanOrEqual(Math.max(MOST_AT_ONCE, 2));
      for (const { type } of started) {
        expect(
          usable.some((one) => one.types.includes(type)),
          what,
        ).toBe(true);
      }
      // If nothing is running, something is always started where possible.
      const possible = all.some(({ type }) => usable.some((one) => one.types.includes(type)));
      if (running.length === 0) expect(started.length > 0, what).toBe(possible);
    }
  });
});

test('the range contains every channel that tuners can receive', () => {
  const count = (type: BroadcastType) => scanRange([type]).map(({ channel }) => channel);
  expect([count('GR').length, count('GR')[0], count('GR').at(-1)] as unknown).toEqual([40, 'T13', 'T52']);
  expect([count('BS').length, count('BS')[0], count('BS')[5], count('BS').at(-1)] as unknown).toEqual([
    48,
    'BS01_0',
    'BS03_1',
    'BS23_3',
  ]);
  expect(count('CS')).toEqual([
    ...['CS02', 'CS04', 'CS06', 'CS08', 'CS10', 'CS12'],
    ...['CS14', 'CS16', 'CS18', 'CS20', 'CS22', 'CS24'],
  ]);
});

function stream(tsid: number, services: number[], over: Partial<ScannedStream> = {}): ScannedStream {
  return {
    networkId: networkId(4),
    transportStreamId: transportStreamId(tsid),
    remoteControlKey: null,
    services: services.map((id) => ({ serviceId: serviceId(id), name: `局${id}`, serviceType: 1 })),
    transponder: [],
    ...over,
  };
}

const failed = (outcome: SurveyOutcome, reason: string | null = null) => ({ outcome, reason, findings: {} });
const found = (value: ScannedStream) => ({
  outcome: 'complete' as const,
  reason: null,
  findings: { stream: value },
});

/** Takes the waiting task of that channel. */
function take(progress: ScanProgress, channel: string): ScanTask {
  const task = progress.waiting.find((one) => one.channel === channel);
  if (task === undefined) throw new Error(`${channel} does not wait`);
  startTask(progress, task);
  return task;
}

describe('a scan as a value', () => {
  test('a channel without a signal is tried once, and reported with the reason', () => {
    const progress = beginScan(['CS']);
    settleTask(progress, take(progress, 'CS02'), failed('refused', 'アンテナがありません'));
    settleTask(progress, take(progress, 'CS04'), failed('no_signal', 'time is up'));
    expect([progress.done, progress.total, progress.waiting.length]).toEqual([2, 12, 10]);
    expect(progress.failed.map(({ message }) => message)).toEqual([
      'アンテナがありません',
      '電波を受信できませんでした',
    ]);
  });

  test('a channel whose signal could not be read is tried again, after all others', () => {
    const progress = beginScan(['CS']);
    const task = take(progress, 'CS02');
    settleTask(progress, task, failed('partial', 'time is up'));
    expect([progress.done, progress.total, progress.failed.length]).toEqual([1, 13, 0]);
    expect(progress.waiting.at(-1)).toEqual({ type: 'CS', channel: 'CS02', attempt: 2 });
    settleTask(progress, take(progress, 'CS02'), failed('partial', 'time is up'));
    expect([progress.done, progress.waiting.length]).toEqual([2, 11]);
    expect(progress.failed).toMatchObject([{ type: 'CS', channel: 'CS02', outcome: 'partial' }]);
  });

  test('a scan of a region with nine channels takes under half of trying the 41 empty channels of T13 to T62 twice', () => {
    const progress = beginScan(['GR']);
    const received = ['T13', 'T16', 'T20', 'T21', 'T22', 'T24', 'T25', 'T27', 'T52'];
    let silent = 0;
    while (progress.waiting.length > 0) {
      const task = progress.waiting[0] as ScanTask;
      const at = received.indexOf(task.channel);
      if (at < 0) silent += 1;
      startTask(progress, task);
      settleTask(progress, task, at < 0 ? failed('no_signal') : found(stream(at + 1, [at + 1])));
    }
    expect(progress.found).toHaveLength(received.length);
    expect(silent).toBe(31);
    expect(silent / (2 * 41)).toBeLessThan(0.5);
  });

  test('every failure has its own sentence', () => {
    const outcomes: SurveyOutcome[] = [
      'refused',
      'no_signal',
      'unreachable',
      'unreadable',
      'partial',
      'broken',
      'crashed',
    ];
    const messages = outcomes.map((outcome) => {
      const progress = beginScan(['CS']);
      const task = take(progress, 'CS02');
      settleTask(progress, task, failed(outcome, 'HTTP 500'));
      if (progress.failed.length === 0) {
        settleTask(progress, take(progress, 'CS02'), failed(outcome, 'HTTP 500'));
      }
      return progress.failed[0]?.message ?? '';
    });
    expect(new Set(messages).size).toBe(outcomes.length);
    for (const message of messages) expect(message).toMatch(/[ぁ-ん]/);
  });

  test('without a tuner a channel counts as not examined', () => {
    const progress = beginScan(['CS']);
    settleTask(progress, take(progress, 'CS08'), failed('no_tuner'));
    expect([progress.done, progress.waiting[0]?.channel, progress.waiting[0]?.attempt] as unknown).toEqual([
      0,
      'CS08',
      1,
    ]);
    giveUp(progress, 'no_tuner');
    expect([progress.done, progress.failed.length]).toEqual([12, 12]);
    expect(nothingFound(progress)).toContain('空いているチューナーがありませんでした');
  });

  test('slots with the same stream are merged under the smallest slot, in any order', () => {
    for (const order of [
      ['BS01_0', 'BS01_1', 'BS01_3'],
      ['BS01_3', 'BS01_1', 'BS01_0'],
    ]) {
      const progress = beginScan(['BS']);
      for (const channel of order) {
        const tsid = channel === 'BS01_1' ? 0x4011 : 0x4010;
        settleTask(progress, take(progress, channel), found(stream(tsid, [tsid])));
      }
      expect(progress.found.map(({ channel, tsid }) => [channel, tsid]).sort()).toEqual([
        ['BS01_0', 0x4010],
        ['BS01_1', 0x4011],
      ]);
      expect(progress.failed).toMatchObject([{ channel: 'BS01_3', message: 'BS01_0 と同じ放送です' }]);
    }
  });

  test('slots that are missing from the NIT of the transponder are not tried twice', () => {
    const progress = beginScan(['BS']);
    const transponder = [transportStreamId(0x4010), transportStreamId(0x4011)];
    settleTask(progress, take(progress, 'BS01_0'), found(stream(0x4010, [1], { transponder })));
    settleTask(progress, take(progress, 'BS01_1'), failed('broken'));
    settleTask(progress, take(progress, 'BS01_2'), failed('refused'));
    expect(progress.failed).toMatchObject([{ channel: 'BS01_2', message: 'このスロットに放送はありません' }]);
    expect(progress.waiting.at(-1)).toMatchObject({ channel: 'BS01_1', attempt: 2 });
  });

  test('keeps channels worth recording: one with data and one-segment services only is dropped', () => {
    const progress = beginScan(['GR']);
    const services = [
      { serviceId: serviceId(1408), name: 'ワンセグ', serviceType: 0xc0 },
      { serviceId: serviceId(1025), name: 'データ', serviceType: 0xc0 },
    ];
    settleTask(progress, take(progress, 'T13'), found(stream(1, [], { services })));
    expect(progress.failed).toMatchObject([{ channel: 'T13', message: '録画できる局がありません' }]);
    const more = [...services, { serviceId: serviceId(1024), name: '局', serviceType: 1 }];
    const key = { services: [...more, ...more], remoteControlKey: 4 };
    settleTask(progress, take(progress, 'T14'), found(stream(2, [], key)));
    expect(progress.found).toEqual([
      {
        type: 'GR',
        channel: 'T14',
        tsid: 2,
        networkId: 4,
        stations: [{ serviceId: 1024, name: '局', serviceType: 1, remoteControlKey: 4 }],
      },
    ]);
    expect([progress.done, progress.total]).toEqual([2, 40]);
  });

  test('the table: found types are replaced in the order of channels, all others stay', () => {
    const progress = beginScan(['GR', 'BS', 'CS']);
    settleTask(progress, take(progress, 'T30'), found(stream(30, [30])));
    settleTask(progress, take(progress, 'T20'), found(stream(20, [20])));
    settleTask(progress, take(progress, 'CS04'), found(stream(4, [4])));
    const old = (type: BroadcastType, channel: string) => ({
      type,
      channel,
      tsid: null,
      networkId: null,
      stations: [],
    });
    const before = [old('GR', 'T13'), old('BS', 'BS01_0'), old('BS', 'BS01_1'), old('CS', 'CS02')];
    expect(scannedTable(before, progress).map(({ channel }) => channel)).toEqual([
      ...['T20', 'T30', 'CS04'],
      ...['BS01_0', 'BS01_1'],
    ]);
  });

  test('a channel that could not be examined keeps its entry, unless its stream was found elsewhere', () => {
    const progress = beginScan(['GR']);
    settleTask(progress, take(progress, 'T20'), found(stream(20, [20])));
    settleTask(progress, take(progress, 'T21'), failed('broken'));
    settleTask(progress, take(progress, 'T21'), failed('broken'));
    settleTask(progress, take(progress, 'T22'), failed('crashed'));
    settleTask(progress, take(progress, 'T22'), failed('crashed'));
    giveUp(progress, 'no_tuner');
    const old = (channel: string, tsid: number) => ({
      type: 'GR' as const,
      channel,
      tsid,
      networkId: 4,
      stations: [],
    });
    const before = [old('T20', 1), old('T21', 21), old('T22', 22), old('T30', 30), old('T40', 20)];
    expect(scannedTable(before, progress).map(({ channel, tsid }) => [channel, tsid])).toEqual([
      ['T20', 20],
      ['T22', 22],
      ['T30', 30],
    ]);
    expect(unseenChannels(progress)).toHaveLength(38);
  });

  test('for any results, every channel ends once, and the number of readings matches the count', () => {
    const seed = fuzzSeed();
    const random = new Random(seed);
    const outcomes: SurveyOutcome[] = ['refused', 'no_signal', 'partial', 'broken', 'unreadable', 'no_tuner'];
    for (let round = 0; round < 100; round++) {
      const types = [['GR'], ['BS'], ['CS', 'BS']][random.below(3)] as BroadcastType[];
      const progress = beginScan(types);
      let steps = 0;
      while (progress.waiting.length > 0 && steps < 5000) {
        steps += 1;
        const task = random.pick(progress.waiting);
        startTask(progress, task);
        const value = stream(random.below(40), [random.below(3)], {
          transponder: Array.from({ length: random.below(4) }, () => transportStreamId(1)),
        });
        settleTask(
          progress,
          task,
          random.below(3) === 0 ? found(value) : failed(random.pick(outcomes), null),
        );
      }
      const what = `seed ${seed} round ${round}`;
      const ended = [...progress.found, ...progress.failed].map(({ channel }) => channel).sort();
      expect(ended, what).toEqual(
        scanRange(types)
          .map(({ channel }) => channel)
          .sort(),
      );
      expect([progress.done, progress.running], what).toEqual([progress.total, []]);
    }
  });
});
