/**
 * The service's event stream: a callback for every change, reconnection with exponential backoff when the connection is
 * lost or silent, and a notification after each reconnection that everything must be read again (missed events are not
 * replayed).
 */
import type { EventName } from '../../lib/wire/vocabulary.ts';
import { connection } from '../device/connection.ts';
import { eventsUrl, isRefused } from './api.ts';
import { SilenceWatch } from './silence-watch.ts';

/** Those that have a reader here. */
const WATCHED = [
  'services',
  'programs',
  'tuners',
  'channels',
  'scan',
  'settings',
  'tokens',
  'paired',
  'reservations',
  'rules',
  'recordings',
  'chapters',
  'notices',
  'ping',
] as const satisfies readonly EventName[];
export type Watched = (typeof WATCHED)[number];

/** Changes of what the lists of stations and programmes show. */
export const GUIDE_CHANGES: readonly Watched[] = ['services', 'programs', 'reservations'];
/** Changes of what a search finds. */
export const SEARCH_CHANGES: readonly Watched[] = ['programs', 'reservations', 'recordings'];

/** The service pings every 25 s. */
const SILENCE_MS = 60_000;
/** Together with the banner's patience, a service that hangs is reported within 15 s. */
const QUIET_MS = 6_000;
const ANSWER_MS = 6_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

export interface EventHandlers {
  onEvent(name: Watched): void;
  /** Connected again after a loss. */
  onReturn(): void;
}

const listeners = new Set<EventHandlers>();
let close: (() => void) | undefined;

/** Listens until the returned function is called. All share one connection: browsers allow a page but six. */
export function listen(handlers: EventHandlers): () => void {
  listeners.add(handlers);
  close ??= connect();
  return () => {
    listeners.delete(handlers);
    if (listeners.size > 0) return;
    close?.();
    close = undefined;
  };
}

/** Calls back on each of these events, and when events may have been missed. */
export function listenFor(names: readonly Watched[], onChange: () => void): () => void {
  return listen({
    onEvent(name) {
      if (names.includes(name)) onChange();
    },
    onReturn: onChange,
  });
}

function connect(): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT_MS;
  let lost = false;
  let closed = false;

  const silence = new SilenceWatch({
    quietMs: QUIET_MS,
    silenceMs: SILENCE_MS,
    isWatched: () => document.visibilityState === 'visible',
    ask: async () => (await isRefused(ANSWER_MS)) === false,
    onLost: fail,
  });

  function fail(): void {
    source?.close();
    source = undefined;
    silence.stop();
    clearTimeout(retry);
    if (closed) return;
    lost = true;
    if (connection.value !== 'refused') connection.value = 'lost';
    void findOutWhy();
    retry = setTimeout(open, wait);
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }

  /** An event stream does not tell why it ended: the login may be over, or the device is in another network. */
  async function findOutWhy(): Promise<void> {
    const refused = await isRefused(ANSWER_MS);
    if (refused !== undefined && connection.value !== 'open' && !closed)
      connection.value = refused ? 'refused' : 'lost';
  }

  function open(): void {
    clearTimeout(retry);
    const current = new EventSource(eventsUrl());
    source = current;
    silence.heard();
    current.onopen = () => {
      silence.heard();
      wait = FIRST_WAIT_MS;
      connection.value = 'open';
      if (lost) for (const handlers of [...listeners]) handlers.onReturn();
      lost = false;
    };
    current.onerror = fail;
    for (const name of WATCHED) {
      current.addEventListener(name, () => {
        silence.heard();
        for (const handlers of [...listeners]) handlers.onEvent(name);
      });
    }
  }

  // A device that wakes up or finds its network again need not sit out the wait.
  const wake = (): void => {
    if (document.visibilityState !== 'visible') return;
    if (source === undefined) open();
    else silence.check();
  };
  addEventListener('online', wake);
  // An open stream notices a lost network only by its silence.
  addEventListener('offline', fail);
  document.addEventListener('visibilitychange', wake);
  open();

  return () => {
    closed = true;
    source?.close();
    silence.stop();
    clearTimeout(retry);
    removeEventListener('online', wake);
    removeEventListener('offline', fail);
    document.removeEventListener('visibilitychange', wake);
  };
}
