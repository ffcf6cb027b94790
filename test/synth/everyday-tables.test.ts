/**
 * Tables in the form and number that broadcasters send, in the default region: conditional access of free
 * stations, data components, hidden services, tables of several sections, wide guides.
 */
import { describe, expect, test } from 'bun:test';
import { type Descriptor, findDescriptor, readDescriptors } from '../../lib/arib/descriptor/index.ts';
import { Reader } from '../../lib/arib/reader.ts';
import { parseNit, parseSdt } from '../../lib/arib/si/service-tables.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { type ProgramMap, parsePmt } from '../../lib/arib/ts/pmt.ts';
import type { Section } from '../../lib/arib/ts/section.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { findChannel, loadScenario } from '../../synth/scenario/load.ts';
import type { Scenario } from '../../synth/scenario/model.ts';
import { sectionsOf, tablePackets } from '../peer/sent.ts';

const PACKET = 188;
const NULL = 0x1fff;

function sections(channel: string, seconds: number, scenario: Scenario = DEFAULT): Section[] {
  return sectionsOf(tablePackets(scenario, findChannel(scenario, undefined, channel), seconds));
}

function maps(list: readonly Section[]): ProgramMap[] {
  return list.map(parsePmt).filter((map) => map !== undefined);
}

/** Systems and PIDs in a loop of descriptors. */
function access(descriptors: readonly Descriptor[]): [number, number][] {
  return descriptors.flatMap((one): [number, number][] =>
    one.kind === 'conditional_access' || one.kind === 'access_control' ? [[one.caSystemId, one.pid]] : [],
  );
}

describe('a free terrestrial channel', () => {
  const list = sections('T27', 10);
  const [main] = maps(list).filter(({ programNumber }) => (programNumber & 0x187) === 0);
  if (main === undefined) throw new Error('no map of the main station');

  test('names the ECMs of both systems, and none of its captions', () => {
    expect(access(main.descriptors)).toEqual([
      [0x0005, 0x1e01],
      [0x000e, 0x1e02],
    ]);
    const captions = main.streams.filter(({ streamType }) => streamType === 0x06);
    expect(captions).toHaveLength(2);
    for (const { descriptors } of captions) {
      expect(access(descriptors)).toEqual([
        [0x0005, NULL],
        [0x000e, NULL],
      ]);
    }
  });

  test('sends ECMs that change every two seconds, and EMMs that its CAT names', () => {
    for (const pid of [0x1e01, 0x1e02]) {
      const ecms = list.filter((section) => section.pid === pid);
      expect(ecms.every(({ tableId }) => tableId === 0x82)).toBe(true);
      expect(ecms.length).toBeWithin(5, 7);
    }
    const [cat] = list.filter(({ tableId }) => tableId === 0x01).map(({ body }) => new Reader(body));
    expect(cat && access(readDescriptors(cat))).toEqual([[0x000e, 0x1e00]]);
    const emms = list.filter(({ pid }) => pid === 0x1e00);
    expect(emms.length).toBeWithin(9, 12);
    expect(emms[0]?.bytes.length).toBeWithin(3_900, 4_096);
  });

  test('has a map of two packets with six further data components, copy control, no content availability', () => {
    const section = list.find((one) => parsePmt(one)?.programNumber === main.programNumber);
    expect(section?.bytes.length).toBeWithin(PACKET, 230);
    const data = main.streams.filter(({ streamType }) => streamType === 0x0d);
    expect(data.map(({ componentTag }) => componentTag)).toEqual([0x40, 0x60, 0x61, 0x62, 0x70, 0x71, 0x72]);
    expect(findDescriptor(main.descriptors, 'digital_copy_control')).toMatchObject({
      recordingControl: 2,
      copyControlType: 1,
    });
    expect(findDescriptor(main.descriptors, 'content_availability')).toBeUndefined();
    const [other] = maps(sections('T24', 1)).filter(({ streams }) => streams[0]?.streamType === 0x02);
    expect(findDescriptor(other?.descriptors ?? [], 'content_availability')).toMatchObject({
      retentionAllowed: true,
    });
    const [sdt] = list.map(parseSdt).filter((table) => table !== undefined);
    const controls = sdt?.services.map(
      ({ descriptors }) => findDescriptor(descriptors, 'digital_copy_control') !== undefined,
    );
    expect(controls).toEqual([true, true, true]);
  });

  test('sends its data components at 1.7 Mbit/s, each at its own rate', () => {
    const seconds = 8;
    const bytes = tablePackets(DEFAULT, findChannel(DEFAULT, 'GR', 'T27'), seconds);
    const rates = new Map<number, number>();
    for (let at = 0; at < bytes.length; at += PACKET) {
      const pid = (((bytes[at + 1] ?? 0) & 0x1f) << 8) | (bytes[at + 2] ?? 0);
      rates.set(pid, (rates.get(pid) ?? 0) + (PACKET * 8) / seconds);
    }
    const own = main.streams.filter(({ streamType }) => streamType === 0x0d).map(({ pid }) => pid);
    const sum = own.reduce((all, pid) => all + (rates.get(pid) ?? 0), 0);
    expect(sum).toBeWithin(1_600_000, 1_900_000);
    expect(rates.get(0x160)).toBeWithin(900_000, 1_000_000);
    expect(rates.get(0x171)).toBeWithin(180_000, 220_000);
  });

  test('names the engineering service in PAT and NIT, not in the SDT', () => {
    const [pat] = list.map(parsePat).filter((table) => table !== undefined);
    expect(pat?.programs.map(({ programNumber }) => programNumber as number)).toContain(0xfff0);
    const [nit] = list.map(parseNit).filter((table) => table !== undefined);
    const loop = nit?.transportStreams[0]?.descriptors ?? [];
    expect(findDescriptor(loop, 'service_list')?.services as unknown[]).toContainEqual({
      serviceId: 0xfff0,
      serviceType: 0xa4,
    });
    const [sdt] = list.map(parseSdt).filter((table) => table !== undefined);
    expect(sdt?.services.map(({ serviceId }) => serviceId as number)).not.toContain(0xfff0);
    const map = maps(list).find(({ programNumber }) => (programNumber as number) === 0xfff0);
    expect(map?.pcrPid as number).toBe(NULL);
    expect(map?.streams).toHaveLength(12);
  });

  test('lists the frequencies of its relays', () => {
    const [nit] = list.map(parseNit).filter((table) => table !== undefined);
    const delivery = findDescriptor(nit?.transportStreams[0]?.descriptors ?? [], 'terrestrial_delivery');
    expect(delivery?.frequencies).toHaveLength(25);
  });

  test('describes its captions and audio like real broadcasters', () => {
    const present = sections('T23', 3)
      .filter(({ tableId }) => tableId === 0x4e)
      .map(({ bytes }) => bytes.toHex());
    // Selector of captions in Japanese; quality_indicator 2 with 48 kHz.
    expect(present.some((bytes) => bytes.includes('000830' + '05' + '01136a706e'))).toBe(true);
    expect(present.some((bytes) => bytes.includes('0fff' + '6f' + '6a706e'))).toBe(true);
  });

  test('one-segment has data components of its own and no conditional access', () => {
    const map = maps(list).find(({ streams }) => streams.some(({ streamType }) => streamType === 0x1b));
    expect(access(map?.descriptors ?? [])).toEqual([]);
    expect(map?.streams.map(({ componentTag }) => componentTag)).toEqual([
      0x81, 0x83, 0x87, 0x80, 0x89, 0x8b,
    ]);
  });
});

