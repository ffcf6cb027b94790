import { expect, test } from 'bun:test';
import { agentEventStream, ChangeEvents } from './events.ts';

const text = (part: { value?: Uint8Array | undefined }): string => new TextDecoder().decode(part.value);

test('a comment is sent at once, so that the headers are flushed', async () => {
  const reader = agentEventStream(new ChangeEvents(1), 60_000).getReader();
  expect(text(await reader.read())).toBe(': keep-alive\n\n');
  await reader.cancel();
});

test('changes in quick succession are one event per name', async () => {
  const events = new ChangeEvents(5);
  const reader = agentEventStream(events, 60_000).getReader();
  await reader.read();
  for (let index = 0; index < 10; index += 1) events.announce('tuners');
  events.announce('channels');
  expect(text(await reader.read())).toBe('event: tuners\ndata: 1\n\nevent: channels\ndata: 1\n\n');
  events.announce('tuners');
  expect(text(await reader.read())).toBe('event: tuners\ndata: 1\n\n');
  await reader.cancel();
});

test('for a slow reader pending events are merged by name', async () => {
  const events = new ChangeEvents(0);
  const reader = agentEventStream(events, 60_000).getReader();
  const announced = Promise.withResolvers<void>();
  let count = 0;
  events.subscribe(() => {
    count += 1;
    if (count === 5) announced.resolve();
    else events.announce('tuners');
  });
  await reader.read();
  events.announce('tuners');
  await announced.promise;
  expect(text(await reader.read())).toBe('event: tuners\ndata: 1\n\n');
  const next = reader.read();
  events.announce('channels');
  expect(text(await next)).toBe('event: channels\ndata: 1\n\n');
  await reader.cancel();
});

test('keeps the connection alive with comments', async () => {
  const reader = agentEventStream(new ChangeEvents(1), 5).getReader();
  await reader.read();
  expect(text(await reader.read())).toBe(': keep-alive\n\n');
  await reader.cancel();
});

test('a reader that disconnects is unsubscribed', async () => {
  const events = new ChangeEvents(0);
  const reader = agentEventStream(events, 1).getReader();
  await reader.read();
  await reader.cancel();
  const flushed = Promise.withResolvers<void>();
  events.subscribe(() => flushed.resolve());
  events.announce('tuners');
  await flushed.promise;
});
