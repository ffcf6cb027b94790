/**
 * Writes transport packets, sections and PES packets for tests and benchmarks, with code of its own: nothing
 * here comes from `lib/arib/`, so that a bug in a reader there cannot be hidden by the same bug here. ISO/IEC
 * 13818-1 2.4.3.2, 2.4.3.6, 2.4.4.
 */

export const PACKET = 188;

/** CRC_32 of ISO/IEC 13818-1 Annex A, bit by bit. */
export function crcOf(bytes: Iterable<number>): number {
  let register = 0xffffffff;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const feedback = ((register >>> 31) ^ (byte >> bit)) & 1;
      register = (register << 1) >>> 0;
      if (feedback === 1) register = (register ^ 0x04c11db7) >>> 0;
    }
  }
  return register;
}

export function u16(value: number): number[] {
  return [(value >> 8) & 0xff, value & 0xff];
}

function u32(value: number): number[] {
  return [...u16(value >>> 16), ...u16(value)];
}

export interface SectionFields {
  tableId: number;
  extension: number;
  version?: number;
  current?: boolean;
  number?: number;
  lastNumber?: number;
  body: readonly number[];
}

/** A section with the long header and its CRC. */
export function longSection(fields: SectionFields): Uint8Array {
  const { tableId, extension, version = 0, current = true, number = 0, lastNumber = 0, body } = fields;
  const length = body.length + 9;
  const bytes = [
    tableId,
    0xb0 | (length >> 8),
    length & 0xff,
    ...u16(extension),
    0xc0 | (version << 1) | (current ? 1 : 0),
    number,
    lastNumber,
    ...body,
  ];
  return Uint8Array.from([...bytes, ...u32(crcOf(bytes))]);
}

/** [program_number, PID] pairs; program_number 0 means the NIT. */
export function patSection(
  transportStreamId: number,
  programs: readonly (readonly [number, number])[],
  more: Partial<SectionFields> = {},
): Uint8Array {
  const body = programs.flatMap(([number, pid]) => [...u16(number), ...u16(0xe000 | pid)]);
  return longSection({ tableId: 0x00, extension: transportStreamId, body, ...more });
}

export interface PmtFields {
  pcrPid: number;
  descriptors?: readonly number[];
  streams: readonly { type: number; pid: number; descriptors?: readonly number[] }[];
}

export function pmtSection(program: number, pmt: PmtFields, more: Partial<SectionFields> = {}): Uint8Array {
  const common = pmt.descriptors ?? [];
  const body = [...u16(0xe000 | pmt.pcrPid), ...u16(0xf000 | common.length), ...common];
  for (const { type, pid, descriptors = [] } of pmt.streams) {
    body.push(type, ...u16(0xe000 | pid), ...u16(0xf000 | descriptors.length), ...descriptors);
  }
  return longSection({ tableId: 0x02, extension: program, body, ...more });
}

/** conditional_access_descriptor. */
export function caDescriptor(system: number, pid: number): number[] {
  return [0x09, 4, ...u16(system), ...u16(0xe000 | pid)];
}

/** stream_identifier_descriptor. */
export function streamIdentifier(componentTag: number): number[] {
  return [0x52, 1, componentTag];
}

/** Sequence header of 160x64, an intra picture, its four slices: ISO/IEC 13818-2 6.2. It cannot be decoded. */
export const TINY_PICTURE: readonly number[] = [
  ...[0, 0, 1, 0xb3, 0x0a, 0, 0x40, 0x34],
  ...[0, 0, 1, 0, 0, 0x0f, 0xff, 0xf8],
  ...[1, 2, 3, 4].flatMap((row) => [0, 0, 1, row, 0x0a, 0x55]),
];

/** The five bytes of a time stamp after its four marker bits. */
export function timeStamp(marker: number, value: number): number[] {
  const high = Math.floor(value / 2 ** 30) & 0x07;
  const low = value % 2 ** 30;
  return [(marker << 4) | (high << 1) | 1, ...u16(((low >> 15) << 1) | 1), ...u16(((low & 0x7fff) << 1) | 1)];
}

interface PesFields {
  streamId: number;
  pts?: number;
  dts?: number;
  /** PES_packet_length 0, as used for video. */
  unbounded?: boolean;
  data: ArrayLike<number>;
}

export function pesPacket({ streamId, pts, dts, unbounded = false, data }: PesFields): Uint8Array {
  const stamps: number[] = [];
  if (pts !== undefined) stamps.push(...timeStamp(dts === undefined ? 2 : 3, pts));
  if (dts !== undefined) stamps.push(...timeStamp(1, dts));
  const flags = pts === undefined ? 0x00 : dts === undefined ? 0x80 : 0xc0;
  const optional = streamId === 0xbf ? [] : [0x80, flags, stamps.length, ...stamps];
  const length = unbounded ? 0 : optional.length + data.length;
  return Uint8Array.from([0, 0, 1, streamId, ...u16(length), ...optional, ...Array.from(data)]);
}

