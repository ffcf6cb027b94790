/**
 * Option `audio=split` of a station's packets, for players that know no dual mono and keep the streams they found first:
 * always two stereo audio streams with the same PIDs. The second is the sub programme of a dual-mono broadcast, else the
 * station's second audio stream, else a copy of the first. Sound is not encoded again (`lib/arib/aac/split-frame.ts`).
 */
import { readAdtsHeader } from '../../lib/arib/aac/adts.ts';
import { splitFrame } from '../../lib/arib/aac/split-frame.ts';
import { type Pid, pid } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { PACKET_SIZE, PAT_PID, packetPcr, packetPid } from '../../lib/arib/ts/packet.ts';
import { number, packetize, stripPayload } from '../../lib/arib/ts/packetizer.ts';
import { isSiPid, parsePat } from '../../lib/arib/ts/pat.ts';
import { PesAssembler, type PesPacket, packetizePes } from '../../lib/arib/ts/pes.ts';
import { PMT_TABLE_ID, parsePmt } from '../../lib/arib/ts/pmt.ts';
import { crc32, type Section, SectionAssembler } from '../../lib/arib/ts/section.ts';

/** Of the output. Above those of Japanese broadcasts, so that no other stream of a station has them. */
const AUDIO_PIDS = [pid(0x1e10), pid(0x1e11)] as const;
const ADTS_STREAM = 0x0f;
/** stream_identifier_descriptor with component_tag 0x11, the second audio of ARIB TR-B14 Vol. 4. */
const SECOND_AUDIO = [0x52, 1, 0x11];
/** stream_id 110x xxxx, ISO/IEC 13818-1 table 2-22. */
const AUDIO_STREAM_ID = 0xc0;
/** Broadcast PES packets of audio hold a few frames of at most 8 KB each, far below this limit. */
const MAX_PES_BYTES = 256 * 1024;
const MAX_SECTION_BYTES = 1_024;
const PMT_HEAD = 12;
const CRC_BYTES = 4;
const NOTHING = new Uint8Array(0);

/** The frames that begin in one PES packet, with its header. */
interface Unit {
  readonly header: Uint8Array;
  readonly frames: Uint8Array[];
}

/** One audio stream of the broadcast: PES packets to units of complete frames. */
class FrameSource {
  readonly #assembler = new PesAssembler(MAX_PES_BYTES);
  #lost = 0;
  /** Its last frame ends in the next PES packet. */
  #open: Unit | undefined;
  #rest: Uint8Array = NOTHING;

