/** A recording with captions as a transport stream: tables, clock and the caption streams of a synthetic station. */
import { CaptionTrack, SuperimposeTrack, type Transmission } from '../../synth/caption/track.ts';
import type { EventStation } from '../../synth/si/eit.ts';
import {
  adaptation,
  patSection,
  pesPacket,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
} from '../stream-builder.ts';

export const SERVICE = 1024;
const PMT = 0x1f0;
const CLOCK = 0x100;
const CAPTIONS = 0x130;
const FLASHES = 0x138;
const SECOND = 90_000;
/** Tables and clock ten times a second. */
const BEAT = SECOND / 10;

interface RecordingOptions {
  readonly seed: number;
  readonly station: EventStation;
  /** Unwrapped 90 kHz time of the first packet. */
  readonly from: number;
  readonly seconds: number;
  /** Packets sent in each interval in addition to captions, in place of pictures. */
  readonly filler?: Uint8Array;
  /** Starts an intra picture at each interval, so that the stream can be played. */
  readonly pictures?: boolean;
}

/** Sequence header of 1440x1080, ISO/IEC 13818-2 6.2.2.1. */
const PICTURE = [0, 0, 1, 0xb3, 0x5a, 0x04, 0x38, 0x34];

function due(transmissions: readonly Transmission[], from: number, to: number): Uint8Array[] {
  return transmissions.filter((one) => one.due >= from && one.due < to).map(({ pes }) => pes);
}

/** The stream in chunks of a tenth of a second. */
export function* recording({
  seed,
  station,
  from,
  seconds,
  filler,
  pictures = false,
}: RecordingOptions): Generator<Uint8Array> {
  const builder = new StreamBuilder();
  const streams = [
    { type: 0x02, pid: CLOCK, descriptors: [] },
    { type: 0x06, pid: CAPTIONS, descriptors: streamIdentifier(0x30) },
    { type: 0x06, pid: FLASHES, descriptors: streamIdentifier(0x38) },
  ];
  const pat = patSection(0x7fe0, [[SERVICE, PMT]]);
  const pmt = pmtSection(SERVICE, { pcrPid: CLOCK, streams });
  const to = from + seconds * SECOND;
  const captions = new CaptionTrack(seed, station).transmissions(from, to);
  const flashes = new SuperimposeTrack(seed, station).transmissions(from, to);
  for (let at = from; at < to; at += BEAT) {
    const pcr = (at % 2 ** 33) * 300;
    builder
      .sections(0, pat)
      .sections(PMT, pmt)
      .packet(CLOCK, { adaptation: adaptation({ pcr }) });
    if (pictures) {
      const pts = at % 2 ** 33;
      builder.pes(CLOCK, pesPacket({ streamId: 0xe0, pts, unbounded: true, data: PICTURE }));
    }
    for (const pes of due(captions, at, at + BEAT)) builder.pes(CAPTIONS, pes);
    for (const pes of due(flashes, at, at + BEAT)) builder.pes(FLASHES, pes);
    yield builder.take();
    if (filler !== undefined) yield filler;
  }
}
