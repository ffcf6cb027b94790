/**
 * Recordings in virtual time with random events: the verdict agrees with the losses in the file within half a
 * second. FUZZ_SEED repeats a run; `--long` runs 500 of them.
 */
import { expect, test } from 'bun:test';
import { compareWithFile } from '../faults/fault-comparison.ts';
import type { Cause } from '../faults/fault-rows.ts';
import { FUZZ_TIMEOUT, fuzzSeed, Random } from '../fuzz/random.ts';
import { type EveningPlan, randomPlan, recordEvening } from './virtual-evening.ts';

const APART_MS = 500;
const RECORDINGS = process.env.SVC_LONG === '1' ? 500 : 25;

const QUIET: EveningPlan = {
  ...{ lengthSec: 20, air: [], busy: [], extendedSec: 0, seed: 1 },
  process: { kind: 'none', at: 0, forSec: 0 },
};

/** @returns the error of its verdict; undefined: correct */
async function wrongWith(plan: EveningPlan): Promise<string | undefined> {
  const { end, verdict, bytes, startAt, aired } = await recordEvening(plan);
  const compared = compareWithFile(verdict, bytes, aired, startAt);
  const { picture, hidden, apartMs, isHalfMissing } = compared;
  // Drops are counted per few seconds: some of them may have been in the part that was cut off.
  const isOfCut = plan.cut !== undefined && Number.isFinite(compared.countedApart);
  const countedApart = isOfCut ? compared.uncounted : compared.countedApart;
  const finding = (what: string): string => `${what}: ${picture}, ${JSON.stringify({ verdict, plan })}`;
  // In these evenings no programme is copy-never from its start.
  if (end === 'copy_never') return finding('given up');
  if (hidden !== '') return finding('hidden');
  if (apartMs > APART_MS) return finding(Number.isFinite(apartMs) ? `${apartMs} ms apart` : 'invented');
  // For each stream a break is invisible if the killed process had counted exactly up to there.
  if (countedApart > (plan.process.kind === 'kill' ? 2 : 0)) return finding('counted wrongly');
  if (verdict.level === 'complete' && verdict.gaps.length > 0) return finding('not complete');
  if (verdict.level === 'lost' && !isHalfMissing) return finding('not lost');
  const isChanged = verdict.gaps.some(({ cause }) => cause === 'file_changed');
  if (isChanged && plan.cut === undefined) return finding('no other program changed it');
  return undefined;
}

test(
  `the reported gaps match the losses in the file (FUZZ_SEED=${fuzzSeed()})`,
  async () => {
    const random = new Random(fuzzSeed());
    for (let recording = 0; recording < RECORDINGS; recording += 1) {
      expect(await wrongWith(randomPlan(random))).toBeUndefined();
    }
  },
  FUZZ_TIMEOUT,
);

