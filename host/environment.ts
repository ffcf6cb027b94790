/**
 * Reads environment variables once at startup into typed values. A bad value is a `ConfigError` that names the
 * variable; all problems are reported together.
 */

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

export type Environment = Record<string, string | undefined>;

export class EnvironmentReader {
  readonly #problems: string[] = [];

  constructor(readonly environment: Environment) {}

  /** The value without surrounding blanks; undefined when unset or empty. */
  optional(name: string): string | undefined {
    const value = this.environment[name]?.trim();
    return value === undefined || value === '' ? undefined : value;
  }

  string(name: string, fallback: string): string {
    return this.optional(name) ?? fallback;
  }

  integer(name: string, fallback: number, range: { min: number; max: number }): number {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= range.min && value <= range.max) return value;
    this.problem(`${name}: "${text}" is not an integer from ${range.min} to ${range.max}`);
    return fallback;
  }

  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    const found = values.find((value) => value === text);
    if (found !== undefined) return found;
    this.problem(`${name}: "${text}" is none of ${values.join(', ')}`);
    return fallback;
  }

  /** An http or https address without a trailing slash; it is logged, so a password in it is refused. */
  url(name: string, fallback: string): string {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    const parsed = URL.parse(text);
    const web = parsed !== null && (parsed.protocol === 'http:' || parsed.protocol === 'https:');
    const bare = web && `${parsed.username}${parsed.password}${parsed.search}${parsed.hash}` === '';
    if (bare) return text.replace(/\/+$/, '');
    const problem = web
      ? 'an address without user, password, query and fragment is needed'
      : 'not an http or https address';
    this.problem(`${name}: ${problem}`);
    return fallback;
  }

  /** Runs a parser that throws, recording its message under the variable's name. */
  parsed<T>(name: string, fallback: T, parse: (text: string) => T): T {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    try {
      return parse(text);
    } catch (error) {
      this.problem(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return fallback;
    }
  }

  problem(text: string): void {
    this.#problems.push(text);
  }

  /** @throws ConfigError when any value was bad. */
  finish(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems);
  }
}
