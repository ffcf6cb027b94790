/**
 * Everything that the synthetic broadcaster sends in its tables, as an independent reader reads it: sections are
 * read by both, written in one form, and compared field by field.
 */
import { describe, expect, test } from 'bun:test';
import { createRequire } from 'node:module';
import { eventStations } from '../../synth/broadcast.ts';
import { ticksAt } from '../../synth/clock.ts';
import { tableSources } from '../../synth/mux/tables.ts';
import { placeChannel } from '../../synth/scenario/layout.ts';
import { loadScenario } from '../../synth/scenario/load.ts';
import type { ChannelPlan, Scenario } from '../../synth/scenario/model.ts';
import type { AudioComponentDescriptor } from '../descriptor/audio-component.ts';
import type { Descriptor } from '../descriptor/index.ts';
import { pid } from '../ids.ts';
import { type EpochMs, encodeJstTime, epochMs, toBcd } from '../time.ts';
import { PacketFramer } from '../ts/framer.ts';
import { parsePat } from '../ts/pat.ts';
import { parsePmt } from '../ts/pmt.ts';
import { type Section, SectionDemux } from '../ts/section.ts';
import { SectionMemory } from '../ts/section-memory.ts';
import { parseEit } from './eit.ts';
import { parseNit } from './nit.ts';
import { ScheduleCoverage } from './schedule-coverage.ts';
import { parseSdt } from './sdt.ts';
import { parseTot } from './tot.ts';

const AT = epochMs(Date.UTC(2026, 10, 20, 12, 0, 0));
/** The longest cycle of a channel, that of other streams' schedules, is two minutes. */
const SECONDS = 125;
const TICKS_PER_SECOND = 90_000;
const PACKET = 188;

/** A field is a number, octets or a list of such records. */
type Field = number | Buffer | readonly PeerRecord[] | null;
interface PeerRecord {
  readonly [field: string]: Field | undefined;
}
interface PeerTable {
  decode(): PeerRecord | null;
}
const { TsChar, tsTable } = createRequire(import.meta.url)('@chinachu/aribts') as {
  TsChar: new (bytes: Buffer) => { decode(): string };
  tsTable: Record<string, (new (bytes: Buffer) => PeerTable) & { decode?(bytes: Buffer): PeerRecord | null }>;
};

/** The packets of a channel's tables, one after another: no pictures, no sound, nothing between. */
function tablePackets(scenario: Scenario, plan: ChannelPlan): Uint8Array {
  const sources = tableSources(scenario, placeChannel(plan), (other) => eventStations(scenario, other));
  const start = ticksAt(AT);
  for (const source of sources) source.seek(start);
  const packets: Uint8Array[] = [];
  for (;;) {
    const next = sources.reduce((first, other) => (other.due < first.due ? other : first));
    if (next.due >= start + SECONDS * TICKS_PER_SECOND) break;
    const packet = new Uint8Array(PACKET);
    next.emit(packet, 0);
    packets.push(packet);
  }
  const bytes = new Uint8Array(packets.length * PACKET);
  for (const [index, packet] of packets.entries()) bytes.set(packet, index * PACKET);
  return bytes;
}

function sectionsOf(bytes: Uint8Array): Section[] {
  const packets = new PacketFramer().feed(bytes);
  const pids = new Set<number>();
  for (let at = 0; at < packets.length; at += PACKET) {
    pids.add((((packets[at + 1] ?? 0) & 0x1f) << 8) | (packets[at + 2] ?? 0));
  }
  return [...new SectionDemux([...pids].map(pid), new SectionMemory()).feed(packets)];
}

/** What the peer names by a number, by ours; its text is decoded by itself. */
interface Written {
  readonly [field: string]: unknown;
}

function peerText(bytes: Field | undefined): string {
  return bytes instanceof Buffer ? new TsChar(bytes).decode().replace(/\r\n?/g, '\n') : '';
}

function peerOctets(bytes: Field | undefined): string {
  return bytes instanceof Buffer ? bytes.toString('hex') : '';
}

function records(field: Field | undefined): readonly PeerRecord[] {
  return Array.isArray(field) ? (field as readonly PeerRecord[]) : [];
}

