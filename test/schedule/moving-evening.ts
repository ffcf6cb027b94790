/**
 * A ball game and the following programmes with schedule changes: the recorder's orders made by the plan, in
 * minutes from noon.
 */
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { PlannedOpening } from '../../src/schedule/plan/plan-types.ts';
import { GR_TUNER, Home, MINUTE, NOON } from './plan-home.ts';
import { settled } from './settled.ts';

const SECOND = 1000;
const AFTER = 15 * SECOND;

/** A ball game from 12:00 to 12:30, reserved, and the programmes after it. */
export function evening(tuners = [GR_TUNER]) {
  const home = new Home(tuners);
  const station = home.station('T27');
  const game = home.program(station, '野球中継', { at: 0 });
  const film = home.program(station, '夜の映画', { at: 30, minutes: 60 });
  home.reserve(game);
  const at = (minutes: number): void => {
    home.now = plusMs(NOON, minutes * MINUTE);
  };
  const air = (
    id: ProgramId,
    state: 'next' | 'on' | 'over',
    from: number | null = null,
    until: number | null = null,
  ) =>
    home.airings.set(id, {
      state,
      from: from === null ? null : plusMs(NOON, from * MINUTE),
      until: until === null ? null : plusMs(NOON, until * MINUTE),
    });
  const move = (id: ProgramId, start: number, end: number, openEnd = false) =>
    home.change(id, {
      startAt: broadcastMs(NOON + start * MINUTE),
      endAt: broadcastMs(NOON + end * MINUTE),
      openEnd,
    });
  /** Plans. @returns the recorder's orders for a programme, in minutes */
  const orders = (id: ProgramId) => {
    const opening = home.run().openings.find((one) => one.programId === id);
    settled(home);
    return opening === undefined ? undefined : minutesOf(opening);
  };
  const booked = (id: ProgramId) => {
    const reservation = home.of(id);
    if (reservation === undefined) throw new Error('not booked');
    const { state, startAt, endAt } = reservation;
    return { state, start: (startAt - NOON) / MINUTE, end: (endAt - NOON) / MINUTE };
  };
  return { home, station, game, film, at, air, move, orders, booked };
}

function minutesOf({ openAt, closeAt, holdUntil, startAt, endAt }: PlannedOpening) {
  const minutes = (ms: number): number => (ms - NOON) / MINUTE;
  return {
    start: minutes(startAt),
    end: minutes(endAt),
    open: minutes(openAt),
    close: minutes(closeAt - AFTER),
    hold: holdUntil === null ? null : minutes(holdUntil),
  };
}