/** Found by random evenings: each was once reported wrongly. */
const FOUND: readonly [string, Partial<EveningPlan>][] = [
  ['a stall of less than a second', { air: [{ kind: 'stall', from: 11.9, to: 12.7 }] }],
  [
    'a stall in packets that all arrive at once after a pause of the process',
    { air: [{ kind: 'stall', from: 11.8, to: 12.9 }], process: { kind: 'freeze', at: 8, forSec: 8 } },
  ],
  [
    'the end of scrambling in packets that arrive late',
    {
      air: [{ kind: 'scramble', from: 10.2, to: 13.7 }],
      busy: [{ what: 'packets', from: 12.3, to: 14.4 }],
    },
  ],
  [
    'copy-never shortly before the service is killed',
    { air: [{ kind: 'copy_never', from: 7.3, to: 9.8 }], process: { kind: 'kill', at: 12.3, forSec: 3 } },
  ],
  [
    'a service that is killed and restarts only at the end',
    { air: [{ kind: 'stall', from: 5.4, to: 7.4 }], process: { kind: 'kill', at: 11.5, forSec: 12.1 } },
  ],
  [
    'a service that is killed in the first seconds and restarts during copy-never',
    { air: [{ kind: 'copy_never', from: 8.2, to: 11.4 }], process: { kind: 'kill', at: 5, forSec: 4 } },
  ],
  [
    'a service that is killed at the start and restarts during copy-never, which then ends',
    { air: [{ kind: 'copy_never', from: 7, to: 10.5 }], process: { kind: 'kill', at: 0.5, forSec: 7 } },
  ],
  [
    'a stall before an interruption, after which the programme begins by its tables',
    { air: [{ kind: 'stall', from: 4, to: 8 }], interruption: { from: 9, to: 13 } },
  ],
  [
    'a kill of the service before such an interruption',
    { process: { kind: 'kill', at: 4, forSec: 6 }, interruption: { from: 8, to: 12 } },
  ],
  [
    'packets that arrive late after the start of a new process',
    { process: { kind: 'kill', at: 6.5, forSec: 7 }, busy: [{ what: 'packets', from: 13.5, to: 16.5 }] },
  ],
  [
    'copy-never of less than half a second soon after a restart',
    { air: [{ kind: 'copy_never', from: 11.5, to: 11.9 }], process: { kind: 'kill', at: 7.9, forSec: 2.9 } },
  ],
  [
    'copy-never that a busy service has not received when it is killed',
    {
      ...{ lengthSec: 27, air: [{ kind: 'copy_never', from: 6.2, to: 8.1 }] },
      ...{ process: { kind: 'kill', at: 10.7, forSec: 12.2 }, extendedSec: 6 },
      busy: [{ what: 'messages', from: 8, to: 10.7 }],
    },
  ],
  [
    'drops at a known gap, before a kill without a restart',
    {
      air: [{ kind: 'copy_never', from: 16.7, to: 17.7 }],
      process: { kind: 'kill', at: 18.1, forSec: 9.1 },
    },
  ],
  ['a file of which half is cut off', { cut: { at: 10, part: 0.5 } }],
  [
    'a file of which a part is cut off while packets arrive late, and after a stall',
    {
      ...{ air: [{ kind: 'stall', from: 8.8, to: 10.7 }], cut: { at: 10.8, part: 0.3 } },
      busy: [{ what: 'packets', from: 6.6, to: 9.7 }],
    },
  ],
  [
    'late packets, before a kill, that seemed not to come',
    {
      ...{ busy: [{ what: 'packets', from: 20.4, to: 22.5 }], lengthSec: 26 },
      process: { kind: 'kill', at: 24.5, forSec: 5.7 },
    },
  ],
  [
    'a file that is shortened after the service was killed, which touches it',
    {
      ...{ lengthSec: 39, extendedSec: 10, cut: { at: 23.3, part: 0.2 } },
      process: { kind: 'kill', at: 14.6, forSec: 11 },
    },
  ],
  ['a file of which everything is cut off', { cut: { at: 10, part: 1 } }],
  [
    'a file of which half is cut off while the service is stopped',
    { cut: { at: 12, part: 0.5 }, process: { kind: 'kill', at: 10.5, forSec: 4 }, lengthSec: 40 },
  ],
  [
    'a stream that ends for a moment shortly before the service is stopped',
    { air: [{ kind: 'end', from: 13.8, to: 14.1 }], process: { kind: 'term', at: 14.7, forSec: 3.7 } },
  ],
  [
    'noise right after the restart of a killed service',
    { air: [{ kind: 'noise', from: 8, to: 9.4 }], process: { kind: 'kill', at: 4.1, forSec: 3.4 } },
  ],
  [
    'noise for a moment soon after a restart',
    { air: [{ kind: 'noise', from: 6, to: 6.6 }], process: { kind: 'term', at: 1.4, forSec: 4 } },
  ],
  [
    'pictures that are gone for 10 s before the service is killed',
    { air: [{ kind: 'no_picture', from: 4, to: 15 }], process: { kind: 'kill', at: 14, forSec: 3 } },
  ],
  [
    'sound that is gone before, during and after an absence of the service',
    { air: [{ kind: 'no_sound', from: 4, to: 12 }], process: { kind: 'kill', at: 6.3, forSec: 2.5 } },
  ],
  [
    'a stream that ends and returns while the disk is slow',
    { air: [{ kind: 'end', from: 10, to: 10.3 }], disk: [{ from: 9, to: 18 }], lengthSec: 24 },
  ],
  ['a disk that is slow at the end of the recording', { disk: [{ from: 17, to: 31 }] }],
  [
    'a kill after which the folder is away, so that another file is begun',
    {
      ...{ lengthSec: 24, process: { kind: 'kill', at: 8, forSec: 3 }, away: { from: 9, to: 17 } },
      busy: [{ what: 'messages', from: 6, to: 8 }],
    },
  ],
  [
    'a pause of the service in which its folder is away, until shortly before the end',
    {
      ...{
        lengthSec: 29,
        process: { kind: 'freeze', at: 18.4, forSec: 13.8 },
        away: { from: 15.8, to: 24.5 },
      },
      disk: [{ from: 14.8, to: 22.7 }],
    },
  ],
  [
    'a file that is shortened before a kill, after which a busy machine delays the first reports',
    {
      ...{ lengthSec: 37, process: { kind: 'kill', at: 24.1, forSec: 5.9 }, cut: { at: 19.6, part: 0.05 } },
      busy: [{ what: 'messages', from: 30.4, to: 32.1 }],
    },
  ],
  [
    'sound that is gone before a kill, after which a busy machine delays the first packets',
    {
      ...{ lengthSec: 33, air: [{ kind: 'no_sound', from: 8.4, to: 12.3 }] },
      ...{
        process: { kind: 'kill', at: 12.4, forSec: 8.5 },
        busy: [{ what: 'packets', from: 21.2, to: 23.6 }],
      },
    },
  ],
  [
    'a stream that ends before its slow disk has begun the next file, and returns',
    {
      ...{ lengthSec: 24, process: { kind: 'agent', at: 7.5, forSec: 2.9 }, away: { from: 4.8, to: 11.5 } },
      disk: [{ from: 4.7, to: 12.5 }],
    },
  ],
  [
    'a first file that is shortened after the recording continued in another one',
    { lengthSec: 24, away: { from: 5, to: 11 }, cut: { at: 20, part: 0.2 } },
  ],
];

