/** Lists that clients poll: JSON with an ETag, 304 for clients that already have it. RFC 9110, 13.1.2. */
import type { TSchema } from '@sinclair/typebox';
import { matchesEtag } from './request.ts';

export interface PolledAnswer {
  /** With quotes. */
  readonly etag: string;
  /** JSON. */
  readonly body: string;
}

/** With quotes; differs for different texts. */
export function etagOf(body: string): string {
  return `"${Bun.hash(body).toString(36)}"`;
}

/** Converts a value to such a response. */
export function polledAnswer(value: unknown): PolledAnswer {
  const body = JSON.stringify(value);
  return { body, etag: etagOf(body) };
}

/** Bodies of answers that take long to write, each until its entity tag changes. The least recently used are dropped. */
export class AnswerCache {
  readonly #kept = new Map<string, PolledAnswer>();
  #characters = 0;

  /** @param limit characters, of one or two octets */
  constructor(private readonly limit: number) {}

  /** @param key what is asked for @param etag its present version, read before `write` reads it */
  async answer(key: string, etag: string, write: () => Promise<string>): Promise<PolledAnswer> {
    const kept = this.#kept.get(key);
    const answer = kept?.etag === etag ? kept : { etag, body: await write() };
    this.#drop(key);
    this.#kept.set(key, answer);
    this.#characters += answer.body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.limit) break;
      this.#drop(oldest);
    }
    return answer;
  }

  #drop(key: string): void {
    this.#characters -= this.#kept.get(key)?.body.length ?? 0;
    this.#kept.delete(key);
  }
}

/** Private to the client, revalidated on every use. */
function headersOf(etag: string): Record<string, string> {
  // Weak: the same content is sent with and without compression.
  return { etag: `W/${etag}`, 'cache-control': 'private, no-cache', 'content-type': 'application/json' };
}

/** 304 if the client has this version; undefined otherwise. */
export function notModified(request: Request, etag: string): Response | undefined {
  if (!matchesEtag(request.headers.get('if-none-match'), etag)) return undefined;
  return new Response(null, { status: 304, headers: headersOf(etag) });
}

export function polledJson(request: Request, { etag, body }: PolledAnswer): Response {
  return notModified(request, etag) ?? new Response(body, { headers: headersOf(etag) });
}

/** The 200 and the 304 of such a list, for the description: its body is written, not validated. */
export function polledResponses(description: string, schema: TSchema) {
  const etag = { schema: { type: 'string' as const }, description: 'changes with the content' };
  return {
    200: {
      description,
      headers: { etag },
      content: { 'application/json': { schema: JSON.parse(JSON.stringify(schema)) } },
    },
    304: { description: 'unchanged since `If-None-Match`', headers: { etag } },
  };
}
