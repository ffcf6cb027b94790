/** Encoded files (Matroska): their contents, read from their own tables. */
import {
  type EncodedPacket,
  EncodedPacketSink,
  FilePathSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MATROSKA,
} from 'mediabunny';
import { type EncodedFileInput, openTracks } from '../../lib/mp4/rewrap.ts';

/** Ignores read-ahead errors, because the request that needs the data reports them. */
const IGNORED = (): void => {};
const CACHE_BYTES = 4 * 1024 * 1024;
/** A longer distance between pictures is a gap, also with reordered pictures, s. */
const HOLE_SECONDS = 1;
/** Number of packets after which other work of the thread runs. */
const TURN_PACKETS = 500;

/** @throws Error if it cannot be read */
export async function openEncodedFile(path: string): Promise<EncodedFileInput> {
  const source = new FilePathSource(path, { maxCacheSize: CACHE_BYTES, handleUnhandledError: IGNORED });
  return await openTracks(new Input({ source, formats: [MATROSKA] }));
}

export interface EncodedFileFacts {
  /** s; null: no video. */
  readonly videoEnd: number | null;
  /** End of each audio track, s. */
  readonly audioEnds: readonly number[];
  /** Total length of gaps longer than a second, counted from time 0, of the track with the most; s. */
  readonly missing: number;
  /** RFC 6381, video first. */
  readonly codecs: string;
}

async function endOf(track: InputVideoTrack | InputAudioTrack): Promise<number> {
  const last = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY, { metadataOnly: true });
  return last === null ? 0 : last.timestamp + last.duration;
}

/**
 * Reads all tracks in parallel, so that the file is read once. Reads packet by packet, because an iterator reads a
 * second ahead.
 */
async function missingOf(
  tracks: readonly (InputVideoTrack | InputAudioTrack)[],
  signal: AbortSignal,
): Promise<number> {
  const options = { metadataOnly: true };
  const scans: { sink: EncodedPacketSink; packet: EncodedPacket | null; reached: number; missing: number }[] =
    [];
  for (const track of tracks) {
    const sink = new EncodedPacketSink(track);
    scans.push({ sink, packet: await sink.getFirstPacket(options), reached: 0, missing: 0 });
  }
  for (let count = 1; ; count += 1) {
    let next: (typeof scans)[number] | undefined;
    for (const scan of scans)
      if (scan.packet !== null && scan.reached < (next?.reached ?? Number.POSITIVE_INFINITY)) next = scan;
    if (next === undefined || next.packet === null) break;
    // The packet's duration is not used: if the file has none, it is the time to the next packet.
    const { timestamp } = next.packet;
    if (timestamp - next.reached > HOLE_SECONDS) next.missing += timestamp - next.reached;
    next.reached = Math.max(next.reached, timestamp);
    next.packet = await next.sink.getNextPacket(next.packet, options);
    if (count % TURN_PACKETS !== 0) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
  return Math.max(0, ...scans.map(({ missing }) => missing));
}

/** Reads the whole file. @throws Error if it cannot be read; the abort's reason */
export async function readEncodedFile(path: string, signal: AbortSignal): Promise<EncodedFileFacts> {
  const file = await openEncodedFile(path);
  try {
    const { video, audios } = file;
    const tracks = [video, audios[0]].filter((track) => track !== null && track !== undefined);
    const codecs: (string | null)[] = [];
    for (const track of tracks) codecs.push(await track.getCodecParameterString());
    const audioEnds: number[] = [];
    for (const track of audios) audioEnds.push(await endOf(track));
    return {
      videoEnd: video === null ? null : await endOf(video),
      audioEnds,
      missing: await missingOf([...(video === null ? [] : [video]), ...audios], signal),
      codecs: codecs.filter((codec) => codec !== null).join(','),
    };
  } finally {
    file.close();
  }
}
