/**
 * The guide worker stores the same titles, texts, genres and times of a channel as an independent reader
 * finds in the same stream. The stream takes the path of a collection run: HTTP, worker, merge, database.
 */
import type { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networkId, programId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { GuideVisits } from '../../src/guide/guide-visits.ts';
import { GuideWorkerClient } from '../../src/guide/guide-worker-client.ts';
import { wantedStations } from '../../src/guide/visit-goal.ts';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import { openDatabase } from '../../src/store/database.ts';
import { StationStore } from '../../src/store/station-store.ts';
import { WriteLock } from '../../src/store/write-lock.ts';
import { loadScenario } from '../../synth/scenario/load.ts';
import type { ChannelPlan, Scenario } from '../../synth/scenario/model.ts';
import { eventCycles } from '../../synth/si/cycles.ts';
import { startGuideWorker, startReceptionWorker } from '../built-programs.ts';
import { decodeByPeer, type PeerRecord, peerText, records } from '../peer/record.ts';
import { sectionsOf, tablePackets } from '../peer/sent.ts';
import { peerOf } from '../peer/tables.ts';
import { HANG_LIMIT_MS, TEST_LIMIT_MS } from '../until.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A programme, as read by either reader. */
interface Programme {
  startAt: number;
  endAt: number;
  name: string;
  description: string;
  genres: [number, number][];
}

/** All variants of a programme in the stream, over all tables and versions. */
interface Received {
  variants: Programme[];
  texts: Record<string, string>[];
  /** At least one of the texts is in the schedule. */
  textScheduled: boolean;
  /** Variants that the schedule contains. */
  schedules: Programme[];
  scheduled: boolean;
  /** At least one variant had no start or end: the stored ones may be estimates. */
  undecided: boolean;
}

/** Five bytes of MJD and BCD, and three of BCD. Undefined: not decided. */
function momentOf(bytes: Buffer): number | undefined {
  if (bytes.every((octet) => octet === 0xff)) return undefined;
  const bcd = (octet: number): number => (octet >> 4) * 10 + (octet & 15);
  const [hours = 0, minutes = 0, seconds = 0] = [...bytes.subarray(-3)].map(bcd);
  const time = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return bytes.length === 3 ? time : (bytes.readUInt16BE(0) - 40_587) * 86_400_000 + time - 9 * 3_600_000;
}

function variantOf(event: PeerRecord): Programme | undefined {
  const startAt = momentOf(event.start_time as Buffer);
  const durationMs = momentOf(event.duration as Buffer);
  const descriptors = records(event.descriptors);
  const short = descriptors.find((each) => each.descriptor_tag === 0x4d);
  // An event without an end has an estimated one: only those with an end are compared.
  if (startAt === undefined || durationMs === undefined || short === undefined) return undefined;
  const contents = descriptors
    .filter((each) => each.descriptor_tag === 0x54)
    .flatMap((each) => records(each.contents));
  return {
    startAt,
    endAt: startAt + durationMs,
    name: peerText(short.event_name_char),
    description: peerText(short.text_char),
    genres: contents.map((genre) => [
      Number(genre.content_nibble_level_1),
      Number(genre.content_nibble_level_2),
    ]),
  };
}

/** Items of all extended descriptors, concatenated where a heading is empty; each heading once. */
function textOf(event: PeerRecord): Record<string, string> | undefined {
  const items: { heading: Buffer; parts: Buffer[] }[] = [];
  for (const descriptor of records(event.descriptors)) {
    if (descriptor.descriptor_tag !== 0x4e) continue;
    for (const piece of records(descriptor.items)) {
      const heading = piece.item_description_char as Buffer;
      if (heading.length === 0) items.at(-1)?.parts.push(piece.item_char as Buffer);
      else items.push({ heading, parts: [piece.item_char as Buffer] });
    }
  }
  if (items.length === 0) return undefined;
  const text: Record<string, string> = {};
  for (const { heading, parts } of items) {
    const [key, body] = [peerText(heading), peerText(Buffer.concat(parts))];
    text[key] = key in text ? `${text[key]}\n${body}` : body;
  }
  return text;
}

/** Every event that the independent reader finds, by programme id. */
function receivedIn(packets: Uint8Array): Map<number, Received> {
  const received = new Map<number, Received>();
  for (const section of sectionsOf(packets)) {
    if (section.pid !== 0x12) continue;
    const peer = peerOf(section.tableId);
    const table = peer === undefined ? null : decodeByPeer(peer.table, section.bytes);
    if (table === null) throw new Error(`not read: ${section.tableId}`);
    const station = stationId(
      networkId(Number(table.original_network_id)),
      serviceId(Number(table.service_id)),
    );
    for (const event of records(table.events)) {
      const id = programId(station, Number(event.event_id) as never);
      const known = received.get(id) ?? {
        variants: [],
        texts: [],
        textScheduled: false,
        schedules: [],
        scheduled: false,
        undecided: false,
      };
      received.set(id, known);
      const variant = variantOf(event);
      const scheduled = section.tableId >= 0x50;
      known.undecided ||=
        momentOf(event.start_time as Buffer) === undefined ||
        momentOf(event.duration as Buffer) === undefined;
      if (variant !== undefined) known.variants.push(variant);
      if (variant !== undefined && scheduled) known.schedules.push(variant);
      const text = textOf(event);
      if (text !== undefined) known.texts.push(text);
      known.textScheduled ||= text !== undefined && scheduled;
      known.scheduled ||= scheduled && (section.tableId & 8) === 0;
    }
  }
  return received;
}

/** Reads the stream like a collection run. @returns the database */
async function stored(scenario: Scenario, plan: ChannelPlan, packets: Uint8Array): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-peer-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'svc.db');
  const database = openDatabase(path);
  closers.push(() => database.close());
  const network = scenario.channels.filter((channel) => channel.networkId === plan.networkId);
  const put = network.flatMap(({ type, channel, networkId: network, stations }) =>
    stations.map(({ serviceId: service, name, serviceType }) => ({
      id: stationId(network, service),
      ...{
        type,
        networkId: network,
        serviceId: service,
        transportStreamId: null,
        channel,
        name,
        serviceType,
      },
      remoteControlKey: 1,
    })),
  );
  new StationStore(database).apply({ put, hide: [], retype: [] }, broadcastMs(0));
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(packets as Uint8Array<ArrayBuffer>),
  });
  closers.push(() => server.stop(true));
  const worker = new GuideWorkerClient({
    writeLock: new WriteLock(),
    startWorker: startGuideWorker,
    path,
    writeMs: { visit: 30_000, feed: 300_000 },
    log: SILENT_LOG,
    onChanged: () => {},
    onCoverage: () => {},
    onNamed: () => {},
    onLost: () => {},
    onClock: () => {},
  });
  closers.push(() => worker.close());
  const pool = new ReceptionPool({
    agentUrl: `http://127.0.0.1:${server.port}`,
    startWorker: startReceptionWorker,
    log: SILENT_LOG,
  });
  closers.push(() => pool.close());
  worker.stations(put);
  const { result } = new GuideVisits({ pool, worker }).visit({
    request: { type: 'BS', channel: 'BS01_0', priority: 3, use: 'epg BS01_0' },
    networkId: plan.networkId,
    wanted: wantedStations(
      put.map(({ id }) => id),
      'full',
    ),
    // The stream is read to its end.
    ...{ capMs: TEST_LIMIT_MS, settleMs: TEST_LIMIT_MS, patienceMs: 0, openMs: HANG_LIMIT_MS },
  });
  expect((await result).reason).toBe('the agent ended the stream');
  return database;
}

