import { afterEach, expect, test } from 'bun:test';
import { systemMonotonicClock, systemWallClock } from '../../lib/host/clock.ts';
import { longSection, StreamBuilder } from '../../test/stream-builder.ts';
import { until } from '../../test/until.ts';
import { type GuideAnswer, type GuideMessage, guideReader, guideSections } from './guide-reader.ts';

const EIT = 0x12;
const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** A reader whose guide worker is the test. */
function reading() {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const reader = guideReader.start(
    { port: port2 },
    {
      ...{ clock: systemMonotonicClock, wall: systemWallClock, select: () => {}, finish: () => {} },
      post: () => {},
    },
  );
  const messages: GuideMessage[] = [];
  port1.onmessage = ({ data }) => messages.push(data);
  /** Extensions of the received sections. */
  const received = (): number[] =>
    messages.flatMap((message) =>
      message.kind === 'end' ? [] : Array.from(guideSections(message.batch.bytes), extensionOf),
    );
  const octets = (): number =>
    messages.reduce((sum, message) => sum + (message.kind === 'end' ? 0 : message.batch.bytes.length), 0);
  const answer = (message: GuideAnswer): void => port1.postMessage(message);
  return { reader, messages, received, octets, answer };
}

const extensionOf = ({ bytes }: { bytes: Uint8Array }): number =>
  ((bytes[3] as number) << 8) | (bytes[4] as number);

/** Packets of a table of 4 KB for each station. */
function tables(from: number, to: number): Uint8Array {
  const builder = new StreamBuilder();
  for (let extension = from; extension < to; extension += 1)
    builder.sections(EIT, longSection({ tableId: 0x50, extension, body: new Array(4000).fill(0) }));
  return builder.take();
}

test('sections go to the guide worker once, and its last message is the end', async () => {
  const { reader, messages, received, answer } = reading();
  reader.feed(tables(1, 3));
  reader.feed(tables(1, 3));
  reader.close?.();
  await until(() => messages.at(-1)?.kind === 'end');
  expect(received()).toEqual([1, 2]);
  answer({ kind: 'forget' });
});

test('sections are posted again once the guide worker forgot them', async () => {
  const { reader, received, answer } = reading();
  const bytes = tables(1, 14);
  reader.feed(bytes);
  await until(() => received().length >= 12);
  const before = received().length;
  answer({ kind: 'forget' });
  await until(() => {
    reader.feed(bytes);
    return received().length > before;
  });
});

test('a guide worker that reads nothing holds 4 MB, and gets what it missed later', async () => {
  const { reader, received, octets, answer } = reading();
  for (let from = 0; from < 1_400; from += 10) reader.feed(tables(from, from + 10));
  await until(() => octets() > 4_000_000);
  const held = octets();
  expect(held).toBeLessThan(4.3 * 1024 * 1024);
  expect(received()).not.toContain(1_399);
  answer({ kind: 'read', bytes: held });
  await until(() => {
    reader.feed(tables(1_385, 1_400));
    return received().includes(1_390);
  });
});
