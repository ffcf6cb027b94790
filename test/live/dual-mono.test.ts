/**
 * Dual mono as in a broadcast (two single channel elements, no configuration) through the whole live path.
 * ffmpeg alone cannot read such sound; the worker converts it on the way.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { StationId } from '../../lib/arib/ids.ts';
import { until } from '../until.ts';
import { boxTypes, sound, tone } from './media.ts';
import { prepareAir, Rig, type Watching } from './rig.ts';

const SCENARIO = join(import.meta.dir, '..', 'synth', 'dual-mono.json');
/** As in the scenario: the main sound is left, the sub sound right. */
const MAIN_HZ = 800;
const SUB_HZ = 1600;
/** Enough for a beep, one every 1.001 s, in AAC of 160 kbit/s and a small picture. */
const ENOUGH_FRAGMENTS = 16;

let rig: Rig;
let station: StationId;

beforeAll(async () => {
  const stations = await prepareAir(SCENARIO);
  station = stations[0]?.id ?? (0 as StationId);
  rig = await Rig.start({
    stations,
    scenario: SCENARIO,
    audios: [
      { id: '0:main', stream: 0, side: 'main', label: '日本語', main: true },
      { id: '0:sub', stream: 0, side: 'sub', label: '英語' },
      { id: '0:both', stream: 0, side: 'both', label: '日本語＋英語' },
    ],
  });
});

afterAll(() => rig.close());

async function energies(watching: Watching): Promise<{ left: [number, number]; right: [number, number] }> {
  await until('enough sound', () => boxTypes(watching.content()).length > 2 * ENOUGH_FRAGMENTS);
  const { left, right } = await sound(watching.content());
  const tones = (ear: Float32Array): [number, number] => [tone(ear, MAIN_HZ), tone(ear, SUB_HZ)];
  return { left: tones(left), right: tones(right) };
}

test('main, sub and both sound on the right channels', async () => {
  const watching = await Promise.all(
    ['0:main', '0:sub', '0:both'].map((audio) => rig.watch(station, 'h264', audio)),
  );
  const [main, sub, both] = await Promise.all(watching.map(energies));
  for (const ear of [main?.left, main?.right, both?.left]) {
    expect(ear?.[0]).toBeGreaterThan(20 * (ear?.[1] ?? 0));
  }
  for (const ear of [sub?.left, sub?.right, both?.right]) {
    expect(ear?.[1]).toBeGreaterThan(20 * (ear?.[0] ?? 0));
  }
  await rig.leaveAll();
});