interface StoredRow {
  id: number;
  start_at: number;
  end_at: number;
  open_end: number;
  name: string;
  description: string;
  genres: string;
  extended: string | null;
  /** Programme of another station whose texts it uses. */
  borrows: number | null;
}

/** The same schedules in less time, so that less is repeated. */
const SCENARIO = { ...loadScenario('default'), scheduleSpeed: 20 };

/** A title without the boxed signs of ARIB STD-B62 (U+1F100 to U+1F2FF). */
const withoutMarks = (name: string): string => name.replace(/[\u{1F100}-\u{1F2FF}]/gu, '');

/** The channels of a satellite network carry the schedules of each other: one of them, all with `--long`. */
const COMPARED = SCENARIO.channels.filter(
  (plan, index) =>
    process.env.SVC_LONG === '1' ||
    plan.type === 'GR' ||
    SCENARIO.channels.findIndex(({ networkId }) => networkId === plan.networkId) === index,
);

test.each(COMPARED.map((plan) => [plan.type, plan.channel, plan] as const))(
  '%s %s',
  async (type, channel, plan) => {
    // Every table of the channel has been repeated; those of other streams take longest.
    const { actual, other } = eventCycles(SCENARIO, type);
    const seconds = 5 + (other ?? actual).extended.base;
    // The whole stream is read at once, so "now" is its end: programmes that ended in it are over.
    const begin = broadcastMs((Math.floor(Date.now() / 1000) - seconds) * 1000);
    const packets = tablePackets(SCENARIO, plan, seconds, begin);
    const received = receivedIn(packets);
    const database = await stored(SCENARIO, plan, packets);
    const rows = database
      .query<StoredRow, []>(
        'SELECT id, start_at, end_at, open_end, name, description, genres, extended, borrows FROM programs ORDER BY id',
      )
      .all();
    const compared = { programmes: 0, texts: 0, shared: 0 };
    const lenders = new Map(rows.map((row) => [row.id, row]));
    for (const row of rows) {
      const sent = received.get(row.id);
      if (sent === undefined) throw new Error(`nobody sent ${row.id}`);
      const lender = row.borrows === null ? undefined : lenders.get(row.borrows);
      if (row.open_end === 0 && lender === undefined && sent.variants.length > 0 && !sent.undecided) {
        const genres = (JSON.parse(row.genres) as { lv1: number; lv2: number }[]).map(({ lv1, lv2 }) => [
          lv1,
          lv2,
        ]);
        const { start_at: startAt, end_at: endAt, name, description } = row;
        expect(sent.variants).toContainEqual({ startAt, endAt, name, description, genres } as Programme);
        compared.programmes += 1;
      }
      if (row.borrows !== null) {
        // Its schedule is empty: details are those of the main station's programme, which are compared above;
        // its title may be that of its own present/following, which has fewer marks.
        expect(sent.schedules).toEqual([]);
        const { name, description, genres, extended } = row;
        expect(name).not.toBe('');
        expect(lender).toMatchObject({ description, genres, extended });
        expect(withoutMarks(lender?.name ?? '')).toBe(withoutMarks(name));
        compared.shared += 1;
      } else if (sent.texts.length === 0) expect(row.extended).toBeNull();
      // Listed in present/following only, and over: the whole stream is read before anything is written.
      else if (sent.textScheduled || row.extended !== null || row.end_at > begin + seconds * 1000) {
        expect(sent.texts).toContainEqual(JSON.parse(row.extended ?? '{}'));
        compared.texts += 1;
      }
    }
    const ids = new Set(rows.map((row) => row.id));
    const missing = [...received].filter(([id, { scheduled, variants }]) => {
      const last = variants.at(-1);
      return scheduled && last !== undefined && last.endAt > begin + seconds * 1000 && !ids.has(id);
    });
    expect(missing).toEqual([]);
    // Even a week with few programmes has more than this.
    expect(compared.programmes).toBeGreaterThan(200);
    expect(compared.texts).toBeGreaterThan(100);
    if (channel === 'T27') expect(compared.shared).toBeGreaterThan(100);
  },
);
