/** Controls a recorder process (`recorder-process.ts`) that tests kill, and reads its stored state. */
import { Database } from 'bun:sqlite';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingId } from '../../lib/wire/ids.ts';
import { type Measured, nothingMeasured, type Verdict } from '../../src/model/verdict.ts';
import { RecordingStore } from '../../src/store/recording-store.ts';
import { until } from '../until.ts';
import { clockSpan, type TestBroadcast } from './test-broadcast.ts';

/** A recorder process that can be killed. */
export class RecorderProcess {
  state: { id: number; bytes: number; phase: string } | undefined;
  readonly process: Bun.Subprocess<'ignore', 'pipe', 'inherit'>;

  constructor(
    air: TestBroadcast,
    readonly folder: string,
    channel: string,
    openAt: number,
    endAt: number,
    id?: number,
  ) {
    const words = [folder, air.agentUrl, JSON.stringify(air.station(channel)), String(openAt), String(endAt)];
    const program = join(import.meta.dir, 'recorder-process.ts');
    this.process = Bun.spawn(
      [process.execPath, program, ...words, ...(id === undefined ? [] : [String(id)])],
      {
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'inherit',
      },
    );
    void this.#read();
  }

  /** Ends its recording once enough is written to count as recorded; resolves when the process has exited. */
  async endWhenMostlyWhole(): Promise<void> {
    await until('it receives', () => this.state?.phase === 'receiving');
    const before = this.state?.bytes ?? 0;
    await until('it has written enough', () => {
      const { totalMs, lostMs } = clockSpan(this.#written());
      return (this.state?.bytes ?? 0) > before + 100_000 && totalMs > 4 * lostMs;
    });
    this.process.kill('SIGUSR2');
    await this.process.exited;
  }

  #written(): Uint8Array {
    const folder = join(this.folder, 'recordings');
    return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
  }

  async #read(): Promise<void> {
    let text = '';
    for await (const chunk of this.process.stdout) {
      text += new TextDecoder().decode(chunk);
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      const last = lines.at(-1);
      if (last !== undefined) this.state = JSON.parse(last);
    }
  }
}

/** The stored state of a folder's only recording. */
export function stored(folder: string): {
  state: string;
  verdict: Verdict | null;
  path: string;
  bytes: Buffer;
  measured: Measured;
} {
  const database = new Database(join(folder, 'svc.db'));
  const store = new RecordingStore(database);
  const [file] = [...store.filePages()].flat();
  const found = store.find(recordingId(file?.recordingId ?? 0));
  const measured = store.measured(recordingId(file?.recordingId ?? 0)) ?? nothingMeasured();
  database.close();
  if (found === undefined || file === undefined) throw new Error('nothing was recorded');
  const bytes = readFileSync(file.path);
  return { state: found.state, verdict: found.verdict, path: file.path, bytes, measured };
}