test.each<[string, EveningPlan['air'][number]['kind'], Cause[]]>([
  ['a stall', 'stall', ['stalled', 'service_stopped']],
  ['copy-never', 'copy_never', ['copy_never', 'service_stopped']],
  ['the end of the stream', 'end', ['stream_ended', 'no_signal', 'service_stopped']],
])('%s before the service is killed is told as such, and then the kill', async (_, kind, causes) => {
  const air = [{ kind, from: 6, to: 13 }];
  const plan: EveningPlan = { ...QUIET, lengthSec: 30, air, process: { kind: 'kill', at: 11, forSec: 4 } };
  expect(await wrongWith(plan)).toBeUndefined();
  const { verdict, startAt, aired } = await recordEvening(plan);
  expect(verdict.gaps.map(({ cause }) => cause)).toEqual(causes);
  const killed = verdict.gaps.at(-1);
  // What was reported last, once a second, and saved.
  expect(Math.abs(startAt + (killed?.startMs ?? 0) - aired.from - 11_000)).toBeLessThan(2_500);
});

test.each([0.2, 0.5, 1])(
  'a part of %d that another program cuts off unnoticed before the service is killed is told after its restart',
  async (part) => {
    const plan: EveningPlan = {
      ...{ ...QUIET, lengthSec: 24, process: { kind: 'kill', at: 12.3, forSec: 4 } },
      ...{ cut: { at: 10.3, part }, busy: [{ what: 'messages', from: 10.3, to: 12.3 }] },
    };
    expect(await wrongWith(plan)).toBeUndefined();
    expect((await recordEvening(plan)).verdict.gaps[0]?.cause).toBe('file_changed');
  },
);

/** Its writes end before, while and after the recording continues in another folder. */
test.each([9, 9.7, 10, 10.1, 10.2, 10.3, 10.6])(
  'a slow write at %d s to a folder that is renamed away loses nothing',
  async (from) => {
    const plan: EveningPlan = {
      ...{ ...QUIET, lengthSec: 24, away: { from: 9, to: 17 } },
      disk: [{ from, to: from + 2 }],
      busy: [{ what: 'packets', from: from - 0.3, to: from + 1 }],
    };
    expect(await wrongWith(plan)).toBeUndefined();
    expect((await recordEvening(plan)).verdict).toMatchObject({ level: 'complete', gaps: [] });
  },
);

test.each([9.8, 10.2, 10.6, 11, 11.4])(
  'a service that is killed while its disk is slow since %d s, and restarts after the end, tells the kill',
  async (from) => {
    const process = { kind: 'kill', at: 15, forSec: 20 } as const;
    expect(await wrongWith({ ...QUIET, process, disk: [{ from, to: 17 }] })).toBeUndefined();
  },
);

test.each(FOUND)('%s is reported correctly', async (_, plan) => {
  expect(await wrongWith({ ...QUIET, ...plan })).toBeUndefined();
});
