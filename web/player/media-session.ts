/** Tells the device what plays, for its lock screen and media keys. */

export interface MediaDescription {
  readonly title: string;
  readonly artist: string;
  /** Relative to the page; undefined for the application's icon. */
  readonly artwork: string | undefined;
}

export interface MediaActions {
  readonly setPaused: (paused: boolean) => void;
  readonly next: () => void;
  readonly previous: () => void;
}

export function describeMedia(media: MediaDescription | undefined): void {
  if (!('mediaSession' in navigator)) return;
  if (media === undefined) {
    navigator.mediaSession.metadata = null;
    return;
  }
  const { title, artist, artwork } = media;
  const src = new URL(artwork ?? 'icon-512.png', document.baseURI).href;
  navigator.mediaSession.metadata = new MediaMetadata({ title, artist, artwork: [{ src }] });
}

/** Returns the function that releases the keys. */
export function takeMediaKeys(actions: MediaActions): () => void {
  if (!('mediaSession' in navigator)) return () => undefined;
  const session = navigator.mediaSession;
  const handlers: readonly (readonly [MediaSessionAction, () => void])[] = [
    ['play', () => actions.setPaused(false)],
    ['pause', () => actions.setPaused(true)],
    ['nexttrack', actions.next],
    ['previoustrack', actions.previous],
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
