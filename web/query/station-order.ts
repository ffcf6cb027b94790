/**
 * The stations shown on this device and their order: pinned ones first, hidden ones omitted. Ids, stored on the device.
 */
import { computed } from '@preact/signals';
import type { Station } from '../../lib/wire/api.ts';
import { remembered } from '../device/preferences.ts';
import { stations } from './stations.ts';

/** A household receives a few hundred stations; a longer list is not from here. */
const MOST = 1_000;

const ids = (value: unknown): readonly number[] | undefined =>
  Array.isArray(value)
    ? value.filter((id): id is number => Number.isSafeInteger(id)).slice(0, MOST)
    : undefined;

/** In their order. */
const pinnedStations = remembered<readonly number[]>('stations-pinned', [], ids);
const hiddenStations = remembered<readonly number[]>('stations-hidden', [], ids);

/**
 * The stations as the viewer wants them: within their broadcast type pinned ones first in their own order, the others
 * as the service lists them.
 *
 * @param kept listed although it is hidden
 */
export function arranged(
  list: readonly Station[],
  pinned: readonly number[],
  hidden: readonly number[],
  kept?: number,
): readonly Station[] {
  const rank = new Map(pinned.map((id, index) => [id, index]));
  const dropped = new Set(hidden);
  const rankOf = ({ id }: Station): number => rank.get(id) ?? pinned.length;
  return list
    .filter(({ id }) => id === kept || !dropped.has(id))
    .map((station, index) => ({ station, index }))
    .sort((a, b) => rankOf(a.station) - rankOf(b.station) || a.index - b.index)
    .map(({ station }) => station);
}

/** For lists to choose from and for zapping; names and bookings of a hidden station stay where they are. */
export const shownStations = computed<readonly Station[]>(() =>
  arranged(stations.value, pinnedStations.value, hiddenStations.value),
);

/** As `shownStations`, including a station that was requested or is being watched. */
export function shownStationsWith(kept: number | undefined): readonly Station[] {
  return arranged(stations.value, pinnedStations.value, hiddenStations.value, kept);
}

export function isPinned(id: number): boolean {
  return pinnedStations.value.includes(id);
}

export function isHidden(id: number): boolean {
  return hiddenStations.value.includes(id);
}

/** To the end of the pinned ones, or back to its place. */
export function pin(id: number, wanted: boolean): void {
  const others = pinnedStations.value.filter((other) => other !== id);
  pinnedStations.value = wanted ? [...others, id] : others;
}

/** @param by places among the pinned ones of its broadcast type */
export function movePinned(id: number, by: 1 | -1): void {
  const type = stations.value.find((station) => station.id === id)?.type;
  const order = [...pinnedStations.value];
  const from = order.indexOf(id);
  const isBeside = (other: number): boolean =>
    stations.value.find((station) => station.id === other)?.type === type;
  let to = from + by;
  while (to >= 0 && to < order.length && !isBeside(order[to] ?? 0)) to += by;
  if (from < 0 || to < 0 || to >= order.length) return;
  order.splice(to, 0, ...order.splice(from, 1));
  pinnedStations.value = order;
}

export function hide(id: number, wanted: boolean): void {
  const others = hiddenStations.value.filter((other) => other !== id);
  hiddenStations.value = wanted ? [...others, id] : others;
}

export function forgetStationOrder(): void {
  pinnedStations.value = [];
  hiddenStations.value = [];
}

export const isUsualOrder = computed(
  () => pinnedStations.value.length === 0 && hiddenStations.value.length === 0,
);
