/** A service with the broadcaster's web servers, as a process of their own, shared by all tests of a file. */
import { afterAll, beforeAll, expect } from 'bun:test';
import { join } from 'node:path';
import { startTestService, type TestService } from '../service/harness.ts';

const WEB = join(import.meta.dir, '..', '..', 'synth', 'web', 'main.ts');
export const WEB_URL = 'http://data.example.test';
export const HOSTILE_URL = 'http://hostile.example.test';

interface Echo {
  method: string;
  path: string;
  headers: [string, string][];
  bodyBase64: string;
}

/** @param environment of the service; asked for once the servers run */
export function proxyHome(environment: () => Record<string, string> = () => ({})) {
  let home: TestService | undefined;
  let web: Bun.Subprocess<'ignore', 'pipe', 'inherit'> | undefined;
  const started = (): TestService => {
    if (home === undefined) throw new Error('not started');
    return home;
  };

  beforeAll(async () => {
    web = Bun.spawn([process.execPath, WEB], { stdio: ['ignore', 'pipe', 'inherit'] });
    const { value } = await web.stdout.getReader().read();
    const hosts = new TextDecoder().decode(value).trim();
    home = await startTestService({
      environment: { BML_HOSTS: hosts, TRUSTED_PROXIES: '127.0.0.1', ...environment() },
    });
  });
  afterAll(async () => {
    await home?.close();
    web?.kill('SIGTERM');
    await web?.exited;
  });

  /** As a script of the service's own page. */
  function own(path: string, query: Record<string, string>, init: RequestInit = {}): Promise<Response> {
    const { url } = started();
    const page = { referer: `${url}/`, ...(init.method === 'POST' ? { origin: url } : {}) };
    const headers = { ...page, ...(init.headers as Record<string, string> | undefined) };
    return fetch(`${url}/api/bml/${path}?${new URLSearchParams(query)}`, { ...init, headers });
  }

  return {
    own,
    get: (url: string): Promise<Response> => own('proxy', { url }),
    post: (
      url: string,
      body: string | Uint8Array<ArrayBuffer>,
      type = 'application/x-www-form-urlencoded',
    ): Promise<Response> => own('post', { url }, { method: 'POST', body, headers: { 'content-type': type } }),
    async echoOf(answer: Response): Promise<Echo> {
      expect(answer.status).toBe(200);
      return (await answer.json()) as Echo;
    },
    get url(): string {
      return started().url;
    },
    get port(): number {
      return started().service.port;
    },
    /** Lines of the log about refused targets. */
    refusals: (): string[] => started().lines.filter((line) => line.includes(' bml target refused ')),
    get lines(): readonly string[] {
      return started().lines;
    },
  };
}
