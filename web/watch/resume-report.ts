/** Reports the playback position to the service, so that any device can resume there. */
import { rememberPlace } from '../query/recordings.ts';
import type { WatchSource } from './watch-source.ts';

const EVERY_MS = 10_000;
/** A place that differs by less is the one that is known. */
const LEAST_S = 2;

interface Place {
  /** s on the playback scale. */
  readonly position: number;
  /** s */
  readonly length: number;
  /** The picture moves, so that the place is one that was seen. */
  readonly watched: boolean;
}

/** Body of the request; undefined when there is no change to report. @param told last reported position, s */
export function placeToTell(source: WatchSource, place: Place, told: number | undefined, over: boolean) {
  if (!place.watched && !over) return undefined;
  const at = over ? place.length : Math.min(place.position, place.length);
  if (told !== undefined && Math.abs(at - told) < LEAST_S) return undefined;
  const rounded = (seconds: number): number => Math.round(Math.max(0, seconds) * 1000) / 1000;
  // The length of a recording in progress does not tell its end.
  const length = source.growing ? {} : { length: rounded(place.length) };
  return { at: rounded(at), ...length, source: source.file };
}

export class ResumeReport {
  readonly #place: () => Place;
  readonly #timer: ReturnType<typeof setInterval>;
  #source: WatchSource | undefined;
  #told: number | undefined;

  constructor(place: () => Place) {
    this.#place = place;
    this.#timer = setInterval(() => void this.tell(), EVERY_MS);
    document.addEventListener('visibilitychange', this.#onHidden);
    addEventListener('pagehide', this.#onHidden);
  }

  /** Another recording, or the same by another description. @param at where watching begins, s */
  follow(source: WatchSource | undefined, at: number): void {
    void this.tell();
    this.#source = source;
    this.#told = at;
  }

  /** Resolves when the service has received it, or could not be reached. @param over the end was shown */
  async tell(over = false): Promise<void> {
    const source = this.#source;
    if (source === undefined) return;
    const body = placeToTell(source, this.#place(), this.#told, over);
    if (body === undefined) return;
    this.#told = body.at;
    try {
      await rememberPlace(source.recordingId, body);
    } catch {
      // The next one tells it.
      this.#told = undefined;
    }
  }

  close(): void {
    void this.tell();
    this.#source = undefined;
    clearInterval(this.#timer);
    document.removeEventListener('visibilitychange', this.#onHidden);
    removeEventListener('pagehide', this.#onHidden);
  }

  readonly #onHidden = (): void => {
    if (document.visibilityState === 'hidden') void this.tell();
  };
}