/** Fields of the peer's, by tag, that are single values; texts are marked by their ending. */
const PEER_FIELDS: ReadonlyMap<number, readonly string[]> = new Map([
  [0x40, ['network_name_char']],
  [
    0x43,
    [
      'frequency',
      'orbital_position',
      'west_east_flag',
      'polarisation',
      'modulation',
      'symbol_rate',
      'FEC_inner',
    ],
  ],
  [0x48, ['service_type', 'service_provider_name_char', 'service_name_char']],
  [0x4d, ['ISO_639_language_code', 'event_name_char', 'text_char']],
  [0x50, ['stream_content', 'component_type', 'component_tag', 'ISO_639_language_code', 'text_char']],
  [0x52, ['component_tag']],
  [0xc1, ['digital_recording_control_data', 'user_defined']],
  [
    0xc4,
    [
      ...['stream_content', 'component_type', 'component_tag', 'stream_type', 'simulcast_group_tag'],
      ...['main_component_flag', 'quality_indicator', 'sampling_rate', 'ISO_639_language_code', 'text_char'],
    ],
  ],
  [0xc8, ['still_picture_flag', 'sequence_end_code_flag', 'video_encode_format']],
  [
    0xde,
    [
      'copy_restriction_mode',
      'image_constraint_token',
      'retention_mode',
      'retention_state',
      'encryption_mode',
    ],
  ],
  [0xfe, ['system_management_id', 'additional_identification_info']],
]);

function peerValue(name: string, field: Field | undefined): unknown {
  if (name.endsWith('_char')) return peerText(field);
  return field instanceof Buffer ? peerOctets(field) : field;
}

function writePeers(descriptor: PeerRecord): Written {
  const tag = Number(descriptor.descriptor_tag);
  const names = PEER_FIELDS.get(tag);
  if (names !== undefined) {
    const fields = names.map((name) => [name, peerValue(name, descriptor[name])]);
    const second = descriptor.ISO_639_language_code_2;
    return { tag, ...Object.fromEntries(fields), ...(second ? { second: peerOctets(second) } : {}) };
  }
  switch (tag) {
    case 0x41:
      return {
        tag,
        services: records(descriptor.services).map((each) => [each.service_id, each.service_type]),
      };
    case 0x4e: {
      const items = records(descriptor.items).map((each) => [
        peerOctets(each.item_description_char),
        peerOctets(each.item_char),
      ]);
      const { descriptor_number, last_descriptor_number } = descriptor;
      return {
        tag,
        descriptor_number,
        last_descriptor_number,
        items,
        text: peerOctets(descriptor.text_char),
      };
    }
    case 0xcd:
      return {
        ...{ tag, key: descriptor.remote_control_key_id, name: peerText(descriptor.ts_name_char) },
        types: records(descriptor.transmission_types).map((each) => [
          each.transmission_type_info,
          records(each.services).map((service) => service.service_id),
        ]),
      };
    case 0xfa:
      return {
        ...{ tag, area: descriptor.area_code, guard: descriptor.guard_interval },
        mode: descriptor.transmission_mode,
        frequencies: records(descriptor.frequencies).map((each) => each.frequency),
      };
    case 0xfb:
      return { tag, services: records(descriptor.services).map((each) => each.service_id) };
    case 0x54:
      return {
        tag,
        genres: records(descriptor.contents).map((each) => [
          ...[each.content_nibble_level_1, each.content_nibble_level_2],
          ...[each.user_nibble_1, each.user_nibble_2],
        ]),
      };
    default:
      return { tag };
  }
}

function letters(code: string): string {
  return Buffer.from(code, 'latin1').toString('hex');
}

function writeAudio(d: AudioComponentDescriptor): Written {
  return {
    tag: 0xc4,
    stream_content: d.streamContent,
    component_type: d.componentType,
    component_tag: d.componentTag,
    stream_type: d.streamType,
    simulcast_group_tag: d.simulcastGroupTag,
    main_component_flag: Number(d.main),
    quality_indicator: d.quality,
    sampling_rate: [0, 16_000, 22_050, 24_000, 0, 32_000, 44_100, 48_000].indexOf(d.samplingRate ?? 0),
    ISO_639_language_code: letters(d.language),
    text_char: d.text,
    ...(d.language2 === undefined ? {} : { second: letters(d.language2) }),
  };
}

