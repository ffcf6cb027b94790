import { expect, test } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import { networkId, serviceId } from '../../lib/arib/ids.ts';
import { ddbSections, diiSection, nameInfo } from '../../test/carousel-builder.ts';
import {
  longSection,
  patSection,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
  u16,
} from '../../test/stream-builder.ts';
import { LogoReader } from './logo-reader.ts';

const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];
const loop = (bytes: readonly number[]): number[] => [...u16(0xf000 | bytes.length), ...bytes];

function chunk(type: string, data: Iterable<number>): number[] {
  const checked = [...new TextEncoder().encode(type), ...data];
  return [...u32(checked.length - 4), ...checked, ...u32(crc32(Uint8Array.from(checked)))];
}

/** A logo without a palette; different seeds give different logos. */
function picture(width: number, height: number, seed: number): number[] {
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => (x * 7 + y * seed) % 128),
  ]);
  return [
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    ...chunk('IHDR', [...u32(width), ...u32(height), 8, 3, 0, 0, 0]),
    ...chunk('IDAT', deflateSync(Uint8Array.from(rows.flat()))),
    ...chunk('IEND', []),
  ];
}

const SMALL = picture(48, 27, 3);
const LARGE = picture(64, 36, 5);

interface Cdt {
  onid?: number;
  download: number;
  logoId: number;
  version: number;
  type: number;
  last?: number;
  png: readonly number[];
}

function cdt({ onid = 0x7fe8, download, logoId, version, type, last = 5, png }: Cdt): Uint8Array {
  const logo = [type, ...u16(0xfe00 | logoId), ...u16(0xf000 | version), ...u16(png.length), ...png];
  const body = [...u16(onid), 1, ...loop([]), ...logo];
  return longSection({ tableId: 0xc8, extension: download, number: type, lastNumber: last, body });
}

/** logo_transmission_descriptor of type 1. */
const own = (logoId: number, version: number, download: number): number[] => [
  ...[0xcf, 7, 1],
  ...u16(0xfe00 | logoId),
  ...u16(0xf000 | version),
  ...u16(download),
];
const shared = (logoId: number): number[] => [0xcf, 3, 2, ...u16(0xfe00 | logoId)];
const letters = [0xcf, 3, 3, 0x21, 0x21];

function sdt(onid: number, services: [id: number, descriptors: readonly number[]][]): Uint8Array {
  const all = services.flatMap(([id, descriptors]) => [...u16(id), 0xfd, ...loop(descriptors)]);
  return longSection({ tableId: 0x42, extension: onid, body: [...u16(onid), 0xff, ...all] });
}

const wanted = (network: number, ...services: number[]) =>
  services.map((id) => ({ networkId: networkId(network), serviceId: serviceId(id) }));

/** One stream; continuity counters continue across feeds. */
class TestBroadcast {
  readonly #builder = new StreamBuilder();
  #sent = 0;
  readonly reader: LogoReader;

  constructor(stations: ReturnType<typeof wanted>) {
    this.reader = new LogoReader(stations);
  }

