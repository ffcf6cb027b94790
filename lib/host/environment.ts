/**
 * Reads environment variables once at startup into typed values. A bad value is a `ConfigError` that names the
 * variable; all problems are reported together.
 */
import { readFileSync } from 'node:fs';

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

const ALLOWED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH'],
  ...['XDG_RUNTIME_DIR', 'XDG_CACHE_HOME', 'FFMPEG_PATH', 'FFPROBE_PATH', 'FFMPEG_DATADIR'],
  // A debugger's, sanitizer's or tracer's library, and faketime's, apply to children too.
  ...['LD_PRELOAD', 'FAKETIME'],
]);

/** GPU drivers (VA-API, oneVPL, CUDA, Vulkan, Mesa), locales, and the test equipment behind `FAKE_TUNE`. */
const ALLOWED_PREFIXES = [
  ...[
    'LC_',
    'LIBVA_',
    'ONEVPL_',
    'MFX_',
    'CUDA_',
    'NVIDIA_',
    'VK_',
    'MESA_',
    'DRI_',
    'FAKE_',
    'SYNTH_',
    'FAKETIME_',
  ],
];

/**
 * The environment of child processes. Ours holds secrets (`OIDC_CLIENT_SECRET`), and what a child has can be read by
 * whoever takes over a decoder: so only what programs need to run, to find a GPU and to print is passed on.
 */
export function childEnvironment(environment: Environment): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const isAllowed = ALLOWED.has(name) || ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (isAllowed && value !== undefined) allowed[name] = value;
  }
  return allowed;
}

// The environment of the systemd unit, for commands that a user runs beside the service: they must use the service's
// configuration, not the defaults.

const MAX_CHARS = 64 * 1024;
const ASSIGNMENT = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;
const COMMENT = /^\s*[#;]/;

/** The variables of an `EnvironmentFile` (systemd.exec(5)); other lines are ignored, as by systemd. */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  // A backslash at the end continues the line.
  for (const line of text
    .slice(0, MAX_CHARS)
    .replaceAll(/\\\r?\n/g, '')
    .split(/\r?\n/)) {
    if (COMMENT.test(line)) continue;
    const [, name, value] = ASSIGNMENT.exec(line) ?? [];
    if (name !== undefined && value !== undefined) variables[name] = unquoted(value.trim());
  }
  return variables;
}

function unquoted(value: string): string {
  const quote = value[0];
  if (quote !== '"' && quote !== "'") return value.replaceAll(/\\(.)/g, '$1');
  const closed = value.length > 1 && value.endsWith(quote) ? value.slice(1, -1) : value.slice(1);
  return quote === '"' ? closed.replaceAll(/\\(["\\`$])/g, '$1') : closed;
}

/**
 * The environment, with variables of the file that are not set in it.
 * @throws ConfigError if the file exists but is not readable
 */
export function withEnvironmentFile(environment: Environment, path: string): Environment {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return environment;
    throw new ConfigError([`${path}: cannot be read (${String(code)}): try it with sudo`]);
  }
  return { ...parseEnvironmentFile(text), ...environment };
}
