/**
 * The environment of the systemd unit, for commands that a user runs beside the service: they must use the service's
 * configuration, not the defaults.
 */
import { readFileSync } from 'node:fs';
import { ConfigError, type Environment } from './environment.ts';

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
