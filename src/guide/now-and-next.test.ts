import { describe, expect, test } from 'bun:test';
import { eventId, networkId, programId, serviceId, stationId } from '../../arib/ids.ts';
import { encodeJstTime, epochMs } from '../../arib/time.ts';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import type { VisitedStation } from './messages.ts';
import { NowAndNextReader } from './now-and-next.ts';

const NOW = Date.UTC(2026, 10, 21, 3, 0, 0);
const MINUTE = 60_000;

function station(service: number, network = 4): VisitedStation {
  const [n, s] = [networkId(network), serviceId(service)];
  return { id: stationId(n, s), networkId: n, serviceId: s };
}

const HOME = station(101);
const OTHER = station(151);

interface Event {
  id: number;
  /** null: not decided. */
  start: number | null;
  minutes: number | null;
  /** ASCII, kept as alphanumeric by a locking shift. */
  name?: string;
}

function eventBytes({ id, start, minutes, name = 'A' }: Event): number[] {
  const time = start === null ? [0xff, 0xff, 0xff, 0xff, 0xff] : [...encodeJstTime(epochMs(start))];
  const bcd = (value: number): number => Math.floor(value / 10) * 16 + (value % 10);
  const duration =
    minutes === null ? [0xff, 0xff, 0xff] : [bcd(Math.floor(minutes / 60)), bcd(minutes % 60), 0];
  // 0x0e is LS1: the alphanumeric set into GL.
  const text = [0x0e, ...[...name].map((letter) => letter.charCodeAt(0))];
  const short = [0x6a, 0x70, 0x6e, text.length, ...text, 0];
  const descriptors = [0x4d, short.length, ...short];
  return [...u16(id), ...time, ...duration, ...u16(descriptors.length), ...descriptors];
}

interface Table {
  service?: number;
  network?: number;
  number: 0 | 1;
  lastNumber?: number;
  version?: number;
  other?: boolean;
  event?: Event;
}

function eit({
  service = 101,
  network = 4,
  number,
  lastNumber = 1,
  version = 0,
  other = false,
  event,
}: Table) {
  const tableId = other ? 0x4f : 0x4e;
  return longSection({
    tableId,
    extension: service,
    version,
    number,
    lastNumber,
    body: [
      ...u16(1),
      ...u16(network),
      lastNumber,
      tableId,
      ...(event === undefined ? [] : eventBytes(event)),
    ],
  });
}

function reader(tables: Uint8Array[], own = [HOME], others: VisitedStation[] = []): NowAndNextReader {
  const made = new NowAndNextReader(own, others);
  made.feed(new StreamBuilder().sections(0x12, ...tables).bytes(), NOW);
  return made;
}

const PRESENT = { id: 7, start: NOW - 10 * MINUTE, minutes: 30, name: 'NEWS' };
const FOLLOWING = { id: 8, start: NOW + 20 * MINUTE, minutes: 90, name: 'FILM' };

