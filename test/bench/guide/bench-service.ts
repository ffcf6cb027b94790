/** A service as a separate process, with an agent that has channels but no tuner for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel } from '../../../lib/wire/agent.ts';
import { type Program, startProgram } from '../../program.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');
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

export function startService(folder: string, agentUrl: string): Promise<Program> {
  return startProgram([process.execPath, join(ROOT, 'src', 'main.ts')], {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: folder,
    TRUSTED_NETWORKS: '127.0.0.0/8',
    TUNER_AGENT_URL: agentUrl,
  });
}

export function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
