import { expect, test } from 'bun:test';
import { type BuiltModule, ddbSections, diiSection, nameInfo } from '../../../test/carousel-builder.ts';
import { crcOf, longSection } from '../../../test/stream-builder.ts';
import { readSection, type Section } from '../ts/section.ts';
import { Carousel, type CarouselOptions } from './carousel.ts';
import { parseDdb, parseDii } from './download-message.ts';

function octets(hex: string): number[] {
  return [...Uint8Array.fromHex(hex.replace(/\/\/.*/g, '').replace(/\s/g, ''))];
}

function section(bytes: Uint8Array): Section {
  const read = readSection(bytes);
  if (read === undefined) throw new Error('no section');
  return read;
}

const LIMITS = { moduleBytes: 10_000, totalBytes: 20_000, lists: 2 };

function carousel(options: Partial<CarouselOptions> = {}): Carousel {
  return new Carousel({ limits: LIMITS, ...options });
}

const content = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 7 + seed) & 0xff);

test('DII: every field', () => {
  const body = octets(`
    11 03 10 02   // protocolDiscriminator, dsmccType, messageId
    80 12 34 56   // transactionId
    FF 02 00 4A   // reserved, adaptationLength, messageLength
    AA BB         // dsmccAdaptationHeader
    F0 00 00 01   // downloadId
    0F E2 00 00   // blockSize, windowSize, ackPeriod
    00 00 00 00 00 00 00 00 // tCDownloadWindow, tCDownloadScenario
    00 02 CC DD   // compatibilityDescriptor
    00 02         // numberOfModules
    00 05 00 01 02 03 07 // moduleId, moduleSize, moduleVersion
    0F            // moduleInfoLength
    02 07 4C 4F 47 4F 2D 30 35 // Name: LOGO-05
    05 04 DE AD BE EF          // CRC32
    00 06 00 00 00 0A FF 0E    // second module
    01 05 61 2F 62 3B 63       // Type
    C2 05 00 00 00 10 00       // Compression type: zlib, original_size
    00 03 F0 01 80 // privateData
  `);
  expect(parseDii(section(longSection({ tableId: 0x3b, extension: 0x3456, body })))).toEqual({
    transactionId: 0x80123456,
    downloadId: 0xf0000001,
    blockSize: 4066,
    modules: [
      { id: 5, size: 0x10203, version: 7, info: { name: 'LOGO-05', crc32: 0xdeadbeef } },
      {
        id: 6,
        size: 10,
        version: 255,
        info: { type: 'a/b;c', compression: { type: 0, originalSize: 4096 } },
      },
    ],
    privateData: Uint8Array.of(0xf0, 0x01, 0x80),
  });
  for (let length = 0; length < body.length; length++) {
    const cut = longSection({ tableId: 0x3b, extension: 0x3456, body: body.slice(0, length) });
    expect(parseDii(section(cut))).toBeUndefined();
  }
});

test('a DII with an impossible block size is rejected', () => {
  const module = { id: 1, version: 0, data: content(10) };
  for (const blockSize of [0, 4067]) {
    const bytes = diiSection({ downloadId: 1, transactionId: 1, blockSize, modules: [module] });
    expect(parseDii(section(bytes))).toBeUndefined();
  }
});

test('DDB: every field', () => {
  const body = octets(`
    11 03 10 03   // protocolDiscriminator, dsmccType, messageId
    F0 00 00 01   // downloadId
    FF 01 00 0A   // reserved, adaptationLength, messageLength
    AA            // dsmccAdaptationHeader
    00 05 07 FF   // moduleId, moduleVersion, reserved
    01 02         // blockNumber
    61 62 63      // data
  `);
  const read = parseDdb(section(longSection({ tableId: 0x3c, extension: 5, body })));
  expect(read).toEqual({
    downloadId: 0xf0000001,
    moduleId: 5,
    moduleVersion: 7,
    blockNumber: 0x102,
    data: Uint8Array.of(0x61, 0x62, 0x63),
  });
  for (let length = 0; length < body.length; length++) {
    const cut = longSection({ tableId: 0x3c, extension: 5, body: body.slice(0, length) });
    expect(parseDdb(section(cut))).toBeUndefined();
  }
});

/** DII and blocks as parsed sections. */
function sent(modules: BuiltModule[], over: { downloadId?: number; transactionId?: number } = {}) {
  const { downloadId = 9, transactionId = 1 } = over;
  const blockSize = 100;
  return {
    list: section(diiSection({ downloadId, transactionId, blockSize, modules })),
    blocks: modules.flatMap((module) => ddbSections(downloadId, module, blockSize)).map(section),
  };
}

test('modules are assembled from blocks in any order, also repeated ones, and emitted once per version', () => {
  const one = { id: 1, version: 3, data: content(250), info: nameInfo('LOGO-05') };
  const two = { id: 2, version: 4, data: content(100, 9) };
  const empty = { id: 3, version: 1, data: new Uint8Array(0) };
  const { list, blocks } = sent([one, two, empty]);
  const reader = carousel();
  // Before the DII it is unknown which module a block belongs to.
  expect(blocks.flatMap((block) => reader.feed(block))).toEqual([]);
  expect(reader.complete).toBe(false);
  expect(reader.feed(list).map(({ module }) => module.id)).toEqual([3]);
  const order = [2, 3, 2, 0, 0, 1, 2, 3];
  const found = order.flatMap((index) => {
    const block = blocks[index];
    return block === undefined ? [] : reader.feed(block);
  });
  expect(found.map(({ module, data }) => [module.id, data])).toEqual([
    [2, two.data],
    [1, one.data],
  ]);
  expect([reader.complete, reader.bytes]).toEqual([true, 0]);
  expect([list, ...blocks].flatMap((again) => reader.feed(again))).toEqual([]);

  const newer = { ...one, version: 4, data: content(150, 5) };
  const next = sent([newer, two], { transactionId: 2 });
  const changed = [next.list, ...next.blocks].flatMap((each) => reader.feed(each));
  expect(changed.map(({ module, data }) => [module.id, module.version, data] as unknown)).toEqual([
    [1, 4, newer.data],
  ]);
});

