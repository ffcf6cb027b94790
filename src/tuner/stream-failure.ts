/** Maps errors of opening an agent's stream to failures for clients: the one table of codes and sentences. */
import type { ProblemCode } from '../../wire/api.ts';
import { Failure } from '../model/failure.ts';
import type { AgentStreamErrorCode } from './agent-stream.ts';

export interface StreamProblem {
  code: AgentStreamErrorCode;
  /** For the log. */
  reason: string;
  /** The agent's own sentence in Japanese, if it sent one. */
  sentence: string | null;
}

const PROBLEMS: Record<AgentStreamErrorCode, readonly [code: ProblemCode, sentence: string]> = {
  tuners_busy: ['no_tuner', 'チューナーがすべて使用中です'],
  no_signal: ['no_signal', '放送を受信できません。放送休止中か、電波が届いていない可能性があります'],
  silent: ['agent_unavailable', 'チューナーエージェントとの通信が途絶えました'],
  agent_silent: ['agent_unavailable', 'チューナーエージェントから応答がありません'],
  ended: ['no_signal', '放送の受信が途切れました'],
  agent_unreachable: ['agent_unavailable', 'チューナーエージェントに接続できません'],
  agent_misconfigured: [
    'agent_misconfigured',
    'チューナーエージェントの設定に誤りがあるため受信できません。チューナー画面を確認してください',
  ],
};

/** The failure to throw to the caller that requested the stream. */
export function streamFailure(problem: StreamProblem): StreamFailure {
  return new StreamFailure(problem);
}

/** The sentence alone, for lists of failures. */
export function streamSentence(code: AgentStreamErrorCode): string {
  return PROBLEMS[code][1];
}

/** A `Failure` that keeps the original error code, which is more specific than a `ProblemCode`. */
export class StreamFailure extends Failure {
  constructor(readonly problem: StreamProblem) {
    super(...PROBLEMS[problem.code], { cause: problem.reason });
  }
}
