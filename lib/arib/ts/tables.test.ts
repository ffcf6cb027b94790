/** PAT, CAT and PMT, from tables written here and from recorded ones. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  caDescriptor,
  longSection,
  patSection,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
} from '../../../test/stream-builder.ts';
import { pid, serviceId, transportStreamId } from '../ids.ts';
import { PacketFramer } from './framer.ts';
import { parsePat } from './pat.ts';
import { ecmPids, parsePmt, programPids } from './pmt.ts';
import { readSection, type Section, SectionDemux } from './section.ts';

const SAMPLES = new URL('../../../shared/samples/tables/', import.meta.url);
const hasSamples = existsSync(SAMPLES);

function section(bytes: Uint8Array): Section {
  const read = readSection(bytes);
  if (read === undefined) throw new Error('no section');
  return read;
}

describe('a PAT', () => {
  test('lists the programmes and the network', () => {
    const bytes = patSection(
      0x7fe0,
      [
        [0, 0x10],
        [1024, 0x1f0],
        [1408, 0x1fc8],
      ],
      { version: 7 },
    );
    expect(parsePat(section(bytes))).toEqual({
      transportStreamId: transportStreamId(0x7fe0),
      version: 7,
      networkPid: pid(0x10),
      programs: [
        { programNumber: serviceId(1024), pid: pid(0x1f0) },
        { programNumber: serviceId(1408), pid: pid(0x1fc8) },
      ],
    });
  });

  test('with a truncated loop, or of another table, is rejected', () => {
    expect(parsePat(section(longSection({ tableId: 0, extension: 1, body: [0, 1, 0xe1] })))).toBeUndefined();
    expect(
      parsePat(section(longSection({ tableId: 2, extension: 1, body: [0, 1, 0xe1, 0] }))),
    ).toBeUndefined();
  });
});

describe('a PMT', () => {
  const bytes = pmtSection(
    1024,
    {
      pcrPid: 0x1ff,
      descriptors: [...caDescriptor(5, 0x901), 0xf6, 5, 0x00, 0x0e, 0xe9, 0x02, 0x55],
      streams: [
        { type: 0x02, pid: 0x100, descriptors: streamIdentifier(0x00) },
        { type: 0x0f, pid: 0x110, descriptors: [...streamIdentifier(0x10), ...caDescriptor(5, 0x903)] },
        { type: 0x06, pid: 0x130, descriptors: caDescriptor(5, 0x1fff) },
      ],
    },
    { version: 3 },
  );
  const map = parsePmt(section(bytes));

  test('lists the PCR PID and the streams with their component tags', () => {
    expect(map).toMatchObject({ programNumber: 1024, version: 3, pcrPid: 0x1ff });
    const streams = map?.streams.map((stream) => [
      stream.streamType,
      stream.pid,
      stream.componentTag,
    ]) as unknown;
    expect(streams).toEqual([
      [0x02, 0x100, 0x00],
      [0x0f, 0x110, 0x10],
      [0x06, 0x130, null],
    ]);
  });

  test('lists the ECMs of the programme and of its streams, of both systems', () => {
    expect(map && ecmPids(map)).toEqual([0x901, 0x902, 0x903].map(pid));
  });

  test('lists every PID of the programme once', () => {
    expect(map && programPids(map)).toEqual([0x1ff, 0x100, 0x110, 0x130, 0x901, 0x902, 0x903].map(pid));
  });

  test('without a PCR needs no PID for it', () => {
    const map = parsePmt(section(pmtSection(1, { pcrPid: 0x1fff, streams: [{ type: 2, pid: 0x100 }] })));
    expect(map && programPids(map)).toEqual([pid(0x100)]);
  });

  test('with truncated loops is rejected', () => {
    const cut = (...body: number[]) => parsePmt(section(longSection({ tableId: 2, extension: 1, body })));
    expect(cut(0xe1, 0x00, 0xf0, 0x00)).toBeDefined();
    expect(cut(0xe1, 0x00)).toBeUndefined(); // no program_info_length
    expect(cut(0xe1, 0x00, 0xf0, 0x03, 0x09, 0x04)).toBeUndefined(); // program_info beyond the section
    expect(cut(0xe1, 0x00, 0xf0, 0x02, 0x09, 0x04)).toBeUndefined(); // descriptor beyond its loop
    expect(cut(0xe1, 0x00, 0xf0, 0x00, 0x02, 0xe1)).toBeUndefined(); // stream entry without its end
    expect(cut(0xe1, 0x00, 0xf0, 0x00, 0x02, 0xe1, 0x00, 0xf0, 0x01)).toBeUndefined(); // ES_info missing
  });
});

/** Consecutive sections, without packets. */
function* sectionsOf(bytes: Uint8Array): Generator<Section> {
  for (let at = 0; at + 3 <= bytes.length; ) {
    const size = 3 + ((((bytes[at + 1] ?? 0) & 0x0f) << 8) | (bytes[at + 2] ?? 0));
    yield section(bytes.slice(at, at + size));
    at += size;
  }
}

