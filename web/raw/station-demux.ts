/**
 * Demultiplexes one station's transport stream for the raw path: access units of its MPEG-2 video and PES packets of
 * the chosen sound, with unwrapped times (ISO/IEC 13818-1, 2.4). Damaged video is passed on as far as it was received.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { Reader } from '../../lib/arib/reader.ts';
import { type Pts90k, unwrapPts } from '../../lib/arib/time.ts';
import { GapWatch, pcrToPts } from '../../lib/arib/ts/clock.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import {
  ContinuityCheck,
  hasPayload,
  hasTransportError,
  PACKET_SIZE,
  PAT_PID,
  packetPcr,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { PesAssembler, readPes } from '../../lib/arib/ts/pes.ts';
import { type Section, SectionAssembler } from '../../lib/arib/ts/section.ts';
import { type AccessUnit, AccessUnits } from './access-units.ts';

export type DemuxEvent =
  | { readonly kind: 'unit'; readonly unit: AccessUnit }
  /** `time`: PTS, 90 kHz, unwrapped. */
  | { readonly kind: 'audio'; readonly bytes: Uint8Array; readonly time: number | undefined }
  | { readonly kind: 'audioLoss' }
  /** The station's streams are known, or others than before. */
  | { readonly kind: 'layout'; readonly hasVideo: boolean; readonly audios: number };

const MPEG2_VIDEO = 0x02;
const AAC_ADTS = 0x0f;
/** A PES header has at most 9 + 255 bytes: it ends within the first or second packet. */
const MAX_HEADER = 264;

const PMT_TABLE_ID = 0x02;

interface Streams {
  readonly clockPid: Pid;
  readonly streams: readonly Stream[];
}

interface Stream {
  readonly streamType: number;
  readonly pid: Pid;
}

/**
 * The streams of a programme, ISO/IEC 13818-1, 2.4.4.8: `lib/arib/ts/pmt.ts` without descriptors, whose texts would make the
 * worker four times as large. Undefined when the section is no PMT.
 */
function programStreams(section: Section): Streams | undefined {
  if (section.tableId !== PMT_TABLE_ID || !section.long) return undefined;
  const r = new Reader(section.body);
  const clockPid = r.pid();
  r.skip(r.length12());
  const streams: Stream[] = [];
  while (r.remaining > 0) {
    const streamType = r.u8();
    const pid = r.pid();
    r.skip(r.length12());
    streams.push({ streamType, pid });
  }
  return r.exhausted ? undefined : { clockPid, streams };
}

export class StationDemux {
  readonly #framer = new PacketFramer();
  readonly #pat = new SectionAssembler(PAT_PID);
  #pmt: SectionAssembler | undefined;
  #pmtPid = -1;
  #layout = '';
  #clockPid: Pid | undefined;
  /** What does not come. */
  readonly watch = new GapWatch();
  #videoPid = -1;
  #audioPids: Pid[] = [];
  #audio: PesAssembler | undefined;
  readonly #audioIndex: number;
  readonly #video = new AccessUnits();
  readonly #continuity = new ContinuityCheck();
  /** Start of a video PES packet whose header is not whole. */
  #header: Uint8Array | undefined;
  #isOpen = false;
  /** The time seen last, from which 33 bits are unwrapped. */
  #reference: number | undefined;
  #lostAudio = 0;

  /** @param audioIndex which of the station's sounds, in the order of its PMT */
  constructor(audioIndex: number) {
    this.#audioIndex = audioIndex;
  }

