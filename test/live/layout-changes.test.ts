/** Live on a broadcast whose sound and picture formats change, and whose branch station splits off. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { INVENTED_REGION, terrestrialService } from '../../synth/scenario/identity.ts';
import { scenarioFile } from '../synth/scenario-file.ts';
import { PACKET, packetsOf } from '../synth/tuning.ts';
import { until } from '../until.ts';
import { onsets, pictures, sound } from './media.ts';
import { prepareAir, Rig, type Watching } from './rig.ts';

const MAIN = terrestrialService(INVENTED_REGION, 1, 'tv', 0);
const BRANCH = terrestrialService(INVENTED_REGION, 1, 'tv', 1);
const HIGH = { codec: 'mpeg2', width: 320, height: 192, bitrate: 600_000 };
const LOW = { codec: 'mpeg2', width: 160, height: 96, bitrate: 300_000 };
const sharedWith = [MAIN, BRANCH];

const scenario = scenarioFile({
  channels: [
    {
      channel: 'T30',
      bitrate: 3_000_000,
      stations: [
        {
          audios: [{ bitrate: 96_000, mode: 'dual', elements: 'singles', crc: true }],
          programmes: [
            { durationSec: 3, title: '普通の音', sound: 'stereo' },
            { durationSec: 3, title: '立体音響', sound: 'surround' },
            { durationSec: 3, title: '二つの声', sound: 'dual' },
          ],
        },
      ],
    },
    {
      channel: 'T31',
      bitrate: 3_000_000,
      stations: [
        {
          video: HIGH,
          pictures: { split: LOW },
          programmes: [
            { durationSec: 10, title: '二つで同じ', sharedWith },
            { durationSec: 10, title: '主だけ' },
          ],
        },
        {
          video: LOW,
          branch: true,
          programmes: [
            { durationSec: 10, title: '二つで同じ', sharedWith },
            { durationSec: 10, title: '副だけ' },
          ],
        },
      ],
    },
  ],
});

let rig: Rig;
let stations: Awaited<ReturnType<typeof prepareAir>>;
beforeAll(async () => {
  stations = await prepareAir(scenario);
  rig = await Rig.start({ stations, scenario, tuners: 'GR:3' });
});
afterAll(() => rig.close());

function station(channel: string, service?: number) {
  const found = stations.find(
    (one) => one.channel === channel && (service === undefined || (one.serviceId as number) === service),
  );
  if (found === undefined) throw new Error(`no station on ${channel}`);
  return found.id;
}

/** Waits until a live stream contains this many seconds of pictures. */
async function seconds(watching: Watching, wanted: number): Promise<void> {
  const began = performance.now();
  await until('it begins', () => watching.bytes > 0);
  while (performance.now() - began < wanted * 1000 && watching.ending === undefined) await Bun.sleep(50);
}

test('a beep every second is audible through stereo, 5.1 and dual mono', async () => {
  const watching = await rig.watch(station('T30'));
  await seconds(watching, 11);
  const heard = onsets(await sound(watching.content()));
  await rig.leaveAll();
  expect(watching.ending).not.toBe('broken');
  expect(heard.length).toBeGreaterThan(7);
  const steps = heard.slice(1).map((at, index) => at - (heard[index] ?? 0));
  // Marks are 1.001 s apart; a lost sound format would leave a gap.
  for (const step of steps) expect(step).toBeWithin(0.95, 1.05);
});

/** Watched at the same time: the split occurs every 20 s. */
test('a picture that becomes smaller, and a branch that splits off, end the stream cleanly; the next request shows pictures', async () => {
  const [main, branch] = await Promise.all([
    rig.watch(station('T31', MAIN)),
    rig.watch(station('T31', BRANCH)),
  ]);
  await until('both end', () => main.ending !== undefined && branch.ending !== undefined);
  expect([main.ending, branch.ending]).toEqual(['clean', 'clean']);
  const [again, own] = await Promise.all([
    rig.watch(station('T31', MAIN)),
    rig.watch(station('T31', BRANCH)),
  ]);
  await until('both begin again', () => again.bytes > 20_000 && own.bytes > 0);
  expect((await pictures(main.content())).length + (await pictures(again.content())).length).toBeGreaterThan(
    5,
  );
  await rig.leaveAll();
});

/**
 * 27 MHz ticks between clock references: a larger distance means that the broadcaster was too slow on a
 * loaded machine.
 */
const SKIPPED = 27_000_000 / 5;

test('raw loses nothing where the formats change', async () => {
  const all = [station('T30'), station('T31', MAIN), station('T31', BRANCH)];
  const watched = await Promise.all(all.map((one) => rig.watch(one, 'raw')));
  await Promise.all(watched.map((watching) => seconds(watching, 12)));
  for (const watching of watched) {
    expect(watching.ending).toBeUndefined();
    const bytes = watching.content();
    const counters = new Map<number, number>();
    const clocks = new Map<number, number>();
    const whole = bytes.subarray(0, Math.floor(bytes.length / PACKET) * PACKET);
    let steps = 0;
    let jumps: [number, number, number][] = [];
    for (const { pid, counter, hasPayload, pcr } of packetsOf(whole)) {
      if (pcr !== undefined) {
        const last = clocks.get(pid);
        if (last === undefined || Math.abs(pcr - last) > SKIPPED) jumps = [];
        expect(jumps).toEqual([]);
        clocks.set(pid, pcr);
      }
      if (!hasPayload || pid < 0x100 || pid >= 0x1e00) continue;
      const before = counters.get(pid);
      counters.set(pid, counter);
      steps += 1;
      // A branch's own streams begin at zero whenever it splits off.
      if (before !== undefined && counter !== 0 && counter !== ((before + 1) & 15)) {
        jumps.push([pid, before, counter]);
      }
    }
    expect(steps).toBeGreaterThan(500);
  }
  await rig.leaveAll();
});
