/** Tells the device what plays, for its lock screen and media keys. */

export interface MediaDescription {
  readonly title: string;
  readonly artist: string;
  /** Relative to the page; undefined for the application's icon. */
  readonly artwork: string | undefined;
}

interface MediaActions {
  readonly setPaused: (paused: boolean) => void;
  readonly next: () => void;
  readonly previous: () => void;
  /** For seekable media: seconds forward or back, and a position. */
  readonly skip?: (by: 1 | -1) => void;
  readonly seek?: (seconds: number) => void;
}

/** The position shown by the device, s; undefined for media without an end. */
export function tellPlace(place: { position: number; length: number; rate: number } | undefined): void {
  if (!('mediaSession' in navigator) || navigator.mediaSession.setPositionState === undefined) return;
  if (place === undefined || !(place.length > 0) || !Number.isFinite(place.length)) {
    navigator.mediaSession.setPositionState();
    return;
  }
  const { length: duration, rate: playbackRate } = place;
  const position = Math.min(Math.max(0, place.position), duration);
  navigator.mediaSession.setPositionState({ duration, position, playbackRate });
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
  const { skip, seek } = actions;
  const handlers: (readonly [MediaSessionAction, MediaSessionActionHandler])[] = [
    ['play', () => actions.setPaused(false)],
    ['pause', () => actions.setPaused(true)],
    ['nexttrack', actions.next],
    ['previoustrack', actions.previous],
  ];
  if (skip !== undefined) {
    handlers.push(['seekbackward', () => skip(-1)], ['seekforward', () => skip(1)]);
  }
  if (seek !== undefined) {
    handlers.push(['seekto', ({ seekTime }) => (seekTime === undefined ? undefined : seek(seekTime))]);
  }
  const set = (action: MediaSessionAction, handler: MediaSessionActionHandler | null): void => {
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

// Keeps the screen on while watching. Exists on https only; elsewhere a playing video does most of it.

/** Returns the function that releases the lock. */
export function keepAwake(): () => void {
  if (!('wakeLock' in navigator)) return () => undefined;
  let released = false;
  let lock: WakeLockSentinel | undefined;
  const take = async (): Promise<void> => {
    if (released || document.visibilityState !== 'visible') return;
    try {
      lock = await navigator.wakeLock.request('screen');
      if (released) await lock.release();
    } catch {
      // Refused (battery saver): ignored.
    }
  };
  const onVisible = (): void => void take();
  document.addEventListener('visibilitychange', onVisible);
  void take();
  return () => {
    released = true;
    document.removeEventListener('visibilitychange', onVisible);
    void lock?.release().catch(() => undefined);
  };
}
