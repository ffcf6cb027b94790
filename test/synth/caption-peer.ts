/**
 * Captions as read by aribb24.js, as a list of erasures and cells to compare with the broadcaster's truth.
 */
import { createHash } from 'node:crypto';
import { ARIBB24JapaneseJIS8Tokenizer, ARIBB24Parser, demuxDatagroup, demuxIndependentPES } from 'aribb24.js';
import { PACKET, packetsOf } from './tuning.ts';

/** A PES packet, reassembled by the test's own code. */
export interface Pes {
  /** Number of packets of its stream up to its first. */
  ordinal: number;
  bytes: Uint8Array;
}

/** The PES packets of one stream; the length of each is that of its header. */
export function pesOf(stream: Uint8Array, pid: number): Pes[] {
  const found: Pes[] = [];
  let open: number[] | undefined;
  let ordinal = 0;
  let counter: number | undefined;
  for (const packet of packetsOf(stream)) {
    if (packet.pid !== pid) continue;
    ordinal += 1;
    if (counter !== undefined && packet.counter !== ((counter + 1) & 15)) throw new Error('counter');
    counter = packet.counter;
    if (packet.begins) open = [];
    if (open === undefined) continue;
    open.push(...stream.subarray(packet.payload, packet.at + PACKET));
    const [, , , , high = 0, low = 0] = open;
    const length = 6 + (high << 8) + low;
    if (open.length > length) throw new Error('bytes after the end of a PES packet');
    if (open.length < length) continue;
    found.push({ ordinal, bytes: Uint8Array.from(open) });
    open = undefined;
  }
  return found;
}

/** CRC_16 bit by bit: zero over a whole data group. */
export function crc16(bytes: Uint8Array): number {
  let register = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const out = (register >> 15) & 1;
      register = (register << 1) & 0xffff;
      if (out !== ((byte >> bit) & 1)) register ^= 0x1021;
    }
  }
  return register;
}

/** The form in which both results are compared. */
export interface Cell {
  /** 90 kHz ticks, unwrapped or not depending on the caller. */
  ticks: number;
  /** One character; `drcs:` and the MD5 of a bitmap; `erase`. */
  what: string;
  /** Bottom left dot, and size of the cell. */
  box: readonly number[];
  /** Foreground, background. */
  colours: readonly number[];
  /** Underline, flash, box, outline. */
  marks: string;
}

const FLASH: Readonly<Record<number, string>> = { 64: 'normal', 71: 'inverted', 79: 'none' };

interface PeerState {
  position: readonly [number, number];
  margin: readonly [number, number];
  foreground: number;
  background: number;
  underline: boolean;
  flashing: number;
  highlight: number;
  ornament: number | null;
  elapsed_time: number;
}

function cellOfState(state: PeerState, box: readonly [number, number], ticks: number, what: string): Cell {
  const edges = state.highlight === 0 ? '' : ' boxed';
  const outline = state.ornament === null ? '' : ' outlined';
  return {
    ticks,
    what,
    box: [state.position[0] + state.margin[0], state.position[1] + state.margin[1], ...box],
    colours: [state.foreground, state.background],
    marks: `${state.underline ? 'underline ' : ''}${FLASH[state.flashing]}${edges}${outline}`,
  };
}

interface PeerGroup {
  data: NonNullable<ReturnType<typeof demuxDatagroup>>;
  /** `Caption` or `Superimpose`. */
  tag: string;
  /** The data group with its CRC. */
  group: Uint8Array;
}

/** The data group of a PES packet's payload. */
export function readGroup(payload: Uint8Array): PeerGroup {
  const independent = demuxIndependentPES(payload);
  if (independent === null) throw new Error('no caption');
  const data = demuxDatagroup(independent.data);
  if (data === null) throw new Error('no data group');
  return { data, tag: independent.tag, group: independent.data };
}

/**
 * The bitmaps that a statement's units define, read by the test's own code: the other reader drops the last
 * bits of those that do not fill whole bytes.
 */