  feed(packets: Uint8Array, offset: number): Unit[] {
    const found = this.#assembler.feed(packets, offset);
    const lost = this.#assembler.incompletePackets + this.#assembler.invalidPackets;
    if (lost !== this.#lost) this.#rest = NOTHING;
    this.#lost = lost;
    return found.flatMap((pes) => ((pes.streamId & 0xe0) === AUDIO_STREAM_ID ? this.#cut(pes) : []));
  }

  #cut({ data }: PesPacket): Unit[] {
    const before = this.#open;
    const unit: Unit = { header: new Uint8Array(data.buffer, 0, data.byteOffset), frames: [] };
    const held = this.#rest.length;
    const bytes = held === 0 ? data : joinBytes([this.#rest, data]);
    let at = 0;
    while (at < bytes.length) {
      const header = readAdtsHeader(bytes, at);
      if (header === undefined) {
        const next = bytes.indexOf(0xff, at + 1);
        // The beginning of a header may continue in the next packet.
        if (bytes[at] === 0xff && at + 7 > bytes.length) break;
        at = next < 0 ? bytes.length : next;
        continue;
      }
      const end = at + header.frameLength;
      if (end > bytes.length) break;
      (at < held && before !== undefined ? before : unit).frames.push(bytes.slice(at, end));
      at = end;
    }
    this.#rest = bytes.slice(at);
    this.#open = this.#rest.length > 0 ? unit : undefined;
    return [before, this.#open === undefined ? unit : undefined].filter((one) => one !== undefined);
  }
}

export class SplitAudio {
  readonly #patSections = new SectionAssembler();
  #pmtSections = new SectionAssembler();
  #pmtPid: Pid | undefined;
  #pmtCounter = 0;
  #pcrPid: Pid | undefined;
  /** A PMT was received. */
  #isKnown = false;
  /** By their PIDs in the broadcast: place in the output, 0 or 1. */
  #sources = new Map<Pid, { readonly place: 0 | 1; readonly source: FrameSource }>();
  readonly #counters = [0, 0];
  #isDualMono = false;

  /** Takes whole packets of one station. */
  feed(packets: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    let copied = 0;
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
      const instead = this.#packet(packets, at);
      if (instead === undefined) continue;
      parts.push(packets.subarray(copied, at), instead);
      copied = at + PACKET_SIZE;
    }
    if (copied === 0) return packets;
    parts.push(packets.subarray(copied));
    return joinBytes(parts);
  }

  /** The replacement of this packet; undefined if it is kept. */
  #packet(packets: Uint8Array, at: number): Uint8Array | undefined {
    const pid = packetPid(packets, at);
    if (pid === PAT_PID) {
      for (const section of this.#patSections.feed(packets, at)) this.#takePat(section);
      return undefined;
    }
    if (pid === this.#pmtPid) return this.#pmt(packets, at);
    const entry = this.#sources.get(pid);
    // Before the first PMT audio is not told apart: it would be a stream of its own.
    if (entry === undefined) return this.#isKnown || isSiPid(pid) ? undefined : NOTHING;
    const written = entry.source.feed(packets, at).flatMap((unit) => this.#unit(entry.place, unit));
    const clock = pid === this.#pcrPid && packetPcr(packets, at) !== undefined;
    return joinBytes(clock ? [clockOf(packets, at, 0), ...written] : written);
  }

  #takePat(section: Section): void {
    const pid = parsePat(section)?.programs[0]?.pid;
    if (pid === undefined || pid === this.#pmtPid) return;
    this.#pmtPid = pid;
    this.#pmtSections = new SectionAssembler();
  }

  #pmt(packets: Uint8Array, at: number): Uint8Array {
    // Its PID may also have the clock.
    const hasClock = this.#pmtPid === this.#pcrPid && packetPcr(packets, at) !== undefined;
    const clock = hasClock ? [clockOf(packets, at, this.#pmtCounter - 1)] : [];
    const written = this.#pmtSections.feed(packets, at).flatMap((section) => {
      if (section.tableId !== PMT_TABLE_ID || !section.current) return [];
      const table = packetize(this.#constantPmt(section), this.#pmtPid as Pid);
      number(table, 0, table.length, this.#pmtCounter);
      this.#pmtCounter = (this.#pmtCounter + table.length / PACKET_SIZE) & 0x0f;
      return [table];
    });
    return joinBytes([...clock, ...written]);
  }

  /** The PMT with the two audio streams of the output; unchanged without AAC audio. */
  #constantPmt(section: Section): Uint8Array {
    const map = parsePmt(section);
    const [first, second] = (map?.streams ?? [])
      .filter(({ streamType }) => streamType === ADTS_STREAM)
      .sort((a, b) => (a.componentTag ?? 0x100) - (b.componentTag ?? 0x100));
    const written = first === undefined ? undefined : rewritten(section.bytes, first.pid, second?.pid);
    this.#isKnown = true;
    this.#pcrPid = map?.pcrPid;
    const wanted = written === undefined ? [] : [first, second].flatMap((one) => one?.pid ?? []);
    this.#sources = new Map(
      wanted.map((pid, index) => {
        const place = index === 0 ? 0 : 1;
        const known = this.#sources.get(pid);
        return [pid, known?.place === place ? known : { place, source: new FrameSource() }];
      }),
    );
    return written ?? section.bytes;
  }

  #unit(place: 0 | 1, { header, frames }: Unit): Uint8Array[] {
    if (frames.length === 0) return [];
    const split = frames.map(splitFrame);
    const main = joinBytes([header, ...split.map((one) => one.main)]);
    if (place === 1) return this.#isDualMono ? [] : [this.#written(1, main)];
    this.#isDualMono = split.some(({ sub }) => sub !== undefined);
    const first = this.#written(0, main);
    const hasSecond = this.#sources.size > 1;
    if (this.#isDualMono) {
      const sub = joinBytes([header, ...split.map((one) => one.sub ?? one.main)]);
      return [first, this.#written(1, sub)];
    }
    return hasSecond ? [first] : [first, this.#written(1, main)];
  }

  #written(place: 0 | 1, pes: Uint8Array): Uint8Array {
    const counter = this.#counters[place] as number;
    const packets = packetizePes(pes, AUDIO_PIDS[place], counter);
    this.#counters[place] = (counter + packets.length / PACKET_SIZE) & 0x0f;
    return packets;
  }
}

/** The packet without its payload: only its clock reference. @param counter of the PID's last packet with payload */
function clockOf(packets: Uint8Array, at: number, counter: number): Uint8Array {
  const clock = packets.slice(at, at + PACKET_SIZE);
  stripPayload(clock, 0, counter);
  return clock;
}

/**
 * A PMT section whose audio streams are the two of the output, with the descriptors of the broadcast; other streams are
 * kept in their order. Undefined: it would be too long.
 */
function rewritten(section: Uint8Array, first: Pid, second: Pid | undefined): Uint8Array | undefined {
  const end = section.length - CRC_BYTES;
  const infoLength = (((section[10] as number) & 0x0f) << 8) | (section[11] as number);
  const loop = PMT_HEAD + infoLength;
  const others: Uint8Array[] = [];
  const descriptors = new Map<Pid, Uint8Array>();
  for (let at = loop; at + 5 <= end; ) {
    const pid = ((((section[at + 1] as number) & 0x1f) << 8) | (section[at + 2] as number)) as Pid;
    const length = (((section[at + 3] as number) & 0x0f) << 8) | (section[at + 4] as number);
    const entry = section.subarray(at, at + 5 + length);
    if (section[at] === ADTS_STREAM) descriptors.set(pid, entry.subarray(5));
    else others.push(entry);
    at += 5 + length;
  }
  const audio = (place: 0 | 1, own: Uint8Array): Uint8Array => {
    const pid = AUDIO_PIDS[place];
    const head = [ADTS_STREAM, 0xe0 | (pid >> 8), pid & 0xff, 0xf0 | (own.length >> 8), own.length & 0xff];
    return Uint8Array.from([...head, ...own]);
  };
  const secondOwn = second === undefined ? undefined : descriptors.get(second);
  const body = joinBytes([
    section.subarray(0, loop),
    ...others,
    audio(0, descriptors.get(first) ?? NOTHING),
    audio(1, secondOwn ?? Uint8Array.from(SECOND_AUDIO)),
    new Uint8Array(CRC_BYTES),
  ]);
  if (body.length > MAX_SECTION_BYTES) return undefined;
  const length = body.length - 3;
  body[1] = ((body[1] as number) & 0xf0) | (length >> 8);
  body[2] = length & 0xff;
  new DataView(body.buffer).setUint32(body.length - CRC_BYTES, crc32(body, 0, body.length - CRC_BYTES));
  return body;
}

export function wantsSplitAudio(url: URL): boolean {
  return url.searchParams.get('audio') === 'split';
}

/** A body of packets with split audio. */
export function splitAudioBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const filter = new SplitAudio();
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return;
          }
          const packets = filter.feed(value);
          if (packets.length === 0) continue;
          controller.enqueue(packets);
          return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