  *push(bytes: Uint8Array): Generator<DemuxEvent> {
    const packets = this.#framer.feed(bytes);
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
      const pid = packetPid(packets, at);
      if (pid === this.#clockPid) this.#clock(packets, at);
      if (pid === this.#videoPid) yield* this.#videoPacket(packets, at);
      else if (pid === PAT_PID) this.#patPacket(packets, at);
      else if (pid === this.#pmtPid) yield* this.#pmtPacket(packets, at);
      else if (this.#audioPids.includes(pid)) yield* this.#audioPacket(packets, at, pid);
    }
  }

  #clock(packets: Uint8Array, at: number): void {
    const pcr = hasTransportError(packets, at) ? undefined : packetPcr(packets, at);
    if (pcr !== undefined) this.watch.clock(pcrToPts(pcr));
  }

  #patPacket(packets: Uint8Array, at: number): void {
    for (const section of this.#pat.feed(packets, at)) {
      // Narrowed to one station, so there is one programme.
      const pid = parsePat(section)?.programs[0]?.pid;
      if (pid === undefined || pid === this.#pmtPid) continue;
      this.#pmtPid = pid;
      this.#pmt = new SectionAssembler(pid);
    }
  }

  *#pmtPacket(packets: Uint8Array, at: number): Generator<DemuxEvent> {
    for (const section of this.#pmt?.feed(packets, at) ?? []) {
      const program = programStreams(section);
      if (program === undefined) continue;
      this.#clockPid = program.clockPid;
      yield* this.#learn(program.streams);
    }
  }

  *#learn(streams: readonly Stream[]): Generator<DemuxEvent> {
    const video = streams.find(({ streamType }) => streamType === MPEG2_VIDEO)?.pid ?? -1;
    const audios = streams.filter(({ streamType }) => streamType === AAC_ADTS).map(({ pid }) => pid);
    const layout = [video, ...audios].join(' ');
    if (layout === this.#layout) return;
    this.#layout = layout;
    if (video !== this.#videoPid) {
      this.#videoPid = video;
      this.#video.reset();
      this.#continuity.reset();
      this.#isOpen = false;
      this.#header = undefined;
    }
    // A track that is not offered any more is replaced by the first one.
    const chosen = audios[this.#audioIndex] ?? audios[0];
    this.#audioPids = chosen === undefined ? [] : [chosen];
    this.#audio = new PesAssembler();
    yield { kind: 'layout', hasVideo: video >= 0, audios: audios.length };
  }

  #time(pts: Pts90k | undefined): number | undefined {
    if (pts === undefined) return undefined;
    this.#reference = unwrapPts(pts, this.#reference ?? pts);
    return this.#reference;
  }

  *#audioPacket(packets: Uint8Array, at: number, _pid: Pid): Generator<DemuxEvent> {
    const audio = this.#audio;
    if (audio === undefined) return;
    if (scramblingControl(packets, at) !== 0) this.watch.scrambled('audio');
    for (const { data, pts } of audio.feed(packets, at)) {
      if (pts !== undefined) this.watch.unit('audio', pts);
      yield { kind: 'audio', bytes: data, time: this.#time(pts) };
    }
    const lost = audio.incompletePackets + audio.invalidPackets;
    if (lost !== this.#lostAudio) yield { kind: 'audioLoss' };
    this.#lostAudio = lost;
  }

  *#videoPacket(packets: Uint8Array, at: number): Generator<DemuxEvent> {
    if (!hasPayload(packets, at)) return;
    const isScrambled = scramblingControl(packets, at) !== 0;
    if (isScrambled) this.watch.scrambled('video');
    const isDamaged = isScrambled || hasTransportError(packets, at);
    const continuity = this.#continuity.next(packets, at);
    if (continuity === 'duplicate') return;
    if (continuity === 'gap' || isDamaged) {
      this.#header = undefined;
      yield* this.#units(this.#video.loss());
    }
    if (isDamaged) return;
    const payload = packets.subarray(payloadStart(packets, at), at + PACKET_SIZE);
    if (startsUnit(packets, at)) {
      yield* this.#begin(payload);
    } else if (this.#header !== undefined) {
      const whole = new Uint8Array(this.#header.length + payload.length);
      whole.set(this.#header);
      whole.set(payload, this.#header.length);
      this.#header = undefined;
      yield* this.#begin(whole);
    } else if (this.#isOpen) yield* this.#units(this.#video.push(payload));
  }

  /** The start of a PES packet. */
  *#begin(bytes: Uint8Array): Generator<DemuxEvent> {
    const needed = bytes.length < 9 ? 9 : 9 + (bytes[8] ?? 0);
    if (bytes.length < needed) {
      this.#header = bytes.length < MAX_HEADER ? bytes.slice() : undefined;
      return;
    }
    const pes = readPes(bytes);
    this.#isOpen = pes !== undefined;
    if (pes === undefined) return;
    if (pes.pts !== undefined) this.watch.unit('video', pes.pts);
    // Every PES packet of a broadcast begins with a picture (ARIB TR-B14): the one before is whole.
    if (pes.aligned) yield* this.#units(this.#video.end());
    yield* this.#units(this.#video.push(pes.data, this.#time(pes.pts)));
  }

  *#units(units: Iterable<AccessUnit>): Generator<DemuxEvent> {
    for (const unit of units) yield { kind: 'unit', unit };
  }
}
