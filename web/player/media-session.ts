/** Tells the device what is on, for its lock screen and media keys. */
import type { Station } from '../../wire/api.ts';
import { narrow } from '../words/channel.ts';
import { splitTitle } from '../words/title.ts';

export interface MediaActions {
  readonly setPaused: (paused: boolean) => void;
  readonly step: (by: 1 | -1) => void;
}

export function describeMedia(station: Station | undefined): void {
  if (!('mediaSession' in navigator)) return;
  if (station === undefined) {
    navigator.mediaSession.metadata = null;
    return;
  }
  const title = station.now === null ? station.name : splitTitle(station.now.name).title;
  navigator.mediaSession.metadata = new MediaMetadata({
    title,
    artist: narrow(station.name),
    artwork: [{ src: new URL(station.logo ?? 'icon-512.png', document.baseURI).href }],
  });
}

/** Returns the function that lets go of the keys. */
export function takeMediaKeys(actions: MediaActions): () => void {
  if (!('mediaSession' in navigator)) return () => undefined;
  const session = navigator.mediaSession;
  const handlers: readonly (readonly [MediaSessionAction, () => void])[] = [
    ['play', () => actions.setPaused(false)],
    ['pause', () => actions.setPaused(true)],
    ['nexttrack', () => actions.step(1)],
    ['previoustrack', () => actions.step(-1)],
  ];
  const set = (action: MediaSessionAction, handler: (() => void) | null): void => {
    try {
      session.setActionHandler(action, handler);
    } catch {
      // A browser that does not know this action.
    }
  };
  for (const [action, handler] of handlers) set(action, handler);
  return () => {
    for (const [action] of handlers) set(action, null);
    session.metadata = null;
  };
}