function bcd(value: number, digits: number): number {
  return Number.parseInt(String(Math.round(value)).padStart(digits, '0'), 16);
}

function writeOurs(d: Descriptor): Written {
  switch (d.kind) {
    case 'network_name':
      return { tag: 0x40, network_name_char: d.name };
    case 'service_list':
      return { tag: 0x41, services: d.services.map((each) => [each.serviceId, each.serviceType]) };
    case 'satellite_delivery':
      return {
        tag: 0x43,
        frequency: bcd(d.frequency / 10_000, 8),
        orbital_position: bcd(d.orbitalPosition * 10, 4),
        west_east_flag: Number(d.east),
        polarisation: ['horizontal', 'vertical', 'left', 'right'].indexOf(d.polarisation),
        modulation: d.modulation,
        symbol_rate: bcd(d.symbolRate / 100, 7),
        FEC_inner: d.fecInner,
      };
    case 'service':
      return {
        tag: 0x48,
        service_type: d.serviceType,
        service_provider_name_char: d.providerName,
        service_name_char: d.name,
      };
    case 'stream_identifier':
      return { tag: 0x52, component_tag: d.componentTag };
    case 'video_decode_control':
      return {
        tag: 0xc8,
        still_picture_flag: Number(d.stillPicture),
        sequence_end_code_flag: Number(d.sequenceEnd),
        video_encode_format: ['1080p', '1080i', '720p', '480p', '480i', '240p', '120p'].indexOf(
          d.format ?? '',
        ),
      };
    case 'content_availability':
      return {
        tag: 0xde,
        copy_restriction_mode: Number(d.tenCopies),
        image_constraint_token: Number(!d.constrainsImage),
        retention_mode: Number(!d.retentionAllowed),
        retention_state: d.retention,
        encryption_mode: Number(!d.encrypted),
      };
    case 'ts_information':
      return {
        ...{ tag: 0xcd, key: d.remoteControlKeyId, name: d.name },
        types: d.transmissions.map((each) => [each.info, each.serviceIds]),
      };
    case 'terrestrial_delivery':
      return {
        ...{ tag: 0xfa, area: d.areaCode, guard: [1 / 32, 1 / 16, 1 / 8, 1 / 4].indexOf(d.guardInterval) },
        mode: (d.mode ?? 4) - 1,
        frequencies: d.frequencies.map((hertz) => Math.ceil((hertz * 7) / 1_000_000)),
      };
    case 'partial_reception':
      return { tag: 0xfb, services: d.serviceIds };
    case 'system_management':
      return {
        tag: 0xfe,
        system_management_id: (d.broadcastingFlag << 14) | (d.broadcastingIdentifier << 8) | d.additionalId,
        additional_identification_info: d.additionalInfo.toHex(),
      };
    default:
      return writeOursOfEvent(d);
  }
}

function writeOursOfEvent(d: Descriptor): Written {
  switch (d.kind) {
    case 'short_event':
      return {
        tag: 0x4d,
        ISO_639_language_code: letters(d.language),
        event_name_char: d.name,
        text_char: d.text,
      };
    case 'extended_event':
      return {
        tag: 0x4e,
        descriptor_number: d.number,
        last_descriptor_number: d.lastNumber,
        items: d.items.map((each) => [each.heading.toHex(), each.body.toHex()]),
        text: d.text.toHex(),
      };
    case 'component':
      return {
        tag: 0x50,
        stream_content: d.streamContent,
        component_type: d.componentType,
        component_tag: d.componentTag,
        ISO_639_language_code: letters(d.language),
        text_char: d.text,
      };
    case 'content':
      return { tag: 0x54, genres: d.genres.map((each) => [each.lv1, each.lv2, each.user1, each.user2]) };
    case 'digital_copy_control':
      return {
        tag: 0xc1,
        digital_recording_control_data: d.recordingControl,
        user_defined: d.copyControlType * 4 + d.analogueProtection,
      };
    case 'audio_component':
      return writeAudio(d);
    default:
      throw new Error(`a descriptor that this test does not compare yet: ${d.kind}`);
  }
}

interface Peer {
  readonly table: string;
  write(table: PeerRecord): Written;
  ours(section: Section): Written | undefined;
}

