/**
 * Digits of a remote control as a channel. On terrestrial stations the buttons 1 to 12 choose at once; three digits are
 * typed on satellite stations, and behind `.` everywhere, as television sets do it (ARIB TR-B14 and TR-B15, three-digit
 * numbers).
 */
import type { Station } from '../../lib/wire/api.ts';
import { stationOfKey } from '../query/stations.ts';
import { STATIONS_A_NETWORK } from '../words/channel.ts';

const DIGITS = 3;
/** Digits that are not completed within this are taken as they are. */
export const ENTRY_LIMIT_MS = 2_500;

type EntryBand = Station['type'];

/** The digits typed so far; empty: the next digit starts an entry. */
type ChannelEntry = string;

export interface TypedDigit {
  readonly entry: ChannelEntry;
  /** The entry is complete, or a button of its own. */
  readonly station?: Station | undefined;
  /** Complete, and no station has it. */
  readonly unknown?: boolean;
}

/** The three digits that television sets show: terrestrial key and branch, satellite service. */
function threeDigits(station: Station, list: readonly Station[]): string {
  if (station.type !== 'GR') return String(station.id % STATIONS_A_NETWORK).padStart(DIGITS, '0');
  const branches = list.filter(
    (other) =>
      other.type === 'GR' && other.remoteControlKey === station.remoteControlKey && other.id < station.id,
  );
  return `${String(station.remoteControlKey).padStart(2, '0')}${branches.length + 1}`;
}

/** The station of three digits, of the band that is watched where several have them. */
function stationOfDigits(list: readonly Station[], digits: string, band: EntryBand): Station | undefined {
  const found = list.filter((station) => threeDigits(station, list) === digits);
  return found.find(({ type }) => type === band) ?? found[0];
}

/** @param button 1 to 12 @param explicit three digits were asked for */
export function typeButton(
  entry: ChannelEntry,
  button: number,
  list: readonly Station[],
  band: EntryBand,
  explicit: boolean,
): TypedDigit {
  if (entry === '' && band === 'GR' && !explicit) {
    const station = stationOfKey(list, button);
    return { entry: '', station, unknown: station === undefined };
  }
  // The buttons 11 and 12 are no digits.
  if (button > 10) return { entry };
  const digits = entry + String(button % 10);
  if (digits.length < DIGITS) return { entry: digits };
  const station = stationOfDigits(list, digits, band);
  return { entry: '', station, unknown: station === undefined };
}

/** The entry stayed incomplete: one or two digits mean a button. */
export function completeEntry(entry: ChannelEntry, list: readonly Station[]): TypedDigit {
  const station = entry === '' ? undefined : stationOfKey(list, Number(entry));
  return { entry: '', station, unknown: entry !== '' && station === undefined };
}

/** As displayed during entry. */
export function entryText(entry: ChannelEntry): string {
  return entry.padEnd(DIGITS, '–');
}
