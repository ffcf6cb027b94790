import { afterEach, expect, test } from 'bun:test';
import { openSource, SourceFailure } from './agent-stream.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function serve(handler: () => Response): string {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: handler });
  closers.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}/`;
}

async function failureOf(url: string): Promise<SourceFailure> {
  try {
    await openSource(url, new AbortController().signal);
  } catch (error) {
    if (error instanceof SourceFailure) return error;
    throw error;
  }
  throw new Error('no failure');
}

test("a refusal keeps the agent's words, one without words its status", async () => {
  const busy = serve(() => Response.json({ message: '空きがありません' }, { status: 409 }));
  expect(await failureOf(busy)).toMatchObject({ code: 'no_tuner', message: '空きがありません' });
  const other = serve(() => new Response('<html>', { status: 502 }));
  expect(await failureOf(other)).toMatchObject({ code: 'agent_unavailable', message: 'HTTP 502' });
});

test('a refusal without an end is not read to its end, and its status still decides', async () => {
  const left = Promise.withResolvers<void>();
  const url = serve(
    () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            controller.enqueue(new Uint8Array(4000).fill(0x20));
            await Bun.sleep(1);
          },
          cancel: () => left.resolve(),
        }),
        { status: 409 },
      ),
  );
  expect(await failureOf(url)).toMatchObject({ code: 'no_tuner', message: 'HTTP 409' });
  await left.promise;
});
