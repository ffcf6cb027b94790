/** An independent reader finds in the tables what the broadcaster's truth lists. */
import { describe, expect, test } from 'bun:test';
import { createRequire } from 'node:module';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { eventCycles } from '../../synth/si/cycles.ts';
import { type ProgrammeTruth, type Truth, truthOf, tune } from './tuning.ts';

const AT = Date.UTC(2026, 10, 20, 12, 0, 0);
/** All cycles of a terrestrial channel of the small region are complete by then: the longest is 30 s. */
const SECONDS = 32;

interface PeerDescriptor {
  descriptor_tag: number;
  event_name_char?: Buffer;
  text_char?: Buffer;
  service_type?: number;
  service_name_char?: Buffer;
  network_name_char?: Buffer;
  services?: { service_id: number; service_type: number }[];
  remote_control_key_id?: number;
  ts_name_char?: Buffer;
  contents?: { content_nibble_level_1: number; content_nibble_level_2: number }[];
  component_type?: number;
  component_tag?: number;
  ES_multi_lingual_flag?: number;
  ISO_639_language_code?: Buffer;
  ISO_639_language_code_2?: Buffer;
  descriptor_number?: number;
  items?: { item_description_char: Buffer; item_char: Buffer }[];
}

interface PeerEvent {
  event_id: number;
  start_time: Buffer;
  duration: Buffer;
  descriptors: PeerDescriptor[];
}

interface PeerTable {
  table_id: number;
  service_id: number;
  transport_stream_id: number;
  network_id: number;
  original_network_id: number;
  section_number: number;
  version_number: number;
  events: PeerEvent[];
  services: { service_id: number; descriptors: PeerDescriptor[] }[];
  network_descriptors: PeerDescriptor[];
  transport_streams: {
    transport_stream_id: number;
    original_network_id: number;
    transport_descriptors: PeerDescriptor[];
  }[];
  programs: { program_number: number; program_map_PID?: number; network_PID?: number }[];
  program_number: number;
  PCR_PID: number;
  streams: { stream_type: number; elementary_PID: number; ES_info: PeerDescriptor[] }[];
  JST_time: Buffer;
}

interface PeerStream {
  on(event: string, listener: (pid: number, table: PeerTable) => void): void;
  resume(): void;
  write(bytes: Uint8Array, done: () => void): boolean;
}

const { TsStream, TsChar, TsDate } = createRequire(import.meta.url)('@chinachu/aribts') as {
  TsStream: new () => PeerStream;
  TsChar: new (bytes: Buffer) => { decode(): string };
  TsDate: new (bytes: Buffer) => { decode(): Date; decodeTime(): [number, number, number] };
};

const KINDS = ['pat', 'cat', 'pmt', 'nit', 'sdt', 'eit', 'tot'] as const;
type Kind = (typeof KINDS)[number];
interface Received {
  pid: number;
  table: PeerTable;
}

async function receive(
  type: string,
  channel: string,
  seconds = SECONDS,
  at = AT,
  scenario = 'mini',
): Promise<Record<Kind, Received[]>> {
  const bytes = await tune({ scenario, type, channel, at, seconds });
  const found: Record<Kind, Received[]> = { pat: [], cat: [], pmt: [], nit: [], sdt: [], eit: [], tot: [] };
  const reader = new TsStream();
  for (const kind of KINDS) reader.on(kind, (pid, table) => found[kind].push({ pid, table }));
  const drops: number[] = [];
  reader.on('drop', (pid) => drops.push(pid));
  reader.resume();
  await new Promise<void>((done) => reader.write(bytes, done));
  expect(drops).toEqual([]);
  return found;
}

function text(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : new TsChar(bytes).decode().replace(/\r\n?/g, '\n');
}

/** The reader returns Japan Standard Time as if it were the machine's local time. */
function moment(bytes: Buffer): number {
  const read = new TsDate(bytes).decode();
  return read.getTime() - read.getTimezoneOffset() * 60_000 - 9 * 3_600_000;
}

function descriptor(list: readonly PeerDescriptor[], tag: number): PeerDescriptor | undefined {
  return list.find(({ descriptor_tag }) => descriptor_tag === tag);
}

