/**
 * The data broadcast of a recording equals what a viewer of the station had at the same time: the same packets are given
 * to the reader of live viewers, which knows nothing of files, and to the file of the recording.
 */
import { describe, expect, test } from 'bun:test';
import { rmSync, truncateSync } from 'node:fs';
import { plusMs } from '../../lib/arib/time.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { SIDE_ROWS } from '../../src/media/side-rows.ts';
import { SideState } from '../../src/media/side-state.ts';
import { ticksAt } from '../../synth/clock.ts';
import { stationPages } from '../../synth/data/pages.ts';
import { fuzzSeed, Random } from '../fuzz/random.ts';
import { BEAT_MS, BEGIN, CHANNEL, dataBeats, PICTURE_DELAY, STATION } from './data-recording.ts';
import { DataReading, messageOf } from './reading.ts';
import { RecordedFile } from './recorded-file.ts';

const SECONDS = 60;
const SEEKS = 100;
const row = SIDE_ROWS.find(({ name }) => name === 'data');
if (row === undefined) throw new Error('no data broadcast');
const beats = [...dataBeats({ seconds: SECONDS })];
const whole = Buffer.concat(beats);
const seed = fuzzSeed();

/** What a live viewer has after each beat, if the stream arrives in pieces of this size: messages of the state. */
function liveStates(chunkBytes: number): string[][] {
  const reading = new DataReading({ serviceId: STATION.plan.serviceId });
  const state = new SideState(row?.maxBytes ?? 0);
  const framer = new PacketFramer();
  const states: string[][] = [];
  let fed = 0;
  let end = 0;
  let taken = 0;
  for (const [index, beat] of beats.entries()) {
    const begin = end;
    end += beat.length;
    // What is not a whole piece yet has not arrived.
    while (fed + chunkBytes <= end || (index === beats.length - 1 && fed < end)) {
      const piece = whole.subarray(fed, fed + chunkBytes);
      fed += piece.length;
      const now = (index + Math.max(0, fed - begin) / beat.length) * BEAT_MS;
      reading.feed(framer.feed(piece).slice(), Math.max(0, now - reading.now));
    }
    for (const item of reading.items.slice(taken))
      if (row !== undefined) state.keep({ kind: 'side', row, item });
    taken = reading.items.length;
    states.push(state.frames().map(({ item }) => JSON.stringify(messageOf(item))));
  }
  return states;
}

const typeOf = (text: string): string => (JSON.parse(text) as ResponseMessage).type;
const isClock = (text: string): boolean => typeOf(text) === 'currentTime';
const isNpt = (text: string): boolean => typeOf(text) === 'esEventUpdated';
/** NPT references and the clock are compared by their times. */
const constants = (state: readonly string[]): string[] =>
  state.filter((text) => !isClock(text) && !isNpt(text)).sort();

function timesOf(state: readonly string[]): number[] {
  return state.flatMap((text) => {
    const message = JSON.parse(text) as ResponseMessage;
    if (message.type === 'currentTime') return [message.at];
    if (message.type !== 'esEventUpdated') return [];
    return message.events.flatMap((event) =>
      event.type === 'nptReference' ? [(event.at ?? 0) - event.npt / 90] : [],
    );
  });
}

