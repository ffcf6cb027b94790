/** Normalises tables of the independent reader and of this project. */
import { parseEit, parseTot } from '../../lib/arib/si/eit.ts';
import { parseNit, parseSdt } from '../../lib/arib/si/service-tables.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { parsePmt } from '../../lib/arib/ts/pmt.ts';
import type { Section } from '../../lib/arib/ts/section.ts';
import { encodeJstTime, toBcd } from '../../synth/si/jst-time.ts';
import { loop, writeOurs } from './descriptors.ts';
import { fields, type PeerRecord, peerOctets, records, type Written } from './record.ts';

interface Peer {
  readonly table: string;
  write(table: PeerRecord): Written;
  ours(section: Section): Written | undefined;
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

function timeOctets(at: BroadcastMs | undefined): string {
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

/** Tables that both can read. */
export function peerOf(tableId: number): Peer | undefined {
  if (tableId >= 0x4e && tableId <= 0x6f) return PEERS.eit;
  return PEERS[PEER_TABLES.get(tableId) ?? ''];
}
