import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { recordingId } from '../../lib/wire/ids.ts';
import { EventStreams } from './event-stream.ts';
import { Hub } from './hub.ts';

let hub: Hub;
let streams: EventStreams;

beforeEach(() => {
  hub = new Hub((error) => {
    throw error;
  });
  streams = new EventStreams({ hub, pingMs: 5, maxClients: 4, maxPerRequester: 2 });
});

afterEach(() => streams.close());

function open(requester = 'one'): {
  read(): Promise<string | undefined>;
  abort(): void;
  cancel(): Promise<void>;
} {
  const controller = new AbortController();
  const reader = streams.open(controller.signal, requester)?.getReader();
  if (reader === undefined) throw new Error('refused');
  const decoder = new TextDecoder();
  return {
    read: async () => {
      const { done, value } = await reader.read();
      return done ? undefined : decoder.decode(value);
    },
    abort: () => controller.abort(),
    cancel: () => reader.cancel(),
  };
}

/** Reads until the text holds `wanted`. */
async function readUntil(client: ReturnType<typeof open>, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const more = await client.read();
    if (more === undefined) throw new Error(`ended before ${wanted}: ${text}`);
    text += more;
  }
  return text;
}

describe('EventStreams', () => {
  test('sends a first line at once, then each change and pings', async () => {
    const client = open();
    expect(await client.read()).toBe(': open\n\n');
    hub.changed('services');
    expect(await readUntil(client, 'services')).toContain('event: services\ndata: 1\n\n');
    expect(await readUntil(client, 'ping')).toContain('event: ping\n');
  });

  test('changes of one list coalesce while a client does not read', async () => {
    const client = open();
    for (let count = 0; count < 1000; count += 1) hub.changed('programs');
    hub.changed('tuners');
    const text = await readUntil(client, 'tuners');
    expect(text.split('event: programs').length - 1).toBe(1);
  });

  test('only a client that lags too far behind with data events is disconnected', async () => {
    const slow = open();
    const other = open();
    for (let count = 0; count < 100; count += 1) {
      hub.publish({ name: 'chapters', data: { recordingId: recordingId(count) } });
      await readUntil(other, `{"recordingId":${count}}`);
    }
    expect(streams.clients).toBe(1);
    const fresh = open();
    hub.changed('rules');
    await Promise.all([readUntil(other, 'rules'), readUntil(fresh, 'rules')]);
    // Data sent before can still be read, followed by the end.
    while ((await slow.read()) !== undefined);
  });

  test('connections are bounded and a disconnecting client frees its place', async () => {
    const first = open();
    const second = open();
    expect(() => open()).toThrow('refused');
    const others = [open('two'), open('three')];
    expect(() => open('four')).toThrow('refused');
    for (const other of others) other.abort();
    first.abort();
    await second.cancel();
    expect(streams.clients).toBe(0);
    open();
  });

  test('closing ends every stream cleanly', async () => {
    const client = open();
    await client.read();
    streams.close();
    expect(await client.read()).toBeUndefined();
    expect(hub.listeners).toBe(0);
  });
});
