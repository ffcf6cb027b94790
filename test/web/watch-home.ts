/** Recordings for `watch.test.ts` and `watch-changes.test.ts`. */
import { beforeEach } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Recording } from '../../lib/wire/api.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { START } from './clock.ts';
import { makeStream } from './fake-air.ts';
import { manyStations } from './fake-guide.ts';
import type { FakePlayback } from './fake-playback.ts';
import { fakeRecording, newRecordings, runningRecording } from './fake-recordings.ts';
import { fillService, webRig } from './rig.ts';

const STATIONS = manyStations([4, 2, 2]);

/** Three episodes of a drama, and a recording in progress. */
function recordings(): Recording[] {
  const made = [9, 18, 27].map((id, index) => {
    const one = fakeRecording(id, STATIONS[0] ?? { id: 1 as StationId, name: '局' }, START);
    const startAt = START - (10 - index) * 86_400_000;
    const name = `[字]ドラマ「灯台守の娘」第${index + 1}話`;
    const series = { key: 'drama', name: 'ドラマ「灯台守の娘」', episode: `${index + 1}` };
    return {
      ...one,
      id: recordingId(index + 1),
      name,
      title: name,
      startAt: broadcastMs(startAt),
      series,
      durationMs: 30_000,
      resumeMs: null,
      watchedAt: null,
      poster: `api/recordings/${index + 1}/poster?v=1`,
    };
  });
  return [...made, runningRecording(900, STATIONS[0] ?? { id: 1 as StationId, name: '局' }, START)];
}

/** Scope is the enclosing `describe`. */
export function watchHome() {
  const rig = webRig({ stream: makeStream });
  beforeEach(() => {
    fillService(rig, STATIONS);
    rig.service.household.recordings = newRecordings(recordings(), rig.service.stream);
  });
  return {
    rig,
    get playback(): FakePlayback {
      return rig.service.household.recordings.playback;
    },
    held(id: number): Recording {
      const one = rig.service.household.recordings.list.find((recording) => recording.id === id);
      if (one === undefined) throw new Error(`no recording ${id}`);
      return one;
    },
    /** On a small page by default: most of what a picture costs is its drawing. */
    open: (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
      rig.open(path, { viewport: { width: 1024, height: 640 }, ...options }),
  };
}

/** Waits until the playback position is between these, s. */
export function placed(page: Page, least: number, most = 30): Promise<unknown> {
  return page.waitForFunction(
    ([from, to]) => {
      const video = document.querySelector('video');
      if (video === null || video.seeking || video.videoWidth !== 640) return false;
      return video.currentTime >= (from ?? 0) && video.currentTime <= (to ?? 0);
    },
    [least, most],
  );
}
