/**
 * Log lines for people and journald: one event per line on stderr, `LEVEL TIME COMPONENT MESSAGE key=value …`.
 * Nothing secret may be passed as a field; values are quoted so that no field can start a new line.
 */
import { type WallClock, type WallMs, wallMs } from './clock.ts';

// The lines of `svc check` and `svc-agent check`, which users read.

export interface CheckLine {
  /** `note`: works, but something remains to be done. */
  readonly state: 'ok' | 'note' | 'bad';
  /** For display, like the next field. */
  readonly what: string;
  readonly detail: string;
}

const MARKS: Record<CheckLine['state'], string> = { ok: 'OK  ', note: '注意', bad: '問題' };

export function formatCheck({ state, what, detail }: CheckLine): string {
  return `${MARKS[state]}  ${what}: ${detail.replace(/\s*\n\s*/g, ' ')}`;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'off'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  component(name: string): Log;
}

interface LogOptions {
  level: LogLevel;
  now: WallClock;
  write: (line: string) => void;
}

function formatValue(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  return /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);
}

/** One log line without its line end. */
export function formatLine(
  level: LogLevel,
  at: WallMs,
  component: string,
  message: string,
  fields: LogFields = {},
): string {
  const pairs = Object.entries(fields)
    .filter((pair): pair is [string, string | number | boolean | null] => pair[1] !== undefined)
    .map(([key, value]) => ` ${key}=${formatValue(value)}`)
    .join('');
  const oneLine = message.replace(/[\r\n]+/g, ' ');
  return `${level.toUpperCase().padEnd(5)} ${new Date(at).toISOString()} ${component} ${oneLine}${pairs}`;
}

export function createLog(options: LogOptions, component = 'main'): Log {
  const threshold = LOG_LEVELS.indexOf(options.level);
  const emit = (level: LogLevel, message: string, fields?: LogFields): void => {
    if (LOG_LEVELS.indexOf(level) < threshold) return;
    options.write(`${formatLine(level, options.now(), component, message, fields)}\n`);
  };
  return {
    debug: (message, fields) => emit('debug', message, fields),
    info: (message, fields) => emit('info', message, fields),
    warn: (message, fields) => emit('warn', message, fields),
    error: (message, fields) => emit('error', message, fields),
    component: (name) => createLog(options, name),
  };
}

/** A log that writes nothing, for tests. */
export const SILENT_LOG: Log = createLog({ level: 'off', now: () => wallMs(0), write: () => {} });