  send(pid: number, ...sections: Uint8Array[]): this {
    for (const section of sections) this.#builder.sections(pid, section);
    const bytes = this.#builder.bytes();
    this.reader.feed(bytes.subarray(this.#sent));
    this.#sent = bytes.length;
    return this;
  }

  taken(last = false) {
    return this.reader.takeLogos(last).map(({ serviceId: id, type, version }) => [id, type, version]);
  }
}

const GR = 0x7fe8;

test('a logo of the CDT is assigned to the services that announce it, their own and shared', () => {
  const broadcast = new TestBroadcast(wanted(GR, 1024, 1025, 1032));
  broadcast.send(0x29, cdt({ download: 1024, logoId: 7, version: 2, type: 2, png: SMALL }));
  expect(broadcast.taken()).toEqual([]);
  broadcast.send(
    0x11,
    sdt(GR, [
      [1024, own(7, 2, 1024)],
      [1025, shared(7)],
      [1032, letters],
    ]),
  );
  expect(broadcast.taken()).toEqual([
    [1024, 2, 2],
    [1025, 2, 2],
  ]);
  expect(broadcast.reader.complete).toBe(false);
  broadcast.send(0x29, cdt({ download: 1024, logoId: 7, version: 2, type: 5, png: LARGE }));
  const [logo] = broadcast.reader.takeLogos();
  expect([logo?.type, logo?.png.subarray(37, 41)] as unknown).toEqual([5, new TextEncoder().encode('PLTE')]);
  // The third has text instead of a picture, so nothing is missing.
  expect(broadcast.reader.complete).toBe(true);
});

test('the largest is kept, in any order; dummies and invalid pictures are skipped', () => {
  const broadcast = new TestBroadcast(wanted(GR, 1024));
  const of = (type: number, png: readonly number[]) =>
    cdt({ download: 1, logoId: 7, version: 2, type, last: 3, png });
  broadcast.send(0x11, sdt(GR, [[1024, own(7, 2, 1)]]));
  broadcast.send(0x29, of(3, picture(72, 36, 1)), of(2, SMALL));
  expect(broadcast.taken()).toEqual([[1024, 3, 2]]);
  broadcast.send(0x29, of(5, LARGE.slice(0, 90)), of(1, new Array(300).fill(1)), of(0, picture(400, 24, 1)));
  expect(broadcast.taken()).toEqual([]);
  // Every section of the table was received, so there is no larger logo.
  expect(broadcast.reader.complete).toBe(true);
});

test('a logo of another version than announced is reported only at the end, one of another network never', () => {
  const broadcast = new TestBroadcast(wanted(GR, 1024));
  broadcast.send(0x11, sdt(GR, [[1024, own(7, 2, 1)]]));
  broadcast.send(0x29, cdt({ download: 1, logoId: 7, version: 1, type: 5, png: LARGE }));
  broadcast.send(0x29, cdt({ onid: 0x7fd8, download: 1, logoId: 7, version: 2, type: 5, png: LARGE }));
  broadcast.send(0x29, cdt({ download: 2, logoId: 7, version: 2, type: 5, png: LARGE }));
  broadcast.send(0x29, cdt({ download: 1, logoId: 8, version: 2, type: 5, png: LARGE }));
  expect(broadcast.taken()).toEqual([]);
  expect(broadcast.taken(true)).toEqual([[1024, 5, 1]]);
});

interface ModuleLogo {
  logoId: number;
  services: [onid: number, id: number][];
  png: readonly number[];
}

function logoModule(type: number, logos: ModuleLogo[]): Uint8Array {
  return Uint8Array.from([
    type,
    ...u16(logos.length),
    ...logos.flatMap(({ logoId, services, png }) => [
      ...u16(0xfe00 | logoId),
      services.length,
      ...services.flatMap(([onid, id]) => [...u16(onid), ...u16(0x4010), ...u16(id)]),
      ...u16(png.length),
      ...png,
    ]),
  ]);
}

function nit(network: number, streams: [tsid: number, services: [id: number, type: number][]][]): Uint8Array {
  const all = streams.flatMap(([tsid, services]) => {
    const list = services.flatMap(([id, type]) => [...u16(id), type]);
    return [...u16(tsid), ...u16(network), ...loop([0x41, list.length, ...list])];
  });
  return longSection({ tableId: 0x40, extension: network, body: [...loop([]), ...loop(all)] });
}

const BS_NIT = nit(4, [
  [0x4010, [[151, 1]]],
  [
    0x40f1,
    [
      [101, 1],
      [929, 0xa4],
    ],
  ],
]);

test('a satellite carousel: BS and CS modules of one carousel, through PAT and PMT', () => {
  const broadcast = new TestBroadcast([...wanted(4, 101, 151), ...wanted(7, 333)]);
  const bs = logoModule(5, [
    {
      logoId: 1,
      services: [
        [4, 101],
        [4, 102],
      ],
      png: LARGE,
    },
    { logoId: 2, services: [[4, 151]], png: picture(64, 36, 9) },
    { logoId: 3, services: [[4, 161]], png: LARGE },
  ]);
  const cs = logoModule(5, [{ logoId: 1, services: [[7, 333]], png: picture(64, 36, 11) }]);
  const modules = [
    { id: 5, version: 1, data: bs, info: nameInfo('LOGO-05') },
    { id: 11, version: 1, data: cs, info: nameInfo('CS_LOGO-05') },
    { id: 12, version: 1, data: cs.slice(), info: nameInfo('BOARD-1') },
  ];
  broadcast.send(0x10, BS_NIT);
  broadcast.send(
    0x00,
    patSection(0x40f1, [
      [0, 0x10],
      [101, 0x100],
      [929, 0x200],
    ]),
  );
  broadcast.send(0x100, pmtSection(101, { pcrPid: 0x110, streams: [{ type: 2, pid: 0x111 }] }));
  expect(broadcast.reader.complete).toBe(false);
  const stream = { type: 0x0d, pid: 0x300, descriptors: streamIdentifier(0x79) };
  broadcast.send(0x200, pmtSection(929, { pcrPid: 0x1fff, streams: [stream] }));
  broadcast.send(0x300, diiSection({ downloadId: 9, transactionId: 1, modules }));
  for (const module of modules.slice(0, 2)) broadcast.send(0x300, ...ddbSections(9, module));
  expect(broadcast.taken()).toEqual([
    [101, 5, null],
    [151, 5, null],
    [333, 5, null],
  ]);
  expect(broadcast.reader.complete).toBe(true);
  expect(broadcast.reader.findings() as unknown).toEqual({
    carriers: [{ networkId: 4, transportStreamId: 0x40f1 }],
  });
});

test('a satellite stream without a carousel ends as soon as that is known, and reports the stream that has one', () => {
  const broadcast = new TestBroadcast(wanted(4, 101));
  broadcast.send(0x00, patSection(0x4010, [[151, 0x100]]));
  broadcast.send(0x100, pmtSection(151, { pcrPid: 0x110, streams: [{ type: 0x0d, pid: 0x111 }] }));
  expect([broadcast.reader.complete, broadcast.reader.findings()]).toEqual([false, {}]);
  broadcast.send(0x10, BS_NIT);
  expect([broadcast.reader.complete, broadcast.reader.findings().carriers?.length]).toEqual([true, 1]);
});

test('a compressed module is read; one larger than announced is not', () => {
  const module = logoModule(5, [{ logoId: 1, services: [[4, 101]], png: LARGE }]);
  for (const size of [module.length, 10]) {
    const broadcast = new TestBroadcast(wanted(4, 101));
    broadcast.send(0x00, patSection(0x40f1, [[929, 0x200]]));
    const stream = { type: 0x0d, pid: 0x300, descriptors: streamIdentifier(0x79) };
    broadcast.send(0x200, pmtSection(929, { pcrPid: 0x1fff, streams: [stream] }));
    const info = [...nameInfo('LOGO-05'), 0xc2, 5, 0, ...u32(size)];
    const sent = { id: 1, version: 1, data: Uint8Array.from(deflateSync(module)), info };
    broadcast.send(0x300, diiSection({ downloadId: 9, transactionId: 1, modules: [sent] }));
    broadcast.send(0x300, ...ddbSections(9, sent));
    expect(broadcast.taken()).toEqual(size === module.length ? [[101, 5, null]] : []);
  }
});
