/**
 * Compares data for receivers rather than viewers, read by the independent reader, by this project and by
 * ffmpeg: logos in the CDT and in the carousel, download announcements, data carousels, messages of
 * conditional access, date and application.
 */
import { describe, expect, test } from 'bun:test';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { parseAit } from '../../lib/arib/application/section-ait.ts';
import { Carousel } from '../../lib/arib/carousel/carousel.ts';
import { parseDdb, parseDii } from '../../lib/arib/carousel/download-message.ts';
import { readDescriptors } from '../../lib/arib/descriptor/index.ts';
import { Reader } from '../../lib/arib/reader.ts';
import { parseEcm } from '../../lib/arib/si/ecm.ts';
import { parseTot } from '../../lib/arib/si/eit.ts';
import {
  completeLogo,
  isDummyLogo,
  logoSize,
  parseCdt,
  parseLogo,
  parseLogoModule,
} from '../../lib/arib/si/logo.ts';
import { parseSdt } from '../../lib/arib/si/service-tables.ts';
import { parsePmt } from '../../lib/arib/ts/pmt.ts';
import type { Section } from '../../lib/arib/ts/section.ts';
import { findChannel, loadScenario } from '../../synth/scenario/load.ts';
import { LOGO_SIZES } from '../logo-sizes.ts';
import { run } from '../synth/tuning.ts';
import { loop, writeOurs } from './descriptors.ts';
import { decodeByPeer, fields, type PeerRecord, peerOctets, records } from './record.ts';
import { parseSdtt } from './sdtt.ts';
import { AT, sectionsOf, tablePackets } from './sent.ts';

interface PeerModule {
  logo_type: number;
  logos: {
    logo_id: number;
    services: { original_network_id: number; transport_stream_id: number; service_id: number }[];
    data_byte: Buffer;
  }[];
}
const { TsLogo, tsDataModule } = createRequire(import.meta.url)('@chinachu/aribts') as {
  TsLogo: new (bytes: Buffer) => { decode(): Buffer };
  tsDataModule: {
    TsDataModuleCdtLogo: new (bytes: Buffer) => { decode(): PeerRecord };
    TsDataModuleLogo: new (bytes: Buffer) => { decode(): PeerModule };
  };
};

/** Longer than all cycles of the tables read here, except the schedules. */
const SECONDS = 65;
const scenario = loadScenario('default');

const made = new Map<string, Section[]>();

function sectionsOfChannel(type: 'GR' | 'BS' | 'CS', channel: string): Section[] {
  const known = made.get(channel);
  if (known !== undefined) return known;
  const sections = sectionsOf(tablePackets(scenario, findChannel(scenario, type, channel), SECONDS));
  made.set(channel, sections);
  return sections;
}

function ofTable(sections: readonly Section[], tableId: number): Section[] {
  return sections.filter((section) => section.tableId === tableId);
}

function known<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error('not read');
  return value;
}

/** RGBA of every pixel, decoded by ffmpeg. */
async function pixels(picture: Uint8Array): Promise<Uint8Array> {
  const words = ['-v', 'error', '-f', 'png_pipe', '-i', 'pipe:0', '-pix_fmt', 'rgba', '-f', 'rawvideo', '-'];
  const ended = await run(['ffmpeg', ...words], picture);
  expect(ended.stderr).toBe('');
  return ended.stdout;
}

/** Both palettes give the same picture; it has the size of its type, and is not empty. */
async function checkPicture(picture: Uint8Array, type: number): Promise<void> {
  expect(isDummyLogo(picture)).toBe(false);
  const complete = known(completeLogo(picture));
  expect(logoSize(complete)).toEqual(known(LOGO_SIZES[type]));
  const [width, height] = known(LOGO_SIZES[type]);
  const ours = await pixels(complete);
  expect(ours).toEqual(await pixels(new TsLogo(Buffer.from(picture)).decode()));
  expect(ours).toHaveLength(width * height * 4);
  const alphas = new Set(ours.filter((_, at) => at % 4 === 3));
  expect(alphas.has(0) && alphas.has(0xff)).toBe(true);
}

