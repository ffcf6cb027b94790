/** A configuration file in JSON that the agent reads once and replaces atomically. */
import { copyFile, readFile } from 'node:fs/promises';
import { removeLeftovers, writeFileAtomic } from '../../host/files.ts';
import { parseJson } from './json-text.ts';

/** A file that exists but is unusable; it is not changed. The message contains path and position. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile';
}

/** A file that could not be replaced; the old one is unchanged. The message contains path and reason. */
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
      throw new BrokenFile(`${this.path} を読めません: ${messageOf(error)}`);
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
        throw new SaveFailed(`${this.path} に保存できません: ${messageOf(error)}`);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