test('a module whose form changes without another version is collected again', () => {
  const one = { id: 1, version: 3, data: content(150) };
  const reader = carousel();
  const first = sent([one]);
  for (const each of [first.list, ...first.blocks]) reader.feed(each);
  const zlib = { ...one, info: [0xc2, 5, 0, ...u32(600)] };
  const again = sent([zlib]);
  // Also within the same transaction.
  expect(reader.feed(again.list)).toEqual([]);
  expect(reader.complete).toBe(false);
  expect(again.blocks.flatMap((block) => reader.feed(block))).toHaveLength(1);
});

test('a module is collected again on request', () => {
  const module = { id: 1, version: 3, data: content(150) };
  const { list, blocks } = sent([module]);
  const reader = carousel();
  const [complete] = [list, ...blocks].flatMap((each) => reader.feed(each));
  expect(blocks.flatMap((block) => reader.feed(block))).toEqual([]);
  if (complete === undefined) throw new Error('not complete');
  reader.repeat(complete);
  expect(blocks.flatMap((block) => reader.feed(block))).toHaveLength(1);
  // Of a list that was replaced, nothing is collected.
  reader.feed(sent([], { downloadId: 9, transactionId: 5 }).list);
  reader.repeat(complete);
  expect(blocks.flatMap((block) => reader.feed(block))).toEqual([]);
});

test('carousels share a bound, and release their part of it', () => {
  const shared = { used: 0, most: 300 };
  const limits = { ...LIMITS, shared };
  const [one, two] = [carousel({ limits }), carousel({ limits })];
  const { list, blocks } = sent([{ id: 1, version: 0, data: content(250) }]);
  for (const reader of [one, two]) for (const each of [list, ...blocks.slice(1)]) reader.feed(each);
  expect([one.bytes, two.bytes, shared.used]).toEqual([253, 0, 253]);
  one.close();
  expect([one.bytes, shared.used]).toEqual([0, 0]);
  expect(blocks.flatMap((block) => two.feed(block))).toHaveLength(1);
  expect(shared.used).toBe(0);
});

test('blocks of another version, another carousel or another size are ignored', () => {
  const module = { id: 1, version: 3, data: content(150) };
  const { list } = sent([module]);
  const reader = carousel();
  reader.feed(list);
  const others = [
    ...sent([{ ...module, version: 2 }]).blocks,
    ...sent([module], { downloadId: 8 }).blocks,
    ...sent([{ ...module, data: content(151) }]).blocks.slice(1),
    ...sent([{ ...module, data: content(1000) }]).blocks.slice(2),
  ];
  expect(others.flatMap((block) => reader.feed(block))).toEqual([]);
  expect(reader.bytes).toBe(0);
});

test('a module whose CRC32 is wrong is collected again; the second time the descriptor is ignored', () => {
  const data = content(150);
  const info = [0x05, 4, ...u32(crcOf(data))];
  const right = sent([{ id: 1, version: 0, data, info }]);
  const other = sent([{ id: 1, version: 0, data: content(150, 2), info }]);
  const mixed = carousel();
  const feed = (each: Section | undefined) => (each === undefined ? [] : mixed.feed(each));
  feed(right.list);
  expect([other.blocks[0], right.blocks[1]].flatMap(feed)).toEqual([]);
  expect(right.blocks.flatMap(feed).map((module) => module.data)).toEqual([data]);

  const wrong = carousel();
  wrong.feed(other.list);
  expect(other.blocks.flatMap((block) => wrong.feed(block))).toEqual([]);
  expect(other.blocks.flatMap((block) => wrong.feed(block))).toHaveLength(1);
});

test('memory stays bounded, whatever the DII announces', () => {
  const modules = Array.from({ length: 40 }, (_, id) => ({
    id,
    version: 0,
    data: content(100),
    size: id < 3 ? 0xffffffff : 9000,
  }));
  const reader = carousel();
  for (let downloadId = 0; downloadId < 50; downloadId++) {
    const { list, blocks } = sent(modules, { downloadId });
    for (const each of [list, ...blocks]) reader.feed(each);
    expect(reader.bytes).toBeLessThanOrEqual(LIMITS.totalBytes);
  }
  expect(reader.modules.length).toBe(80);
  // Modules replaced by the following DIIs release their memory.
  for (let downloadId = 50; downloadId < 52; downloadId++) {
    reader.feed(sent([{ id: 1, version: 0, data: content(100) }], { downloadId }).list);
  }
  expect(reader.bytes).toBe(0);
});

test('only selected modules are collected', () => {
  const logo = { id: 1, version: 0, data: content(100), info: nameInfo('CS_LOGO-05') };
  const board = { id: 2, version: 0, data: content(100), info: nameInfo('BOARD-1') };
  const { list, blocks } = sent([logo, board]);
  const reader = carousel({ wants: (module) => module.info.name?.includes('LOGO') === true });
  expect([list, ...blocks].flatMap((each) => reader.feed(each)).map(({ module }) => module.id)).toEqual([1]);
  expect(reader.complete).toBe(true);
});

function u32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}
