/**
 * The repetition rate of the tables in a minute of broadcast, compared with its BIT, and the services that
 * ffprobe finds.
 */
import { describe, expect, test } from 'bun:test';
import type { TableParameter } from '../../lib/arib/descriptor/broadcasters.ts';
import { findDescriptor } from '../../lib/arib/descriptor/index.ts';
import { pid as toPid } from '../../lib/arib/ids.ts';
import { BIT_PID, parseBit } from '../../lib/arib/si/service-tables.ts';
import { SectionDemux } from '../../lib/arib/ts/section.ts';
import { type BitRead, readBit } from './bit-reader.ts';
import { PACKET, packetsOf, run, truthOf, tune } from './tuning.ts';

const AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const SECONDS = 62;

interface Arrival {
  pid: number;
  /** Seconds from the first packet. */
  at: number;
  section: Uint8Array;
}

/**
 * All sections of the given PIDs with the arrival times of their first packets, read by the test's own code.
 */
function arrivals(stream: Uint8Array, pids: readonly number[]): Arrival[] {
  const perPacket = SECONDS / (stream.length / PACKET);
  const found: Arrival[] = [];
  const open = new Map<number, { bytes: number[]; at: number }>();
  for (const packet of packetsOf(stream)) {
    if (!pids.includes(packet.pid) || !packet.hasPayload) continue;
    const payload = stream.subarray(packet.payload, packet.at + PACKET);
    const at = (packet.at / PACKET) * perPacket;
    const pointer = packet.begins ? (payload[0] ?? 0) : undefined;
    const known = open.get(packet.pid);
    if (known !== undefined) {
      known.bytes.push(...(pointer === undefined ? payload : payload.subarray(1, 1 + pointer)));
      close(packet.pid, known);
    }
    if (pointer !== undefined) {
      const next = { bytes: [...payload.subarray(1 + pointer)], at };
      open.set(packet.pid, next);
      close(packet.pid, next);
    }
  }
  function close(pid: number, gathered: { bytes: number[]; at: number }): void {
    const { bytes } = gathered;
    for (;;) {
      if (bytes.length < 3 || bytes[0] === 0xff) return;
      const length = 3 + ((((bytes[1] ?? 0) & 0x0f) << 8) | (bytes[2] ?? 0));
      if (bytes.length < length) return;
      found.push({ pid, at: gathered.at, section: Uint8Array.from(bytes.splice(0, length)) });
    }
  }
  return found;
}

/** Longest time between two of the same section of a table, and the number of sections. */
function cycleOf(received: readonly Arrival[], pid: number, tableId: number) {
  const last = new Map<string, number>();
  let longest = 0;
  let count = 0;
  for (const { pid: on, at, section } of received) {
    if (on !== pid || section[0] !== tableId) continue;
    count += 1;
    // Key of a sub-table's section: table_id_extension and section_number, for an EIT also the stream.
    const key = [...section.subarray(3, 5), section[6] ?? 0, ...section.subarray(8, 12)].join();
    longest = Math.max(longest, at - (last.get(key) ?? at));
    last.set(key, at);
  }
  return { longest, count };
}

/** The cycle as read by the test's own reader. */
function secondsOf(table: TableParameter): number | undefined {
  switch (table.kind) {
    case 'cycle':
      return table.cycle;
    case 'present-following':
      return table.hCycle;
    case 'schedule':
      return table.media[0]?.baseCycle;
    case 'unknown':
      return undefined;
  }
}

/** Sections that wait for free packets are a little late. */
const SLACK = 0.25;