test.each([188, 1_504, 64 * 188, 65_536, 1_048_576])(
  `the state after ${SEEKS} seeks is that of a live viewer (pieces of %i octets)`,
  async (chunkBytes) => {
    using file = new RecordedFile(whole);
    expect(await file.read()).toBe(true);
    const live = liveStates(chunkBytes);
    const random = new Random(seed);
    const late = 3 + Math.ceil((chunkBytes / whole.length) * beats.length);
    let compared = 0;
    for (let seek = 0; seek < SEEKS; seek += 1) {
      const from = random.below((SECONDS - 1) * 1000) / 1000;
      const beat = Math.floor(((from + PICTURE_DELAY) * 1000) / BEAT_MS);
      // A viewer whose pieces are large has it later.
      const near = [beat - 3, beat, beat + 3, beat + late].map((at) => constants(live[at] ?? []));
      if (new Set(near.map((state) => state.join())).size > 1) continue;
      compared += 1;
      const state = (await file.state(from)).map((message) => JSON.stringify(message));
      expect([seed, from, constants(state)]).toEqual([seed, from, near[1] ?? []]);
      const ranks = state.map(typeOf);
      expect(ranks).toEqual((live[beat] ?? []).map(typeOf));
      const [own, others] = [timesOf(state), timesOf(live[beat] ?? [])];
      for (const [index, at] of own.entries())
        expect(Math.abs(at - (others[index] ?? 0))).toBeLessThan(1_300 + late * BEAT_MS);
      const clock = JSON.parse(state.at(-1) ?? '{}') as { at: number };
      expect(Math.abs(clock.at - plusMs(BEGIN, (from + PICTURE_DELAY) * 1000))).toBeLessThan(1_100);
    }
    expect(compared).toBeGreaterThan(SEEKS / (chunkBytes > 100_000 ? 4 : 2));
  },
);

test('every file of every module is as the broadcaster made it', async () => {
  using file = new RecordedFile(whole);
  await file.read();
  const pages = stationPages(CHANNEL, STATION.plan);
  const { carousel, dataComponents } = STATION;
  const modules = [carousel, ...dataComponents].flatMap((place) => {
    const tag = place?.componentTag ?? 0;
    const now = pages?.modules(tag, ticksAt(plusMs(BEGIN, (SECONDS - 4) * 1000))) ?? [];
    return now.map((module) => ({ tag, module }));
  });
  expect(modules.length).toBeGreaterThan(7);
  const state = await file.state(SECONDS - 4);
  for (const { tag, module } of modules) {
    const message = state.find(
      (one) => one.type === 'moduleDownloaded' && one.componentId === tag && one.moduleId === module.id,
    );
    if (message?.type !== 'moduleDownloaded') throw new Error(`no module ${tag}/${module.id}`);
    expect([message.version, message.files.map(({ dataBase64 }) => dataBase64)]).toEqual([
      module.version,
      module.resources.map(({ bytes }) => Buffer.from(bytes).toString('base64')),
    ]);
  }
});

test('is at most 1.5 times as large as its distinct modules as they are sent', async () => {
  using file = new RecordedFile(whole);
  await file.read();
  const sizes = new Map<string, number>();
  for (const { message } of await file.lines()) {
    if (message.type !== 'moduleListUpdated') continue;
    for (const { id, version, size } of message.modules)
      sizes.set(`${message.componentId}/${id}/${version}`, size);
  }
  const sent = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  console.log(`${file.size} octets for ${sent} octets of modules: ${(file.size / sent).toFixed(2)}`);
  expect(sizes.size).toBeGreaterThan(20);
  expect(file.size).toBeLessThan(1.5 * sent);
});

