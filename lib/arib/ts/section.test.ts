import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  crcOf,
  longSection,
  patSection,
  type SectionFields,
  StreamBuilder,
} from '../../../test/stream-builder.ts';
import { pid } from '../ids.ts';
import {
  crc32,
  readSection,
  type Section,
  SectionAssembler,
  SectionDemux,
  SectionMemory,
} from './section.ts';

/** A PAT of transport stream 0x7fe0: NIT on 0x0010, programme 0x0400 on 0x01f0. */
const PAT = Uint8Array.of(
  0x00, // table_id
  0xb0, // section_syntax_indicator 1, '0', reserved 11, section_length high 0
  0x11, // section_length 17
  0x7f, // transport_stream_id
  0xe0,
  0xd5, // reserved 11, version_number 10, current_next_indicator 1
  0x00, // section_number
  0x00, // last_section_number
  0x00, // program_number 0
  0x00,
  0xe0, // reserved 111, network_PID 0x0010
  0x10,
  0x04, // program_number 0x0400
  0x00,
  0xe1, // reserved 111, program_map_PID 0x01f0
  0xf0,
  0x11, // CRC_32
  0x8e,
  0x67,
  0x0e,
);

/** A TOT: no section_syntax, but a CRC. 2026-11-21 09:00:00 JST, no descriptors. */
const TOT = (() => {
  const octets = [0x73, 0x70, 0x0b, 0xef, 0xb4, 0x09, 0x00, 0x00, 0xf0, 0x00];
  const crc = crcOf(octets);
  return Uint8Array.from([...octets, crc >>> 24, (crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff]);
})();
/** A TDT: no section_syntax and no CRC. */
const TDT = Uint8Array.of(0x70, 0x70, 0x05, 0xef, 0xb4, 0x09, 0x00, 0x00);

function sectionOf(length: number, tableId = 0x50, fill = 0x55): Uint8Array {
  return longSection({ tableId, extension: 1, body: new Array(length - 12).fill(fill) });
}

function assemble(bytes: Uint8Array, assembler = new SectionAssembler()): Section[] {
  const sections: Section[] = [];
  for (let at = 0; at < bytes.length; at += 188) sections.push(...assembler.feed(bytes, at));
  return sections;
}

function bytesOf(sections: readonly Section[]): Uint8Array[] {
  return sections.map((section) => section.bytes);
}

/** A packet's payload: the given octets and stuffing. */
function stuffed(...octets: number[]): Uint8Array {
  const payload = new Uint8Array(184).fill(0xff);
  payload.set(octets);
  return payload;
}

describe('a section', () => {
  test('is read field by field', () => {
    expect(crcOf(PAT.subarray(0, 16))).toBe(0x118e670e);
    expect(readSection(PAT, pid(0))).toEqual({
      pid: pid(0),
      tableId: 0,
      long: true,
      extension: 0x7fe0,
      version: 10,
      current: true,
      number: 0,
      lastNumber: 0,
      body: PAT.subarray(8, 16),
      bytes: PAT,
    });
  });

  test('with any single bit wrong is dropped', () => {
    for (let bit = 0; bit < PAT.length * 8; bit++) {
      const damaged = PAT.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
      const section = readSection(damaged);
      // Without its syntax indicator it looks like a short section, which has no CRC; it is never a PAT.
      expect(section === undefined || !section.long).toBe(true);
    }
  });

  test('of the short form has a CRC in the TOT and none in the TDT', () => {
    expect(readSection(TOT)).toMatchObject({ tableId: 0x73, long: false, body: TOT.subarray(3, 10) });
    expect(readSection(TDT)).toMatchObject({ tableId: 0x70, long: false, body: TDT.subarray(3) });
    const damaged = TOT.slice();
    damaged[4] = 0;
    expect(readSection(damaged)).toBeUndefined();
  });

  test('has at most the length that its table allows', () => {
    expect(readSection(sectionOf(1024, 0x02))).toBeDefined();
    expect(readSection(sectionOf(1025, 0x02))).toBeUndefined();
    expect(readSection(sectionOf(4096, 0x50))).toBeDefined();
    expect(readSection(sectionOf(4097, 0x50))).toBeUndefined();
  });

  test('shorter than its own header is dropped', () => {
    expect(readSection(Uint8Array.of(0x00, 0xb0))).toBeUndefined();
    expect(readSection(Uint8Array.of(0x50, 0xb0, 0x00))).toBeUndefined();
    expect(readSection(Uint8Array.of(0x73, 0x70, 0x01, 0x00))).toBeUndefined();
  });
});

test('CRC_32 is the one of the standard', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0x0376e6e7);
  expect(crc32(PAT)).toBe(0);
  // Every length and start: steps of eight octets and the rest.
  for (let from = 0; from < 9; from++) {
    for (let to = from; to <= PAT.length; to++) {
      expect(crc32(PAT, from, to)).toBe(crcOf(PAT.subarray(from, to)));
    }
  }
});