const HEADER = [
  'table_id',
  'version_number',
  'current_next_indicator',
  'section_number',
  'last_section_number',
];

function fields(record: PeerRecord, names: readonly string[]): unknown[] {
  return names.map((name) => peerValue(name, record[name]));
}

function loop(field: Field | undefined): Written[] {
  return records(field).map(writePeers);
}

const PEERS: Readonly<Record<string, Peer>> = {
  pat: {
    table: 'TsTablePat',
    write: (table) => ({
      extension: table.transport_stream_id,
      programs: records(table.programs).map((each) => [
        each.program_number,
        each.program_map_PID ?? each.network_PID,
      ]),
    }),
    ours: (section) => {
      const pat = parsePat(section);
      if (pat === undefined) return undefined;
      const programs = pat.programs.map((each): [number, number] => [each.programNumber, each.pid]);
      const network = pat.networkPid === undefined ? [] : [[0, pat.networkPid]];
      return { extension: pat.transportStreamId, programs: [...network, ...programs] };
    },
  },
  pmt: {
    table: 'TsTablePmt',
    write: (table) => ({
      fields: fields(table, ['program_number', 'PCR_PID']),
      descriptors: loop(table.program_info),
      streams: records(table.streams).map((each) => [
        ...fields(each, ['stream_type', 'elementary_PID']),
        loop(each.ES_info),
      ]),
    }),
    ours: (section) => {
      const pmt = parsePmt(section);
      if (pmt === undefined) return undefined;
      return {
        fields: [pmt.programNumber, pmt.pcrPid],
        descriptors: pmt.descriptors.map(writeOurs),
        streams: pmt.streams.map((each) => [each.streamType, each.pid, each.descriptors.map(writeOurs)]),
      };
    },
  },
  nit: {
    table: 'TsTableNit',
    write: (table) => ({
      extension: table.network_id,
      descriptors: loop(table.network_descriptors),
      streams: records(table.transport_streams).map((each) => [
        ...fields(each, ['transport_stream_id', 'original_network_id']),
        loop(each.transport_descriptors),
      ]),
    }),
    ours: (section) => {
      const nit = parseNit(section);
      if (nit === undefined) return undefined;
      return {
        extension: nit.networkId,
        descriptors: nit.descriptors.map(writeOurs),
        streams: nit.transportStreams.map((each) => [
          ...[each.transportStreamId, each.originalNetworkId],
          each.descriptors.map(writeOurs),
        ]),
      };
    },
  },
  sdt: {
    table: 'TsTableSdt',
    write: (table) => ({
      extension: table.transport_stream_id,
      network: table.original_network_id,
      services: records(table.services).map((each) => [
        ...fields(each, ['service_id', 'EIT_schedule_flag', 'EIT_present_following_flag']),
        ...fields(each, ['running_status', 'free_CA_mode']),
        loop(each.descriptors),
      ]),
    }),
    ours: (section) => {
      const sdt = parseSdt(section);
      if (sdt === undefined) return undefined;
      return {
        extension: sdt.transportStreamId,
        network: sdt.originalNetworkId,
        services: sdt.services.map((each) => [
          ...[each.serviceId, Number(each.hasSchedule), Number(each.hasPresentFollowing)],
          ...[each.runningStatus, Number(each.pay)],
          each.descriptors.map(writeOurs),
        ]),
      };
    },
  },
  eit: {
    table: 'TsTableEit',
    write: (table) => ({
      fields: fields(table, [
        ...['service_id', 'transport_stream_id', 'original_network_id'],
        ...['segment_last_section_number', 'last_table_id'],
      ]),
      events: records(table.events).map((each) => [
        ...fields(each, ['event_id', 'start_time', 'duration', 'running_status', 'free_CA_mode']),
        loop(each.descriptors),
      ]),
    }),
    ours: (section) => {
      const eit = parseEit(section);
      if (eit === undefined) return undefined;
      return {
        fields: [
          ...[eit.serviceId, eit.transportStreamId, eit.originalNetworkId],
          ...[eit.segmentLastSectionNumber, eit.lastTableId],
        ],
        events: eit.events.map((each) => [
          ...[each.eventId, timeOctets(each.startAt), durationOctets(each.duration)],
          ...[each.runningStatus, Number(each.pay)],
          each.descriptors.map(writeOurs),
        ]),
      };
    },
  },
  tot: {
    table: 'TsTableTot',
    write: (table) => ({ time: peerOctets(table.JST_time), descriptors: loop(table.descriptors) }),
    ours: (section) => {
      const tot = parseTot(section);
      if (tot === undefined) return undefined;
      return { time: timeOctets(tot.time), descriptors: tot.descriptors.map(writeOurs) };
    },
  },
};

