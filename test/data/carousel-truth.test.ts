/**
 * Every file of the synthetic data broadcasts arrives as it was written, by this project's reader and by an independent
 * one, also while modules are replaced on the air.
 */
import { expect, test } from 'bun:test';
import { inflateSync } from 'node:zlib';
import { plusMs } from '../../lib/arib/time.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { type Section, SectionDemux } from '../../lib/arib/ts/section.ts';
import { ticksAt } from '../../synth/clock.ts';
import type { ResourceModule } from '../../synth/data/module-file.ts';
import { stationPages } from '../../synth/data/pages.ts';
import { placeChannel, type StationPlace } from '../../synth/scenario/layout.ts';
import { findChannel, loadScenario } from '../../synth/scenario/load.ts';
import type { ChannelPlan } from '../../synth/scenario/model.ts';
import { decodeByPeer, fields, type PeerRecord, peerOctets, records } from '../peer/record.ts';
import { AT, tablePackets } from '../peer/sent.ts';
import { bytesOf, DataReading } from './reading.ts';

const scenario = loadScenario('default');
/** Two cycles of the carousel before the news change, and two after. */
const HALF = 9;
const BEGIN = plusMs(AT, -HALF * 1000);

function placesOf(channel: ChannelPlan, station: StationPlace) {
  const pages = stationPages(channel, station.plan);
  if (pages === null || station.carousel === null) throw new Error('no pages');
  return [station.carousel, ...station.dataComponents].flatMap(({ pid, componentTag }) => {
    const before = pages.modules(componentTag, ticksAt(BEGIN));
    const after = pages.modules(componentTag, ticksAt(AT));
    const modules = [
      ...new Map([...before, ...after].map((each) => [`${each.id}/${each.version}`, each])).values(),
    ];
    return modules.length === 0 ? [] : [{ pid, componentTag, modules }];
  });
}

/** What the independent reader makes of the sections of one PID: the octets of each module. */
function modulesOfPeer(sections: readonly Section[]): Map<string, Uint8Array> {
  const blocks = new Map<string, Map<number, Uint8Array>>();
  for (const section of sections) {
    if (section.tableId !== 0x3c) continue;
    const message = decodeByPeer('TsTableDsmcc', section.bytes)?.message as unknown as PeerRecord;
    const [id, version, number] = fields(message, ['moduleId', 'moduleVersion', 'blockNumber']) as number[];
    const key = `${id}/${version}`;
    const own = blocks.get(key) ?? new Map<number, Uint8Array>();
    blocks.set(key, own.set(Number(number), Uint8Array.fromHex(peerOctets(message.blockDataByte))));
  }
  return new Map(
    [...blocks].map(([key, parts]) => [
      key,
      Buffer.concat([...parts].sort(([one], [other]) => one - other).map(([, bytes]) => bytes)),
    ]),
  );
}

/** Versions that the independent reader finds in the lists. */
function listedByPeer(sections: readonly Section[]): Set<string> {
  const lists = sections.filter(({ tableId }) => tableId === 0x3b);
  return new Set(
    lists.flatMap(({ bytes }) => {
      const message = decodeByPeer('TsTableDsmcc', bytes)?.message as unknown as PeerRecord;
      return records(message.modules).map((each) => fields(each, ['moduleId', 'moduleVersion']).join('/'));
    }),
  );
}

/** The content of an entity, found by its known parts. */
function holds(module: ResourceModule, sent: Uint8Array): boolean {
  const plain = module.info[0] === 0xc2 ? inflateSync(sent) : Buffer.from(sent);
  return module.resources.every(({ bytes }) => plain.includes(bytes));
}

test.each([
  ['GR', 'T27', 0],
  ['GR', 'T23', 0],
  ['BS', 'BS01_0', 0],
  ['BS', 'BS01_0', 1],
  ['CS', 'CS08', 1],
] as const)('%s %s, station %i: every file of every module', (type, channelName, index) => {
  const channel = findChannel(scenario, type, channelName);
  const station = placeChannel(channel).stations[index] as StationPlace;
  const packets = new PacketFramer().feed(tablePackets(scenario, channel, 2 * HALF, BEGIN)).slice();
  const reading = new DataReading({ serviceId: station.plan.serviceId });
  reading.feed(packets, 2 * HALF * 1000);
  const truth = placesOf(channel, station);
  expect(truth.map(({ componentTag }) => componentTag)).toEqual([0x40, 0x60, 0x61]);
  for (const { pid, componentTag, modules } of truth) {
    const own = new Map(
      reading
        .modules()
        .filter(({ componentId }) => componentId === componentTag)
        .map((message) => [`${message.moduleId}/${message.version}`, message]),
    );
    const sections = new SectionDemux([pid]).feed(packets);
    const peer = modulesOfPeer(sections);
    const listed = listedByPeer(sections);
    for (const module of modules) {
      const key = `${module.id}/${module.version}`;
      const files = own.get(key)?.files ?? [];
      const isBare = module.resources[0]?.name === '';
      expect(files.map(({ contentLocation, contentType }) => [contentLocation, contentType])).toEqual(
        module.resources.map(({ name, type: kind }) => [isBare ? null : name, kind]),
      );
      expect(files.map((file) => bytesOf(file).toHex())).toEqual(
        module.resources.map(({ bytes }) => bytes.toHex()),
      );
      expect(listed.has(key)).toBe(true);
      expect(peer.get(key)?.toHex()).toBe(module.bytes.toHex());
      expect(holds(module, peer.get(key) ?? new Uint8Array(0))).toBe(true);
    }
    // Nothing is sent twice, and the resources that fill the component arrive, too.
    expect(own.size).toBe(listed.size);
    const sent = reading.modules().filter(({ componentId }) => componentId === componentTag);
    expect(sent).toHaveLength(listed.size);
  }
  const news = reading.messages.filter(
    (message) => message.type === 'moduleListUpdated' && message.componentId === 0x60,
  );
  expect(news).toHaveLength(2);
});
