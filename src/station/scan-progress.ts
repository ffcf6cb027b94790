/**
 * State of a scan: waiting, running, found and failed channels, and the transition at each survey's end. Pure;
 * `channel-scan.ts` acts.
 */
import { type BroadcastType, type ServiceId, serviceId } from '../../lib/arib/ids.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import type { ScanFailed } from '../../lib/wire/api.ts';
import { isWorthListing } from '../model/station.ts';
import type { ScannedStream, SurveyOutcome, SurveyResult } from '../reception/survey-types.ts';

export interface ScanChannel {
  type: BroadcastType;
  channel: string;
}

const two = (number: number): string => String(number).padStart(2, '0');

function numbers(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
}

const RANGES: Record<BroadcastType, readonly string[]> = {
  /** Channels 53 to 62 have not been used for television since 2012. */
  GR: numbers(13, 52, 1).map((number) => `T${two(number)}`),
  /** Every transponder has up to four streams, numbered by their position. */
  BS: numbers(1, 23, 2).flatMap((number) => [0, 1, 2, 3].map((slot) => `BS${two(number)}_${slot}`)),
  CS: numbers(2, 24, 2).map((number) => `CS${two(number)}`),
};

export function scanRange(types: readonly BroadcastType[]): ScanChannel[] {
  return types.flatMap((type) => RANGES[type].map((channel) => ({ type, channel })));
}

/** `BS13_1` → transponder `BS13`, slot 1; undefined for channels with one stream. */
function splitSlot(channel: string): { transponder: string; slot: number } | undefined {
  const match = /^(BS\d{2})_(\d)$/.exec(channel);
  return match?.[1] === undefined ? undefined : { transponder: match[1], slot: Number(match[2]) };
}

export interface ScanTask extends ScanChannel {
  attempt: 1 | 2;
}

interface Failed extends ScanFailed {
  outcome: SurveyOutcome;
}

export interface ScanProgress {
  types: readonly BroadcastType[];
  waiting: ScanTask[];
  running: ScanTask[];
  /** Completed surveys, including second attempts. */
  done: number;
  total: number;
  found: Channel[];
  failed: Failed[];
  /** Number of streams on a transponder according to the NIT, by its name; from its streams that were found. */
  slots: Map<string, number>;
}

export function beginScan(types: readonly BroadcastType[]): ScanProgress {
  const waiting = scanRange(types).map((channel) => ({ ...channel, attempt: 1 as const }));
  return {
    types,
    waiting,
    running: [],
    done: 0,
    total: waiting.length,
    found: [],
    failed: [],
    slots: new Map(),
  };
}

function isSame(a: ScanChannel, b: ScanChannel): boolean {
  return a.type === b.type && a.channel === b.channel;
}

export function startTask(progress: ScanProgress, task: ScanTask): void {
  progress.waiting = progress.waiting.filter((other) => !isSame(other, task));
  progress.running.push(task);
}

/**
 * Ends of a first reading after which the channel is read again: something was received, or agent or
 * program failed. A channel without a signal costs a tuner the whole lock time, and most channels of a region are empty.
 */
const READ_AGAIN: ReadonlySet<SurveyOutcome> = new Set([
  'complete',
  'unreachable',
  'crashed',
  'partial',
  'broken',
]);

/** Applies the end of a survey. A channel that had a signal and failed is read again after all others. */
export function settleTask(progress: ScanProgress, task: ScanTask, result: SurveyResult): void {
  progress.running = progress.running.filter((other) => !isSame(other, task));
  if (result.outcome === 'no_tuner' || result.outcome === 'cancelled') {
    // Not examined: it stays queued, before the others of its kind.
    progress.waiting.unshift(task);
    return;
  }
  progress.done += 1;
  const { stream } = result.findings;
  if (stream !== undefined) {
    settleFound(progress, task, stream);
    return;
  }
  if (task.attempt === 1 && READ_AGAIN.has(result.outcome) && !isAbsentSlot(progress, task)) {
    progress.waiting.push({ ...task, attempt: 2 });
    progress.total += 1;
    return;
  }
  fail(progress, task, result.outcome, failureMessage(progress, task, result));
}

/** Fails all waiting channels. */
export function giveUp(progress: ScanProgress, outcome: SurveyOutcome): void {
  for (const task of progress.waiting) {
    progress.done += 1;
    fail(progress, task, outcome, MESSAGES[outcome]);
  }
  progress.waiting = [];
}

function settleFound(progress: ScanProgress, task: ScanTask, stream: ScannedStream): void {
  const slot = splitSlot(task.channel);
  if (slot !== undefined && stream.transponder.length > 0) {
    progress.slots.set(slot.transponder, stream.transponder.length);
  }
  const channel = toChannel(task, stream);
  if (channel.stations.length === 0) {
    fail(progress, task, 'complete', '録画できる局がありません');
    return;
  }
  const same = progress.found.find(
    (other) =>
      other.type === task.type && other.networkId === channel.networkId && other.tsid === channel.tsid,
  );
  // A tuner may return a neighbour's stream for a slot that does not exist. Several terrestrial channels may carry
  // the same stream (relay transmitters): all are kept, the import uses the first.
  if (same === undefined || task.type === 'GR') {
    progress.found.push(channel);
    return;
  }
  const [keep, drop] = same.channel <= task.channel ? [same, channel] : [channel, same];
  progress.found = progress.found.map((other) => (other === same ? keep : other));
  fail(progress, drop, 'complete', `${keep.channel} と同じ放送です`);
}

