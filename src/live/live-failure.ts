/** Refusals of live streams: a code and a Japanese sentence with the next step for each cause. */
import type { ProblemCode } from '../../wire/api.ts';
import { Failure } from '../model/failure.ts';
import type { AgentStreamErrorCode } from '../tuner/agent-stream.ts';
import { StreamFailure } from '../tuner/stream-failure.ts';

const INTERRUPTED = '放送の受信が途切れました。少し待ってから、もう一度お試しください。';

const SILENT =
  'チューナーエージェントとの通信が途絶えました。ネットワークと svc-agent の動作を確認してください。';

const REFUSALS: Readonly<Record<AgentStreamErrorCode, readonly [code: ProblemCode, sentence: string]>> = {
  tuners_busy: [
    'no_tuner',
    'チューナーがすべて使われています。録画やほかの視聴が終わってから、もう一度お試しください。',
  ],
  no_signal: [
    'no_signal',
    '放送を受信できません。放送休止中でなければ、アンテナの接続と受信状態を確認してください。',
  ],
  silent: ['agent_unavailable', SILENT],
  agent_silent: ['agent_unavailable', SILENT],
  ended: ['no_signal', INTERRUPTED],
  agent_unreachable: [
    'agent_unavailable',
    'チューナーエージェントに接続できません。svc-agent が動いているか確認してください。',
  ],
  agent_misconfigured: [
    'agent_misconfigured',
    'チューナーの設定に誤りがあるため受信できません。「チューナー」画面で設定を確認してください。',
  ],
};

/** Answer to the client of a live stream; failures other than the agent's are unchanged. */
export function liveFailure(failure: Failure): Failure {
  if (!(failure instanceof StreamFailure)) return failure;
  const { code, reason } = failure.problem;
  return new Failure(...REFUSALS[code], { cause: reason });
}
