/** Builds the packets of a station's data broadcast for tests, independently of `lib/arib/` and `synth/`. */
import { type BuiltModule, ddbSections, diiSection } from '../carousel-builder.ts';
import {
  adaptation,
  longSection,
  patSection,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
  u16,
} from '../stream-builder.ts';

export const SERVICE = 1024;
const TRANSPORT_STREAM = 0x7fe1;
const NETWORK = 0x7fe0;
const PMT_PID = 0x1f0;
export const PCR_PID = 0x1ff;
/** Entry of GR: 960x540, BML 3.0. */
const ENTRY_INFO = [0xfd, 10, 0x00, 0x0c, 0x33, 0x3f, 0, 3, 0, 0, 0xff, 0xbf];
const FURTHER_INFO = [0xfd, 5, 0x00, 0x0c, 0x1f, 0xff, 0xbf];

const ticksU33 = (ticks: number): number[] => [
  0xfe | (Math.floor(ticks / 2 ** 32) & 1),
  ...u16(Math.floor(ticks / 65_536) % 65_536),
  ...u16(ticks % 65_536),
];

export class StationPackets {
  readonly #stream = new StreamBuilder();
  #version = 0;

  take(): Uint8Array {
    return this.#stream.take();
  }

  /** @param components [component_tag, PID] of carousels; a video stream comes first @param aitPid of applications */
  tables(components: readonly (readonly [tag: number, pid: number])[], aitPid?: number): this {
    const streams = [
      { type: 0x02, pid: 0x100, descriptors: streamIdentifier(0) },
      ...components.map(([tag, pid]) => ({
        ...{ type: 0x0d, pid },
        descriptors: [...streamIdentifier(tag), ...(tag === 0x40 ? ENTRY_INFO : FURTHER_INFO)],
      })),
      { type: 0x06, pid: 0x3e0 },
      ...(aitPid === undefined
        ? []
        : [{ type: 0x05, pid: aitPid, descriptors: [0x6f, 3, 0x80, 0x10, 0xe1] }]),
    ];
    this.#version = (this.#version + 1) & 31;
    this.#stream.sections(0, patSection(TRANSPORT_STREAM, [[SERVICE, PMT_PID]]));
    const map = pmtSection(SERVICE, { pcrPid: PCR_PID, streams }, { version: this.#version });
    this.#stream.sections(PMT_PID, map);
    return this;
  }

  /** EIT with the present programme; JST 2026-11-20 21:00, an hour. */
  programme(eventId: number): this {
    const name = [0x4d, 5, 0x6a, 0x70, 0x6e, 0, 0];
    const event = [...u16(eventId), 0xef, 0xb4, 0x21, 0, 0, 1, 0, 0, ...u16(name.length), ...name];
    const body = [...u16(TRANSPORT_STREAM), ...u16(NETWORK), 1, 0x4e, ...event];
    this.#stream.sections(0x12, longSection({ tableId: 0x4e, extension: SERVICE, lastNumber: 1, body }));
    return this;
  }

  /** @param affiliation of the only broadcaster, which lists the service */
  broadcaster(affiliation: number): this {
    const loop = [0x41, 3, ...u16(SERVICE), 1, 0xce, 5, 0x1f, ...u16(0x1234), 0x10, affiliation];
    const body = [...u16(0xf000), 0xff, ...u16(0xf000 | loop.length), ...loop];
    this.#stream.sections(0x24, longSection({ tableId: 0xc4, extension: NETWORK, body }));
    return this;
  }

  /** TDT. @param seconds of the hour 21:00 in Japan on 2026-11-20 */
  time(seconds: number): this {
    const bcd = (value: number) => Math.floor(value / 10) * 16 + (value % 10);
    const body = [0xef, 0xb4, 0x21, bcd(Math.floor(seconds / 60)), bcd(seconds % 60)];
    this.#stream.sections(0x14, Uint8Array.from([0x70, 0x70, body.length, ...body]));
    return this;
  }

  /** @param ticks of 90 kHz */
  pcr(ticks: number): this {
    this.#stream.packet(PCR_PID, { adaptation: adaptation({ pcr: ticks * 300 }) });
    return this;
  }

  list(
    pid: number,
    modules: readonly BuiltModule[],
    more: { event?: number; transactionId?: number } = {},
  ): this {
    const { event = 15, transactionId = 1 } = more;
    const downloadId = downloadOf(event);
    this.#stream.sections(pid, diiSection({ downloadId, transactionId, modules }));
    return this;
  }

  blocks(pid: number, module: BuiltModule, event = 15): this {
    this.#stream.sections(pid, ...ddbSections(downloadOf(event), module));
    return this;
  }

  section(pid: number, section: Uint8Array): this {
    this.#stream.sections(pid, section);
    return this;
  }
}

/** An AIT with one application, 0x11/0x22, at `http://a.example/` + path. */
export function aitSection(
  version: number,
  control: number,
  path = 'b',
  number = 0,
  lastNumber = 0,
): Uint8Array {
  const base = [...new TextEncoder().encode('http://a.example/')];
  const location = [...new TextEncoder().encode(path)];
  const own = [
    ...[0x00, 9, 5, 0, 0, 1, 0, 0, 0xff, 1, 1],
    ...[0x02, base.length + 5, 0, 3, 1, base.length, ...base, 0],
    ...[0x15, location.length, ...location],
  ];
  const application = [0, 0, 0, 0x11, 0, 0x22, control, ...u16(0xf000 | own.length), ...own];
  const body = [...u16(0xf000), ...u16(0xf000 | application.length), ...application];
  return longSection({ tableId: 0x74, extension: 0x0010, version, number, lastNumber, body });
}

function downloadOf(event: number): number {
  return ((event << 28) | 0x0fff_ffff) >>> 0;
}

/** A section of stream descriptors with one NPT reference. */
export function nptSection(stc: number, npt: number, numerator = 1): Uint8Array {
  const body = [
    0x17,
    18,
    0x7f,
    ...ticksU33(stc),
    0xff,
    0xff,
    0xff,
    ...ticksU33(npt),
    ...u16(numerator),
    ...u16(1),
  ];
  return longSection({ tableId: 0x3d, extension: 0xf000, body });
}

interface BuiltEvent {
  id: number;
  version: number;
  npt?: number;
  data?: string;
}

export function eventSection({ id, version, npt, data = '' }: BuiltEvent): Uint8Array {
  const time = npt === undefined ? [0, 0xff, 0xff, 0xff, 0xff, 0xff] : [2, ...ticksU33(npt)];
  const text = new TextEncoder().encode(data);
  const body = [0x40, 11 + text.length, 0x00, 0x0f, ...time, 1, id, version, ...text];
  return longSection({ tableId: 0x3d, extension: 0xf000, body });
}
