/** A tuning at the agent: one HTTP stream, read as it comes, with a limit on every wait. */

import { AnswerTooLarge, boundedText } from '../../host/bounded-text.ts';
import { TUNER_HEADER } from '../../wire/agent.ts';

/** Why no stream came; the words are those of `ProblemCode`. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  constructor(
    readonly code: 'no_tuner' | 'agent_unavailable',
    /** The agent's own words, or the system's. */
    message: string,
  ) {
    super(message);
  }
}

export interface Source {
  tunerId: string | null;
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** A USB tuner may take 15 s to lock; a handover of another tuner comes before that. */
const TUNING_TIMEOUT_MS = 30_000;
const MAX_ERROR_BYTES = 4096;
/** Every tuner taken; tuning failed. Anything else means that the agent is not the one that was expected. */
const TUNING_ERRORS: ReadonlySet<number> = new Set([409, 500]);

/**
 * Opens a stream of the agent.
 * @throws SourceFailure, or the abort reason.
 */
export async function openSource(url: string, signal: AbortSignal): Promise<Source> {
  const limit = AbortSignal.timeout(TUNING_TIMEOUT_MS);
  const opening = new AbortController();
  const stop = (): void => opening.abort();
  signal.addEventListener('abort', stop, { once: true });
  limit.addEventListener('abort', stop, { once: true });
  try {
    const response = await fetch(url, { signal: opening.signal, decompress: false });
    if (!response.ok) {
      const code = TUNING_ERRORS.has(response.status) ? 'no_tuner' : 'agent_unavailable';
      throw new SourceFailure(code, (await refusal(response)) ?? `HTTP ${response.status}`);
    }
    if (response.body === null) throw new SourceFailure('no_tuner', 'empty answer');
    return { tunerId: response.headers.get(TUNER_HEADER), body: response.body };
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    if (signal.aborted) throw signal.reason;
    if (limit.aborted) throw new SourceFailure('no_tuner', 'tuning timed out');
    throw new SourceFailure('agent_unavailable', error instanceof Error ? error.message : String(error));
  } finally {
    limit.removeEventListener('abort', stop);
  }
}

/** The agent's reason; an answer that is longer than any is none. */
async function refusal(response: Response): Promise<string | undefined> {
  try {
    return errorText(await boundedText(response, MAX_ERROR_BYTES));
  } catch (error) {
    if (error instanceof AnswerTooLarge) return undefined;
    throw error;
  }
}

function errorText(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || !('message' in parsed)) return undefined;
    return typeof parsed.message === 'string' ? parsed.message : undefined;
  } catch {
    return undefined;
  }
}
