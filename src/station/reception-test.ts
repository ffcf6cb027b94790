/**
 * A short reception test of one channel, for installing an antenna: whether it is received, its signal quality, and
 * whether it is descrambled.
 */
import { settlesWithin } from '../../lib/host/deadline.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { ReceptionTest, ReceptionTestRequest } from '../../lib/wire/scan.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import type { ChannelSurveys } from '../reception/channel-survey.ts';
import type { SurveyResult } from '../reception/survey-types.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';
import { surveyMessage } from './scan-progress.ts';

interface ReceptionTestOptions {
  agent: { tuners(signal?: AbortSignal): Promise<Tuner[]> };
  surveys: Pick<ChannelSurveys, 'survey'>;
  /** Total time limit, tuning included, ms. */
  limitMs?: number;
  /** Interval of reading the signal, ms. */
  pollMs?: number;
}

/** 5 s to tune, and the tables (NIT: every 10 s) as far as they arrive; the page waits 15 s. */
const LIMIT_MS = 10_000;
const POLL_MS = 500;

export class ReceptionTests {
  #isRunning = false;
  readonly #closing = new AbortController();

  constructor(private readonly options: ReceptionTestOptions) {}

  /** One at a time. @throws Failure conflict */
  async run(request: ReceptionTestRequest): Promise<ReceptionTest> {
    if (this.#isRunning) throw new Failure('conflict', '受信テストはすでに実行中です。');
    this.#isRunning = true;
    try {
      return await this.#run(request);
    } finally {
      this.#isRunning = false;
    }
  }

  close(): void {
    this.#closing.abort(new Error('closed'));
  }

  async #run({ type, channel }: ReceptionTestRequest): Promise<ReceptionTest> {
    const { surveys, limitMs = LIMIT_MS, pollMs = POLL_MS } = this.options;
    const stream = { type, channel, priority: PRIORITY.scan, use: STREAM_USE.scan(channel) };
    const order = { request: stream, limitMs, task: { kind: 'scan' as const, type } };
    let result: SurveyResult | undefined;
    const survey = surveys.survey(order, this.#closing.signal).then((value) => {
      result = value;
    });
    // A tuner that locks but receives no packets only shows its signal while it is tuned.
    let seen: Tuner | undefined;
    while (result === undefined) {
      await settlesWithin(pollMs, survey);
      seen = (await this.#tunerOn(type, channel)) ?? seen;
    }
    return { type, channel, ...received(result), ...reception(seen) };
  }

  /** The tuner that receives the channel, including the seconds that the agent keeps it afterwards. */
  async #tunerOn(type: Tuner['types'][number], channel: string): Promise<Tuner | undefined> {
    // An unavailable agent is reported by the survey.
    const tuners = await this.options.agent.tuners(this.#closing.signal).catch(() => []);
    return tuners.find(({ tuned }) => tuned?.type === type && tuned.channel === channel);
  }
}

function received(result: SurveyResult): Pick<ReceptionTest, 'received' | 'message'> {
  // The test only checks that a broadcast was received, not its tables.
  if (result.outcome === 'complete' || result.outcome === 'partial') return { received: true, message: null };
  return { received: false, message: surveyMessage(result) };
}

function reception(
  tuner: Tuner | undefined,
): Pick<ReceptionTest, 'tuner' | 'signal' | 'stats' | 'keyFailure'> {
  if (tuner === undefined) return { tuner: null, signal: null, stats: null, keyFailure: null };
  const { id, name, signal, stats, descrambling } = tuner;
  return { tuner: { id, name }, signal, stats, keyFailure: descrambling?.failure ?? null };
}
