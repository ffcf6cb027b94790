/** A main and a branch station of one channel: shared streams while they show the same, a split, and back. */
import { beforeAll, expect, test } from 'bun:test';
import { findDescriptor } from '../../lib/arib/descriptor/index.ts';
import { pid } from '../../lib/arib/ids.ts';
import { parseEit } from '../../lib/arib/si/eit.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { type ProgramMap, parsePmt } from '../../lib/arib/ts/pmt.ts';
import { SectionDemux } from '../../lib/arib/ts/section.ts';
import { STC_ZERO } from '../../synth/clock.ts';
import { INVENTED_REGION, terrestrialService } from '../../synth/scenario/identity.ts';
import { scenarioFile } from './scenario-file.ts';
import { packetsOf, run, trimmed, tune } from './tuning.ts';

/** A multiple of the rounds of the lists after the zero of the clock. */
const AT = STC_ZERO + 60_000_000;
const SECONDS = 21;
const MAIN = terrestrialService(INVENTED_REGION, 0, 'tv', 0);
const BRANCH = terrestrialService(INVENTED_REGION, 0, 'tv', 1);
const MAPS = { main: 0x1f0, branch: 0x2f0 };

const HIGH = { codec: 'mpeg2', width: 320, height: 192, bitrate: 600_000 };
const LOW = { codec: 'mpeg2', width: 160, height: 96, bitrate: 300_000 };
/** The branch shows another programme from the 8th to the 14th second of each round of 20. */
const scenario = scenarioFile({
  channels: [
    {
      channel: 'T30',
      bitrate: 3_000_000,
      stations: [
        {
          video: HIGH,
          pictures: { split: LOW },
          captions: true,
          programmes: [
            { durationSec: 8, title: '二つで同じ', sharedWith: [MAIN, BRANCH] },
            { durationSec: 6, title: '主だけ', items: [{ heading: '出演者', text: '架空太郎' }] },
            { durationSec: 6, title: 'また同じ', sharedWith: [MAIN, BRANCH] },
          ],
        },
        {
          video: LOW,
          branch: true,
          programmes: [
            { durationSec: 8, title: '二つで同じ', sharedWith: [MAIN, BRANCH] },
            { durationSec: 6, title: '副だけ' },
            { durationSec: 6, title: 'また同じ', sharedWith: [MAIN, BRANCH] },
          ],
        },
      ],
    },
  ],
});

let stream: Uint8Array;
let order: { service: number; map: ProgramMap }[];

beforeAll(async () => {
  stream = await tune({ scenario, type: 'GR', channel: 'T30', at: AT, seconds: SECONDS });
  const demux = new SectionDemux([pid(MAPS.main), pid(MAPS.branch)]);
  order = [];
  for (const section of demux.feed(new PacketFramer().feed(stream))) {
    const map = parsePmt(section);
    if (map === undefined) continue;
    const last = order.findLast(({ service }) => service === map.programNumber);
    if (last?.map.version !== map.version) order.push({ service: map.programNumber, map });
  }
});

const pidsOf = ({ pcrPid, streams }: ProgramMap): number[] => [pcrPid, ...streams.map((one) => one.pid)];

test('both maps list the same streams and clock; at the split the branch lists its own, and returns', () => {
  const maps = (service: number) => order.filter((one) => one.service === service).map(({ map }) => map);
  const [mains, branches] = [maps(MAIN), maps(BRANCH)];
  const own = pidsOf(mains[0] as ProgramMap);
  expect(own).toEqual([0x1ff, 0x100, 0x110, 0x130]);
  expect(branches.map(pidsOf)).toEqual([own, [0x2ff, 0x200, 0x210], own]);
  for (const map of mains) expect(pidsOf(map)).toEqual(own);
  // The picture format differs, so the map does too.
  expect(mains.length).toBe(3);
});

test('the branch has its own streams only during the split, and its PCR a second before', () => {
  const perPacket = SECONDS / (stream.length / 188);
  const seen = new Map<number, number[]>();
  for (const { pid: on, at, hasPayload, pcr } of packetsOf(stream)) {
    if (!hasPayload && pcr === undefined) continue;
    const times = seen.get(on) ?? [];
    times.push((at / 188) * perPacket);
    seen.set(on, times);
  }
  for (const [own, earliest] of [
    [0x200, 7],
    [0x210, 7],
    [0x2ff, 6.9],
  ] as const) {
    const times = seen.get(own) ?? [];
    expect(times.length).toBeGreaterThan(20);
    expect(Math.min(...times)).toBeGreaterThan(earliest);
    expect(Math.max(...times)).toBeLessThan(14.1);
  }
});

test("the main station's pictures are smaller during the split, on the same identifier", async () => {
  const clean = trimmed(stream, [0x100], [0x110]);
  const probed = await run(
    [
      ...['ffprobe', '-v', 'error', '-select_streams', 'i:256', '-show_entries', 'frame=width'],
      ...['-of', 'csv=p=0', '-i', 'pipe:0'],
    ],
    clean,
  );
  expect(probed.stderr).toBe('');
  const widths: string[] = [];
  for (const width of new TextDecoder().decode(probed.stdout).match(/\d+/g) ?? []) {
    if (widths.at(-1) !== width) widths.push(width);
  }
  expect(widths).toEqual(['320', '160', '320']);
});

test("the branch's entry is an event group that names the main event; its present has texts, but no items", () => {
  const demux = new SectionDemux([pid(0x12)]);
  const kinds = new Set<string>();
  for (const section of demux.feed(new PacketFramer().feed(stream))) {
    const eit = parseEit(section);
    if (eit?.serviceId !== BRANCH) continue;
    for (const { eventId, descriptors } of eit.events) {
      const group = findDescriptor(descriptors, 'event_group');
      if (group === undefined) continue;
      expect(group.events as unknown[]).toEqual([{ serviceId: MAIN, eventId }]);
      const names = descriptors.map(({ kind }) => kind);
      if (eit.kind === 'present-following') {
        expect(names).toContain('short_event');
        expect(names).not.toContain('extended_event');
      } else {
        expect(names).toEqual(['event_group']);
      }
      kinds.add(eit.kind);
    }
  }
  expect([...kinds]).toContain('present-following');
  expect(kinds.size).toBeGreaterThan(1);
});
