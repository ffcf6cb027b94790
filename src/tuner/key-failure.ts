/** Why a station stays scrambled, as the agent tells it: what it is for a viewer and in a recording's verdict. */
import type { ServiceId } from '../../arib/ids.ts';
import type { Channel, KeyFailureCode, Tuner } from '../../wire/agent.ts';
import type { ProblemCode } from '../../wire/api.ts';
import { Failure } from '../model/failure.ts';
import type { GapCause } from '../model/verdict.ts';

interface Meaning {
  readonly code: ProblemCode;
  readonly cause: GapCause;
  /** Japanese, with the next step. */
  readonly sentence: string;
}

const MEANINGS: Readonly<Record<KeyFailureCode, Meaning>> = {
  no_library: {
    ...{ code: 'card_unavailable', cause: 'card_software' },
    sentence:
      'カードを読むためのソフトウェアがサーバーに入っていません。pcscd と libpcsclite1 をインストールしてください。',
  },
  no_daemon: {
    ...{ code: 'card_unavailable', cause: 'card_software' },
    sentence:
      'カードを読むためのソフトウェア（pcscd）が動いていません。サーバーで pcscd を起動してください。',
  },
  no_reader: {
    ...{ code: 'card_unavailable', cause: 'card_reader_missing' },
    sentence: 'カードリーダーが見つかりません。サーバーにカードリーダーをつないでください。',
  },
  no_card: {
    ...{ code: 'card_unavailable', cause: 'card_missing' },
    sentence: 'カードが入っていません。カードリーダーに B-CAS カードを差し込んでください。',
  },
  unsuitable_card: {
    ...{ code: 'card_unavailable', cause: 'card_unsuitable' },
    sentence: '入っているカードはこの放送に使えません。B-CAS カードを、向きを確かめて差し込んでください。',
  },
  not_subscribed: {
    ...{ code: 'not_subscribed', cause: 'not_subscribed' },
    sentence: 'このチャンネルは、入っているカードでは契約されていません。',
  },
  card_error: {
    ...{ code: 'card_unavailable', cause: 'card_failed' },
    sentence: 'カードが正しく応答しません。カードを抜き差しするか、別のカードリーダーでお試しください。',
  },
  timeout: {
    ...{ code: 'card_unavailable', cause: 'card_failed' },
    sentence: 'カードが時間内に応答しません。カードとカードリーダーの接続を確かめてください。',
  },
  unreachable: {
    ...{ code: 'card_unavailable', cause: 'card_share_failed' },
    sentence:
      'カードを共有している相手（CARD_URL）につながりません。相手の svc-agent が動いているか確かめてください。',
  },
  refused: {
    ...{ code: 'card_unavailable', cause: 'card_share_failed' },
    sentence:
      'カードを共有している相手（CARD_URL）に断られました。相手の CARD_SHARE_NETWORKS を確かめてください。',
  },
};

/** What a viewer is told. */
export function keyFailureProblem(failure: KeyFailureCode): Failure {
  const { code, sentence } = MEANINGS[failure];
  return new Failure(code, sentence, { cause: `no keys: ${failure}` });
}

/** What a verdict tells. */
export function keyFailureCause(failure: KeyFailureCode): GapCause {
  return MEANINGS[failure].cause;
}

/** The station as it is received, and on which tuner. */
export interface ReceivedStation extends Pick<Channel, 'type' | 'channel'> {
  readonly serviceId: ServiceId;
  readonly tunerId: string;
}

/** @throws Failure where the agent does not answer */
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