describe('sections are reassembled', () => {
  test('from one packet', () => {
    expect(bytesOf(assemble(new StreamBuilder().sections(0, PAT).bytes()))).toEqual([PAT]);
  });

  test('several from one packet, up to the stuffing', () => {
    const stream = new StreamBuilder().sections(0x14, TDT, TOT, TDT).bytes();
    expect(bytesOf(assemble(stream))).toEqual([TDT, TOT, TDT]);
  });

  test('over many packets', () => {
    const long = sectionOf(4096);
    expect(bytesOf(assemble(new StreamBuilder().sections(0x12, long).bytes()))).toEqual([long]);
  });

  test('when one ends and the next begins in the same packet', () => {
    const first = sectionOf(300, 0x50, 0x11);
    const second = sectionOf(200, 0x50, 0x22);
    const rest = 300 - 183;
    const builder = new StreamBuilder()
      .packet(0x12, { start: true, payload: [0, ...first.subarray(0, 183)] })
      .packet(0x12, {
        start: true,
        payload: [rest, ...first.subarray(183), ...second.subarray(0, 183 - rest)],
      })
      .packet(0x12, { payload: stuffed(...second.subarray(183 - rest)) });
    expect(bytesOf(assemble(builder.bytes()))).toEqual([first, second]);
  });

  test('when the header itself is cut by a packet', () => {
    const first = sectionOf(182);
    const builder = new StreamBuilder()
      .packet(0x12, { start: true, payload: [0, ...first, PAT[0] ?? 0] })
      .packet(0x12, { payload: stuffed(...PAT.subarray(1)) });
    expect(bytesOf(assemble(builder.bytes()))).toEqual([first, PAT]);
  });

  test('after adaptation fields', () => {
    const long = sectionOf(400);
    const builder = new StreamBuilder().packet(0x12, { start: true, payload: [0, ...long.subarray(0, 50)] });
    builder.packet(0x12, {}).packet(0x12, { payload: long.subarray(50, 220) });
    builder.packet(0x12, { payload: stuffed(...long.subarray(220)) });
    expect(bytesOf(assemble(builder.bytes()))).toEqual([long]);
  });

  test('once, when packets are duplicated', () => {
    const long = sectionOf(300);
    const packets = new StreamBuilder().sections(0x12, long).bytes();
    const twice = new StreamBuilder();
    for (let at = 0; at < packets.length; at += 188) twice.raw(packets.subarray(at, at + 188)).repeat();
    expect(bytesOf(assemble(twice.bytes()))).toEqual([long]);
  });

  test('and do not share memory with the packets', () => {
    const stream = new StreamBuilder().sections(0, PAT).bytes();
    const [section] = assemble(stream);
    stream.fill(0);
    expect(section?.bytes).toEqual(PAT);
  });
});

