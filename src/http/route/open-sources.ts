/**
 * What each client is watching now: stations or recordings. A client is a device, a login, else an address
 * (`requesterKey`); known are live sockets and streams over HTTP. Files are not: the next part may never be requested.
 */
import { type Requester, requesterKey } from '../../model/requester.ts';

type SourceKind = 'station' | 'recording';

const PATHS: readonly (readonly [kind: SourceKind, pattern: RegExp])[] = [
  ['station', /^\/api\/services\/[^/]+\/live$/],
  ['recording', /^\/api\/recordings\/[^/]+\/(?:stream|chase)$/],
];

/** Which source a stream over HTTP is of. */
export function sourceOf(path: string): SourceKind | undefined {
  return PATHS.find(([, pattern]) => pattern.test(path))?.[0];
}

export class OpenSources {
  /** How many of each kind; clients without any are removed. */
  readonly #open = new Map<string, Record<SourceKind, number>>();

  /** @returns ends it; further calls do nothing */
  enter(requester: Requester, kind: SourceKind): () => void {
    const key = requesterKey(requester);
    const counts = this.#open.get(key) ?? { station: 0, recording: 0 };
    this.#open.set(key, counts);
    counts[kind] += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      counts[kind] -= 1;
      if (counts.station + counts.recording === 0) this.#open.delete(key);
    };
  }

  /** Whether a client watches recordings and no station. */
  hasOnlyRecordings(requester: Requester): boolean {
    const counts = this.#open.get(requesterKey(requester));
    return counts !== undefined && counts.recording > 0 && counts.station === 0;
  }
}
