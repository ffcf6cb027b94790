/**
 * Watches whether a viewer of a station's packets has pictures and sound: usable access units (`access-units.ts`) of
 * the streams in the PMT, at their usual rate. Reads tables and clock from the packets, so that it works for a stream
 * and for a file alike. Times are in ms of the broadcast's clock, which does not advance where nothing is received.
 *
 * No loss: streams that the PMT does not list, still pictures, a second sound that ends, a unit that comes late but
 * in time for its decoding. Not detected: wrong data inside complete units.
 */
import { findDescriptor } from '../../lib/arib/descriptor/index.ts';
import type { Pid } from '../../lib/arib/ids.ts';
import type { Pts90k } from '../../lib/arib/time.ts';
import {
  PCR_PER_MS,
  PTS_HZ,
  pcrDifference,
  pcrToPts,
  ptsDifference,
  type ReceptionFault,
} from '../../lib/arib/ts/clock.ts';
import {
  continuityCounter,
  hasPayload,
  hasTransportError,
  PACKET_SIZE,
  PAT_PID,
  PID_COUNT,
  packetPcr,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { pesTimes } from '../../lib/arib/ts/pes.ts';
import { type ProgramMap, parsePmt } from '../../lib/arib/ts/pmt.ts';
import { type Section, SectionDemux } from '../../lib/arib/ts/section.ts';
import { type AccessUnits, Pictures, SoundFrames, SoundPackets } from './access-units.ts';
import { layoutOf } from './station-layout.ts';

const PTS_PER_MS = PTS_HZ / 1000;
/** Verdicts ignore losses up to 500 ms, and clock references are 100 ms apart. */
const LEAST_MS = 400;
/** As a loss until the end of the packets it must be longer than any unit takes to arrive. */
const LEAST_AT_END_MS = 500;
/** Multiple of the usual interval that is still no loss. */
const UNUSUAL = 3;
/** Intervals whose median is usual. Before the first, a stream may turn out to be slow. */
const INTERVALS = 16;
const UNKNOWN_MS = 5_000;
/** Another picture format begins within this after the end of a sequence. */
const ENDED_MS = 2_000;
/** A new PMT may list a stream before it is sent. */
const LISTED_MS = 2_000;
/** A second sound that returns later than this was not missing: it is sent for some programmes only. */
const RETURNS_MS = 60_000;
/** A larger step of the clock is a jump, or a loss of all packets, which is reported elsewhere. */
const JUMP_MS = 500;
/** Clock references come every 100 ms; without them time stamps are the clock, which may be this inexact. */
const SILENT_CLOCK_MS = 300;
const STAMPS_MS = 1_000;
const STAMPS = 8;
/** Losses this close to each other are reported as one. A hostile clock could otherwise make many of them. */
const NEAR_MS = 500;
const MAX_SPANS = 64;
const AAC_ADTS = 0x0f;

/** A part that cannot be watched, as times before the last packet, ms. */
export interface UnwatchableSpan {
  cause: ReceptionFault;
  fromBeforeEndMs: number;
  toBeforeEndMs: number;
}

interface Watched {
  readonly pid: Pid;
  readonly cause: 'no_picture' | 'no_sound';
  readonly units: AccessUnits;
  /** The picture or the first sound. */
  isMain: boolean;
  counter: number | undefined;
  /** When its last unit was received; before the first: since when it should have been. */
  seenAt: number;
  /** It had a unit since the beginning or the last interruption. */
  isSeen: boolean;
  /** How long its first unit may take. */
  firstMs: number;
  /** Up to when a loss in progress is reported. */
  reportedTo: number | undefined;
  isScrambled: boolean;
  /** The sequence had ended before the current packet. */
  wasEnded: boolean;
  /** Time stamp of the last unit, and of the current PES packet. */
  unitStamp: Pts90k | undefined;
  stamp: Pts90k | undefined;
  /** The last time stamp, its time by the steps between stamps, and their number since a clock reference. */
  anchor: { stamp: Pts90k; at: number; references: number; stamps: number } | undefined;
  readonly intervals: number[];
}

export class ProgrammeWatch {
  readonly #demux = new SectionDemux([PAT_PID]);
  readonly #isTable = new Uint8Array(PID_COUNT);
  readonly #streams = new Map<number, Watched>();
  #mapPid: Pid | undefined;
  #map: Uint8Array | undefined;
  #pcrPid: Pid | undefined;
  #now = 0;
  #lastPcr: number | undefined;
  #lastPcrAt = 0;
  #references = 0;
  #spans: { cause: UnwatchableSpan['cause']; from: number; to: number }[] = [];

  constructor() {
    this.#isTable[PAT_PID] = 1;
  }

  /** Takes whole packets of one station. */
  feed(packets: Uint8Array): void {
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
      const pid = packetPid(packets, at);
      if (this.#isTable[pid] === 1) {
        for (const section of this.#demux.feed(packets.subarray(at, at + PACKET_SIZE))) this.#table(section);
      }
      if (pid === this.#pcrPid && !hasTransportError(packets, at)) {
        const pcr = packetPcr(packets, at);
        if (pcr !== undefined) this.#clock(pcr);
      }
      const stream = this.#streams.get(pid);
      if (stream !== undefined) this.#packet(stream, packets, at);
    }
  }

  /** The losses since the last call, up to the last packet. */
  take(): UnwatchableSpan[] {
    for (const stream of this.#streams.values()) {
      if (this.#isLost(stream)) this.#report(stream);
    }
    const spans = this.#spans.map(({ cause, from, to }) => ({
      cause,
      fromBeforeEndMs: this.#now - from,
      toBeforeEndMs: this.#now - to,
    }));
    this.#spans = [];
    return spans;
  }

  /** The next packets do not continue these. Call `take` first for the losses up to here. */
  interrupt(): void {
    this.#lastPcr = undefined;
    for (const stream of this.#streams.values()) {
      Object.assign(stream, { isSeen: false, firstMs: LEAST_AT_END_MS, seenAt: this.#now });
      this.#forget(stream);
      stream.counter = undefined;
    }
  }

  /** For this time, the broadcast was not received at all. */
  pass(milliseconds: number): void {
    this.end();
    this.#now += milliseconds;
    this.interrupt();
  }

  /** Reports losses that are too short to be certain while more packets may follow. */
  end(): void {
    for (const stream of this.#streams.values()) {
      if (stream.isMain && this.#now - stream.seenAt > Math.max(LEAST_AT_END_MS, this.#limit(stream)))
        this.#report(stream);
    }
  }

  #table(section: Section): void {
    if (section.pid === PAT_PID) {
      const program = parsePat(section)?.programs[0];
      if (program === undefined || program.pid === this.#mapPid) return;
      if (this.#mapPid !== undefined) {
        this.#demux.remove(this.#mapPid);
        this.#isTable[this.#mapPid] = 0;
      }
      this.#mapPid = program.pid;
      this.#demux.add(program.pid);
      this.#isTable[program.pid] = 1;
      return;
    }
    if (!section.current || (this.#map !== undefined && Buffer.compare(this.#map, section.bytes) === 0))
      return;
    const map = parsePmt(section);
    if (map === undefined) return;
    this.#follow(map, this.#map === undefined ? LEAST_AT_END_MS : LISTED_MS);
    this.#map = section.bytes;
  }

  #follow(map: ProgramMap, firstMs: number): void {
    const { video, audios } = layoutOf(map);
    const typeOf = new Map(map.streams.map(({ pid, streamType }) => [pid, streamType]));
    const wanted = new Map<number, Watched>();
    const want = (pid: Pid, cause: Watched['cause'], isMain: boolean, units: () => AccessUnits): void => {
      const known = this.#streams.get(pid);
      if (known?.cause === cause) wanted.set(pid, Object.assign(known, { isMain }));
      else wanted.set(pid, this.#watched(pid, cause, { isMain, units: units(), firstMs }));
    };
    const picture = map.streams.find(({ pid }) => pid === video?.pid);
    const control = findDescriptor(picture?.descriptors ?? [], 'video_decode_control');
    if (video !== null && control?.stillPicture !== true)
      want(video.pid, 'no_picture', true, () => new Pictures(video.kind));
    for (const [index, pid] of audios.entries()) {
      want(pid, 'no_sound', index === 0, () =>
        typeOf.get(pid) === AAC_ADTS ? new SoundFrames() : new SoundPackets(),
      );
    }
    this.#streams.clear();
    for (const [pid, stream] of wanted) this.#streams.set(pid, stream);
    this.#pcrPid = map.pcrPid;
  }

  #watched(pid: Pid, cause: Watched['cause'], more: Pick<Watched, 'isMain' | 'units' | 'firstMs'>): Watched {
    return {
      ...{ pid, cause, ...more, seenAt: this.#now, isSeen: false, isScrambled: false, wasEnded: false },
      ...{ counter: undefined, reportedTo: undefined, unitStamp: undefined, stamp: undefined },
      ...{ anchor: undefined, intervals: [] },
    };
  }

  #clock(pcr: number): void {
    const stepMs = this.#lastPcr === undefined ? 0 : pcrDifference(pcr, this.#lastPcr) / PCR_PER_MS;
    // The clock references may have been missing, too: then the time stamps have shown the time.
    const stampedMs = this.#now - this.#lastPcrAt;
    const isExpected = stampedMs > SILENT_CLOCK_MS && Math.abs(stepMs - stampedMs) < STAMPS_MS;
    if (stepMs >= 0 && (stepMs < JUMP_MS || isExpected)) {
      this.#now = Math.max(this.#now, this.#lastPcrAt + stepMs);
    } else for (const stream of this.#streams.values()) stream.unitStamp = undefined;
    this.#lastPcr = pcr;
    this.#lastPcrAt = this.#now;
    this.#references += 1;
  }

  /** The clock while no clock reference is received, by the time stamps of any stream. */
  #stamped(stream: Watched, stamp: Pts90k): void {
    const { anchor } = stream;
    if (anchor?.references !== this.#references) {
      stream.anchor = { stamp, at: this.#now, references: this.#references, stamps: 0 };
      return;
    }
    const stepMs = ptsDifference(stamp, anchor.stamp) / PTS_PER_MS;
    anchor.stamp = stamp;
    anchor.stamps += 1;
    if (stepMs > 0 && stepMs <= SILENT_CLOCK_MS) anchor.at += stepMs;
    if (anchor.stamps >= STAMPS && anchor.at > this.#lastPcrAt + SILENT_CLOCK_MS)
      this.#now = Math.max(this.#now, anchor.at);
  }

  #packet(stream: Watched, packets: Uint8Array, at: number): void {
    if (hasTransportError(packets, at) || !hasPayload(packets, at)) return;
    const counter = continuityCounter(packets, at);
    // A packet may be sent twice.
    if (counter === stream.counter) return;
    stream.counter = counter;
    if (scramblingControl(packets, at) !== 0) {
      stream.isScrambled = true;
      return;
    }
    const isStart = startsUnit(packets, at);
    if (isStart) {
      const times = pesTimes(packets, at);
      stream.stamp = times?.dts ?? times?.pts;
      if (stream.stamp !== undefined) this.#stamped(stream, stream.stamp);
    }
    stream.wasEnded = stream.units.isEnded === true;
    if (stream.units.feed(packets, payloadStart(packets, at), at + PACKET_SIZE, isStart)) this.#unit(stream);
  }

  #unit(stream: Watched): void {
    const gap = this.#now - stream.seenAt;
    if (stream.reportedTo !== undefined) this.#report(stream);
    else if (gap > LEAST_MS && gap > this.#limit(stream) && !this.#isInTime(stream)) {
      if (stream.isMain || (stream.isSeen && gap < RETURNS_MS)) this.#report(stream);
    } else if (stream.isSeen) {
      stream.intervals.push(gap);
      if (stream.intervals.length > INTERVALS) stream.intervals.shift();
    }
    stream.seenAt = this.#now;
    stream.isSeen = true;
    this.#forget(stream);
    stream.unitStamp = stream.stamp;
  }

  #forget(stream: Watched): void {
    stream.reportedTo = undefined;
    stream.isScrambled = false;
    stream.unitStamp = undefined;
  }

  /** Reports the loss of a stream up to now, without what was reported before. */
  #report(stream: Watched): void {
    const cause = stream.isScrambled ? 'scrambled' : stream.cause;
    const from = stream.reportedTo ?? stream.seenAt;
    stream.reportedTo = this.#now;
    const last = this.#spans.findLast((span) => span.cause === cause);
    if (last === undefined || (from - last.to > NEAR_MS && this.#spans.length < MAX_SPANS))
      this.#spans.push({ cause, from, to: this.#now });
    else {
      last.from = Math.min(last.from, from);
      last.to = this.#now;
    }
  }

  /** By its time stamp, the current unit follows the last one: it only arrived late. */
  #isInTime({ unitStamp, stamp, isSeen }: Watched): boolean {
    if (!isSeen || unitStamp === undefined || stamp === undefined) return false;
    return Math.abs(ptsDifference(stamp, unitStamp)) / PTS_PER_MS <= LEAST_MS;
  }

  /** The main stream is missing now, and what was received of it is used up. */
  #isLost(stream: Watched): boolean {
    if (!stream.isMain || this.#now - stream.seenAt <= this.#limit(stream)) return false;
    if (stream.unitStamp === undefined || this.#lastPcr === undefined || this.#now > this.#lastPcrAt)
      return true;
    return ptsDifference(pcrToPts(this.#lastPcr), stream.unitStamp) > 0;
  }

  /** Longest interval that is no loss. */
  #limit({ isSeen, firstMs, intervals, units, wasEnded }: Watched): number {
    if (!isSeen) return firstMs;
    const usual = [...intervals].sort((a, b) => a - b)[intervals.length >> 1];
    if (usual === undefined) return UNKNOWN_MS;
    return Math.max(wasEnded || units.isEnded === true ? ENDED_MS : LEAST_MS, UNUSUAL * usual);
  }
}