function fail(progress: ScanProgress, at: ScanChannel, outcome: SurveyOutcome, message: string): void {
  progress.failed.push({ type: at.type, channel: at.channel, message, outcome });
}

/** The NIT of the transponder has fewer streams. */
function isAbsentSlot(progress: ScanProgress, task: ScanTask): boolean {
  const place = splitSlot(task.channel);
  return place !== undefined && place.slot >= (progress.slots.get(place.transponder) ?? 4);
}

function toChannel(task: ScanTask, stream: ScannedStream): Channel {
  const { networkId, transportStreamId, remoteControlKey } = stream;
  const stations = stream.services
    .filter(({ serviceId, serviceType }) => isWorthListing(task.type, serviceId, serviceType))
    .map(({ serviceId, name, serviceType }) => ({
      serviceId,
      name: name.slice(0, 256),
      serviceType,
      remoteControlKey: task.type === 'GR' ? remoteControlKey : null,
    }))
    .sort((a, b) => a.serviceId - b.serviceId);
  const unique = new Map<ServiceId, Channel['stations'][number]>();
  for (const station of stations) {
    const id = serviceId(station.serviceId);
    if (!unique.has(id)) unique.set(id, station);
  }
  return {
    type: task.type,
    channel: task.channel,
    tsid: transportStreamId,
    networkId,
    stations: [...unique.values()].slice(0, 256),
  };
}

const MESSAGES: Record<SurveyOutcome, string> = {
  complete: '録画できる局がありません',
  no_tuner: '空いているチューナーがありませんでした',
  refused: '選局できませんでした',
  no_signal: '電波を受信できませんでした',
  unreachable: 'チューナーエージェントに接続できませんでした',
  unreadable: '届いた信号を放送として読めませんでした',
  partial: '放送局の情報（NIT と SDT）が時間内に届きませんでした',
  broken: '受信が途中で切れました',
  crashed: '調べている途中で受信処理が止まりました',
  cancelled: '中止しました',
};

function failureMessage(progress: ScanProgress, task: ScanTask, result: SurveyResult): string {
  if (isAbsentSlot(progress, task)) return 'このスロットに放送はありません';
  if (result.findings.contradiction !== undefined) return result.findings.contradiction;
  return surveyMessage(result);
}

/** Why a survey found nothing, Japanese: the agent's own sentence if it sent one. */
export function surveyMessage(result: SurveyResult): string {
  const isSentence = result.outcome === 'refused' && result.reason !== null;
  return isSentence && !/^HTTP \d+$/.test(result.reason ?? '')
    ? (result.reason ?? '')
    : MESSAGES[result.outcome];
}

/** Types for which at least one channel was found. */
export function foundTypes(progress: ScanProgress): BroadcastType[] {
  return progress.types.filter((type) => progress.found.some((channel) => channel.type === type));
}

/** Outcomes without information about the channel, because it was never read. */
const UNSEEN: ReadonlySet<SurveyOutcome> = new Set(['no_tuner', 'unreachable', 'crashed', 'cancelled']);

/** Channels of the found types that could not be read. */
export function unseenChannels(progress: ScanProgress): Failed[] {
  const types = foundTypes(progress);
  return progress.failed.filter(({ type, outcome }) => types.includes(type) && UNSEEN.has(outcome));
}

/**
 * The agent's table after the scan: found channels for the types that were found, previous ones for all others. A
 * channel that could not be read keeps its entry, unless its stream was found elsewhere.
 */
export function scannedTable(before: readonly Channel[], progress: ScanProgress): Channel[] {
  const replaced = foundTypes(progress);
  const order = new Map(scanRange(replaced).map(({ type, channel }, index) => [`${type}/${channel}`, index]));
  const place = (channel: Channel): number => order.get(`${channel.type}/${channel.channel}`) ?? 0;
  const found = progress.found.filter((channel) => replaced.includes(channel.type));
  const unseen = unseenChannels(progress);
  const kept = before.filter(
    (channel) =>
      unseen.some((other) => isSame(other, channel)) &&
      !found.some((other) => other.tsid === channel.tsid && other.networkId === channel.networkId),
  );
  const others = before.filter((channel) => !replaced.includes(channel.type));
  return [...[...found, ...kept].sort((a, b) => place(a) - place(b)), ...others];
}

/** Displayable reason why nothing was found: that of most channels, if they agree. */
export function nothingFound(progress: ScanProgress): string {
  const counts = new Map<string, number>();
  for (const { message } of progress.failed) counts.set(message, (counts.get(message) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  const advice = 'アンテナの接続とチューナーの設定を確認してください。前の局はそのまま残しました。';
  if (most === undefined) return `放送が一つも見つかりませんでした。${advice}`;
  return `放送が一つも見つかりませんでした（${progress.failed.length} チャンネル中 ${most[1]} で「${most[0]}」）。${advice}`;
}
