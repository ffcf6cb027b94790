import { expect, test } from 'bun:test';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import { ScanReader } from './scan-reader.ts';

const loop = (bytes: readonly number[]): number[] => [...u16(0xf000 | bytes.length), ...bytes];
const descriptor = (tag: number, ...bytes: number[]): number[] => [tag, bytes.length, ...bytes];

/** frequency 11.72748 GHz, 110 degrees east, right-hand circular, ISDB-S. */
const delivery = (channel: number): number[] =>
  descriptor(0x43, 0x01, 0x17, 0x27, channel, 0x11, 0x00, 0xe8, 0x02, 0x88, 0x60, 0x08);

interface NitStream {
  tsid: number;
  onid: number;
  descriptors: number[];
}

function nit(network: number, streams: NitStream[], number = 0, lastNumber = 0): Uint8Array {
  const all = streams.flatMap(({ tsid, onid, descriptors }) => [
    ...u16(tsid),
    ...u16(onid),
    ...loop(descriptors),
  ]);
  return longSection({
    tableId: 0x40,
    extension: network,
    number,
    lastNumber,
    body: [...loop([]), ...loop(all)],
  });
}

function sdt(
  tsid: number,
  onid: number,
  services: [id: number, type: number, name: string][],
  other = false,
) {
  const all = services.flatMap(([id, type, name]) => {
    // LS1: the alphanumeric set.
    const text = [0x0e, ...new TextEncoder().encode(name)];
    return [...u16(id), 0xfd, ...loop(descriptor(0x48, type, 0, text.length, ...text))];
  });
  return longSection({ tableId: other ? 0x46 : 0x42, extension: tsid, body: [...u16(onid), 0xff, ...all] });
}

function read(type: 'GR' | 'BS', ...sections: [pid: number, section: Uint8Array][]): ScanReader {
  const builder = new StreamBuilder();
  for (const [pid, section] of sections) builder.sections(pid, section);
  const reader = new ScanReader(type);
  reader.feed(builder.bytes());
  return reader;
}

const BS: NitStream[] = [
  { tsid: 0x4010, onid: 4, descriptors: delivery(0x48) },
  { tsid: 0x4011, onid: 4, descriptors: delivery(0x48) },
  { tsid: 0x4030, onid: 4, descriptors: delivery(0x65) },
];

test('a satellite stream: its services and the streams on the same transponder, from all sections of the NIT', () => {
  const reader = read(
    'BS',
    [0x10, nit(4, BS.slice(0, 1), 0, 1)],
    [0x11, sdt(0x4030, 4, [[999, 1, 'OTHER']], true)],
    [
      0x11,
      sdt(0x4011, 4, [
        [161, 1, 'TV'],
        [929, 0xa4, 'ENG'],
      ]),
    ],
  );
  expect(reader.complete).toBe(false);
  reader.feed(new StreamBuilder().sections(0x10, nit(4, BS.slice(1), 1, 1)).bytes());
  expect(reader.complete).toBe(true);
  expect(reader.findings() as unknown).toEqual({
    stream: {
      networkId: 4,
      transportStreamId: 0x4011,
      remoteControlKey: null,
      services: [
        { serviceId: 161, name: 'TV', serviceType: 1 },
        { serviceId: 929, name: 'ENG', serviceType: 0xa4 },
      ],
      transponder: [0x4010, 0x4011],
    },
  });
});

test('a terrestrial stream: the remote control key of its TS information', () => {
  const information = descriptor(0xcd, 5, 0x00);
  const stream = { tsid: 0x7fe8, onid: 0x7fe8, descriptors: information };
  const reader = read('GR', [0x11, sdt(0x7fe8, 0x7fe8, [[1024, 1, 'A']])], [0x10, nit(0x7fe8, [stream])]);
  expect(reader.findings().stream).toMatchObject({ remoteControlKey: 5, transponder: [] });
});

test('one table alone is not enough, nor are those of other streams', () => {
  expect(read('BS', [0x10, nit(4, BS)]).findings()).toEqual({});
  expect(read('BS', [0x11, sdt(0x4010, 4, [])]).findings()).toEqual({});
  const others = read('BS', [0x10, nit(4, BS)], [0x11, sdt(0x4010, 4, [[1, 1, 'A']], true)]);
  expect([others.complete, others.findings()]).toEqual([false, {}]);
});

test('contradicting tables are read until the time limit, and reported at the end', () => {
  const reader = read('BS', [0x10, nit(4, BS)], [0x11, sdt(0x4090, 4, [[1, 1, 'A']])]);
  expect(reader.complete).toBe(false);
  expect(reader.findings().contradiction).toContain('NIT と SDT');
  reader.feed(new StreamBuilder().sections(0x11, sdt(0x4030, 4, [[1, 1, 'A']])).bytes());
  expect(reader.findings().stream?.transportStreamId as number | undefined).toBe(0x4030);

  const wrong = read('GR', [0x10, nit(4, BS)], [0x11, sdt(0x4010, 4, [[1, 1, 'A']])]);
  expect(wrong.findings()).toEqual({ contradiction: '別の種類の放送でした' });
});
