import { expect, test } from 'bun:test';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { sendTo } from './hdhomerun-sender.ts';

test('a target that cannot be reached releases the tuner', async () => {
  let isReleased = false;
  const stream = new ReadableStream<Uint8Array>({
    cancel: () => {
      isReleased = true;
    },
  });
  // The system refuses a broadcast address.
  const target = { protocol: 'udp', address: '255.255.255.255', port: 5000 } as const;
  const sending = sendTo(target, { open: async () => stream, monotonic: () => 0, log: SILENT_LOG });
  await sending.ended;
  expect(isReleased).toBe(true);
});