describe('NowAndNextReader', () => {
  test('gives both events once, with ids and times', () => {
    const made = reader([eit({ number: 0, event: PRESENT }), eit({ number: 1, event: FOLLOWING })]);
    expect(made.ownComplete).toBe(true);
    const [item, ...rest] = made.take(NOW);
    expect(rest).toEqual([]);
    expect(item?.present).toMatchObject({
      id: programId(HOME.id, eventId(7)),
      name: 'NEWS',
      startAt: NOW - 10 * MINUTE,
      endAt: NOW + 20 * MINUTE,
      openEnd: false,
      isFree: true,
      copyNever: false,
      extended: null,
    });
    expect(item?.following).toMatchObject({ name: 'FILM', endAt: NOW + 110 * MINUTE });
    expect(made.take(NOW)).toEqual([]);
  });

  test('a repetition is no news, a new version is', () => {
    const tables = [eit({ number: 0, event: PRESENT }), eit({ number: 1, event: FOLLOWING })];
    const made = new NowAndNextReader([HOME], []);
    const stream = new StreamBuilder().sections(0x12, ...tables);
    made.feed(stream.bytes(), NOW);
    made.take(NOW);
    made.feed(stream.bytes(), NOW);
    expect(made.take(NOW)).toEqual([]);
    const later = eit({ number: 0, version: 1, event: { ...PRESENT, minutes: 60 } });
    made.feed(stream.sections(0x12, later).bytes(), NOW);
    expect(made.take(NOW)[0]?.present?.endAt).toBe(epochMs(NOW + 50 * MINUTE));
  });

  test('an empty table is an answer too: nothing is on', () => {
    const made = reader([eit({ number: 0 }), eit({ number: 1, event: FOLLOWING })]);
    expect(made.ownComplete).toBe(true);
    expect(made.take(NOW)[0]).toMatchObject({ present: null, following: { name: 'FILM' } });
  });

  test('an event without a duration lasts to the next one, or for an hour', () => {
    const open = { ...PRESENT, minutes: null };
    const undecided = { ...FOLLOWING, start: null, minutes: null };
    const joined = reader([eit({ number: 0, event: open }), eit({ number: 1, event: FOLLOWING })]);
    expect(joined.take(NOW)[0]?.present).toMatchObject({ endAt: FOLLOWING.start, openEnd: true });
    const alone = reader([eit({ number: 0, event: open }), eit({ number: 1, event: undecided })]);
    expect(alone.take(NOW)[0]).toMatchObject({
      present: { endAt: PRESENT.start + 60 * MINUTE, openEnd: true },
      following: null,
    });
    const old = { ...open, start: NOW - 300 * MINUTE };
    const long = reader([eit({ number: 0, lastNumber: 0, event: old })]);
    expect(long.take(NOW)[0]?.present?.endAt).toBe(epochMs(NOW + 10 * MINUTE));
  });

  test('an event of another year is not believed', () => {
    const future = { ...PRESENT, start: Date.UTC(2037, 0, 1) };
    const made = reader([eit({ number: 0, event: future }), eit({ number: 1, event: FOLLOWING })]);
    expect(made.take(NOW)[0]?.present).toBeNull();
  });

  test('other stations of the network come from the tables of other streams, strangers are left', () => {
    const made = reader(
      [
        eit({ service: 151, number: 0, other: true, event: PRESENT }),
        eit({ service: 999, number: 0, other: true, event: PRESENT }),
        eit({ service: 151, network: 6, number: 1, other: true, event: FOLLOWING }),
      ],
      [HOME],
      [OTHER],
    );
    expect(made.ownComplete).toBe(false);
    const items = made.take(NOW);
    expect(items.map((item) => item.stationId)).toEqual([OTHER.id]);
    expect(items[0]?.following).toBeNull();
    expect(made.allComplete).toBe(false);
  });

  test('a station whose description says that it has no such table is not waited for', () => {
    const made = new NowAndNextReader([HOME], []);
    // service_id, EIT flags without present/following, free, no descriptors
    const sdt = longSection({
      tableId: 0x42,
      extension: 1,
      body: [...u16(4), 0xff, ...u16(101), 0xfc, 0x80, 0x00],
    });
    made.feed(new StreamBuilder().sections(0x11, sdt).bytes(), NOW);
    expect(made.ownComplete).toBe(true);
  });

  test('damaged sections and schedules change nothing', () => {
    const damaged = eit({ number: 0, event: PRESENT });
    damaged[20] = (damaged[20] ?? 0) ^ 1;
    const schedule = longSection({
      tableId: 0x50,
      extension: 101,
      body: [...u16(1), ...u16(4), 0, 0x50, ...eventBytes(PRESENT)],
    });
    expect(reader([damaged, schedule]).take(NOW)).toEqual([]);
  });

  test('the broadcast clock is compared with the time of arrival', () => {
    const made = new NowAndNextReader([HOME], []);
    // A TDT: short section, no CRC.
    const tdt = Uint8Array.from([0x70, 0x70, 5, ...encodeJstTime(epochMs(NOW + 3000))]);
    made.feed(new StreamBuilder().sections(0x14, tdt).bytes(), NOW);
    expect(made.clockOffsetMs).toBe(3000);
  });
});
