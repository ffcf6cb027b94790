/**
 * Checks that no secret is in the log: records the random values that a service generated, and searches its
 * log for them.
 */
import type { Random } from '../../lib/host/random.ts';

/** Shorter random values are codes shown to users, or jitter. */
const SECRET_BYTES = 16;
/** Environment variables with secrets. */
const SECRET_VARIABLES = ['OIDC_CLIENT_SECRET'] as const;
/** Patterns of secrets whose values are unknown: tokens, cookies, bearers, ID tokens. */
const SHAPES = /svc_[\w-]{30,}|svc_(?:session|login|device)=[\w-]{20,}|Bearer [\w.-]{20,}|eyJ[\w-]{16,}/;

/** @returns the line with the secret; undefined if there is none */
export function shapedSecret(log: string): string | undefined {
  return log.split('\n').find((line) => SHAPES.test(line));
}

export class SecretWatch {
  readonly #secrets = new Set<string>();

  /** @param random source of the secrets @param environment of the service */
  constructor(
    private readonly source: Random,
    environment: Readonly<Record<string, string>>,
  ) {
    for (const name of SECRET_VARIABLES) {
      const value = environment[name];
      if (value !== undefined) this.#secrets.add(value);
    }
  }

  readonly random: Random = (length) => {
    const bytes = this.source(length);
    if (length >= SECRET_BYTES) {
      const octets = Buffer.from(bytes);
      for (const form of ['base64url', 'base64', 'hex'] as const) this.#secrets.add(octets.toString(form));
    }
    return bytes;
  };

  /** @throws Error with the line that contains a secret */
  check(lines: readonly string[]): void {
    const log = lines.join('\n');
    const isLogged = [...this.#secrets].some((secret) => log.includes(secret));
    if (!isLogged && shapedSecret(log) === undefined) return;
    const holds = (line: string) =>
      SHAPES.test(line) || [...this.#secrets].some((secret) => line.includes(secret));
    throw new Error(`a secret is in the log: ${lines.find(holds)}`);
  }
}