describe.skipIf(!hasSamples)('recorded tables', () => {
  const name = 'test-062.tstables';
  const sections = hasSamples ? [...sectionsOf(readFileSync(new URL(`${name}.bin`, SAMPLES)))] : [];
  const xml = hasSamples ? readFileSync(new URL(`${name}.xml`, SAMPLES), 'utf8') : '';
  const attribute = (text: string, key: string): number | undefined => {
    const value = new RegExp(`${key}="([^"]*)"`).exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
  };

  test('all twelve have a valid CRC', () => {
    expect(sections).toHaveLength(12);
  });

  test('list the same programmes as TSDuck', () => {
    const element = /<PAT [\s\S]*?<\/PAT>/.exec(xml)?.[0] ?? '';
    const expected = [...element.matchAll(/<service [^>]*>/g)].map(([service]) => ({
      programNumber: attribute(service, 'service_id'),
      pid: attribute(service, 'program_map_PID'),
    }));
    const pat = sections.map(parsePat).find((parsed) => parsed !== undefined);
    expect(expected).toHaveLength(4);
    expect(pat?.programs as unknown).toEqual(expected);
    expect(pat?.networkPid as unknown).toBe(attribute(element, 'network_PID'));
    expect(pat?.transportStreamId as unknown).toBe(attribute(element, 'transport_stream_id'));
    expect(pat?.version as unknown).toBe(attribute(element, 'version'));
  });

  test('describe the same streams and ECMs as TSDuck', () => {
    const elements = [...xml.matchAll(/<PMT [\s\S]*?<\/PMT>/g)].map(([text]) => text);
    expect(elements).toHaveLength(4);
    for (const element of elements) {
      const map = sections
        .map(parsePmt)
        .find((parsed) => parsed?.programNumber === attribute(element, 'service_id'));
      expect(map?.version).toBe(attribute(element, 'version'));
      expect(map?.pcrPid as unknown).toBe(attribute(element, 'PCR_PID') ?? 0x1fff);
      const components = [...element.matchAll(/<component [\s\S]*?<\/component>/g)].map(([text]) => text);
      const streams = map?.streams.map((s) => [
        s.streamType,
        s.pid,
        s.componentTag,
        s.descriptors.length,
      ]) as unknown;
      expect(streams).toEqual(
        components.map((text) => [
          attribute(text, 'stream_type'),
          attribute(text, 'elementary_PID'),
          attribute(text, 'component_tag') ?? null,
          [...text.matchAll(/<[A-Za-z_]+_descriptor\b/g)].length,
        ]),
      );
      const access = [...element.matchAll(/<(CA|ISDB_access_control)_descriptor [^>]*>/g)].map(
        ([text]) => text,
      );
      const pids = access.map((text) => attribute(text, 'CA_PID') ?? attribute(text, ' PID') ?? 0x1fff);
      const expected = [...new Set(pids.filter((ecm) => ecm !== 0x1fff))];
      expect(map && ecmPids(map).toSorted()).toEqual(expected.map(pid).toSorted());
    }
  });

  test('are reassembled from packets, and an invalid section is dropped', () => {
    const framer = new PacketFramer();
    const demux = new SectionDemux([pid(0x24), pid(0x195c)]);
    const bytes = new Uint8Array(readFileSync(new URL('test-181.ts', SAMPLES)));
    const found = [...demux.feed(framer.feed(bytes)), ...demux.feed(framer.flush())];
    // TSDuck's second result, a "Cable Emergency Alert", is a short section without CRC.
    expect(found.filter((s) => s.long).map((s) => [s.pid as number, s.tableId, s.version])).toEqual([
      [0x24, 0xc4, 16],
    ]);
  });
});

interface PeerStream {
  on(event: string, listener: (pid: number, table: Record<string, unknown>) => void): void;
  once(event: 'finish', listener: () => void): void;
  resume(): void;
  end(chunk: Uint8Array): void;
}

test('an independent reader reads the same from the tables written here', async () => {
  const { TsStream } = createRequire(import.meta.url)('@chinachu/aribts') as {
    TsStream: new () => PeerStream;
  };
  const pat = patSection(0x7fe0, [[1024, 0x1f0]], { version: 9 });
  const streams = [{ type: 0x02, pid: 0x100, descriptors: streamIdentifier(0) }];
  const pmt = pmtSection(1024, { pcrPid: 0x100, descriptors: caDescriptor(5, 0x901), streams });
  const builder = new StreamBuilder();
  for (let n = 0; n < 5; n++) builder.sections(0, pat).sections(0x1f0, pmt);
  const seen = new Map<string, Record<string, unknown>>();
  const peer = new TsStream();
  for (const event of ['pat', 'pmt']) {
    peer.on(event, (_, table) => {
      seen.set(event, table);
    });
  }
  peer.resume();
  const finished = new Promise<void>((resolve) => peer.once('finish', resolve));
  peer.end(Buffer.from(builder.bytes()));
  await finished;
  const own = parsePmt(section(pmt));
  expect(seen.get('pat')).toMatchObject({
    transport_stream_id: 0x7fe0,
    version_number: 9,
    programs: [{ program_number: 1024, program_map_PID: 0x1f0 }],
  });
  expect(seen.get('pmt')).toMatchObject({
    program_number: own?.programNumber as number,
    PCR_PID: own?.pcrPid as number,
    program_info: [{ descriptor_tag: 0x09, CA_PID: 0x901 }],
    streams: [{ stream_type: 0x02, elementary_PID: 0x100 }],
  });
});
