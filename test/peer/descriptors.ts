/**
 * Normalises descriptors of the independent reader and of this project: each field by the name of the peer.
 */
import type { AudioComponentDescriptor } from '../../lib/arib/descriptor/components.ts';
import type { Descriptor } from '../../lib/arib/descriptor/index.ts';
import { writeOursOfGuide, writePeersOfGuide } from './guide-descriptors.ts';
import {
  type Field,
  type PeerRecord,
  peerOctets,
  peerText,
  peerValue,
  records,
  type Written,
} from './record.ts';
import { writeOursOfService, writePeersOfService } from './service-descriptors.ts';

/** Fields of the peer with single values, by tag; names of texts have a common ending. */
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
      return writePeersOfGuide(descriptor) ?? writePeersOfService(descriptor);
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

export function writeOurs(d: Descriptor): Written {
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
      return writeOursOfGuide(d) ?? writeOursOfService(d);
  }
}

export function loop(field: Field | undefined): Written[] {
  return records(field).map(writePeers);
}
