/**
 * `GET /api/programs` of the Mirakurun-compatible interface with 23,000 programmes: time and processor of the first and
 * of later requests, beside Mirakurun's way, `JSON.stringify` of the same objects for each request.
 * `bun test/bench/mirakurun-programs.ts [rounds]`
 */
import { type EventId, networkId, programId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { toProgram } from '../../src/compat/mirakurun-shapes.ts';
import { ProgramListing } from '../../src/compat/program-listing.ts';
import type { ProgramRecord } from '../../src/model/program.ts';

const STATIONS = 60;
const EVENTS = 384;
const CHANGED = 6;
const rounds = Number(process.argv[2] ?? 20);
const START = broadcastMs(1_700_000_000_000);
const NETWORK = networkId(0x7fe8);
const ids = Array.from({ length: STATIONS }, (_, index) => stationId(NETWORK, serviceId(1024 + index)));

function record(id: (typeof ids)[number], event: number): ProgramRecord {
  const text = '出演者と内容の説明です。'.repeat(12);
  const startAt = broadcastMs(START + (event - 1) * 1_800_000);
  return {
    ...{
      id: programId(id, event as EventId),
      stationId: id,
      eventId: event as EventId,
      name: `番組 ${event}`,
    },
    ...{ startAt, endAt: broadcastMs(startAt + 1_800_000), openEnd: false, groups: [], series: null },
    ...{ description: text, extended: { 番組内容: text, 出演者: text }, genres: [{ lv1: 7, lv2: 0 }] },
    audios: [{ componentType: 3, componentTag: 16, main: true, languages: ['jpn'], text: '' }],
    ...{ videoType: 'mpeg2', videoResolution: '1080i', isFree: true, copyNever: false },
  };
}

const records = new Map(
  ids.map((id) => [id, Array.from({ length: EVENTS }, (_, event) => record(id, event + 1))] as const),
);
const shapesOf = (id: (typeof ids)[number]) =>
  (records.get(id) ?? []).map((one) => toProgram(one, () => true));
let version = 1;
const listing = new ProgramListing({
  changes: {
    get version() {
      return version;
    },
    since: () => ids.slice(0, CHANGED),
  },
  programs: shapesOf,
  ...{ now: () => START, monotonic: () => performance.now() },
});

async function measured(act: () => Promise<unknown> | unknown): Promise<{ ms: number; processor: number }> {
  const [begun, used] = [performance.now(), process.cpuUsage()];
  await act();
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - begun, processor: (user + system) / 1_000 };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function repeated(act: () => Promise<unknown> | unknown) {
  const all: { ms: number; processor: number }[] = [];
  for (let round = 0; round < rounds; round += 1) all.push(await measured(act));
  return { ms: median(all.map(({ ms }) => ms)), processor: median(all.map(({ processor }) => processor)) };
}

const request = (encoding: string) => new Request('http://x/', { headers: { 'accept-encoding': encoding } });
const ask = (encoding: string) => async () =>
  (await (await listing.answer(request(encoding), ids)).arrayBuffer()).byteLength;

const objects = ids.flatMap(shapesOf);
const peer = await repeated(() => new TextEncoder().encode(JSON.stringify(objects)).length);
const peerPacked = await repeated(() =>
  Bun.gzipSync(new TextEncoder().encode(JSON.stringify(objects)), { level: 6 }),
);
const rows = [
  ['first, gzip', await measured(ask('gzip')), peerPacked],
  ['unchanged', await repeated(ask('identity')), peer],
  ['unchanged, gzip', await repeated(ask('gzip')), peerPacked],
  [
    `${CHANGED} of ${STATIONS} guides changed`,
    await repeated(() => {
      version += 1;
      return ask('identity')();
    }),
    peer,
  ],
] as const;
console.log(
  `${objects.length} programmes, ${((await ask('identity')()) / 1e6).toFixed(1)} MB; ratio: the peer is 1`,
);
for (const [name, { ms, processor }, { ms: theirs }] of rows)
  console.log(
    `${name.padEnd(28)} ${ms.toFixed(1).padStart(8)} ms  ${processor.toFixed(1).padStart(8)} ms of processor  ` +
      `peer ${theirs.toFixed(1).padStart(8)} ms  ratio ${(ms / theirs).toFixed(2)}`,
  );
