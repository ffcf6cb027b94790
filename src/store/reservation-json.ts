/**
 * The stored form of a reservation's reason and note: versioned JSON, independent of the HTTP interface. Rows of
 * earlier versions contain sentences and are read as code `text`.
 */
import { BROADCAST_TYPES, type BroadcastType } from '../../lib/arib/ids.ts';
import type { ReservationNote, ReservationReason } from '../model/reservation-reason.ts';
import { readObject } from './stored-json.ts';

/** Version 1 is a plain sentence. */
const VERSION = 2;
const TYPES: ReadonlySet<unknown> = new Set(BROADCAST_TYPES);

type Stored = Record<string, unknown> & { code?: unknown };

export function storedReservationReason(reason: ReservationReason | null): string | null {
  return reason === null ? null : JSON.stringify({ v: VERSION, ...reason });
}

export function storedReservationNote(note: ReservationNote | null): string | null {
  return note === null ? null : JSON.stringify({ v: VERSION, ...note });
}

/** null for a code of a later version, or with damaged parameters. */
export function readReservationReason(text: string | null): ReservationReason | null {
  const value = readStored(text);
  if (value === null || typeof value === 'string') return asText(value);
  switch (value.code) {
    case 'not_received':
    case 'missed_not_received':
      return TYPES.has(value.type) ? { code: value.code, type: value.type as BroadcastType } : null;
    case 'tuners_in_use': {
      const { names, hasMore, broken } = value;
      if (!Array.isArray(names) || typeof broken !== 'number') return null;
      const texts = names.filter((name): name is string => typeof name === 'string');
      return { code: 'tuners_in_use', names: texts, hasMore: hasMore === true, broken };
    }
    case 'missed_tuners_in_use': {
      const { names, hasMore } = value;
      const texts = Array.isArray(names)
        ? names.filter((name): name is string => typeof name === 'string')
        : [];
      return { code: 'missed_tuners_in_use', names: texts, hasMore: hasMore === true };
    }
    case 'copy_never':
    case 'station_gone':
    case 'missed_service_stopped':
    case 'missed_not_begun':
      return { code: value.code };
    default:
      return asText(value.text);
  }
}

/** Like `readReservationReason`. */
export function readReservationNote(text: string | null): ReservationNote | null {
  const value = readStored(text);
  if (value === null || typeof value === 'string') return asText(value);
  if (value.code === 'repeat_of_rule') return { code: 'repeat_of_rule' };
  if (value.code === 'repeat_by_hand' || value.code === 'part_by_hand')
    return typeof value.name === 'string' ? { code: value.code, name: value.name } : null;
  return asText(value.text);
}

/** A string if it is not JSON: the sentence of an earlier version. */
function readStored(text: string | null): Stored | string | null {
  if (typeof text !== 'string' || text === '') return null;
  return readObject<Stored>(text) ?? text;
}

function asText(text: unknown): { code: 'text'; text: string } | null {
  return typeof text === 'string' ? { code: 'text', text } : null;
}