describe.each([
  ['GR', 'T27', [0x40, 0x42, 0x4e, 0x50, 0x58, 0xc3, 0xc4, 0xc8]],
  ['BS', 'BS01_0', [0x40, 0x42, 0x46, 0x4e, 0x4f, 0x50, 0x58, 0x60, 0xc3, 0xc4]],
] as const)('%s %s', async (type, channel, tables) => {
  const stream = await tune({ type, channel, at: AT, seconds: SECONDS });
  const pids = [0x10, 0x11, 0x12, 0x14, type === 'GR' ? 0x28 : 0x23, 0x24, 0x29];
  const received = arrivals(stream, pids);
  const first = received.find(({ pid }) => pid === 0x24)?.section;
  const bit: BitRead = readBit(first ?? new Uint8Array(0));
  const pidOf = (tableId: number): number => {
    if (tableId === 0x40) return 0x10;
    if (tableId === 0x42 || tableId === 0x46) return 0x11;
    if (tableId >= 0x4e && tableId <= 0x6f) return 0x12;
    if (tableId === 0xc3) return type === 'GR' ? 0x28 : 0x23;
    return tableId === 0xc4 ? 0x24 : 0x29;
  };

  test('the BIT describes its tables', () => {
    expect([...bit.cycles.keys()].sort((a, b) => a - b)).toEqual([...tables]);
  });

  test('the parser finds the same cycles in it, and the stations under their broadcaster', async () => {
    const [section] = new SectionDemux([toPid(BIT_PID)]).feed(stream);
    const read = section && parseBit(section);
    if (read === undefined) throw new Error('no BIT');
    const loops = [read.descriptors, ...read.broadcasters.map(({ descriptors }) => descriptors)];
    const said = loops
      .flatMap((loop) => findDescriptor(loop, 'si_parameter')?.tables ?? [])
      .map((table): [number, number | undefined] => [table.tableId, secondsOf(table)]);
    expect(new Map(said)).toEqual(bit.cycles);
    const truth = await truthOf(type, channel, AT);
    const lists = read.broadcasters.map(({ descriptors }) => ({
      name: findDescriptor(descriptors, 'broadcaster_name')?.name,
      services: findDescriptor(descriptors, 'service_list')?.services,
    }));
    const services = [...truth.stations, ...truth.dataServices].map(({ serviceId, serviceType }) => ({
      serviceId,
      serviceType,
    }));
    expect(read.originalNetworkId as number).toBe(truth.networkId);
    expect(lists as unknown[]).toContainEqual({ name: truth.stations[0]?.name, services });
  });

  test.each(tables.map((tableId) => [tableId.toString(16), tableId] as const))(
    'table %s comes as often as the BIT says',
    (_, tableId) => {
      const promised = bit.cycles.get(tableId) ?? 0;
      const { longest, count } = cycleOf(received, pidOf(tableId), tableId);
      expect(count).toBeGreaterThan(0);
      expect(longest).toBeLessThanOrEqual(promised + SLACK);
      // Nor much more often: a section that is sent twice is counted twice.
      if (promised < SECONDS / 2) expect(longest).toBeGreaterThan(promised - SLACK);
    },
  );
});

/** Seconds in which all blocks of a carousel are sent once. */
const CAROUSEL_SECONDS = { bml: 4, logos: 30 };

test('a carousel sends its directory every second, and all modules within its cycle', async () => {
  const { dataServices } = await truthOf('BS', 'BS01_0', AT);
  const stream = await tune({ type: 'BS', channel: 'BS01_0', at: AT, seconds: SECONDS });
  for (const { content, carousel } of dataServices) {
    const received = arrivals(stream, [carousel.pid]);
    const list = cycleOf(received, carousel.pid, 0x3b);
    expect(list.count).toBeWithin(SECONDS - 2, SECONDS + 2);
    expect(list.longest).toBeLessThanOrEqual(1 + SLACK);
    const blocks = cycleOf(received, carousel.pid, 0x3c);
    const turn = CAROUSEL_SECONDS[content];
    expect(blocks.longest).toBeWithin(turn - SLACK, turn + SLACK);
  }
});

test('ffprobe finds every service, including data services without picture', async () => {
  const truth = await truthOf('BS', 'BS01_0', AT);
  const stream = await tune({ type: 'BS', channel: 'BS01_0', at: AT, seconds: 5 });
  const words = ['-v', 'error', '-of', 'json', '-show_programs', '-i', 'pipe:0'];
  const probed = await run(['ffprobe', ...words], stream);
  const { programs } = JSON.parse(new TextDecoder().decode(probed.stdout)) as {
    programs: { program_id: number; streams: { codec_type?: string }[] }[];
  };
  const kinds = programs.map(({ program_id, streams }) => [
    program_id,
    streams.some(({ codec_type }) => codec_type === 'video'),
  ]);
  expect(kinds).toEqual([
    ...truth.stations.map(({ serviceId }) => [serviceId, true]),
    ...truth.dataServices.map(({ serviceId }) => [serviceId, false]),
  ]);
});
