/** One attack attempt and the check that it failed. */
import { connect } from 'node:net';
import { type GuardedHome, OUTSIDE } from './guarded-home.ts';

export interface Attempt {
  /** The attempt, as listed in the table of `docs/security.md`. */
  tries: string;
  /** The expected outcome. */
  happens: string;
  /** @throws when the outcome differs */
  run: (home: GuardedHome) => Promise<void>;
}

/** Timeout of a response. */
const LIMIT_MS = 10_000;

/** Sends unmodified bytes. @param from local address to connect from @returns the received data */
export function raw(home: GuardedHome, text: string, from = '127.0.0.1'): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port: home.port, host: '127.0.0.1', localAddress: from });
    socket.setTimeout(LIMIT_MS, () => socket.destroy());
    socket.on('connect', () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', () => {});
  });
}

/** A raw GET from outside the trusted networks. @param lines further header lines */
export function rawGet(target: string, lines: readonly string[] = []): string {
  const headers = ['Host: 127.0.0.1', 'X-Forwarded-For: 203.0.113.5', 'Connection: close', ...lines];
  return `GET ${target} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
}

/** Status of a raw response; 0: the connection was closed without one. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 0);
}

export function expectOneOf(found: number, wanted: readonly number[]): void {
  if (!wanted.includes(found)) throw new Error(`status ${found} instead of ${wanted.join(' or ')}`);
}

export function expectThat(is: boolean, what: string): void {
  if (!is) throw new Error(`not true: ${what}`);
}

/** An attempt: a request from outside with these headers gets this status. */
export function answered(
  status: number | readonly number[],
  path: string,
  headers: (home: GuardedHome) => Record<string, string> = () => ({}),
  init: RequestInit = {},
): Attempt['run'] {
  return async (home) => {
    const response = await home.send(path, { ...init, headers: { ...OUTSIDE, ...headers(home) } });
    await response.body?.cancel();
    expectOneOf(response.status, typeof status === 'number' ? [status] : status);
  };
}

/** An attempt: bytes from outside get one of these statuses; 0: the connection is closed. */
export function answeredRaw(
  statuses: readonly number[],
  text: string | ((home: GuardedHome) => string),
  from?: string,
): Attempt['run'] {
  return async (home) => {
    const answer = await raw(home, typeof text === 'string' ? text : text(home), from);
    expectOneOf(statusOf(answer), statuses);
    expectThat(!answer.includes('"stationId"') && !answer.includes('SQLite format'), 'nothing is revealed');
  };
}