function patternsOf(data: PeerGroup['data']): Uint8Array[] {
  const patterns: Uint8Array[] = [];
  for (const unit of data.units) {
    if (unit.tag !== 'DRCS') continue;
    const { data: bytes } = unit;
    const [count = 0] = bytes;
    let at = 1;
    for (let number = 0; number < count; number++) {
      const [fonts, mode, depth = 0, width = 0, height = 0] = bytes.subarray(at + 2);
      if (fonts !== 1 || mode !== (depth === 0 ? 0 : 1)) throw new Error('not one font of plain dots');
      const length = Math.ceil((width * height * (depth === 0 ? 1 : 2)) / 8);
      patterns.push(bytes.slice(at + 7, at + 7 + length));
      at += 7 + length;
    }
    if (at !== bytes.length) throw new Error('a bitmap is cut off');
  }
  return patterns;
}

function hashOf(binary: Uint8Array, patterns: readonly Uint8Array[]): string {
  const whole = patterns.find(
    (pattern) =>
      Buffer.from(pattern.subarray(0, binary.length)).equals(binary) && pattern.length - binary.length <= 1,
  );
  return createHash('md5')
    .update(whole ?? binary)
    .digest('hex');
}

/** A statement as cells, in writing order. */
export function readCells(data: PeerGroup['data'], ticks: number): Cell[] {
  const parser = new ARIBB24Parser(undefined, { magnification: 1 });
  const tokens = new ARIBB24JapaneseJIS8Tokenizer().tokenize(data);
  const patterns = patternsOf(data);
  return parser.parse(tokens).map((token): Cell => {
    const at = ticks + Math.round(token.state.elapsed_time * 10) * 9_000;
    if (token.tag === 'ClearScreen') return { ticks: at, what: 'erase', box: [], colours: [], marks: '' };
    if (token.tag === 'Bitmap') throw new Error('no bitmaps are sent');
    const state = token.state as PeerState;
    const what =
      token.tag === 'DRCS' ? `drcs:${hashOf(new Uint8Array(token.binary), patterns)}` : token.character;
    return cellOfState(state, ARIBB24Parser.box(token.state), at, what);
  });
}

/** The part of `--truth` about captions. */
export interface CaptionTruth {
  captionStream: { pid: number; streamType: number; componentTag: number } | null;
  superimposeStream: { pid: number; streamType: number; componentTag: number } | null;
  captions: TruthPage[];
  superimposed: TruthPage[];
}

export interface TruthPage {
  language: string;
  pts: number;
  at: number;
  clears: boolean;
  vertical: boolean;
  text: string;
  ruby: string[];
  runs: {
    text: string;
    role: string;
    x: number;
    y: number;
    size: string;
    cell: { width: number; height: number };
    foreground: number;
    background: number;
    underline: boolean;
    flash: string;
    boxed: boolean;
    inverted: boolean;
    outlined: boolean;
    drcs: { index: number; md5: string; width: number; height: number; levels: number }[];
  }[];
}

/**
 * How the peer represents a character: alphanumeric letters in full width, one kind of blank and of wave
 * dash.
 */
export function asPeer(character: string): string {
  if (character === ' ' || character === '　') return '　';
  if (character === '〜') return '～';
  const code = character.charCodeAt(0);
  return code > 0x20 && code < 0x7f ? String.fromCharCode(code + 0xfee0) : character;
}

/** The truth of a page in the same form. */
export function truthCells(page: TruthPage): Cell[] {
  const erased = { ticks: page.pts, what: 'erase', box: [], colours: [], marks: '' };
  const cells = page.runs.flatMap((run) => {
    const { width, height } = run.cell;
    const drcs = new Map(run.drcs.map(({ index, md5 }) => [index, `drcs:${md5}`]));
    const marks = `${run.underline ? 'underline ' : ''}${run.flash}${run.boxed ? ' boxed' : ''}${run.outlined ? ' outlined' : ''}`;
    return [...run.text].map(
      (character, index): Cell => ({
        ticks: page.pts,
        what: drcs.get(index) ?? asPeer(character),
        box: [run.x + index * width, run.y, width, height],
        colours: [run.foreground, run.background],
        marks,
      }),
    );
  });
  return page.clears ? [erased, ...cells] : cells;
}