function receivedTimes(event: PeerEvent): Pick<ProgrammeTruth, 'eventId' | 'startAt' | 'durationMs'> {
  const [hours, minutes, seconds] = new TsDate(event.duration).decodeTime();
  const isUnknown = (bytes: Buffer) => bytes.every((octet) => octet === 0xff);
  return {
    eventId: event.event_id,
    startAt: isUnknown(event.start_time) ? null : moment(event.start_time),
    durationMs: isUnknown(event.duration) ? null : ((hours * 60 + minutes) * 60 + seconds) * 1000,
  };
}

function basics({ eventId, startAt, durationMs, title, description, genres }: ProgrammeTruth) {
  return { eventId, startAt, durationMs, title, description, genres };
}

/** A programme as the schedule lists it. */
function scheduled(programme: ProgrammeTruth) {
  const { borrowed } = programme;
  return { ...basics(programme), ...(borrowed ? { title: '', description: '', genres: [] } : {}) };
}

/** The genre code that carries notes on the programme instead of a genre. */
const NOTES = 0xe;

function receivedBasics(event: PeerEvent) {
  const short = descriptor(event.descriptors, 0x4d);
  const contents = descriptor(event.descriptors, 0x54)?.contents ?? [];
  const genres = contents.filter((genre) => genre.content_nibble_level_1 !== NOTES);
  return {
    ...receivedTimes(event),
    title: text(short?.event_name_char),
    description: text(short?.text_char),
    genres: genres.map((genre): [number, number] => [
      genre.content_nibble_level_1,
      genre.content_nibble_level_2,
    ]),
  };
}

/** Items of all extended descriptors, joined by bytes where a heading is empty. */
function receivedItems(event: PeerEvent): { heading: string; text: string }[] {
  const items: { heading: Buffer; parts: Buffer[] }[] = [];
  for (const { descriptor_tag, items: pieces = [] } of event.descriptors) {
    if (descriptor_tag !== 0x4e) continue;
    for (const piece of pieces) {
      if (piece.item_description_char.length === 0) items.at(-1)?.parts.push(piece.item_char);
      else items.push({ heading: piece.item_description_char, parts: [piece.item_char] });
    }
  }
  return items.map(({ heading, parts }) => ({ heading: text(heading), text: text(Buffer.concat(parts)) }));
}

/** Events of one service and range of table ids, each once, ordered by time. */
function eventsOf(received: readonly Received[], serviceId: number, from: number, to: number): PeerEvent[] {
  const events = new Map<number, PeerEvent>();
  for (const { table } of received) {
    if (table.service_id !== serviceId || table.table_id < from || table.table_id > to) continue;
    for (const event of table.events) events.set(event.event_id, event);
  }
  return [...events.values()].sort((a, b) => moment(a.start_time) - moment(b.start_time));
}

