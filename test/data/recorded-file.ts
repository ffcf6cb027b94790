/** The file with the data broadcast of a recording, made by the worker's code without a service. */
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import { DataFileIndex } from '../../src/media/data-file-index.ts';
import { DataLines } from '../../src/media/data-file-lines.ts';
import { RecordingBytes } from '../../src/media/recording-bytes.ts';
import { RecordingIndexer, type WritingBreak } from '../../src/media/recording-index.ts';
import type { CutList } from '../../src/model/recording-time.ts';
import { DataFileHost } from '../../src/play/data-file-host.ts';
import { STATION } from './data-recording.ts';
import type { RecordedMessage } from './recorded-message.ts';

interface ReadOptions {
  readonly grows?: boolean;
  readonly path?: string;
  readonly broadcaster?: ServiceBroadcaster;
}

export class RecordedFile {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-data-'));
  readonly original = join(this.folder, 'a.ts');
  readonly path = join(this.folder, 'a.databroadcast');
  #host = new DataFileHost();
  /** Positions of the original at which writing was interrupted. */
  readonly breaks: WritingBreak[] = [];
  readonly #indexer = new RecordingIndexer();

  constructor(content: Uint8Array = new Uint8Array(0)) {
    writeFileSync(this.original, content);
  }

  grow(more: Uint8Array): void {
    appendFileSync(this.original, more);
  }

  /** The worker is killed: its memory is lost. */
  kill(): void {
    this.#host = new DataFileHost();
  }

  get size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Reads what is there. @returns whether it is complete */
  async read({ grows = false, path = this.path, broadcaster }: ReadOptions = {}): Promise<boolean> {
    const bytes = await RecordingBytes.open(() => [this.original]);
    try {
      const { serviceId } = STATION.plan;
      const input = { source: bytes, breaks: this.breaks, beganAt: undefined, serviceId: serviceId as never };
      const { pieces, size } = await this.#indexer.index(input);
      const ask = {
        key: path,
        path,
        paths: [this.original],
        size,
        pieces,
        serviceId: serviceId as never,
        broadcaster,
      };
      const signal = new AbortController().signal;
      return (await this.#host.write({ ...ask, grows, isBackground: false }, signal)).isComplete;
    } finally {
      await bytes.close();
    }
  }

  async texts(from = 0, cuts: CutList = null, path = this.path): Promise<string[]> {
    const file = await open(path);
    try {
      const index = new DataFileIndex();
      await index.refresh(file);
      return await Array.fromAsync(new DataLines({ file, index, cuts, from }).more());
    } finally {
      await file.close();
    }
  }

  async lines(from = 0, cuts: CutList = null, path = this.path): Promise<RecordedMessage[]> {
    return (await this.texts(from, cuts, path)).map((line) => JSON.parse(line) as RecordedMessage);
  }

  /** The state at a time: all lines of a reader who begins there, up to the clock. */
  async state(from: number, path = this.path): Promise<RecordedMessage['message'][]> {
    const messages = (await this.lines(from, null, path)).map(({ message }) => message);
    return messages.slice(0, messages.findIndex(({ type }) => type === 'currentTime') + 1);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}
