/** The reader of data broadcasts: order of messages, changes of the broadcast, event messages and NPT. */
import { describe, expect, test } from 'bun:test';
import { eventId, networkId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { ResponseMessage, StreamEvent } from '../../lib/wire/data-broadcast.ts';
import type { SideRow } from '../../src/media/side-row.ts';
import { SIDE_ROWS } from '../../src/media/side-rows.ts';
import { SideState } from '../../src/media/side-state.ts';
import type { BuiltModule } from '../carousel-builder.ts';
import { bytesOf, DataReading, messageOf } from './reading.ts';
import { aitSection, eventSection, nptSection, PCR_PID, SERVICE, StationPackets } from './station-packets.ts';

const ENTRY = 0x140;
const NEWS = 0x160;
/** 2026-11-20T21:00 in Japan. */
const NINE = Date.UTC(2026, 10, 20, 12);

const bare = [0x01, 10, ...new TextEncoder().encode('image/jpeg')];
const module = (id: number, version: number, length = 100): BuiltModule => ({
  ...{ id, version, info: bare },
  data: Uint8Array.from({ length }, (_, at) => (at * 7 + id + version) & 0xff),
});

/** The short form of a message. */
function short(message: ResponseMessage): string {
  switch (message.type) {
    case 'moduleListUpdated':
      return `list ${message.componentId.toString(16)} ${message.modules.map(({ id, version }) => `${id}.${version}`)}`;
    case 'moduleDownloaded':
      return `module ${message.componentId.toString(16)} ${message.moduleId}.${message.version}`;
    case 'programInfo':
      return `programInfo ${message.eventId}`;
    default:
      return message.type;
  }
}

const shorts = (reading: DataReading) => reading.messages.map(short).filter((each) => each !== 'currentTime');

function events(reading: DataReading): StreamEvent[] {
  return reading.messages.flatMap((message) => (message.type === 'esEventUpdated' ? message.events : []));
}

/** A reader that was told the tables and programme of a station with two components. */
function begun() {
  const sent = new StationPackets();
  const reading = new DataReading({ serviceId: SERVICE });
  const feed = (ms = 1000) => reading.feed(sent.take(), ms);
  sent.tables([
    [0x40, ENTRY],
    [0x60, NEWS],
  ]);
  sent.programme(1);
  feed();
  return { sent, reading, feed };
}

test('the programme and the broadcaster come before modules', () => {
  const sent = new StationPackets();
  const known = { networkId: 1 as never, broadcasterId: 255, terrestrialBroadcasterId: 9, affiliations: [6] };
  const reading = new DataReading({ serviceId: SERVICE, broadcaster: known });
  const one = module(0, 1);
  sent
    .tables([[0x40, ENTRY]])
    .list(ENTRY, [one])
    .blocks(ENTRY, one);
  reading.feed(sent.take(), 100);
  expect(shorts(reading)).toEqual(['pmt', 'bit']);
  expect(reading.messages[1]).toEqual({ type: 'bit', ...known });
  sent.programme(7).list(ENTRY, [one]).blocks(ENTRY, one).broadcaster(4);
  reading.feed(sent.take(), 100);
  expect(shorts(reading).slice(2)).toEqual(['programInfo 7', 'list 40 0.1', 'module 40 0.1', 'bit']);
  expect(reading.messages[2]).toEqual({
    ...{ type: 'programInfo', networkId: 0x7fe0, transportStreamId: 0x7fe1, serviceId: SERVICE },
    ...{ eventId: 7, startAt: NINE, durationMs: 3_600_000, name: '' },
  });
  expect(reading.messages[5]).toMatchObject({ affiliations: [4], terrestrialBroadcasterId: 0x1234 });
});

test('the programme is that of the guide, at once; present/following tells which, and what the guide does not have', () => {
  const programme = (id: number, name: string, startAt = NINE + 1000) => ({
    ...{ eventId: eventId(id), startAt: broadcastMs(startAt), durationMs: 60_000, name },
  });
  const guide = {
    networkId: networkId(0x7fe0),
    present: eventId(7),
    programmes: [programme(7, 'present'), programme(8, 'next')],
  };
  const sent = new StationPackets();
  const reading = new DataReading({ serviceId: SERVICE, guide });
  const told = () => reading.messages.filter(({ type }) => type === 'programInfo');
  reading.feed(sent.tables([[0x40, ENTRY]]).take(), 100);
  expect(told()).toEqual([
    {
      ...{ type: 'programInfo', networkId: 0x7fe0, transportStreamId: 0x7fe1, serviceId: SERVICE },
      ...{ eventId: 7, startAt: NINE + 1000, durationMs: 60_000, name: 'present' },
    } as never,
  ]);
  for (const id of [7, 8, 9]) reading.feed(sent.programme(id).take(), 1000);
  expect(told().slice(1)).toMatchObject([
    { eventId: 7, startAt: NINE, durationMs: 3_600_000, name: 'present' },
    { eventId: 8, name: 'next' },
    { eventId: 9, startAt: NINE, durationMs: 3_600_000, name: '' },
  ]);
});

test('a guide that does not know what is on the air tells nothing before present/following', () => {
  const sent = new StationPackets();
  const guide = { networkId: networkId(0x7fe0), present: null, programmes: [] };
  const reading = new DataReading({ serviceId: SERVICE, guide });
  reading.feed(sent.tables([[0x40, ENTRY]]).take(), 100);
  expect(shorts(reading)).toEqual(['pmt']);
  reading.feed(sent.programme(7).take(), 100);
  expect(shorts(reading)).toEqual(['pmt', 'programInfo 7']);
});

test('a station without EIT has modules nevertheless', () => {
  const sent = new StationPackets();
  const reading = new DataReading({ serviceId: SERVICE });
  const one = module(0, 1);
  sent.tables([[0x40, ENTRY]]);
  reading.feed(sent.take(), 2_900);
  expect(shorts(reading)).toEqual(['pmt']);
  reading.feed(sent.list(ENTRY, [one]).blocks(ENTRY, one).take(), 200);
  reading.feed(sent.list(ENTRY, [one]).blocks(ENTRY, one).take(), 200);
  expect(shorts(reading)).toEqual(['pmt', 'programInfo null', 'list 40 0.1', 'module 40 0.1']);
});

test('the map lists all components with a tag, and is sent when a PID or its information changes', () => {
  const { sent, reading, feed } = begun();
  const [map] = reading.messages;
  expect(map?.type === 'pmt' && map.components).toMatchObject([
    { pid: 0x100, componentId: 0, streamType: 2, dataComponentId: null, bxmlInfo: null },
    {
      ...{ pid: ENTRY, componentId: 0x40, streamType: 0x0d, dataComponentId: 12 },
      bxmlInfo: { transmissionFormat: 0, entryPoint: { documentResolution: 3, bmlMajorVersion: 3 } },
    },
    { pid: NEWS, componentId: 0x60, bxmlInfo: { entryPoint: null } },
  ]);
  const one = module(0, 1);
  sent.list(ENTRY, [one]).blocks(ENTRY, one).list(NEWS, [one]).blocks(NEWS, one);
  // The same map again, in a new version.
  sent.tables([
    [0x40, ENTRY],
    [0x60, NEWS],
  ]);
  feed();
  expect(shorts(reading).filter((each) => each === 'pmt')).toHaveLength(1);
  const moved = 0x161;
  sent.tables([
    [0x40, ENTRY],
    [0x60, moved],
  ]);
  sent.list(moved, [one]).blocks(moved, one).list(ENTRY, [one]).blocks(ENTRY, one).list(NEWS, [one]);
  feed();
  // Only the component that moved begins again.
  expect(shorts(reading).slice(6)).toEqual(['pmt', 'list 60 0.1', 'module 60 0.1']);
  expect(reading.selected).toContain(moved);
  expect(reading.selected).not.toContain(NEWS);
});

test('a map with the PID of a table, or one PID twice, harms no other component', () => {
  const { sent, reading, feed } = begun();
  sent.tables([
    [0x40, 0],
    [0x60, NEWS],
    [0x61, NEWS],
  ]);
  feed();
  sent.tables([
    [0x40, ENTRY],
    [0x60, NEWS],
  ]);
  feed();
  const one = module(0, 1);
  sent.list(ENTRY, [one]).blocks(ENTRY, one).list(NEWS, [one]).blocks(NEWS, one);
  feed();
  expect(shorts(reading).slice(2)).toEqual([
    ...['pmt', 'pmt', 'list 40 0.1', 'module 40 0.1', 'list 60 0.1', 'module 60 0.1'],
  ]);
});

test('modules are sent once per version; a change of the data event sends all again', () => {
  const { sent, reading, feed } = begun();
  const [one, two, newer] = [module(0, 1), module(1, 1), module(1, 2)];
  sent.list(ENTRY, [one, two]).blocks(ENTRY, one).blocks(ENTRY, two);
  feed();
  sent.list(ENTRY, [one, two]).blocks(ENTRY, one).blocks(ENTRY, two);
  feed();
  sent
    .list(ENTRY, [one, newer], { transactionId: 2 })
    .blocks(ENTRY, one)
    .blocks(ENTRY, newer)
    .blocks(ENTRY, two);
  feed();
  sent.list(ENTRY, [one], { transactionId: 3, event: 0 }).blocks(ENTRY, one).blocks(ENTRY, one, 0);
  feed();
  sent.list(ENTRY, [], { transactionId: 4, event: 0 });
  feed();
  expect(shorts(reading).slice(2)).toEqual([
    ...['list 40 0.1,1.1', 'module 40 0.1', 'module 40 1.1'],
    ...['list 40 0.1,1.2', 'module 40 1.2'],
    ...['list 40 0.1', 'module 40 0.1', 'list 40 '],
  ]);
  expect(reading.messages.findLast((each) => each.type === 'moduleDownloaded')).toMatchObject({
    ...{ dataEventId: 0, files: [{ contentLocation: null, contentType: 'image/jpeg' }] },
  });
});

test('what joins later gets the state in order, without what is obsolete', () => {
  const { sent, reading, feed } = begun();
  const [one, two, newer] = [module(0, 1), module(1, 1), module(1, 2)];
  sent.time(0).broadcaster(4).list(NEWS, [one]).blocks(NEWS, one).section(NEWS, nptSection(90_000, 0));
  sent
    .list(ENTRY, [one, two])
    .blocks(ENTRY, one)
    .blocks(ENTRY, two)
    .section(NEWS, eventSection({ id: 1, version: 1 }));
  feed();
  sent.list(ENTRY, [newer], { transactionId: 2 }).blocks(ENTRY, newer);
  feed();
  const row = SIDE_ROWS.find(({ name }) => name === 'data') as SideRow;
  const state = new SideState(row.maxBytes);
  for (const item of reading.items) state.keep({ kind: 'side', row, item });
  const kept = state.frames().map(({ item }) => messageOf(item));
  expect(kept.map((message) => message && short(message))).toEqual([
    ...['pmt', 'programInfo 1', 'bit', 'list 60 0.1', 'list 40 1.2', 'module 60 0.1', 'module 40 1.2'],
    ...['esEventUpdated', 'currentTime'],
  ]);
  expect(kept.at(-1)).toEqual({ type: 'currentTime', at: NINE + 2000 });
});

test('the message of a module is JSON, whatever its files contain', () => {
  const { sent, reading, feed } = begun();
  const parts = ['', 'ab', 'c"\\\u0007'].map((name, index) => {
    const body = 'x'.repeat(100_000 + index);
    return `--b\r\nContent-Location: n${name}\r\n\r\n${body}\r\n`;
  });
  const entity = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join('')}--b--`;
  const mixed = { id: 1, version: 0, data: Uint8Array.from(entity, (each) => each.charCodeAt(0)) };
  sent.list(ENTRY, [mixed]).blocks(ENTRY, mixed);
  feed();
  const files = reading.modules()[0]?.files ?? [];
  expect(files.map(({ contentLocation }) => contentLocation)).toEqual(['n', 'nab', 'nc"\\\u0007']);
  expect(files.map((file) => bytesOf(file).length)).toEqual([100_000, 100_001, 100_002]);
});

describe('event messages', () => {
  test('are repeated once a second, and at once when they change', () => {
    const { sent, reading } = begun();
    for (let tenth = 0; tenth < 20; tenth++) {
      const version = tenth < 15 ? 1 : 2;
      sent.section(NEWS, eventSection({ id: 3, version, data: `v${version}` }));
      reading.feed(sent.take(), 100);
    }
    const found = events(reading);
    expect(found.map((each) => each.type === 'immediateEvent' && each.eventMessageVersion)).toEqual([
      1, 1, 2,
    ]);
    expect(found[0]).toEqual({
      ...{ type: 'immediateEvent', eventMessageGroupId: 0, eventMessageType: 1 },
      ...{ eventMessageId: 3, eventMessageVersion: 1, privateDataBase64: btoa('v1') },
    });
  });

  test('a flood of them is limited', () => {
    const { sent, reading } = begun();
    for (let second = 0; second < 2; second++) {
      for (let index = 0; index < 1000; index++) {
        sent.section(
          NEWS,
          eventSection({ id: index & 0xff, version: (second * 7 + index) & 0xff, data: 'x'.repeat(200) }),
        );
      }
      reading.feed(sent.take(), 1000);
    }
    expect(events(reading).length).toBeWithin(40, 90);
  });
});

describe('NPT', () => {
  const LAST = 2 ** 33 - 90_000;

  test('times of references and events are converted to broadcast time, across a wrap of the clock', () => {
    const { sent, reading, feed } = begun();
    const event = eventSection({ id: 1, version: 1, npt: 500 + 270_000 });
    sent.section(NEWS, nptSection(LAST, 500)).section(NEWS, event);
    feed();
    expect(events(reading)).toMatchObject([
      { type: 'nptReference', stc: LAST, npt: 500, at: null },
      { type: 'nptEvent', npt: 270_500, at: null },
    ]);
    // The clock is selected only because it is needed.
    expect(reading.selected).toContain(PCR_PID);
    sent
      .pcr(LAST - 180_000)
      .time(10)
      .section(NEWS, nptSection(LAST, 500))
      .section(NEWS, event);
    feed();
    expect(reading.selected).not.toContain(PCR_PID);
    expect(events(reading).slice(2)).toMatchObject([
      { type: 'nptReference', at: NINE + 12_000 },
      { type: 'nptEvent', at: NINE + 15_000 },
    ]);
    // The same relation, stated later: nothing new.
    sent.section(NEWS, nptSection(0, 500 + 90_000));
    feed();
    expect(events(reading)).toHaveLength(4);
    // A jump of the NPT moves the event.
    sent.section(NEWS, nptSection(0, 500)).section(NEWS, event);
    feed();
    expect(events(reading).slice(4)).toMatchObject([
      { type: 'nptReference', stc: 0, npt: 500, at: NINE + 13_000 },
      { type: 'nptEvent', at: NINE + 16_000 },
    ]);
    // It stands still.
    sent.section(NEWS, nptSection(0, 700, 0)).section(NEWS, event);
    feed();
    expect(events(reading).slice(6)).toMatchObject([
      { type: 'nptReference', scaleNumerator: 0, npt: 700 },
      { type: 'nptEvent', at: null },
    ]);
  });

  test('a jumping NPT is limited', () => {
    const { sent, reading } = begun();
    for (let index = 0; index < 1000; index++) sent.section(NEWS, nptSection(index, index * 1000));
    reading.feed(sent.take(), 1000);
    expect(events(reading).length).toBeLessThanOrEqual(60);
  });
});

describe('the applications of a station (AIT)', () => {
  const AIT = 0x178;
  const told = (reading: DataReading) =>
    reading.messages.flatMap((message) =>
      message.type === 'ait' ? [message.applications.map(({ url, control }) => `${control} ${url}`)] : [],
    );

  test('are read from the stream that the PMT names, and sent when they change', () => {
    const sent = new StationPackets();
    const reading = new DataReading({ serviceId: SERVICE });
    const feed = (ms = 1000) => reading.feed(sent.take(), ms);
    sent.tables([[0x40, ENTRY]]).programme(1);
    feed();
    expect(reading.selected).not.toContain(AIT);
    sent.section(AIT, aitSection(1, 1));
    feed();
    expect(told(reading)).toEqual([]);
    sent.tables([[0x40, ENTRY]], AIT);
    feed();
    expect(reading.selected).toContain(AIT);
    for (let repeated = 0; repeated < 3; repeated++) sent.section(AIT, aitSection(1, 1));
    feed();
    sent.section(AIT, aitSection(2, 4));
    feed();
    expect(told(reading)).toEqual([['autostart http://a.example/b'], ['kill http://a.example/b']]);
    // The stream is gone.
    sent.tables([[0x40, ENTRY]]);
    feed();
    expect(told(reading).at(-1)).toEqual([]);
    expect(reading.selected).not.toContain(AIT);
  });

  test('are sent once all sections of a version were received', () => {
    const sent = new StationPackets();
    const reading = new DataReading({ serviceId: SERVICE });
    sent.tables([[0x40, ENTRY]], AIT).programme(1);
    reading.feed(sent.take(), 1000);
    sent.section(AIT, aitSection(1, 1, 'one', 0, 1));
    reading.feed(sent.take(), 1000);
    expect(told(reading)).toEqual([]);
    sent.section(AIT, aitSection(1, 2, 'two', 1, 1));
    reading.feed(sent.take(), 1000);
    expect(told(reading)).toEqual([['autostart http://a.example/one', 'present http://a.example/two']]);
  });

  test('a table that changes with every section is sent twice a second, at last as it is', () => {
    const sent = new StationPackets();
    const reading = new DataReading({ serviceId: SERVICE });
    sent.tables([[0x40, ENTRY]], AIT).programme(1);
    reading.feed(sent.take(), 1000);
    for (let turn = 0; turn < 1000; turn++) sent.section(AIT, aitSection(turn % 32, 1, `page${turn}`));
    reading.feed(sent.take(), 3000);
    reading.feed(sent.take(), 1000);
    expect(told(reading).length).toBeLessThanOrEqual(8);
    expect(told(reading).at(-1)).toEqual(['autostart http://a.example/page999']);
  });
});
