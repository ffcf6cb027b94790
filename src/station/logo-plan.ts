/**
 * Selects the next channels for logos: a pure function of the stations, the stored logos, the tuners and past
 * attempts. Tunings of other uses are shared; otherwise one channel at a time is opened in quiet times, on an unused
 * tuner. `logo-collector.ts` executes it.
 */
import type { BroadcastType, NetworkId, StationId, TransportStreamId } from '../../lib/arib/ids.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { isOldLogo, isSmall, type LogoRecord } from '../model/logo.ts';
import type { StationRecord } from '../model/station.ts';
import type { LogoCarrier } from '../reception/survey-types.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';
import { isUnused } from '../tuner/tuner-list.ts';

export interface LogoTry {
  /** When it ended, epoch ms. */
  at: WallMs;
  /** Consecutive attempts without a logo. */
  fruitless: number;
  /** It was interrupted, so that a missing logo says nothing about the channel. */
  cut: boolean;
  /** The channel was opened for it. */
  own: boolean;
}

export interface RunningLogo {
  type: BroadcastType;
  channel: string;
  /** Opened only for logos. */
  own: boolean;
}

export interface LogoPlanInput {
  stations: readonly StationRecord[];
  held: ReadonlyMap<StationId, Pick<LogoRecord, 'type' | 'fetchedAt'>>;
  /** Sources of satellite logos by the networks' NIT; absent: unknown yet. */
  carriers: ReadonlyMap<NetworkId, readonly LogoCarrier[]>;
  tuners: readonly Tuner[];
  /** By `GR/T27`. */
  tries: ReadonlyMap<string, LogoTry>;
  running: readonly RunningLogo[];
  /** No channel may be opened now. */
  busy: boolean;
  now: WallMs;
}

export interface LogoTarget {
  type: BroadcastType;
  channel: string;
  /** Stations whose logos are expected there. */
  wanted: StationRecord[];
}

interface LogoPlan {
  share: LogoTarget[];
  own: LogoTarget | null;
  /** Shared tunings without another user. */
  leave: RunningLogo[];
}

/** Limit: each reads a complete stream. */
const MOST_SHARED = 2;
const CUT_RETRY_MS = 2 * 60_000;
/** Sharing costs no tuner, and the next tuning of the other user may begin at once. */
const SHARED_RETRY_MS = 10_000;
const RETRY_MS = 30 * 60_000;
const MAX_RETRY_MS = 24 * 3_600_000;

export function logoKey({ type, channel }: { type: BroadcastType; channel: string }): string {
  return `${type}/${channel}`;
}

export function logoUse(at: { type: BroadcastType; channel: string }): string {
  return STREAM_USE.logo(at.type, at.channel);
}

export function needsLogo(
  station: Pick<StationRecord, 'type'>,
  held: Pick<LogoRecord, 'type' | 'fetchedAt'> | undefined,
  now: WallMs,
): boolean {
  if (held === undefined || isOldLogo(held, now)) return true;
  return station.type === 'GR' && isSmall(held.type);
}

/** Earliest time of the next attempt on a channel. */
export function mayTryAt(last: LogoTry | undefined, now: WallMs): number {
  // An attempt in the future: the clock was set back.
  if (last === undefined || last.at > now) return 0;
  if (last.cut) return last.at + (last.own ? CUT_RETRY_MS : SHARED_RETRY_MS);
  return last.at + Math.min(RETRY_MS * 2 ** Math.max(0, last.fruitless - 1), MAX_RETRY_MS);
}

/** The channels with a needed logo, in the order of the station list. */
export function logoTargets(input: Omit<LogoPlanInput, 'tuners' | 'running' | 'busy'>): LogoTarget[] {
  const { stations, held, carriers, tries, now } = input;
  const needy = stations.filter((station) => needsLogo(station, held.get(station.id), now));
  const satellite = needy.filter((station) => station.type !== 'GR');
  const targets = new Map<string, LogoTarget>();
  for (const station of stations) {
    const key = logoKey(station);
    if (targets.has(key) || mayTryAt(tries.get(key), now) > now) continue;
    const { type, channel } = station;
    const wanted =
      type === 'GR'
        ? needy.filter((other) => other.type === type && other.channel === channel)
        : promisesLogos(station, carriers)
          ? satellite
          : [];
    if (wanted.length > 0) targets.set(key, { type, channel, wanted });
  }
  return [...targets.values()];
}

/**
 * Whether a satellite stream carries logos, or its NIT could show which one does. The carousel of BS also has the
 * logos of CS, and the CS networks have none of their own: they are read once.
 */
function promisesLogos(
  { networkId, transportStreamId }: StationRecord,
  carriers: LogoPlanInput['carriers'],
): boolean {
  const known = carriers.get(networkId);
  if (known === undefined) return true;
  return known.some((carrier) => isCarrier(carrier, networkId, transportStreamId));
}

function isCarrier(carrier: LogoCarrier, network: NetworkId, stream: TransportStreamId | null): boolean {
  return carrier.networkId === network && carrier.transportStreamId === stream;
}

function isOn({ tuned }: Tuner, { type, channel }: { type: BroadcastType; channel: string }): boolean {
  return tuned?.type === type && tuned.channel === channel;
}

/** It has a user other than those that take what is there anyway: collecting logos and stills. */
function isOpenedByOthers(tuner: Tuner): boolean {
  return tuner.state === 'tuned' && tuner.users.some((user) => !/^(?:logo|still) /.test(user.use));
}

export function planLogos(input: LogoPlanInput): LogoPlan {
  const { tuners, running, busy } = input;
  const open = tuners.filter(isOpenedByOthers);
  const leave = running.filter((one) => !one.own && !open.some((tuner) => isOn(tuner, one)));
  const active = new Set(running.map(logoKey));
  // One reading of the satellites' carousel returns everything.
  const satelliteBusy = running.some(({ type }) => type !== 'GR');
  const targets = logoTargets(input).filter(
    (target) => !active.has(logoKey(target)) && !(satelliteBusy && target.type !== 'GR'),
  );
  const shared = running.filter((one) => !one.own).length;
  const share = targets
    .filter((target) => open.some((tuner) => isOn(tuner, target)))
    .slice(0, Math.max(0, MOST_SHARED - shared));
  if (busy || running.some((one) => one.own)) return { share, own: null, leave };
  const own = targets.find(
    (target) =>
      !open.some((tuner) => isOn(tuner, target)) && tuners.some((tuner) => isUnused(tuner, target.type)),
  );
  return { share, own: own ?? null, leave };
}
