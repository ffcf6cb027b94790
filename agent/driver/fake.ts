/**
 * The driver `fake`: a command whose standard output is the transport stream. It replaces a device in the
 * demo and in tests; the command comes from FAKE_TUNE only, never from a screen or a file.
 */
import type { ReadableStreamDefaultReader } from 'node:stream/web';
import type { Subprocess } from 'bun';
import { settlesWithin } from '../../lib/host/deadline.ts';
import { childEnvironment } from '../../lib/host/environment.ts';
import { systemErrorStep } from '../../lib/host/system-error.ts';
import type { TunerSettings } from '../tuner-settings.ts';
import { fillWords, splitWords } from './command-line.ts';
import { CommandPipe } from './command-pipe.ts';
import type { Driver, TuneSession, TuneSink, TuneTarget } from './driver.ts';

interface FakeDriverOptions {
  /** FAKE_TUNE. */
  readonly commandLine: string;
  /** Delay from SIGTERM to SIGKILL, ms. */
  readonly killGraceMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Maximum delay of the exit code after the end of the output. */
const EXIT_MS = 2_000;
/** Maximum wait after SIGKILL: a killed process still needs processor time to end. */
const KILLED_MS = 5_000;
/** Size of the tail of standard error that contains a failure's reason. */
const STDERR_TAIL_BYTES = 4096;
const REASON_LENGTH = 200;
/** Standard error is read at 3 MB/s at most, so that a command that floods it does not use up a processor. */
const STDERR_FLOOD_BYTES = 16 * 1024;
const STDERR_PAUSE_MS = 20;
/** Maximum wait for the rest of standard error after the command has ended. */
const STDERR_REST_MS = 200;

export class FakeDriver implements Driver {
  readonly #words: readonly string[];

  /** @throws Error if the command line cannot be split into words */
  constructor(private readonly options: FakeDriverOptions) {
    this.#words = splitWords(options.commandLine);
  }

  open(_tuner: TunerSettings, target: TuneTarget, sink: TuneSink): TuneSession {
    const command = fillWords(this.#words, {
      type: target.type,
      channel: target.channel,
      tsid: String(target.tsid ?? 0),
    });
    return new FakeSession(command, this.options, sink);
  }
}

type Child = Subprocess<'ignore', number, 'pipe'>;

class FakeSession implements TuneSession {
  readonly #child: Child;
  readonly #output: CommandPipe;
  readonly #stderr: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly #stderrRead: Promise<void>;
  #stderrTail: Uint8Array = new Uint8Array(0);
  #closing: Promise<void> | undefined;
  #reported = false;

  constructor(
    command: readonly string[],
    private readonly options: FakeDriverOptions,
    private readonly sink: TuneSink,
  ) {
    let output: CommandPipe | undefined;
    try {
      output = new CommandPipe({
        data: (bytes) => sink.data(bytes),
        ended: (errno) => void this.#ended(errno),
      });
      // Its own process group, so that its child processes end with it.
      this.#child = Bun.spawn([...command], {
        stdin: 'ignore',
        stdout: output.writeEnd,
        stderr: 'pipe',
        detached: true,
        env: childEnvironment(options.environment),
      });
    } catch (error) {
      output?.close();
      throw new Error(`選局コマンド ${command[0]} を起動できません。${systemErrorStep(error)}`, {
        cause: error,
      });
    }
    this.#output = output;
    this.#output.start();
    this.#stderr = this.#child.stderr.getReader();
    this.#stderrRead = this.#readStderr();
  }

  signal(): null {
    return null;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #ended(errno: string | undefined): Promise<void> {
    if (errno !== undefined) {
      this.#report(`選局コマンドの出力を読めません。${systemErrorStep({ code: errno })}`, errno);
      return;
    }
    // The output is closed; the exit code follows at once unless the command continues without it.
    await settlesWithin(EXIT_MS, this.#child.exited);
    await settlesWithin(STDERR_REST_MS, this.#stderrRead);
    this.#report(this.#exitReason());
  }

  async #readStderr(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#stderr.read();
        if (done) return;
        const joined = value.length >= STDERR_TAIL_BYTES ? value : Buffer.concat([this.#stderrTail, value]);
        this.#stderrTail = joined.slice(-STDERR_TAIL_BYTES);
        if (value.length >= STDERR_FLOOD_BYTES) await Bun.sleep(STDERR_PAUSE_MS);
      }
    } catch {
      // Only the text of a reason is lost.
    }
  }

  #report(reason: string, detail?: string): void {
    if (this.#reported || this.#closing !== undefined) return;
    this.#reported = true;
    this.sink.ended(reason, false, detail);
  }

  #exitReason(): string {
    const { exitCode, signalCode } = this.#child;
    const code = exitCode === null ? undefined : `終了コード ${exitCode}`;
    const how = signalCode === null ? code : `シグナル ${signalCode}`;
    const what = how === undefined ? '選局コマンドが出力を閉じました' : `選局コマンドが終了しました (${how})`;
    const words = lastLine(new TextDecoder().decode(this.#stderrTail));
    return words === '' ? what : `${what}: ${words}`;
  }

  async #end(): Promise<void> {
    this.#output.close();
    // Cancelled without waiting: a read that is pending in the kernel must not delay the signal.
    void this.#stderr.cancel().catch(() => {});
    const limits = [
      ['SIGTERM', this.options.killGraceMs],
      ['SIGKILL', KILLED_MS],
    ] as const;
    for (const [signal, limitMs] of limits) {
      this.#signalGroup(signal);
      if (await settlesWithin(limitMs, this.#child.exited)) {
        // Ends remaining child processes of the command.
        this.#signalGroup('SIGKILL');
        return;
      }
    }
    throw new Error(`選局コマンド (pid ${this.#child.pid}) を終了できません`);
  }

  #signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // The group has already ended.
    }
  }
}

function lastLine(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here
    .map((line) => line.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim())
    .filter((line) => line !== '');
  return (lines.at(-1) ?? '').slice(0, REASON_LENGTH);
}
