/** Normalises descriptors of programme relations, like `descriptors.ts` for those of all events. */
import type { Descriptor } from '../../lib/arib/descriptor/index.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type PeerRecord, peerOctets, peerText, records, type Written } from './record.ts';

const DAY_MS = 86_400_000;
const MJD_OF_1970 = 40_587;
const JST_OFFSET_MS = 9 * 3_600_000;

/** Modified Julian date of a day in Japan. */
function julianDate(at: BroadcastMs | undefined): number | undefined {
  return at === undefined ? undefined : (at + JST_OFFSET_MS) / DAY_MS + MJD_OF_1970;
}

function letters(code: string): string {
  return Buffer.from(code, 'latin1').toString('hex');
}

/** Undefined if the tag is not handled here. */
export function writePeersOfGuide(d: PeerRecord): Written | undefined {
  const tag = Number(d.descriptor_tag);
  switch (tag) {
    case 0x55:
      return {
        tag,
        ratings: records(d.parental_ratings).map((each) => [peerOctets(each.country_code), each.rating]),
      };
    case 0xc7:
      return {
        ...{ tag, id: d.data_component_id, entry: d.entry_component, selector: peerOctets(d.selector_byte) },
        components: peerOctets(d.component_ref),
        ...{ language: peerOctets(d.ISO_639_language_code), text: peerText(d.text_char) },
      };
    case 0xd5:
      return {
        ...{ tag, id: d.series_id, repeat: d.repeat_label, pattern: d.program_pattern },
        expires: d.expire_date_valid_flag ? d.expire_date : undefined,
        ...{ episode: d.episode_number, last: d.last_episode_number, name: peerText(d.series_name_char) },
      };
    case 0xd6:
      return {
        ...{ tag, type: d.group_type },
        events: records(d.events).map((each) => [each.service_id, each.event_id]),
        others: records(d.other_network_events).map((each) => [
          ...[each.original_network_id, each.transport_stream_id],
          ...[each.service_id, each.event_id],
        ]),
      };
    default:
      return undefined;
  }
}

const GROUPS = ['', 'shared', 'relay', 'movement', 'relay-network', 'movement-network'];

/** Undefined if the kind is not handled here. */
export function writeOursOfGuide(d: Descriptor): Written | undefined {
  switch (d.kind) {
    case 'parental_rating':
      return { tag: 0x55, ratings: d.ratings.map((each) => [letters(each.country), each.rating]) };
    case 'data_content':
      return {
        ...{ tag: 0xc7, id: d.dataComponentId, entry: d.entryComponent, selector: d.selector.toHex() },
        components: Uint8Array.from(d.components).toHex(),
        ...{ language: letters(d.language), text: d.text },
      };
    case 'series':
      return {
        ...{ tag: 0xd5, id: d.seriesId, repeat: d.repeatLabel, pattern: d.pattern },
        expires: julianDate(d.expireDate),
        ...{ episode: d.episodeNumber, last: d.lastEpisodeNumber, name: d.name },
      };
    case 'event_group':
      return {
        ...{ tag: 0xd6, type: GROUPS.indexOf(d.group) },
        events: d.events.map((each) => [each.serviceId, each.eventId]),
        others: d.otherNetworkEvents.map((each) => [
          ...[each.originalNetworkId, each.transportStreamId],
          ...[each.serviceId, each.eventId],
        ]),
      };
    default:
      return undefined;
  }
}
