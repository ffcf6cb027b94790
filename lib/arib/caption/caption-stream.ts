/**
 * Extracts the captions of one station from its transport stream: PAT, PMT, PES packets, caption pages. ARIB STD-B10
 * Part 2, 6.2.16 (component_tag); which stream is which, TR-B14 Vol. 3 Section 2: captions 0x30 to 0x37, superimposed
 * text 0x38 to 0x3F, of one-segment services 0x87 and 0x88.
 *
 * A further kind of captions is decoded to the same pages: which stream it is, here; its look, `page.ts`. Another
 * source, or another form of page, also concerns `src/reception/caption-reader.ts`, `src/media/captions.ts`,
 * `src/encode/file-texts.ts` and `web/caption/`.
 */
import type { Pid, ServiceId } from '../ids.ts';
import { type Pts90k, unwrapPts } from '../time.ts';
import { pcrToPts } from '../ts/clock.ts';
import { isDiscontinuity, PACKET_SIZE, PAT_PID, packetPcr, packetPid } from '../ts/packet.ts';
import { parsePat } from '../ts/pat.ts';
import { PesAssembler, type PesPacket } from '../ts/pes.ts';
import { type ProgramMap, type ProgramStream, parsePmt } from '../ts/pmt.ts';
import { SectionDemux } from '../ts/section.ts';
import { CaptionDecoder, type CaptionEvent } from './decoder.ts';
import type { CaptionProfile } from './writer.ts';

const PRIVATE_DATA = 0x06;
/** component_tags, the default stream of each kind first. */
const KINDS: readonly { first: number; last: number; superimpose: boolean; profile: CaptionProfile }[] = [
  { first: 0x30, last: 0x37, superimpose: false, profile: 'A' },
  { first: 0x38, last: 0x3f, superimpose: true, profile: 'A' },
  { first: 0x87, last: 0x87, superimpose: false, profile: 'C' },
  { first: 0x88, last: 0x88, superimpose: true, profile: 'C' },
];

export interface CaptionSource {
  readonly pid: Pid;
  readonly superimpose: boolean;
  readonly profile: CaptionProfile;
}

/** The station's caption stream and its superimposed text, at most one of each: the one with the lowest tag. */
function captionSources(streams: readonly ProgramStream[]): CaptionSource[] {
  const found: CaptionSource[] = [];
  const tagged = streams
    .filter(({ streamType }) => streamType === PRIVATE_DATA)
    .sort((one, other) => (one.componentTag ?? 0) - (other.componentTag ?? 0));
  for (const { pid, componentTag } of tagged) {
    const tag = componentTag ?? -1;
    const kind = KINDS.find(({ first, last }) => tag >= first && tag <= last);
    if (kind === undefined || found.some(({ superimpose }) => superimpose === kind.superimpose)) continue;
    found.push({ pid, superimpose: kind.superimpose, profile: kind.profile });
  }
  return found;
}

/** A data group has at most 65,535 octets and a few of headers. */
const PES_LIMIT = 66_000;
/** The clock does not jump by this much unless the stream was cut. */
const JUMP = 10 * 90_000;

/** New tables apply from the slice after theirs on: 6 ms of a terrestrial station. */
const SLICE_BYTES = 64 * PACKET_SIZE;

interface OpenSource extends CaptionSource {
  readonly pes: PesAssembler;
  readonly decoder: CaptionDecoder;
}

export class CaptionStream {
  readonly #serviceId: ServiceId | undefined;
  #demux = new SectionDemux([PAT_PID]);
  #mapPid: Pid | undefined;
  #pcrPid: Pid | undefined;
  #clock: Pts90k | undefined;
  #sources: readonly OpenSource[] = [];

  /** @param serviceId the station; default: the only one of a recorded stream */
  constructor(serviceId?: ServiceId) {
    this.#serviceId = serviceId;
  }

  /** Streams that the station announces now; empty before its PMT, and if it has no captions. */
  get sources(): readonly CaptionSource[] {
    return this.#sources;
  }

  /** PIDs of the required packets; changes with PAT and PMT. */
  get pids(): Pid[] {
    const tables = [PAT_PID, this.#mapPid, this.#pcrPid].filter((pid) => pid !== undefined);
    return [...new Set([...tables, ...this.#sources.map(({ pid }) => pid)])];
  }

  /** The stream's clock at the read position. */
  get clock(): Pts90k | undefined {
    return this.#clock;
  }

  /** Processes complete packets; returns the completed events, in order. */
  feed(packets: Uint8Array): CaptionEvent[] {
    if (packets.length <= SLICE_BYTES) return this.#feed(packets);
    const events: CaptionEvent[] = [];
    for (let at = 0; at < packets.length; at += SLICE_BYTES) {
      for (const event of this.#feed(packets.subarray(at, at + SLICE_BYTES))) events.push(event);
    }
    return events;
  }

  #feed(packets: Uint8Array): CaptionEvent[] {
    for (const section of this.#demux.feed(packets)) {
      const pat = section.pid === PAT_PID ? parsePat(section) : undefined;
      if (pat !== undefined) {
        const wanted = pat.programs.find(
          ({ programNumber }) => this.#serviceId === undefined || programNumber === this.#serviceId,
        );
        if (wanted !== undefined) this.#follow(wanted.pid);
        continue;
      }
      const map = section.pid === this.#mapPid ? parsePmt(section) : undefined;
      if (map !== undefined && (this.#serviceId ?? map.programNumber) === map.programNumber) this.#open(map);
    }
    const events: CaptionEvent[] = [];
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
      const pid = packetPid(packets, at);
      if (pid === this.#pcrPid) this.#readClock(packets, at, events);
      for (const source of this.#sources) {
        if (source.pid !== pid) continue;
        for (const packet of source.pes.feed(packets, at)) events.push(...this.#read(source, packet));
      }
    }
    return events;
  }

  #follow(pid: Pid): void {
    if (pid === this.#mapPid) return;
    if (this.#mapPid !== undefined) this.#demux.remove(this.#mapPid);
    this.#mapPid = pid;
    this.#demux.add(pid);
  }

  #open(map: ProgramMap): void {
    this.#pcrPid = map.pcrPid;
    this.#sources = captionSources(map.streams).map((wanted) => {
      const known = this.#sources.find(
        ({ pid, profile }) => pid === wanted.pid && profile === wanted.profile,
      );
      if (known !== undefined && known.superimpose === wanted.superimpose) return known;
      return { ...wanted, pes: new PesAssembler(PES_LIMIT), decoder: new CaptionDecoder(wanted.profile) };
    });
  }

  #readClock(packets: Uint8Array, at: number, events: CaptionEvent[]): void {
    const pcr = packetPcr(packets, at);
    if (pcr === undefined) return;
    const before = this.#clock;
    this.#clock = pcrToPts(pcr);
    const passed = before === undefined ? 0 : unwrapPts(this.#clock, before) - before;
    const jumped = isDiscontinuity(packets, at) || passed < 0 || passed > JUMP;
    for (const { decoder } of this.#sources) {
      // After a cut the previous screen content does not apply any more.
      if (jumped) decoder.reset();
      else events.push(...decoder.expire(this.#clock));
    }
  }

  #read({ decoder }: OpenSource, { pts, data }: PesPacket): CaptionEvent[] {
    // Superimposed text has no time stamp: it is shown when it has arrived.
    const at = pts ?? this.#clock;
    return at === undefined ? [] : decoder.feed(data, at);
  }
}
