/**
 * Screens by address, relative to the document's base. Links are ordinary `<a href>`: a click on an internal one
 * changes the screen, everything else is left to the browser.
 */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type RecordingId, type ReservationId, recordingId } from '../../lib/wire/ids.ts';
import { monotonicMs } from '../../lib/wire/times.ts';
import { afterPaint } from './after-paint.ts';
import { browserBack } from './back.ts';

/** Screens without anything in their address but a query. */
const PLAIN_SCREENS = [
  'guide',
  'reservations',
  'rules',
  'recordings',
  'search',
  'tuners',
  'notices',
  'settings',
  'setup',
  'offline',
] as const;
type PlainScreen = (typeof PLAIN_SCREENS)[number];

export type Screen =
  | { readonly name: 'home' }
  | { readonly name: PlainScreen }
  | { readonly name: 'live'; readonly stationId: StationId }
  /** Several stations; the query says which. */
  | { readonly name: 'multi' }
  /** A finished recording. */
  | { readonly name: 'watch'; readonly recordingId: RecordingId }
  /** One that is being recorded. */
  | { readonly name: 'chase'; readonly recordingId: RecordingId }
  | { readonly name: 'unknown'; readonly path: string };

/** Screens without the way to the others around them. */
export type PlayerScreen = Extract<Screen, { name: 'live' | 'watch' | 'chase' | 'multi' }>;

export function isPlayer(one: Screen): one is PlayerScreen {
  return ['live', 'watch', 'chase', 'multi'].includes(one.name);
}

const PLAYER_PATH = /^(live|watch|chase)\/(\d{1,15})$/u;

/** @param path below the base address, without a leading slash */
export function screenOf(path: string): Screen {
  if (path === '' || path === 'index.html') return { name: 'home' };
  const [, player, id = ''] = PLAYER_PATH.exec(path) ?? [];
  if (player === 'live') return { name: 'live', stationId: Number(id) as StationId };
  if (player === 'watch' || player === 'chase') return { name: player, recordingId: recordingId(Number(id)) };
  if (path === 'multi') return { name: 'multi' };
  const plain = PLAIN_SCREENS.find((name) => name === path);
  if (plain !== undefined) return { name: plain };
  return { name: 'unknown', path };
}

/** The part of `pathname` below `base`; undefined when it lies outside. */
export function pathBelow(base: string, pathname: string): string | undefined {
  const folder = base.slice(0, base.lastIndexOf('/') + 1);
  if (pathname === folder.slice(0, -1)) return '';
  return pathname.startsWith(folder) ? pathname.slice(folder.length) : undefined;
}

function basePath(): string {
  return new URL(document.baseURI).pathname;
}

function screenAt(pathname: string): Screen {
  const path = pathBelow(basePath(), pathname);
  return path === undefined ? { name: 'unknown', path: pathname } : screenOf(path);
}

export const screen = signal<Screen>({ name: 'home' });

const coming = signal<Screen | undefined>(undefined);
/** The screen that a press has chosen and that takes the place of `screen` after the next picture. */
export const comingScreen: ReadonlySignal<Screen | undefined> = coming;
let callOff = (): void => {};

/** The query of the address, with its question mark. */
const queryText = signal('');
export const query = computed(() => new URLSearchParams(queryText.value));

/** The current address and its position in the history: the page that is left when another opens. */
let shown = { url: '', depth: 0 };

function follow(): void {
  callOff();
  coming.value = undefined;
  screen.value = screenAt(location.pathname);
  queryText.value = location.search;
  shown = { url: location.href, depth: depth() };
}

/** How many of our screens lie behind this one in the history. */
function depth(): number {
  const state: unknown = history.state;
  if (typeof state !== 'object' || state === null || !('depth' in state)) return 0;
  return typeof state.depth === 'number' ? state.depth : 0;
}

/**
 * What would be lost when another screen takes the place of this one asks to stay: true when it does, and then `go`
 * leads there once that is settled. A sheet over the screen replaces no entry of the history.
 */
type Keeper = (go: () => void) => boolean;
let keeper: Keeper | undefined;

/** The last who asked is asked. Returns the function that takes it out again. */
export function keepScreen(next: Keeper): () => void {
  keeper = next;
  return () => {
    if (keeper === next) keeper = undefined;
  };
}

function withoutSheet(address: string): string {
  const url = new URL(address);
  for (const name of ['program', 'reservation']) url.searchParams.delete(name);
  return url.href;
}

function isKept(address: string, go: () => void): boolean {
  if (keeper === undefined || withoutSheet(address) === withoutSheet(shown.url)) return false;
  return keeper(go);
}

/**
 * The address changes at once. Another screen is made only after the next picture, which shows what was pressed: made in
 * the same turn, it would be part of the answer to the key. Until then the present one stays.
 * @param replace the present screen leaves no trace in the history (channel up and down)
 */
