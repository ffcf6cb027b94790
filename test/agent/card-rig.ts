/**
 * The real card daemon with a virtual reader and an emulated card, in a network and mount namespace of its
 * own, so that several can run in parallel. Needs root, `pcscd` and `vsmartcard-vpcd`.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.ts';

const DRIVER = '/usr/lib/pcsc/drivers/serial/libifdvpcd.so';
const CARD = join(import.meta.dir, 'emulated-card.ts');

/** The reason why the rig cannot run here, if any. */
export function cardRigMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  for (const program of ['pcscd', 'unshare', 'ip'])
    if (Bun.which(program) === null) return `${program} is missing`;
  if (!existsSync(DRIVER)) return 'vsmartcard-vpcd is missing';
  const probe = Bun.spawnSync(['unshare', '--mount', '--net', 'true']);
  return probe.exitCode === 0 ? undefined : 'namespaces are not allowed';
}

/** $1 folder, $2 bun, $3 the card program, which starts the daemon. */
const SCRIPT = 'mount --bind "$1/sock" /run/pcscd && ip link set lo up && exec "$2" "$3" "$1"';

export class CardRig implements AsyncDisposable {
  readonly #folder: string;
  readonly #process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
  #output = '';

  private constructor(folder: string, process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>) {
    this.#folder = folder;
    this.#process = process;
    void this.#read();
  }

  static async start(): Promise<CardRig> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-card-'));
    mkdirSync(join(folder, 'sock'));
    mkdirSync('/run/pcscd', { recursive: true });
    const child = Bun.spawn(
      [
        'unshare',
        '--mount',
        '--net',
        // The end of the namespace ends all of its processes.
        '--pid',
        '--fork',
        '--kill-child',
        'sh',
        '-c',
        SCRIPT,
        'rig',
        folder,
        process.execPath,
        CARD,
      ],
      { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
    );
    const rig = new CardRig(folder, child);
    await until('the card daemon listens', () => existsSync(rig.socket));
    return rig;
  }

  /** Value for PCSCLITE_CSOCK_NAME. */
  get socket(): string {
    return join(this.#folder, 'sock', 'pcscd.comm');
  }

  /** Sends a line for the emulated card, or `pcscd stop`, `pcscd start`; resolves when it was carried out. */
  async send(line: string): Promise<void> {
    const before = this.#output.split(`done ${line}\n`).length;
    this.#process.stdin.write(`${line}\n`);
    this.#process.stdin.flush();
    await until(`the rig does: ${line}`, () => this.#output.split(`done ${line}\n`).length > before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    this.#process.kill('SIGKILL');
    await this.#process.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of this.#process.stdout) this.#output += decoder.decode(part, { stream: true });
  }
}
