/** A configuration file in JSON that the agent reads once and replaces atomically. */
import { copyFile, readFile } from 'node:fs/promises';
import { removeLeftovers, writeFileAtomic } from '../../lib/host/files.ts';
import { systemErrorStep } from '../../lib/host/system-error.ts';

/** Parses JSON with the position of the first syntax error, which the runtime's own parser does not report. */
export class JsonMistake extends Error {
  override readonly name = 'JsonMistake';
  constructor(
    /** Both from 1. */
    readonly line: number,
    readonly column: number,
  ) {
    super(`${line} 行 ${column} 文字目が JSON として正しくありません`);
  }
}

/** @throws JsonMistake */
export function parseJson(text: string): unknown {
  // Editors on some systems write a byte order mark, which is not part of JSON.
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    return JSON.parse(bare) as unknown;
  } catch {
    const before = bare.slice(0, mistakeOffset(bare)).split('\n');
    throw new JsonMistake(before.length, (before.at(-1) ?? '').length + 1);
  }
}

/** One token of RFC 8259 at the current position, after white space. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 section 7 excludes them from strings
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)))/y;

/** The next permitted tokens, as a stack of open brackets and one expectation. */
type Expectation = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

/** The offset of the first character that cannot be part of a JSON text. */
function mistakeOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expect: Expectation = 'value';
  let offset = 0;
  for (;;) {
    const blank = /[ \t\r\n]*/y;
    blank.lastIndex = offset;
    const at = offset + (blank.exec(text)?.[0].length ?? 0);
    TOKEN.lastIndex = offset;
    const match = TOKEN.exec(text);
    if (match === null) return at;
    const next = nextExpectation(match[1] ?? (match[2] === undefined ? 'scalar' : 'string'), expect, open);
    if (next === undefined) return at;
    expect = next;
    offset = TOKEN.lastIndex;
  }
}

function nextExpectation(token: string, expect: Expectation, open: ('{' | '[')[]): Expectation | undefined {
  const inside = open.at(-1);
  switch (expect) {
    case 'value':
    case 'value or ]':
      if (token === '{' || token === '[') {
        open.push(token);
        return token === '{' ? 'key or }' : 'value or ]';
      }
      if (token === ']' && expect === 'value or ]') break;
      return token === 'string' || token === 'scalar' ? 'comma or end' : undefined;
    case 'key':
    case 'key or }':
      if (token === '}' && expect === 'key or }') break;
      return token === 'string' ? 'colon' : undefined;
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'comma or end':
      if (token === ',' && inside !== undefined) return inside === '{' ? 'key' : 'value';
      if ((token === '}' && inside === '{') || (token === ']' && inside === '[')) break;
      return undefined;
  }
  open.pop();
  return 'comma or end';
}

/** A file that exists but is unusable; it is not changed. The message contains path and position, for display. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile';
}

/** A file that could not be replaced; the old one is unchanged. The message contains path and reason, for display. */
export class SaveFailed extends Error {
  override readonly name = 'SaveFailed';
}

export class JsonFile<T> {
  #saving: Promise<void> = Promise.resolve();
  #broken = false;

  constructor(
    readonly path: string,
    /** @throws Error whose message names the invalid field */
    private readonly parse: (value: unknown) => T,
  ) {}

  /** Undefined if the file does not exist. @throws BrokenFile */
  async load(): Promise<T | undefined> {
    await removeLeftovers(this.path, performance.timeOrigin);
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw new BrokenFile(`${this.path} を読めません。${systemErrorStep(error)}`, { cause: error });
    }
    try {
      return this.parse(parseJson(text));
    } catch (error) {
      this.#broken = true;
      throw new BrokenFile(`${this.path}: ${messageOf(error)}`);
    }
  }

  /**
   * Replaces the file; calls are serialised. An unreadable file edited by a user is kept beside it as `.broken`.
   * @throws SaveFailed
   */
  save(value: T): Promise<void> {
    const saved = this.#saving.then(async () => {
      try {
        if (this.#broken) await copyFile(this.path, `${this.path}.broken`);
        this.#broken = false;
        await writeFileAtomic(this.path, `${JSON.stringify(value, null, 2)}\n`);
      } catch (error) {
        throw new SaveFailed(`${this.path} に保存できません。${systemErrorStep(error)}`, { cause: error });
      }
    });
    this.#saving = saved.catch(() => {});
    return saved;
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** For the log: what the system said. */
export function causeOf({ cause }: Error): { cause?: string } {
  return cause === undefined ? {} : { cause: String(cause) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