export function navigate(path: string, replace = false): void {
  const url = new URL(path, document.baseURI);
  // A key that is held down presses the link again.
  if (coming.peek() !== undefined && url.href === location.href) return;
  if (isKept(url.href, () => navigate(path, replace))) return;
  if (replace) history.replaceState({ depth: depth() }, '', url);
  else history.pushState({ depth: depth() + 1 }, '', url);
  const next = screenAt(url.pathname);
  if (next.name === screen.peek().name) {
    follow();
    return;
  }
  coming.value = next;
  callOff();
  callOff = afterPaint(follow);
}

/** Changes parts of the address's query, null takes one out; the screen stays. */
export function setQuery(changes: Readonly<Record<string, string | null>>, replace: boolean): void {
  // The address is the next screen's already.
  if (coming.peek() !== undefined) return;
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (url.href === location.href) return;
  if (replace) history.replaceState(history.state, '', url);
  else history.pushState({ depth: depth() + 1, over: true }, '', url);
  queryText.value = url.search;
  shown = { url: url.href, depth: depth() };
}

function idIn(name: string): number | undefined {
  const text = query.value.get(name) ?? '';
  return /^\d{1,16}$/u.test(text) ? Number(text) : undefined;
}

/** The programme whose sheet lies over the screen. It is in the address: Back closes it, a link opens it. */
export const shownProgram = computed(() => idIn('program') as ProgramId | undefined);
/** The reservation whose sheet does; of the two, the address names at most one. */
export const shownReservation = computed(() => idIn('reservation') as ReservationId | undefined);

function openOver(changes: Readonly<Record<string, string | null>>): void {
  const over = shownProgram.value !== undefined || shownReservation.value !== undefined;
  // A sheet opened from another takes its place.
  setQuery(changes, over);
}

export function openProgram(id: ProgramId): void {
  openOver({ program: String(id), reservation: null });
}

export function openReservation(id: ReservationId): void {
  openOver({ reservation: String(id), program: null });
}

/** Closes whichever sheet the address names. */
export function closeOver(): void {
  if (shownProgram.value === undefined && shownReservation.value === undefined) return;
  const state: unknown = history.state;
  const opened = typeof state === 'object' && state !== null && 'over' in state;
  if (opened) goBack();
  else setQuery({ program: null, reservation: null }, true);
}

const NEVER = monotonicMs(Number.NEGATIVE_INFINITY);
/** Going back takes effect a moment later: until then a second press would leave the UI. */
let goingBackSince = NEVER;
const GOING_BACK_MS = 1_000;

/** To where the viewer came from, or home when the page was opened here. */
export function goBack(): void {
  goBackOr('');
}

/** To where the viewer came from, or elsewhere when the page was opened here. */
export function goBackOr(elsewhere: string): void {
  if (monotonicMs(performance.now()) - goingBackSince < GOING_BACK_MS) return;
  if (depth() > 0) {
    goingBackSince = monotonicMs(performance.now());
    // After the picture, as in `navigate`; on its way back the browser finds the place in the page again.
    afterPaint(() => history.back());
  } else if (screen.value.name !== 'home') navigate(elsewhere, true);
}

/** Path and query of a link within the UI that a press follows here; undefined: it is the browser's. */
function pathOfLink(link: HTMLAnchorElement): string | undefined {
  if (link.target !== '' || link.hasAttribute('download')) return undefined;
  const url = new URL(link.href);
  const path = url.origin === location.origin ? pathBelow(basePath(), url.pathname) : undefined;
  if (path === undefined || path.startsWith('api/') || url.hash !== '') return undefined;
  return path + url.search;
}

/** The screen that a link leads to; undefined outside of the UI. */
export function screenOfLink(link: HTMLAnchorElement): Screen | undefined {
  const path = pathOfLink(link);
  return path === undefined ? undefined : screenOf(path.replace(/\?.*$/su, ''));
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement)) return;
  const path = pathOfLink(link);
  if (path === undefined) return;
  event.preventDefault();
  navigate(path, link.dataset.replace !== undefined);
}

/** The browser has navigated already: go back to the page that must be kept. */
let returning = false;

function onPop(): void {
  goingBackSince = NEVER;
  if (returning) {
    returning = false;
    return;
  }
  const steps = depth() - shown.depth;
  const isLeft = withoutSheet(location.href) !== withoutSheet(shown.url);
  const isKeptHere = (): boolean =>
    (steps < 0 && isLeft && browserBack()) || isKept(location.href, () => history.go(steps));
  if (steps !== 0 && isKeptHere()) {
    returning = true;
    history.go(-steps);
    return;
  }
  follow();
}

export function startRouter(): void {
  follow();
  addEventListener('popstate', onPop);
  document.addEventListener('click', onClick);
}

/** Where a recording is watched, finished or running. */
export function watchPath({
  id,
  recording,
}: {
  readonly id: RecordingId;
  readonly recording: boolean;
}): string {
  return `${recording ? 'chase' : 'watch'}/${id}`;
}
