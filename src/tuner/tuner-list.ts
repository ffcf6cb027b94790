/**
 * Queries on the agent's tuner list: which tuner supports which type; why a station stays scrambled, for viewers and for a
 * recording's verdict; why a running stream sends nothing.
 */
import type { BroadcastType, ServiceId } from '../../lib/arib/ids.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { ProblemCode } from '../../lib/wire/api.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import type { KeyFailureCode } from '../../lib/wire/key-failure.ts';
import { KEY_FAILURE_WORDS } from '../../lib/wire/key-failure.ts';
import { Failure } from '../model/failure.ts';
export function canServe(tuner: Tuner, type: BroadcastType): boolean {
  return !tuner.disabled && tuner.rank !== null && tuner.types.includes(type);
}

export function hasTunerFor(tuners: readonly Tuner[], type: BroadcastType): boolean {
  return tuners.some((tuner) => canServe(tuner, type));
}

/** Whether the tuner could receive the type without anything else losing it. */
export function isUnused(tuner: Tuner, type: BroadcastType): boolean {
  const isFree = tuner.users.length === 0 && (tuner.state === 'idle' || tuner.state === 'lingering');
  return isFree && canServe(tuner, type);
}

interface Meaning {
  readonly code: ProblemCode;
  readonly cause: GapCause;
}

const MEANINGS: Readonly<Record<KeyFailureCode, Meaning>> = {
  no_library: { code: 'card_unavailable', cause: 'card_software' },
  no_daemon: { code: 'card_unavailable', cause: 'card_software' },
  no_reader: { code: 'card_unavailable', cause: 'card_reader_missing' },
  no_card: { code: 'card_unavailable', cause: 'card_missing' },
  unsuitable_card: { code: 'card_unavailable', cause: 'card_unsuitable' },
  not_subscribed: { code: 'not_subscribed', cause: 'not_subscribed' },
  card_error: { code: 'card_unavailable', cause: 'card_failed' },
  timeout: { code: 'card_unavailable', cause: 'card_failed' },
  unreachable: { code: 'card_unavailable', cause: 'card_share_failed' },
  no_answer: { code: 'card_unavailable', cause: 'card_share_failed' },
  not_shared: { code: 'card_unavailable', cause: 'card_share_failed' },
  refused: { code: 'card_unavailable', cause: 'card_share_failed' },
};

/** The sentence for viewers. */
export function keyFailureProblem(failure: KeyFailureCode): Failure {
  const { what, next } = KEY_FAILURE_WORDS[failure];
  return new Failure(MEANINGS[failure].code, `${what}${next}`, { cause: `no keys: ${failure}` });
}

export function keyFailureCause(failure: KeyFailureCode): GapCause {
  return MEANINGS[failure].cause;
}

/** A station being received, and its tuner. */
interface ReceivedStation extends Pick<Channel, 'type' | 'channel'> {
  readonly serviceId: ServiceId;
  readonly tunerId: string;
}

/** @throws Failure if the agent does not respond */
export type KeyFailureQuery = (station: ReceivedStation) => Promise<KeyFailureCode | undefined>;

/** Why the station stays scrambled; undefined: it has keys, or the tuner receives another channel by now. */
export function keyFailureOf(
  tuners: readonly Tuner[],
  { type, channel, serviceId, tunerId }: ReceivedStation,
): KeyFailureCode | undefined {
  const tuner = tuners.find(({ id }) => id === tunerId);
  if (tuner?.tuned?.type !== type || tuner.tuned.channel !== channel) return undefined;
  const { failure = null, programs } = tuner.descrambling ?? {};
  if (programs === undefined) return failure ?? undefined;
  return programs.find((program) => program.serviceId === serviceId)?.failure;
}

/** Undefined: not known yet. */
export type SilenceQuery = (tunerId: string) => Promise<'agent_silent' | 'stalled' | undefined>;

/** The agent answers from memory; and it is asked again every second. */
const ANSWER_MS = 2_500;

/**
 * Why a running stream of the agent sends nothing: the tuner receives nothing, or the data does not arrive here. An
 * agent that also does not answer other requests is silent altogether.
 * @param tuners rejects if the agent does not answer
 */
export function silenceQuery(tuners: (signal: AbortSignal) => Promise<readonly Tuner[]>): SilenceQuery {
  /** Packets of each tuner when it was last asked about. */
  const before = new Map<string, number>();
  return async (tunerId) => {
    let packets: number | undefined;
    try {
      const list = await tuners(AbortSignal.timeout(ANSWER_MS));
      packets = list.find(({ id }) => id === tunerId)?.stats?.packets;
    } catch {
      before.delete(tunerId);
      return 'agent_silent';
    }
    const known = before.get(tunerId);
    if (packets === undefined) before.delete(tunerId);
    else before.set(tunerId, packets);
    if (packets === undefined || known === undefined) return undefined;
    // Its counters begin again with each tuning.
    return packets > known ? 'agent_silent' : 'stalled';
  };
}