describe('a terrestrial channel', () => {
  const sections = sectionsOfChannel('GR', 'T27');
  const sdt = known(parseSdt(known(ofTable(sections, 0x42)[0])));
  const logos = sdt.services.map(({ descriptors }) =>
    descriptors.find((descriptor) => descriptor.kind === 'logo_transmission'),
  );

  test('its first station has a logo in the CDT, the others share it', () => {
    const [first, ...others] = logos;
    expect(first).toMatchObject({ type: 1, logoId: 0, downloadDataId: sdt.services[0]?.serviceId });
    expect(others).toEqual(others.map(() => ({ kind: 'logo_transmission', type: 2, logoId: 0 })));
  });

  test('six sizes of the logo are pictures', async () => {
    const found = ofTable(sections, 0xc8);
    expect(found.map(({ number, lastNumber }) => [number, lastNumber])).toEqual(
      LOGO_SIZES.map((_, type) => [type, LOGO_SIZES.length - 1]),
    );
    for (const [type, section] of found.entries()) {
      const cdt = known(parseCdt(section));
      const theirs = known(decodeByPeer('TsTableCdt', section.bytes));
      expect([cdt.downloadDataId, cdt.originalNetworkId, cdt.dataType]).toEqual(
        fields(theirs, ['download_data_id', 'original_network_id', 'data_type']) as number[],
      );
      const logo = known(parseLogo(cdt.data));
      const module = new tsDataModule.TsDataModuleCdtLogo(theirs.data_module_byte as Buffer).decode();
      expect([logo.type, logo.logoId, logo.logoVersion]).toEqual([
        Number(module.logo_type),
        Number(module.logo_id),
        Number(module.logo_version),
      ]);
      expect(logo.type).toBe(type);
      expect(logo.picture.toHex()).toBe(peerOctets(module.data_byte));
      await checkPicture(logo.picture, type);
    }
  });

  test('text instead of a picture, and no logo', () => {
    const kinds = ['T24', 'T23'].map((channel) => {
      const own = known(parseSdt(known(ofTable(sectionsOfChannel('GR', channel), 0x42)[0])));
      return own.services[0]?.descriptors.find((descriptor) => descriptor.kind === 'logo_transmission');
    });
    expect(kinds).toEqual([{ kind: 'logo_transmission', type: 3, text: expect.any(String) }, undefined]);
  });
});

function checkSdtt(section: Section): void {
  const ours = known(parseSdtt(section));
  const theirs = known(decodeByPeer('TsTableSdtt', section.bytes));
  expect([ours.makerId * 0x100 + ours.modelId, ours.transportStreamId, ours.serviceId]).toEqual(
    fields(theirs, ['table_id_ext', 'transport_stream_id', 'service_id']) as number[],
  );
  const contents = records(theirs.contents);
  expect(ours.contents).toHaveLength(contents.length);
  for (const [index, content] of ours.contents.entries()) {
    const peer = known(contents[index]);
    expect([content.group, content.targetVersion, content.newVersion, content.downloadLevel]).toEqual(
      fields(peer, ['group', 'target_version', 'new_version', 'download_level']) as number[],
    );
    expect(content.schedule).toHaveLength(records(peer.schedule_descriptions).length);
    expect(content.descriptors.map(writeOurs)).toEqual(loop(peer.descriptors));
  }
}

test.each([
  ['GR', 'T27', 0x28],
  ['BS', 'BS01_0', 0x23],
] as const)('%s: a new program for receivers is announced for the nights to come', (type, channel, pid) => {
  const sections = ofTable(sectionsOfChannel(type, channel), 0xc3);
  for (const section of sections) {
    expect(section.pid as number).toBe(pid);
    checkSdtt(section);
  }
  const [own] = sections
    .flatMap((section) => known(parseSdtt(section)))
    .filter(({ makerId }) => makerId !== 0xff);
  const times = known(own).contents[0]?.schedule ?? [];
  // AT is 21:00 in Japan; the nights begin at 04:00.
  expect(times.map(({ startAt }) => (startAt ?? 0) - AT)).toEqual([7, 31].map((hours) => hours * 3_600_000));
  expect(times.map(({ duration }) => duration)).toEqual([3600, 3600]);
});