describe('a section is dropped', () => {
  const long = sectionOf(500);
  const packets = new StreamBuilder().sections(0x12, long).bytes();
  const after = new StreamBuilder().setCounter(0x12, 3).sections(0x12, PAT).bytes();
  const [first, second, third] = [0, 188, 376].map((at) => packets.subarray(at, at + 188)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];

  function survivors(...parts: Uint8Array[]): {
    sections: Uint8Array[];
    incomplete: number;
    invalid: number;
  } {
    const assembler = new SectionAssembler();
    const builder = new StreamBuilder();
    for (const part of parts) builder.raw(part);
    const sections = bytesOf(assemble(builder.bytes(), assembler));
    return { sections, incomplete: assembler.incompleteSections, invalid: assembler.invalidSections };
  }

  test('not when nothing is wrong', () => {
    expect(survivors(packets, after)).toEqual({ sections: [long, PAT], incomplete: 0, invalid: 0 });
  });

  test('when a packet is missing', () => {
    expect(survivors(first, third, after)).toEqual({ sections: [PAT], incomplete: 1, invalid: 0 });
  });

  test('when a packet is errored', () => {
    const errored = second.slice();
    errored[1] = (errored[1] ?? 0) | 0x80;
    expect(survivors(first, errored, third, after)).toEqual({ sections: [PAT], incomplete: 1, invalid: 0 });
  });

  test('when a packet is scrambled', () => {
    const scrambled = second.slice();
    scrambled[3] = (scrambled[3] ?? 0) | 0x80;
    expect(survivors(first, scrambled, third, after)).toEqual({ sections: [PAT], incomplete: 1, invalid: 0 });
  });

  test('when its CRC is wrong', () => {
    const wrong = second.slice();
    wrong[100] = (wrong[100] ?? 0) ^ 1;
    expect(survivors(first, wrong, third, after)).toEqual({ sections: [PAT], incomplete: 0, invalid: 1 });
  });

  test('when the next section starts before its end', () => {
    const early = new StreamBuilder().setCounter(0x12, 1).sections(0x12, PAT).bytes();
    expect(survivors(first, early)).toEqual({ sections: [PAT], incomplete: 1, invalid: 0 });
  });

  test('when the pointer_field points beyond the packet', () => {
    const builder = new StreamBuilder().packet(0x12, { start: true, payload: stuffed(184, ...PAT) });
    expect(survivors(builder.bytes())).toEqual({ sections: [], incomplete: 0, invalid: 1 });
  });

  test('when its length is not allowed', () => {
    const builder = new StreamBuilder().packet(0x12, { start: true, payload: stuffed(0, 0x02, 0xbf, 0xff) });
    expect(survivors(builder.bytes())).toEqual({ sections: [], incomplete: 0, invalid: 1 });
  });
});

describe('the demultiplexer', () => {
  test('returns the sections of the selected PIDs', () => {
    const demux = new SectionDemux([pid(0), pid(0x14)]);
    const stream = new StreamBuilder().sections(0, PAT).sections(0x12, PAT).sections(0x14, TDT).bytes();
    expect(demux.feed(stream).map((section) => [section.pid, section.tableId])).toEqual([
      [pid(0), 0x00],
      [pid(0x14), 0x70],
    ]);
  });

  test('can add and remove PIDs', () => {
    const demux = new SectionDemux();
    const stream = new StreamBuilder().sections(0, PAT).bytes();
    expect(demux.feed(stream)).toEqual([]);
    demux.add(pid(0));
    expect(demux.has(pid(0))).toBe(true);
    expect(bytesOf(demux.feed(stream))).toEqual([PAT]);
    demux.remove(pid(0));
    expect(demux.feed(stream)).toEqual([]);
  });
});

test('written sections are read back, whatever their lengths', () => {
  const section = fc.integer({ min: 12, max: 4096 }).chain((length) => fc.constant(sectionOf(length)));
  const group = fc.array(section, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(group, { maxLength: 5 }), (groups) => {
      const builder = new StreamBuilder();
      for (const sections of groups) builder.sections(0x12, ...sections);
      expect(bytesOf(assemble(builder.bytes()))).toEqual(groups.flat());
    }),
    { numRuns: 30 },
  );
});

test('a PAT of many programmes is split into sections', () => {
  const sections = [0, 1].map((number) => patSection(1, [[number + 1, 0x100]], { number, lastNumber: 1 }));
  expect(assemble(new StreamBuilder().sections(0, ...sections).bytes()).map((s) => s.number)).toEqual([0, 1]);
});

test('an identical repeated packet gives the same sections, a different one does not', () => {
  const assembler = new SectionAssembler();
  const stream = new StreamBuilder()
    .sections(0, PAT)
    .sections(0, PAT)
    .sections(0, sectionOf(50))
    .sections(0, PAT)
    .bytes();
  const [first, second, third, fourth] = [0, 188, 376, 564].map((at) => assembler.feed(stream, at)[0]);
  expect(second).toBe(first as Section);
  expect(third?.tableId).toBe(0x50);
  expect(fourth).toEqual(first as Section);
});

test('a packet repeated in the middle of a section does not truncate it', () => {
  // All middle packets have the same payload: only their counters differ.
  const long = sectionOf(4000);
  const twice = new StreamBuilder().sections(0x12, long).sections(0x12, long);
  expect(bytesOf(assemble(twice.bytes()))).toEqual([long, long]);
});

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