describe('a terrestrial channel', async () => {
  const received = await receive('GR', 'T27');
  const truth: Truth = await truthOf('GR', 'T27', AT);

  test('its PAT and PMTs lead to the streams', () => {
    const pat = received.pat[0]?.table;
    expect(pat?.transport_stream_id).toBe(truth.transportStreamId);
    const maps = pat?.programs.filter(({ program_number }) => program_number !== 0) ?? [];
    expect(maps.map(({ program_number, program_map_PID }) => [program_number, program_map_PID])).toEqual(
      [...truth.stations, ...truth.dataServices].map(({ serviceId, pmtPid }) => [serviceId, pmtPid]),
    );
    for (const station of truth.stations) {
      const pmt = received.pmt.find(({ pid }) => pid === station.pmtPid)?.table;
      expect(pmt?.program_number).toBe(station.serviceId);
      expect(pmt?.PCR_PID).toBe(station.pcrPid);
      const streams = pmt?.streams.map(({ stream_type, elementary_PID, ES_info }) => ({
        type: stream_type,
        pid: elementary_PID,
        tag: descriptor(ES_info, 0x52)?.component_tag,
      }));
      const { video, audios } = station;
      expect(streams).toEqual([
        { type: video.streamType, pid: video.pid, tag: video.componentTag },
        ...audios.map(({ pid, componentTag }) => ({ type: 0x0f, pid, tag: componentTag })),
      ]);
    }
  });

  test('its network and stations have their names', () => {
    const nit = received.nit[0]?.table;
    expect(nit?.network_id).toBe(truth.networkId);
    expect(text(descriptor(nit?.network_descriptors ?? [], 0x40)?.network_name_char)).toBe(truth.networkName);
    const [stream] = nit?.transport_streams ?? [];
    expect(stream?.transport_stream_id).toBe(truth.transportStreamId);
    expect(descriptor(stream?.transport_descriptors ?? [], 0xcd)).toMatchObject({ remote_control_key_id: 1 });
    const sdt = received.sdt[0]?.table;
    const names = sdt?.services.map(({ service_id, descriptors }) => {
      const service = descriptor(descriptors, 0x48);
      return [service_id, service?.service_type, text(service?.service_name_char)];
    });
    expect(names).toEqual(
      truth.stations.map(({ serviceId, serviceType, name }) => [serviceId, serviceType, name]),
    );
  });

  test('its clock is the broadcast time, every five seconds', () => {
    const times = received.tot.map(({ table }) => moment(table.JST_time));
    expect(times).toEqual([5, 10, 15, 20, 25, 30].map((seconds) => AT + seconds * 1_000));
  });

  test('present and following of every station, the one-segment one too', () => {
    for (const station of truth.stations) {
      const sections = received.eit.filter(
        ({ table, pid }) =>
          table.table_id === 0x4e &&
          table.service_id === station.serviceId &&
          pid === (station.partialReception ? 0x27 : 0x12),
      );
      expect(sections.length).toBeGreaterThan(SECONDS);
      for (const { table } of sections) {
        const wanted = table.section_number === 0 ? station.present : station.following;
        const [event] = table.events;
        if (event === undefined) throw new Error('an empty section');
        expect(receivedBasics(event)).toEqual(basics(wanted));
        expect(receivedItems(event)).toEqual(wanted.items);
      }
    }
  });

  test('audio components distinguish two streams and two languages', () => {
    const [twoStreams, dualMono] = truth.stations;
    const components = (serviceId: number) =>
      eventsOf(received.eit, serviceId, 0x4e, 0x4e)[0]
        ?.descriptors.filter(({ descriptor_tag }) => descriptor_tag === 0xc4)
        .map((audio) => [
          audio.component_tag,
          audio.component_type,
          audio.ES_multi_lingual_flag,
          String(audio.ISO_639_language_code),
          audio.ES_multi_lingual_flag === 1 ? String(audio.ISO_639_language_code_2) : '',
        ]);
    expect(components(twoStreams?.serviceId ?? 0)).toEqual([
      [0x10, 3, 0, 'jpn', ''],
      [0x11, 3, 0, 'jpn', ''],
    ]);
    expect(components(dualMono?.serviceId ?? 0)).toEqual([[0x10, 2, 1, 'jpn', 'eng']]);
  });

  test('eight days of schedule from the current three hours on', () => {
    const segment = 3 * 3_600_000;
    const begin = Math.floor(AT / segment) * segment;
    for (const station of truth.stations.filter(({ partialReception }) => !partialReception)) {
      const wanted = station.schedule.filter(({ startAt }) => (startAt ?? 0) >= begin);
      expect(wanted.length).toBeGreaterThan(150);
      const basic = eventsOf(received.eit, station.serviceId, 0x50, 0x57);
      expect(basic.map(receivedBasics)).toEqual(wanted.map(basics));
      const extended = eventsOf(received.eit, station.serviceId, 0x58, 0x5f);
      const described = wanted.filter(({ items }) => items.length > 0);
      expect(extended.map(({ event_id }) => event_id)).toEqual(described.map(({ eventId }) => eventId));
      expect(extended.map(receivedItems)).toEqual(described.map(({ items }) => items));
    }
  });
});

test('at midnight the schedule moves on by a day, all of a table at once', async () => {
  const midnight = Date.UTC(2026, 10, 20, 15, 0, 0);
  const received = await receive('GR', 'T26', 60, midnight - 15_000);
  const schedule = received.eit.filter(({ table }) => table.table_id >= 0x50);
  const versions = schedule.map(({ table }) => table.version_number);
  const [before = 0] = versions;
  const change = versions.findIndex((version) => version !== before);
  expect(change).toBeGreaterThan(5);
  expect(new Set(versions.slice(change))).toEqual(new Set([(before + 1) % 32]));
  const [station] = (await truthOf('GR', 'T26', midnight)).stations;
  const receivedAfter = eventsOf(schedule.slice(change), station?.serviceId ?? 0, 0x50, 0x57);
  expect(receivedAfter.map(receivedBasics)).toEqual(station?.schedule.map(basics) ?? []);
});

