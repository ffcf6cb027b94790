/** A service as a process of its own, with an agent that has channels and no tuner to read them with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel } from '../../wire/agent.ts';

const ROOT = join(import.meta.dir, '..', '..');
const START_LIMIT_MS = 30_000;

export interface BenchService {
  readonly pid: number;
  readonly url: string;
  end(): Promise<void>;
}

export function idleAgent(channels: readonly Channel[]): { url: string; end(): void } {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => {
      const path = new URL(request.url).pathname;
      if (path === '/agent/channels') return Response.json(channels);
      if (path === '/agent/tuners') return Response.json([]);
      if (path !== '/agent/events') return Response.json({ message: 'ありません' }, { status: 404 });
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(': hello\n\n')),
      });
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, end: () => void server.stop(true) };
}

export async function startService(folder: string, agentUrl: string): Promise<BenchService> {
  const child = Bun.spawn([process.execPath, join(ROOT, 'src', 'main.ts')], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: folder,
      TRUSTED_NETWORKS: '127.0.0.0/8',
      TUNER_AGENT_URL: agentUrl,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const listening = Promise.withResolvers<string>();
  void (async () => {
    let log = '';
    for await (const part of child.stderr) {
      log += new TextDecoder().decode(part);
      const [, port] = / port=(\d+)/.exec(log) ?? [];
      if (port !== undefined) listening.resolve(port);
    }
    listening.reject(new Error(`the service ended: ${log}`));
  })();
  const late = setTimeout(() => listening.reject(new Error('the service does not start')), START_LIMIT_MS);
  const port = await listening.promise.finally(() => clearTimeout(late));
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    end: async () => {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