/** Our list has the same content as the peer's, and so have the blocks. */
function checkMessage(section: Section): void {
  const theirs = known(decodeByPeer('TsTableDsmcc', section.bytes)).message as unknown as PeerRecord;
  const dii = parseDii(section);
  if (dii !== undefined) {
    expect(dii.blockSize).toBe(Number(theirs.blockSize));
    // The peer cannot read 32 bits with the first bit set: these fields are at bytes 4 and 12 of the message.
    const message = Buffer.from(section.body);
    expect([dii.transactionId, dii.downloadId]).toEqual([message.readUInt32BE(4), message.readUInt32BE(12)]);
    expect(dii.transactionId >>> 30).toBe(0b10);
    expect(dii.modules.map(({ id, size, version }) => [id, size, version])).toEqual(
      records(theirs.modules).map((each) =>
        fields(each, ['moduleId', 'moduleSize', 'moduleVersion']),
      ) as number[][],
    );
    return;
  }
  const ddb = known(parseDdb(section));
  expect(ddb.downloadId).toBe(Buffer.from(section.body).readUInt32BE(4));
  expect([ddb.moduleId, ddb.moduleVersion, ddb.blockNumber]).toEqual(
    fields(theirs, ['moduleId', 'moduleVersion', 'blockNumber']) as number[],
  );
  expect(ddb.data.toHex()).toBe(peerOctets(theirs.blockDataByte));
}

function modulesOn(sections: readonly Section[], pid: number) {
  const limits = { moduleBytes: 1_000_000, totalBytes: 4_000_000, lists: 2 };
  const carousel = new Carousel({ limits });
  const own = sections.filter((section) => section.pid === pid);
  for (const section of own) checkMessage(section);
  // Fed twice, because a receiver that saw blocks before the list needs them again.
  return [...own, ...own].flatMap((section) => carousel.feed(section));
}

/** The stream of type 0x0D of a service. */
function carouselPid(sections: readonly Section[], serviceId: number): number {
  const pmts = ofTable(sections, 0x02).map((section) => known(parsePmt(section)));
  const pmt = known(pmts.find(({ programNumber }) => (programNumber as number) === serviceId));
  return known(pmt.streams.find(({ streamType }) => streamType === 0x0d)).pid;
}

describe.each([
  ['BS', 'BS01_0', 399, 'LOGO-0'],
  ['CS', 'CS02', 498, 'CS_LOGO-0'],
] as const)('%s %s: the logos of the network', (type, channel, serviceId, prefix) => {
  const sections = sectionsOfChannel(type, channel);
  const stations = scenario.channels
    .filter(({ networkId }) => networkId === findChannel(scenario, type, channel).networkId)
    .flatMap((plan) => plan.stations);
  const modules = modulesOn(sections, carouselPid(sections, serviceId));

  test('have a module for each size, which all readers read alike', async () => {
    expect(modules.map(({ module }) => module.info.name)).toEqual(
      LOGO_SIZES.map((_, size) => `${prefix}${size}`),
    );
    for (const [size, { data }] of modules.entries()) {
      const ours = known(parseLogoModule(data));
      const theirs = new tsDataModule.TsDataModuleLogo(Buffer.from(data)).decode();
      expect([ours.type, theirs.logo_type]).toEqual([size, size]);
      expect(ours.logos.map(({ logoId }) => logoId)).toEqual(theirs.logos.map(({ logo_id }) => logo_id));
      for (const [index, logo] of ours.logos.entries()) {
        const peer = known(theirs.logos[index]);
        expect(logo.picture.toHex()).toBe(peerOctets(peer.data_byte));
        expect(
          logo.services.map((each) => [each.transportStreamId as number, each.serviceId as number]),
        ).toEqual(peer.services.map((each) => [each.transport_stream_id, each.service_id]));
      }
      const named = ours.logos.flatMap(({ services }) => services.map((each) => each.serviceId as number));
      expect(named.sort()).toEqual(stations.map((station) => station.serviceId as number).sort());
      await checkPicture(known(ours.logos[0]).picture, size);
    }
  });

  test('are announced to all receivers', () => {
    const sdtts = ofTable(sections, 0xc3);
    for (const section of sdtts) checkSdtt(section);
    const [sdtt] = sdtts
      .map((section) => known(parseSdtt(section)))
      .filter(({ makerId }) => makerId === 0xff);
    expect(sdtt).toMatchObject({ modelId: 0xfe, serviceId });
    const [content] = sdtt?.contents[0]?.descriptors ?? [];
    expect(content).toMatchObject({
      kind: 'download_content',
      downloadId: modules[0]?.downloadId,
      componentTag: 0x79,
      componentSize: modules.reduce((sum, { data }) => sum + data.length, 0),
    });
  });
});

