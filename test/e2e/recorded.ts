/**
 * Watches a recording in a real browser, and measures it against the broadcaster's clock instead of the
 * player's own statistics.
 */
import type { Page } from 'playwright-core';
import type { Playback, Recording, Station } from '../../lib/wire/api.ts';
import { MARK_PERIOD, STC_ZERO, TICKS_PER_SECOND } from '../../synth/clock.ts';
import { loadScenario } from '../../synth/scenario/load.ts';

/** Required for changes: forms of other sites cannot send it. */
export const JSON_BODY = { 'content-type': 'application/json' };
const PERIOD_S = MARK_PERIOD / TICKS_PER_SECOND;

export async function json<T>(url: string, init?: RequestInit): Promise<T> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export async function until<T>(
  what: string,
  limitMs: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`did not happen: ${what}`);
    await Bun.sleep(300);
  }
}

/** Minimum remaining time of a programme that is recorded, watched, stopped and watched again. */
const LEFT_MS = 150_000;

/**
 * A terrestrial station that flashes all the time (commercials do not) and whose programme lasts long enough.
 */
export function stationToRecord(base: string): Promise<Station> {
  const steady = new Set(
    loadScenario('default').channels.flatMap(({ stations }) =>
      stations
        .filter(
          ({ branch, commercials }) =>
            branch !== true && typeof commercials === 'string' && commercials !== 'usual',
        )
        .map(({ name }) => name),
    ),
  );
  return until('a programme lasts long enough', LEFT_MS + 60_000, async () => {
    const stations = await json<Station[]>(`${base}api/services`);
    return stations.find(
      ({ type, name, now }) =>
        type === 'GR' &&
        steady.has(name) &&
        now !== null &&
        now.endAt !== null &&
        now.endAt - Date.now() > LEFT_MS,
    );
  });
}

/** Presses record on a station. @returns the recording once there is something to watch */
export async function startRecording(base: string, stationId: number): Promise<Recording> {
  await json(`${base}api/services/${stationId}/record`, { method: 'POST', headers: JSON_BODY, body: '{}' });
  return until('it is recorded', 60_000, async () => {
    const list = await json<Recording[]>(`${base}api/recordings`);
    return list.find(({ serviceId, bytes }) => serviceId === stationId && bytes > 1_000_000);
  });
}

/** Stops it like a user, and waits for its verdict. */
export async function endRecording(base: string, recording: Recording): Promise<Recording> {
  const booked = await json<{ id: number; programId: number }[]>(`${base}api/reservations`);
  const own = booked.find(({ programId }) => programId === recording.programId);
  if (own === undefined) throw new Error('its reservation is not listed');
  const response = await fetch(`${base}api/reservations/${own.id}`, { method: 'DELETE', headers: JSON_BODY });
  if (!response.ok) throw new Error(`not ended: ${response.status}`);
  return until('it is judged', 60_000, async () => {
    const list = await json<Recording[]>(`${base}api/recordings`);
    return list.find(({ id, verdict }) => id === recording.id && verdict !== null);
  });
}

export function playbackOf(base: string, { id }: Recording): Promise<Playback> {
  return json<Playback>(`${base}api/recordings/${id}/playback`);
}

/** Media times, in seconds, of the first frames of flashes after `from`. */
export async function flashesFrom(
  page: Page,
  from: number,
  count: number,
  limitMs: number,
): Promise<number[]> {
  return page.evaluate(
    async ({ from, count, limitMs }) => {
      const video = document.querySelector('video');
      const context = Object.assign(document.createElement('canvas'), { width: 16, height: 9 }).getContext(
        '2d',
        {
          willReadFrequently: true,
        },
      );
      if (video === null || context === null) throw new Error('no picture');
      const flashes: number[] = [];
      let [white, last] = [true, Number.NaN];
      await new Promise<void>((done) => {
        const limit = setTimeout(done, limitMs);
        const onFrame = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
          // The corner in which the broadcast flashes.
          const [w, h] = [video.videoWidth / 12, video.videoHeight / 12];
          context.drawImage(video, 11 * w, 11 * h, w, h, 0, 0, 16, 9);
          const { data } = context.getImageData(0, 0, 16, 9);
          const mean =
            data.reduce((sum, value, index) => sum + (index % 4 === 3 ? 0 : value), 0) / (16 * 9 * 3);
          const isWhite = mean > 200;
          // A busy machine drops pictures: then the begin of a flash is unknown.
          const isKnown = mediaTime - last < 0.05;
          if (isWhite && !white && isKnown && mediaTime >= from) flashes.push(mediaTime);
          [white, last] = [isWhite, mediaTime];
          if (flashes.length < count) video.requestVideoFrameCallback(onFrame);
          else {
            clearTimeout(limit);
            done();
          }
        };
        video.requestVideoFrameCallback(onFrame);
      });
      return flashes;
    },
    { from, count, limitMs },
  );
}

/**
 * Offset of a flash at this playback time from the nearest one in the broadcast, in seconds: at most half a
 * period.
 */
export function markError({ broadcastAt }: Playback, flash: number): number {
  if (broadcastAt === null) throw new Error('the playback has no broadcast time');
  const since = (broadcastAt - STC_ZERO) / 1000 + flash;
  const rest = ((since % PERIOD_S) + PERIOD_S) % PERIOD_S;
  return rest > PERIOD_S / 2 ? rest - PERIOD_S : rest;
}