function timeOctets(at: EpochMs | undefined): string {
  return at === undefined ? 'ffffffffff' : Uint8Array.from(encodeJstTime(at)).toHex();
}

function durationOctets(seconds: number | undefined): string {
  if (seconds === undefined) return 'ffffff';
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return Uint8Array.from(parts.map(toBcd)).toHex();
}

const PEER_TABLES: ReadonlyMap<number, string> = new Map([
  [0x00, 'pat'],
  [0x02, 'pmt'],
  [0x40, 'nit'],
  [0x41, 'nit'],
  [0x42, 'sdt'],
  [0x46, 'sdt'],
  [0x73, 'tot'],
]);

/** Tables that both know. */
function peerOf(tableId: number): Peer | undefined {
  if (tableId >= 0x4e && tableId <= 0x6f) return PEERS.eit;
  return PEERS[PEER_TABLES.get(tableId) ?? ''];
}

function decodeByPeer(table: string, bytes: Uint8Array): PeerRecord | null {
  const reader = tsTable[table];
  if (reader === undefined) throw new Error(`the peer has no ${table}`);
  const buffer = Buffer.from(bytes);
  return reader.decode === undefined ? new reader(buffer).decode() : reader.decode(buffer);
}

/** The number of sections that were compared, by table_id. */
function compare(sections: readonly Section[]): Map<number, number> {
  const compared = new Map<number, number>();
  for (const section of sections) {
    const peer = peerOf(section.tableId);
    if (peer === undefined) continue;
    const theirs = decodeByPeer(peer.table, section.bytes);
    const ours = peer.ours(section);
    if (theirs === null || ours === undefined) throw new Error(`not read: ${section.bytes.toHex()}`);
    const header = [
      ...[section.tableId, section.version, Number(section.current), section.number, section.lastNumber],
    ];
    if (section.long) expect(fields(theirs, HEADER)).toEqual(header);
    expect(ours).toEqual(peer.write(theirs));
    compared.set(section.tableId, (compared.get(section.tableId) ?? 0) + 1);
  }
  return compared;
}

/** Whether the schedules of every service have come whole. */
function checkSchedules(sections: readonly Section[]): void {
  const services = new Map<string, ScheduleCoverage>();
  for (const section of sections) {
    const eit = parseEit(section);
    if (eit === undefined || eit.kind === 'present-following') continue;
    const key = `${eit.originalNetworkId}/${eit.transportStreamId}/${eit.serviceId}`;
    const coverage = services.get(key) ?? new ScheduleCoverage();
    services.set(key, coverage);
    expect(coverage.add(eit, AT)).toBe('new');
  }
  expect(services.size).toBeGreaterThan(0);
  for (const coverage of services.values()) {
    expect(coverage.progress('basic', AT).complete).toBe(true);
    expect(coverage.progress('extended', AT).complete).toBe(true);
  }
}

const scenario = loadScenario('default');
const TERRESTRIAL = [0x00, 0x02, 0x40, 0x42, 0x4e, 0x50, 0x51, 0x58, 0x59, 0x73];
const SATELLITE = [...TERRESTRIAL, 0x46, 0x4f, 0x60, 0x61, 0x68, 0x69];

describe.each(scenario.channels.map((plan) => [`${plan.type} ${plan.channel}`, plan] as const))(
  '%s',
  (_, plan) => {
    test('the peer reads the same in every section', () => {
      const sections = sectionsOf(tablePackets(scenario, plan));
      const compared = compare(sections);
      for (const tableId of plan.type === 'GR' ? TERRESTRIAL : SATELLITE) {
        expect([tableId, compared.get(tableId) ?? 0]).not.toEqual([tableId, 0]);
      }
      checkSchedules(sections);
    });
  },
);