describe('a file that is written while the recording grows', () => {
  /** Grows in random steps. @param kill the writer, after some of them */
  async function grown(file: RecordedFile, kill: (random: Random) => void): Promise<void> {
    const random = new Random(seed + 1);
    for (let at = 0; at < whole.length; ) {
      const step = 1 + random.below(1_500_000);
      file.grow(whole.subarray(at, at + step));
      at += step;
      await file.read({ grows: true });
      if (random.below(3) === 0) kill(random);
    }
    expect(await file.read()).toBe(true);
  }

  test('is that which is made afterwards', async () => {
    using file = new RecordedFile();
    await grown(file, () => {});
    const written = await file.texts();
    rmSync(file.path);
    file.kill();
    await file.read();
    expect(await file.texts()).toEqual(written);
    expect(written.length).toBeGreaterThan(100);
  });

  test('continues after kills, also where its end was torn off', async () => {
    using file = new RecordedFile();
    let kills = 0;
    await grown(file, (random) => {
      const { size } = file;
      file.kill();
      if (size > 0) truncateSync(file.path, size - random.below(Math.min(size, 30_000)));
      kills += 1;
    });
    expect(kills).toBeGreaterThan(2);
    const again = `${file.path}2`;
    await file.read({ path: again });
    for (let from = 0; from < SECONDS - 1; from += 0.7) {
      const [own, made] = await Promise.all([file.state(from), file.state(from, again)]);
      const texts = (state: readonly ResponseMessage[]) =>
        constants(state.map((each) => JSON.stringify(each)));
      expect([seed, from, texts(own)]).toEqual([seed, from, texts(made)]);
    }
    // Each version once, also after each kill.
    expect(file.size).toBeLessThan(1.5 * (Bun.file(again).size + 10_000));
  });

  test('and whose original became another one is made again', async () => {
    using file = new RecordedFile(whole.subarray(0, 4_000_000));
    await file.read({ grows: true });
    const other = Buffer.concat([...dataBeats({ seconds: 8, at: plusMs(BEGIN, 3_600_000) })]);
    await Bun.write(file.original, other);
    file.kill();
    expect(await file.read()).toBe(true);
    const times = (await file.lines()).flatMap(({ message }) =>
      message.type === 'currentTime' ? [message.at] : [],
    );
    expect(Math.min(...times)).toBeGreaterThan(plusMs(BEGIN, 3_590_000));
  });
});

/** The beginning of the stream, without some PIDs. */
function without(pids: ReadonlySet<number>): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < whole.length / 4; at += 188) {
    const pid = (((whole[at + 1] ?? 0) & 0x1f) << 8) | (whole[at + 2] ?? 0);
    if (!pids.has(pid)) parts.push(whole.subarray(at, at + 188));
  }
  return Buffer.concat(parts);
}

test('has the broadcaster as known from earlier, while its table does not come', async () => {
  using file = new RecordedFile(without(new Set([0x24])));
  const broadcaster = {
    networkId: 1 as never,
    broadcasterId: 9,
    terrestrialBroadcasterId: 8,
    affiliations: [7],
  };
  await file.read({ broadcaster });
  const bits = (await file.lines()).flatMap(({ at, message }) =>
    message.type === 'bit' ? [{ at, of: message.affiliations }] : [],
  );
  expect(bits).toEqual([{ at: 0, of: [7] }]);
});

test('a stream without a data broadcast gets no file', async () => {
  const { carousel, dataComponents } = STATION;
  const pids = new Set([carousel, ...dataComponents].map((place) => place?.pid as number));
  using file = new RecordedFile(without(pids));
  expect(await file.read()).toBe(true);
  expect(file.size).toBe(0);
});

/** Length of the first part, which ends with its last picture, s. */
const FIRST = 29.93;

test('a gap ends what does not come again, and the clock starts anew', async () => {
  const first = Buffer.concat(beats.slice(0, 300));
  const later = Buffer.concat([
    ...dataBeats({ seconds: 25, at: plusMs(BEGIN, 3 * 3_600_000), clock: 777_777, counter: 5 }),
  ]);
  using file = new RecordedFile(Buffer.concat([first, later]));
  file.breaks.push({ at: first.length, broadcastAt: undefined });
  await file.read();
  const lines = await file.lines();
  const clocks = lines.flatMap(({ at, message }) =>
    message.type === 'currentTime' ? [{ at, of: message.at }] : [],
  );
  for (const { at, of } of clocks) {
    const hours = at < FIRST ? 0 : 3;
    const inPart = hours === 0 ? at : at - FIRST;
    expect(Math.abs(of - plusMs(BEGIN, hours * 3_600_000 + (inPart + PICTURE_DELAY) * 1000))).toBeLessThan(
      1_200,
    );
  }
  expect(clocks.some(({ at }) => at > 40)).toBe(true);
  // The list of the news is another one three hours later, and its modules are those of then.
  using alone = new RecordedFile(later);
  await alone.read();
  const texts = (state: readonly ResponseMessage[]) => constants(state.map((each) => JSON.stringify(each)));
  expect(texts(await file.state(50))).toEqual(texts(await alone.state(20)));
  expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).sort((one, other) => one - other));
});
