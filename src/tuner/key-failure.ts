/**
 * Why a station stays scrambled, as reported by the agent: the message for viewers and the cause for a recording's
 * verdict.
 */
import type { ServiceId } from '../../arib/ids.ts';
import type { Channel, KeyFailureCode, Tuner } from '../../wire/agent.ts';
import type { ProblemCode } from '../../wire/api.ts';
import { KEY_FAILURE_WORDS } from '../../wire/key-failure.ts';
import { Failure } from '../model/failure.ts';
import type { GapCause } from '../model/verdict.ts';

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

/** The cause in a verdict. */
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
