/** A service with a stand-in agent and a small UI over real sockets, shared by all tests of a file. */
import { afterAll, beforeAll } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Station } from '../../lib/wire/api.ts';
import { until } from '../until.ts';
import { StandInAgent, startTestService, type TestService } from './harness.ts';

const HOSTS = 'tv,nas,.home.example';
/** How a trusted proxy names a client from outside. */
export const OUTSIDE = { 'x-forwarded-for': '203.0.113.5' };

class ServedHome {
  #agent: StandInAgent | undefined;
  #service: TestService | undefined;
  #web = '';

  async begin(): Promise<void> {
    const web = mkdtempSync(join(tmpdir(), 'svc-web-'));
    this.#web = web;
    mkdirSync(join(web, 'fonts'));
    writeFileSync(join(web, 'index.html'), '<!doctype html><base href="./"><title>UI</title>');
    writeFileSync(join(web, 'app-1a2b3c4d.js'), `console.log(${'1+'.repeat(2000)}1)`);
    writeFileSync(join(web, 'icon.svg'), '<svg/>');
    writeFileSync(join(web, 'svc-font.woff2'), 'wOF2');
    writeFileSync(join(web, 'decoder.wasm'), new Uint8Array(20_000));
    writeFileSync(join(web, 'icon-maskable.svg'), '<svg/>');
    const agent = new StandInAgent();
    this.#agent = agent;
    agent.start();
    this.#service = await startTestService({
      environment: { TUNER_AGENT_URL: agent.url, TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: HOSTS },
      webDir: web,
    });
    await until(async () => (await this.stations()).length > 0);
  }

  async end(): Promise<void> {
    await this.#service?.close();
    await this.#agent?.stop();
    rmSync(this.#web, { recursive: true, force: true });
  }

  get url(): string {
    if (this.#service === undefined) throw new Error('not started');
    return this.#service.url;
  }

  get port(): number {
    if (this.#service === undefined) throw new Error('not started');
    return this.#service.service.port;
  }

  get agent(): StandInAgent {
    if (this.#agent === undefined) throw new Error('not started');
    return this.#agent;
  }

  get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${this.url}${path}`, { redirect: 'manual', ...init });

  stations = async (): Promise<Station[]> => (await (await this.get('/api/services')).json()) as Station[];
}

/** Scope is the test file: started before the first test, closed after the last. */
export function servedHome(): ServedHome {
  const home = new ServedHome();
  beforeAll(() => home.begin());
  afterAll(() => home.end());
  return home;
}
