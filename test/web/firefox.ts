/**
 * Debian's Firefox, without a window, by its Marionette protocol: messages `length:[type, id, error or name, value]` over TCP.
 * Only what the tests of applications need.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HANG_LIMIT_MS, until } from '../until.ts';

const FIREFOX = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';
export const hasFirefox = existsSync(FIREFOX);

const COLON = 0x3a;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

class Marionette {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #received: Uint8Array = new Uint8Array(0);
  #last = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data: Buffer) => this.#take(data));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser has ended'));
    });
  }

  async send(name: string, parameters: object): Promise<unknown> {
    const id = ++this.#last;
    const text = JSON.stringify([0, id, name, parameters]);
    const answered = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    return await answered;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(data: Uint8Array): void {
    this.#received = Buffer.concat([this.#received, data]);
    for (;;) {
      const colon = this.#received.indexOf(COLON);
      const length = Number(new TextDecoder().decode(this.#received.subarray(0, Math.max(0, colon))));
      if (colon < 0 || this.#received.length < colon + 1 + length) return;
      const text = new TextDecoder().decode(this.#received.subarray(colon + 1, colon + 1 + length));
      this.#received = this.#received.subarray(colon + 1 + length);
      const message: unknown = JSON.parse(text);
      // The greeting is an object.
      if (Array.isArray(message)) this.#answer(message[1] as number, message[2], message[3]);
    }
  }

  #answer(id: number, error: unknown, value: unknown): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === null) waiting?.resolve(value);
    else waiting?.reject(new Error(JSON.stringify(error)));
  }
}

function reach(port: number): Promise<Marionette | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(new Marionette(socket)));
    socket.once('error', () => resolve(undefined));
  });
}

/** A port that nothing uses now. */
function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const { port } = server;
  server.stop(true);
  return port;
}

export class Firefox {
  private constructor(
    private readonly marionette: Marionette,
    private readonly child: Bun.Subprocess,
    private readonly folder: string,
  ) {}

  static async launch(): Promise<Firefox> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-firefox-'));
    const port = freePort();
    const preferences = { 'marionette.port': port, 'media.autoplay.default': 0, 'app.update.enabled': false };
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});`);
    await Bun.write(join(folder, 'user.js'), lines.join('\n'));
    const child = Bun.spawn(
      [FIREFOX, '--headless', '--marionette', '--no-remote', '--profile', folder],
      // It writes into the home of whoever starts it.
      { stdout: 'ignore', stderr: 'ignore', env: { ...process.env, HOME: folder } },
    );
    const marionette = await until('firefox listens', () => reach(port));
    await marionette.send('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } });
    await marionette.send('WebDriver:SetTimeouts', { script: HANG_LIMIT_MS });
    return new Firefox(marionette, child, folder);
  }

  async open(url: string): Promise<void> {
    await this.marionette.send('WebDriver:Navigate', { url });
  }

  /** @param expression its value is JSON, or a promise of JSON */
  async evaluate(expression: string): Promise<unknown> {
    const script = `return (async () => (${expression}))();`;
    const answer = await this.marionette.send('WebDriver:ExecuteScript', { script, args: [], sandbox: null });
    return (answer as { value: unknown }).value ?? undefined;
  }

  async close(): Promise<void> {
    this.marionette.close();
    this.child.kill();
    await this.child.exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}