describe('a satellite channel describes its whole network', async () => {
  /** The longest cycle of other streams is two minutes. */
  const received = await receive('BS', 'BS01_0', 122);
  const own = await truthOf('BS', 'BS01_0', AT);
  const other = await truthOf('BS', 'BS03_0', AT);

  test('its network table lists every stream, its service tables every station', () => {
    const nit = received.nit[0]?.table;
    expect(nit?.network_id).toBe(4);
    const streams = nit?.transport_streams.map(({ transport_stream_id }) => transport_stream_id);
    expect(streams).toEqual([own.transportStreamId, other.transportStreamId]);
    for (const [tableId, truth] of [
      [0x42, own],
      [0x46, other],
    ] as const) {
      const sdt = received.sdt.find(({ table }) => table.table_id === tableId)?.table;
      expect(sdt?.transport_stream_id).toBe(truth.transportStreamId);
      const names = sdt?.services.map(({ descriptors }) =>
        text(descriptor(descriptors, 0x48)?.service_name_char),
      );
      expect(names).toEqual([...truth.stations, ...truth.dataServices].map(({ name }) => name));
    }
  });

  test('its event tables contain all stations', () => {
    for (const [presentId, basicId, extendedId, truth] of [
      [0x4e, 0x50, 0x58, own],
      [0x4f, 0x60, 0x68, other],
    ] as const) {
      for (const station of truth.stations) {
        const [present] = eventsOf(received.eit, station.serviceId, presentId, presentId);
        expect(present === undefined ? undefined : receivedBasics(present)).toEqual(basics(station.present));
        const wanted = station.schedule.filter(({ startAt }) => (startAt ?? 0) >= AT);
        const receivedFrom = (from: number) =>
          eventsOf(received.eit, station.serviceId, from, from + 7).filter(
            ({ start_time }) => moment(start_time) >= AT,
          );
        expect(receivedFrom(basicId).map(receivedBasics)).toEqual(wanted.map(basics));
        const described = wanted.filter(({ items }) => items.length > 0);
        expect(receivedFrom(extendedId).map(receivedItems)).toEqual(described.map(({ items }) => items));
      }
    }
  });

  test('its clock references match the video', () => {
    expect(own.stations.map(({ pcrPid }) => pcrPid)).toEqual(own.stations.map(({ video }) => video.pid));
  });
});

/** The default region takes minutes to read; all of it is read with --long. */
const LONG = process.env.SVC_LONG !== undefined;

describe.skipIf(!LONG)('the default region', () => {
  const channels = DEFAULT.channels.map(({ type, channel }) => [type, channel] as const);
  test.each(channels)('%s %s: stations, present, following and schedule', async (type, channel) => {
    const truth = await truthOf(type, channel, AT, 'default');
    const { actual } = eventCycles(DEFAULT, type);
    const received = await receive(type, channel, actual.extended.base + 2, AT, 'default');
    const names = received.sdt
      .find(({ table }) => table.table_id === 0x42)
      ?.table.services.map(({ descriptors }) => text(descriptor(descriptors, 0x48)?.service_name_char));
    expect(names).toEqual([...truth.stations, ...truth.dataServices].map(({ name }) => name));
    for (const station of truth.stations) {
      const now = eventsOf(received.eit, station.serviceId, 0x4e, 0x4e);
      // One station announces tables and sends none.
      const on = [station.present, station.following].filter((one) => one !== null);
      expect(now.map(receivedBasics)).toEqual(on.map(basics));
      if (station.partialReception) continue;
      const wanted = station.schedule.filter(({ startAt }) => (startAt ?? 0) >= AT);
      const receivedFrom = (from: number) =>
        eventsOf(received.eit, station.serviceId, from, from + 7).filter(
          ({ start_time }) => moment(start_time) >= AT,
        );
      expect(receivedFrom(0x50).map(receivedBasics)).toEqual(wanted.map(scheduled));
      const described = wanted.filter(({ items, borrowed }) => items.length > 0 && !borrowed);
      expect(receivedFrom(0x58).map(receivedItems)).toEqual(described.map(({ items }) => items));
    }
  });
});