test.each([
  ['GR', 'T23', 0x000c],
  ['BS', 'BS01_0', 0x0007],
] as const)('%s %s: a service is a document and nothing else', (type, channel, component) => {
  const plan = findChannel(scenario, type, channel);
  const sections = sectionsOfChannel(type, channel);
  const service = known(plan.dataServices?.find(({ carousel }) => carousel === 'bml'));
  const pmt = known(
    ofTable(sections, 0x02)
      .map((section) => known(parsePmt(section)))
      .find(({ programNumber }) => programNumber === service.serviceId),
  );
  expect(pmt.streams.map(({ streamType }) => streamType)).toEqual([0x0d]);
  expect(pmt.streams[0]?.descriptors).toMatchObject([
    { kind: 'stream_identifier', componentTag: 0x40 },
    { kind: 'data_component', dataComponentId: component },
  ]);
  const [start] = modulesOn(sections, carouselPid(sections, service.serviceId));
  const { module, data } = known(start);
  const entity = inflateSync(data);
  expect(module.info.compression).toEqual({ type: 0, originalSize: entity.length });
  const text = new TextDecoder('euc-jp').decode(entity);
  expect(text).toStartWith('Content-Type: multipart/mixed; boundary="');
  expect(text).toContain('Content-Location: startup.bml\r\n');
  expect(text).toContain(`<title>${service.name}</title>`);
});

test('a pay station: entitlement messages and free_CA_mode in all tables', () => {
  const sections = sectionsOfChannel('BS', 'BS13_1');
  // A CAT is a loop of descriptors and nothing else.
  const cat = known(ofTable(sections, 0x01)[0]);
  const access = readDescriptors(new Reader(cat.body));
  const ids = findChannel(scenario, 'BS', 'BS13_1').stations.map(({ serviceId }) => serviceId);
  expect(access).toMatchObject([
    { kind: 'conditional_access', caSystemId: 5 },
    { kind: 'ca_service', caSystemId: 5, serviceIds: ids },
  ]);
  const theirs = known(decodeByPeer('TsTableCat', cat.bytes));
  expect(access.map(writeOurs)).toEqual(loop(theirs.descriptors));
  for (const section of ofTable(sections, 0x02)) {
    const pmt = known(parsePmt(section));
    const own = pmt.descriptors.find((descriptor) => descriptor.kind === 'conditional_access');
    const messages = sections.filter(({ pid, tableId }) => pid === own?.pid && tableId === 0x82);
    const contents = messages.map((message) => known(parseEcm(message)).message.toHex());
    // A key is valid for two seconds.
    expect(new Set(contents).size).toBeWithin(SECONDS / 2 - 1, SECONDS / 2 + 2);
    expect(contents.length).toBe(new Set(contents).size);
  }
  const sdt = known(parseSdt(known(ofTable(sections, 0x42)[0])));
  expect(sdt.services.map(({ pay }) => pay)).toEqual([true, true]);
});

test('satellites send the date as well as the time', () => {
  const tdts = ofTable(sectionsOfChannel('CS', 'CS08'), 0x70);
  expect(tdts.length).toBeGreaterThan(10);
  for (const section of tdts) {
    const tdt = known(parseTot(section));
    expect(tdt.time % 5_000).toBe(0);
    expect(peerOctets(known(decodeByPeer('TsTableTdt', section.bytes)).JST_time)).toBe(
      section.bytes.subarray(3, 8).toHex(),
    );
  }
});

test('a station has an application', () => {
  const sections = sectionsOfChannel('GR', 'T25');
  const streams = ofTable(sections, 0x02).flatMap((section) => known(parsePmt(section)).streams);
  const stream = known(streams.find(({ streamType }) => streamType === 0x05));
  const ait = known(parseAit(known(sections.find(({ pid }) => pid === stream.pid))));
  expect(stream.descriptors).toMatchObject([
    { kind: 'stream_identifier' },
    {
      kind: 'application_signalling',
      applications: [{ applicationType: ait.applicationType, aitVersion: ait.version }],
    },
  ]);
  expect(ait.applications).toMatchObject([
    {
      control: 'autostart',
      descriptors: [
        { kind: 'application' },
        { kind: 'transport_protocol' },
        { kind: 'simple_application_location' },
      ],
    },
  ]);
});