/** The bytes of the adaptation field after its length: flags and, if given, a PCR in 27 MHz ticks. */
export function adaptation(fields: {
  discontinuity?: boolean;
  randomAccess?: boolean;
  pcr?: number;
}): number[] {
  const flags = (fields.discontinuity ? 0x80 : 0) | (fields.randomAccess ? 0x40 : 0);
  if (fields.pcr === undefined) return [flags];
  const base = Math.floor(fields.pcr / 300);
  const extension = fields.pcr % 300;
  const tail = ((base % 2) << 15) | 0x7e00 | extension;
  return [flags | 0x10, ...u32(Math.floor(base / 2)), ...u16(tail)];
}

interface PacketFields {
  payload?: ArrayLike<number>;
  start?: boolean;
  adaptation?: readonly number[];
  error?: boolean;
  scrambling?: number;
  /** Replaces the next counter. */
  counter?: number;
}

/** Writes consecutive packets, with a continuity counter for each PID. */
export class StreamBuilder {
  readonly #packets: Uint8Array[] = [];
  readonly #counters = new Map<number, number>();

  get length(): number {
    return this.#packets.length;
  }

  bytes(): Uint8Array {
    const all = new Uint8Array(this.#packets.length * PACKET);
    for (const [index, packet] of this.#packets.entries()) all.set(packet, index * PACKET);
    return all;
  }

  /** The packets since the last call; their counters continue. */
  take(): Uint8Array {
    const all = this.bytes();
    this.#packets.length = 0;
    return all;
  }

  /** Sets the counter of the PID's next packet. */
  setCounter(pid: number, counter: number): this {
    this.#counters.set(pid, counter & 0x0f);
    return this;
  }

  /** A payload that is too short is padded by the adaptation field, as PES requires. */
  packet(pid: number, fields: PacketFields = {}): this {
    const { payload, start = false, error = false, scrambling = 0 } = fields;
    const next = this.#counters.get(pid) ?? 0;
    const counter = fields.counter ?? (payload === undefined ? (next + 15) & 0x0f : next);
    if (payload !== undefined) this.#counters.set(pid, (counter + 1) & 0x0f);
    const room = PACKET - 4 - (payload?.length ?? 0);
    if (room < 0) throw new RangeError('payload too long');
    const field = room > 0 ? fillAdaptation(fields.adaptation ?? [], room) : [];
    const control = (scrambling << 6) | (room > 0 ? 0x20 : 0) | (payload === undefined ? 0 : 0x10) | counter;
    const packet = new Uint8Array(PACKET);
    packet.set([0x47, (error ? 0x80 : 0) | (start ? 0x40 : 0) | (pid >> 8), pid & 0xff, control]);
    packet.set(field, 4);
    if (payload !== undefined) packet.set(Uint8Array.from(payload), 4 + field.length);
    this.#packets.push(packet);
    return this;
  }

  /** Consecutive sections: a pointer_field where one starts, the last packet stuffed with 0xff. */
  sections(pid: number, ...sections: readonly Uint8Array[]): this {
    const starts: number[] = [];
    const bytes: number[] = [];
    for (const section of sections) {
      starts.push(bytes.length);
      bytes.push(...section);
    }
    for (let at = 0; at < bytes.length; ) {
      const first = starts.find((start) => start >= at && start < at + PACKET - 5);
      // A section that would start in the very last byte has to wait for the next packet's pointer_field.
      const room = first !== undefined || starts.includes(at + PACKET - 5) ? PACKET - 5 : PACKET - 4;
      const part = bytes.slice(at, at + room);
      const stuffing = new Array(room - part.length).fill(0xff);
      const payload = [...(first === undefined ? [] : [first - at]), ...part, ...stuffing];
      this.packet(pid, { payload, start: first !== undefined });
      at += part.length;
    }
    return this;
  }

  /** A PES packet in as many packets as it needs. */
  pes(pid: number, pes: Uint8Array, first: readonly number[] = []): this {
    let at = 0;
    for (let start = true; start || at < pes.length; start = false) {
      const field = start && first.length > 0 ? first.length + 1 : 0;
      const payload = pes.subarray(at, at + PACKET - 4 - field);
      this.packet(pid, { payload, start, adaptation: start ? first : [] });
      at += payload.length;
    }
    return this;
  }

  nulls(count = 1): this {
    for (let n = 0; n < count; n++) {
      this.packet(0x1fff, { payload: new Uint8Array(PACKET - 4).fill(0xff), counter: 0 });
    }
    return this;
  }

  /** Repeats the last packet, as the standard allows. */
  repeat(): this {
    const last = this.#packets.at(-1);
    if (last !== undefined) this.#packets.push(last.slice());
    return this;
  }

  /** Appends whole packets unchanged. */
  raw(packets: Uint8Array): this {
    for (let at = 0; at < packets.length; at += PACKET) this.#packets.push(packets.slice(at, at + PACKET));
    return this;
  }
}

function fillAdaptation(fields: readonly number[], room: number): number[] {
  if (room === 1) return [0];
  const content = fields.length === 0 ? [0] : fields;
  return [room - 1, ...content, ...new Array(room - 1 - content.length).fill(0xff)];
}
