/**
 * Hostile data broadcasts: memory and the rate of messages stay bounded, and no section is a fault. Each case is sent for
 * some seconds of the reader's clock.
 */
import { describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { parseBxmlInfo } from '../../lib/arib/carousel/bxml-info.ts';
import { moduleResources } from '../../lib/arib/carousel/module-entity.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { readSection, type Section } from '../../lib/arib/ts/section.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import type { ModuleMessage } from '../../lib/wire/data-broadcast.ts';
import { SIDE_ROWS } from '../../src/media/side-rows.ts';
import { SideState } from '../../src/media/side-state.ts';
import {
  DATA_LIMITS,
  DataComponentReader,
  type DataShare,
  TokenBucket,
} from '../../src/reception/data-component.ts';
import type { SideItem } from '../../src/reception/side-item.ts';
import { type BuiltModule, ddbSections, diiSection } from '../carousel-builder.ts';
import { messageOf } from '../data/reading.ts';
import { eventSection, nptSection } from '../data/station-packets.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const MEGABYTE = 1024 * 1024;
const STATION_BYTES = 8 * MEGABYTE;
const seed = fuzzSeed();

function section(bytes: Uint8Array): Section {
  const read = readSection(bytes);
  if (read === undefined) throw new Error('no section');
  return read;
}

/** A station with `count` components, and what its viewers would be kept. */
class Station {
  now = 0;
  posted = 0;
  items = 0;
  mostBlocks = 0;
  mostMessages = 0;
  readonly modules: ModuleMessage[] = [];
  readonly #row = SIDE_ROWS.find(({ name }) => name === 'data');
  readonly state = new SideState(this.#row?.maxBytes ?? 0);
  readonly share: DataShare;
  readonly components: DataComponentReader[];

  constructor(count: number) {
    const clock = () => monotonicMs(this.now);
    this.share = {
      clock,
      blocks: { used: 0, most: DATA_LIMITS.stationBlocks },
      messages: { used: 0, most: DATA_LIMITS.stationMessages },
      inflating: new TokenBucket({ burst: 6 * MEGABYTE, perSecond: MEGABYTE, clock }),
      post: (item) => this.#post(item),
      timeOf: () => broadcastMs(0),
    };
    this.components = Array.from(
      { length: count },
      (_, index) => new DataComponentReader(0x40 + index, this.share),
    );
  }

  get keptBytes(): number {
    return this.state.frames().reduce((sum, { item }) => sum + item.size, 0);
  }

  feed(sections: readonly Section[], ms = 0, component = 0): void {
    for (const each of sections) {
      this.components[component]?.feed(each);
      this.mostBlocks = Math.max(this.mostBlocks, this.share.blocks.used);
      this.mostMessages = Math.max(this.mostMessages, this.share.messages.used);
    }
    this.now += ms;
  }

  #post(item: SideItem): void {
    this.posted += item.size;
    this.items += 1;
    if (this.#row !== undefined) this.state.keep({ kind: 'side', row: this.#row, item });
    const message = item.size < 65_536 ? messageOf(item) : undefined;
    if (message?.type === 'moduleDownloaded') this.modules.push(message);
  }

  check(): void {
    const { stationBlocks, inflatedBytes } = DATA_LIMITS;
    expect(this.mostBlocks).toBeLessThanOrEqual(stationBlocks);
    expect(this.mostBlocks + inflatedBytes + (this.#row?.maxBytes ?? 0)).toBeLessThanOrEqual(STATION_BYTES);
    expect(this.keptBytes).toBeLessThanOrEqual(this.#row?.maxBytes ?? 0);
    expect(this.mostMessages).toBeLessThanOrEqual(DATA_LIMITS.stationMessages);
  }
}

const module = (
  id: number,
  version: number,
  length: number,
  more: Partial<BuiltModule> = {},
): BuiltModule => ({
  ...{ id, version, data: new Uint8Array(length).fill(id ^ version), info: [1, 3, 0x61, 0x2f, 0x62] },
  ...more,
});
const list = (modules: BuiltModule[], transactionId: number, downloadId = 0xffff_ffff, blockSize = 4066) =>
  section(diiSection({ downloadId, transactionId, blockSize, modules }));
const blocks = (built: BuiltModule, downloadId = 0xffff_ffff, blockSize = 4066) =>
  ddbSections(downloadId, built, blockSize).map(section);
const compressed = (plain: Uint8Array, originalSize: number, cut = 0): Partial<BuiltModule> => ({
  data: new Uint8Array(deflateSync(plain)).subarray(0, cut === 0 ? undefined : cut),
  info: [0xc2, 5, 0, ...[24, 16, 8, 0].map((shift) => (originalSize >>> shift) & 0xff)],
});

describe('carousels', () => {
  test('modules of 4 GB, and many that never complete', () => {
    const station = new Station(16);
    const modules = Array.from({ length: 64 }, (_, id) => module(id, 1, 4066, { size: 256 * 1024 }));
    const parts = modules.map((each) => section(ddbSections(0xffff_ffff, each)[0] as Uint8Array));
    for (let component = 0; component < 16; component++) {
      const huge = module(99, 1, 10, { size: 0xffff_ffff });
      station.feed([list([...modules, huge], 1), ...parts], 0, component);
    }
    station.check();
    expect(station.mostBlocks).toBeGreaterThan(MEGABYTE);
    for (const component of station.components) component.close();
    expect(station.share.blocks.used).toBe(0);
    expect(station.keptBytes).toBe(0);
  });

  test.each([
    ['versions', (turn: number) => ({ version: turn & 0xff })],
    ['the data event', (turn: number) => ({ downloadId: turn % 2 === 0 ? 0xffff_ffff : 0x0fff_ffff })],
    ['the transaction', (turn: number) => ({ transactionId: turn })],
    ['blockSize', (turn: number) => ({ blockSize: turn % 2 === 0 ? 4066 : 1000 })],
  ])('a list whose %s changes with every repetition', (_, change) => {
    const station = new Station(1);
    const plain = { version: 1, downloadId: 0xffff_ffff, transactionId: 1, blockSize: 4066 };
    for (let turn = 0; turn < 200; turn++) {
      const { version, downloadId, transactionId, blockSize } = { ...plain, ...change(turn) };
      const one = module(1, version, 4000);
      station.feed(
        [list([one], transactionId, downloadId, blockSize), ...blocks(one, downloadId, blockSize)],
        50,
      );
    }
    station.check();
    // Ten seconds: a list at most every half second.
    expect(station.items).toBeLessThanOrEqual(60);
  });

  test('blocks of one octet, and those of another carousel', () => {
    const station = new Station(1);
    const one = module(1, 1, 2000);
    station.feed([list([one], 1, 0xffff_ffff, 1)], 600);
    station.feed(blocks(one, 0x0fff_ffff, 1));
    station.feed(blocks({ ...one, id: 2 }, 0xffff_ffff, 1));
    expect(station.modules).toHaveLength(0);
    station.feed(blocks(one, 0xffff_ffff, 1));
    expect(station.modules).toHaveLength(1);
    // More blocks than their number can count are not collected.
    station.feed([list([module(1, 2, 10, { size: 70_000 })], 2, 0xffff_ffff, 1)]);
    expect(station.share.blocks.used).toBe(0);
    station.check();
  });

  test('a list of too many modules is ignored', () => {
    const station = new Station(1);
    const modules = Array.from({ length: 300 }, (_, id) => module(id, 1, 10, { info: [] }));
    station.feed([list(modules, 1)]);
    expect(station.items).toBe(0);
  });
});

describe('modules', () => {
  test.each([
    ['larger than announced', compressed(new Uint8Array(8 * MEGABYTE), 1000)],
    ['larger than a module may be', compressed(new Uint8Array(256 * MEGABYTE), 256 * MEGABYTE)],
    ['cut short', compressed(new Uint8Array(100_000).fill(7), 100_000, 60)],
    ['of another compression', { info: [0xc2, 5, 9, 0, 0, 0, 10] }],
    ['an entity without a boundary', { info: [] }],
  ])('%s, has no files', (_, more) => {
    const station = new Station(1);
    const one = module(1, 1, 100, more);
    station.feed([list([one], 1), ...blocks(one)]);
    expect(station.modules).toMatchObject([{ moduleId: 1, version: 1, files: [] }]);
    station.check();
  });

  test('that inflate to the utmost are bounded in memory and in rate', () => {
    const station = new Station(4);
    const plain = new Uint8Array(DATA_LIMITS.inflatedBytes - 100);
    const head = new TextEncoder().encode('Content-Type: a/b\r\n\r\n');
    plain.set(head);
    const bomb = compressed(plain, plain.length);
    for (let turn = 0; turn < 40; turn++) {
      for (let component = 0; component < 4; component++) {
        const modules = Array.from({ length: 8 }, (_, id) => module(id, turn, 0, bomb));
        station.feed([list(modules, turn), ...modules.flatMap((each) => blocks(each))], 0, component);
      }
      station.now += 500;
    }
    station.check();
    // 20 s at 1 MB a second and a burst of 6 MB, in base64.
    expect(station.posted).toBeLessThan(40 * MEGABYTE);
  });
});

/** A section with some octets of its body changed, as if its CRC had been computed by a hostile broadcaster. */
function mutated(random: Random, from: Section): Section {
  const body = from.body.slice(0, random.below(8) === 0 ? random.below(from.body.length + 1) : undefined);
  for (let changes = random.below(5); changes > 0 && body.length > 0; changes--) {
    const at = random.below(3) === 0 ? random.below(body.length) : random.below(Math.min(48, body.length));
    body[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)]);
  }
  return { ...from, body };
}

test(
  `mutated sections are no fault (seed ${seed})`,
  () => {
    const random = new Random(seed);
    const entity = new TextEncoder().encode(
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Location: a\r\n\r\n1\r\n--b--',
    );
    const built = [
      module(1, 1, 300),
      { ...module(2, 1, 0), data: entity, info: [] },
      module(3, 1, 0, compressed(entity, entity.length)),
    ];
    const sections = [
      list(built, 1, 0xffff_ffff, 100),
      list(built.slice(1), 2, 0x0fff_ffff, 100),
      ...built.flatMap((each) => blocks(each, 0xffff_ffff, 100)),
      ...[eventSection({ id: 1, version: 1, data: 'x' }), eventSection({ id: 2, version: 1, npt: 5 })].map(
        section,
      ),
      section(nptSection(5, 2 ** 33 - 1)),
    ];
    let station = new Station(2);
    const rounds = fuzzRounds(5000);
    for (let round = 0; round < rounds; round++) {
      const from = random.pick(sections);
      station.feed(
        [random.below(3) === 0 ? from : mutated(random, from)],
        random.below(100),
        random.below(2),
      );
      if (round % 1000 !== 999) continue;
      station.check();
      for (const component of station.components) component.close();
      expect([station.share.blocks.used, station.share.messages.used, station.keptBytes]).toEqual([0, 0, 0]);
      station = new Station(2);
    }
    for (let round = 0; round < rounds / 10; round++) {
      parseBxmlInfo(0x000c, random.bytes(random.below(16)));
      const broken = entity.slice(0, random.below(entity.length + 1));
      if (broken.length > 0) broken[random.below(broken.length)] = random.below(256);
      moduleResources(broken, random.pick(['', 'multipart/mixed; boundary="', 'a/b']) || undefined);
    }
  },
  FUZZ_TIMEOUT,
);