describe('BS', () => {
  const list = sections('BS01_0', 12);

  test('has 29 streams in its network, in a NIT of one section', () => {
    const nits = list.filter(({ tableId }) => tableId === 0x40);
    expect(nits).toHaveLength(1);
    expect(nits[0]?.bytes.length).toBeWithin(700, 900);
    expect(parseNit(nits[0] as Section)?.transportStreams).toHaveLength(29);
  });

  test('has a BIT of several sections and an SDT of every stream', () => {
    const bits = list.filter(({ tableId }) => tableId === 0xc4);
    expect(bits.length).toBeGreaterThan(1);
    expect(bits.map(({ number }) => number)).toEqual(bits.map((_, index) => index));
    const others = list.filter(({ tableId }) => tableId === 0x46).map(({ extension }) => extension);
    expect(new Set(others).size).toBe(28);
  });
});

test('a station that announces event tables and sends none', () => {
  const list = sections('CS06', 5);
  const plan = findChannel(DEFAULT, 'CS', 'CS06').stations.find(({ programmes }) => programmes === 'none');
  const [sdt] = list
    .filter(({ tableId }) => tableId === 0x42)
    .map(parseSdt)
    .filter((table) => table !== undefined);
  const service = sdt?.services.find(({ serviceId }) => serviceId === plan?.serviceId);
  expect(service).toMatchObject({ hasSchedule: true, hasPresentFollowing: true });
  const events = list.filter(
    ({ tableId, extension }) => tableId >= 0x4e && tableId <= 0x6f && extension === plan?.serviceId,
  );
  expect(events).toEqual([]);
});

test('two channels of different regions have the same remote control key', () => {
  const keys = ['T27', 'T22'].map((channel) => {
    const [nit] = sections(channel, 2)
      .map(parseNit)
      .filter((table) => table !== undefined);
    const [stream] = nit?.transportStreams ?? [];
    return [
      nit?.networkId as number,
      findDescriptor(stream?.descriptors ?? [], 'ts_information')?.remoteControlKeyId,
    ];
  });
  expect(keys.map(([, key]) => key)).toEqual([1, 1]);
  expect(keys[0]?.[0]).not.toBe(keys[1]?.[0]);
});

test('tables of many services take several sections', () => {
  const channel = findChannel(DEFAULT, 'CS', 'CS06');
  const many = Array.from({ length: 24 }, (_, index) => ({
    ...(channel.stations[0] as (typeof channel.stations)[number]),
    serviceId: (900 + index) as (typeof channel.stations)[number]['serviceId'],
    name: `架空放送第${index + 1}`,
  }));
  const scenario = { ...DEFAULT, channels: [{ ...channel, stations: many }] };
  const list = sections('CS06', 3, scenario);
  const sdts = list.filter(({ tableId }) => tableId === 0x42);
  expect(sdts.length).toBeGreaterThan(1);
  const ids = sdts.flatMap((section) => parseSdt(section)?.services.map(({ serviceId }) => serviceId) ?? []);
  expect(ids.map(Number)).toEqual(many.map(({ serviceId }) => serviceId));
});

test('the wide region announces sixty stations, from three minutes to six hours', () => {
  const wide = loadScenario('wide');
  const counts = ['BS', 'CS'].map(
    (type) => wide.channels.filter((one) => one.type === type).flatMap(({ stations }) => stations).length,
  );
  expect(counts).toEqual([30, 30]);
  const services = new Set<number>();
  const lengths = new Set<number>();
  for (const section of sections('BS01_0', 65, wide)) {
    if (section.tableId < 0x50 || section.tableId > 0x6f) continue;
    services.add(section.extension);
  }
  for (const { stations } of wide.channels) {
    for (const { programmes } of stations) {
      if (typeof programmes === 'string') continue;
      for (const { durationSec } of programmes) lengths.add(durationSec / 60);
    }
  }
  expect(services.size).toBe(30);
  expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([3, 360]);
});
