import { expect, test } from 'bun:test';
import { longSection, type SectionFields, StreamBuilder } from '../../test/stream-builder.ts';
import { pid } from '../ids.ts';
import { SectionDemux } from './section.ts';
import { SectionMemory } from './section-memory.ts';

const PID = 0x12;

function eit(more: Partial<SectionFields> = {}): Uint8Array {
  const body = Array.from({ length: 300 }, (_, at) => at & 0xff);
  return longSection({ tableId: 0x50, extension: 101, body, ...more });
}

/** The numbers of the returned sections, one list for each of those sent. */
function given(sent: readonly Uint8Array[], memory: SectionMemory): number[][] {
  const demux = new SectionDemux([pid(PID)], memory);
  const builder = new StreamBuilder();
  const ends = sent.map((section) => {
    builder.sections(PID, section);
    return builder.length * 188;
  });
  const bytes = builder.bytes();
  return ends.map((end, index) =>
    demux.feed(bytes.subarray(ends[index - 1] ?? 0, end)).map((section) => section.number),
  );
}

test('a repetition is suppressed; another section number, version, table or content is not', () => {
  const memory = new SectionMemory();
  const sent = [
    ...[eit(), eit({ number: 8 }), eit(), eit({ number: 8 })],
    ...[eit({ version: 1 }), eit(), eit({ tableId: 0x51 }), eit({ extension: 102 })],
    ...[eit(), eit({ body: [1] }), eit({ body: [2] }), eit({ body: [2] })],
  ];
  expect(given(sent, memory)).toEqual([[0], [8], [], [], [0], [0], [0], [0], [], [0], [0], []]);
  expect(memory.repetitions).toBe(4);
});

test('a damaged section is not remembered, and does not displace the valid one', () => {
  const memory = new SectionMemory();
  const damaged = eit();
  damaged[100] = 0xff;
  const otherCrc = eit();
  otherCrc[otherCrc.length - 1] = (otherCrc.at(-1) ?? 0) ^ 1;
  expect(given([damaged, eit(), otherCrc, eit(), eit({ version: 1 })], memory)).toEqual([
    [],
    [0],
    [],
    [],
    [0],
  ]);
});

test('repeated small sections in one packet are emitted once', () => {
  const memory = new SectionMemory();
  const small = eit({ body: [1, 2, 3] });
  expect(given([small, small, small, eit({ body: [4] }), small], memory)).toEqual([[0], [], [], [0], [0]]);
});

test('a section is emitted again after it was forgotten', () => {
  const memory = new SectionMemory();
  given([eit()], memory);
  memory.clear();
  expect(given([eit()], memory)).toEqual([[0]]);
});

test('short sections are emitted each time', () => {
  const memory = new SectionMemory();
  const time = Uint8Array.from([0x70, 0x70, 5, 0xee, 0x11, 0x12, 0, 0]);
  expect(given([time, time], memory)).toEqual([[0], [0]]);
});

test('the memory is cleared when it is full, so it stays bounded', () => {
  const memory = new SectionMemory();
  const section = eit();
  for (let place = 0; place <= 65_536; place++) {
    section[3] = place >> 8;
    section[4] = place & 0xff;
    memory.remember(section, place >> 16);
  }
  expect(memory.knows(section, section.length, 1)).toBe(true);
  section[3] = 0;
  section[4] = 1;
  expect(memory.knows(section, section.length, 0)).toBe(false);
});
