/** Common name of a station, formatted for a screen. */
import type { Station } from '../../lib/wire/api.ts';

export const STATIONS_A_NETWORK = 100_000;
const WIDE = /[０-９Ａ-Ｚａ-ｚ]/gu;
const WIDE_SHIFT = 0xfee0;

/** Broadcasts write letters and digits in full width; on a screen the narrow ones read better. */
export function narrow(text: string): string {
  return text.replace(WIDE, (letter) => String.fromCharCode(letter.charCodeAt(0) - WIDE_SHIFT));
}

/**
 * Terrestrial: the number of the remote control; a second station of the same broadcaster has the three digits
 * that television sets show (`012`: key 1, second branch; ARIB TR-B14 vol. 4). Satellite: `BS 101`.
 */
export function channelLabel(station: Station, list: readonly Station[]): string {
  const { remoteControlKey: key, type } = station;
  if (type !== 'GR') return key > 0 ? `${type} ${key}` : type;
  if (key <= 0) return '地デジ';
  const network = Math.floor(station.id / STATIONS_A_NETWORK);
  const branches = list.filter(
    (other) =>
      other.type === 'GR' &&
      other.remoteControlKey === key &&
      Math.floor(other.id / STATIONS_A_NETWORK) === network &&
      other.id < station.id,
  );
  if (branches.length === 0) return String(key);
  return `${String(key).padStart(2, '0')}${branches.length + 1}`;
}
