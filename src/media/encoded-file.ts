/** Encoded files (Matroska): what they hold, read from their own tables. */
import {
  type EncodedPacket,
  EncodedPacketSink,
  FilePathSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MATROSKA,
} from 'mediabunny';

/** An encoded file that is being read. */
export interface EncodedFileInput {
  readonly video: InputVideoTrack | null;
  /** In the order of the file. */
  readonly audios: readonly InputAudioTrack[];
  close(): void;
}

/** For read-ahead: the request that needs the data fails itself. */
const IGNORED = (): void => {};
const CACHE_BYTES = 4 * 1024 * 1024;
/** Pictures are less apart also where they are reordered, s. */
const HOLE_SECONDS = 1;
/** Other work of the thread runs between so many packets. */
const TURN_PACKETS = 500;

/** @throws Error when it cannot be read */
export async function openEncodedFile(path: string): Promise<EncodedFileInput> {
  const source = new FilePathSource(path, { maxCacheSize: CACHE_BYTES, handleUnhandledError: IGNORED });
  const input = new Input({ source, formats: [MATROSKA] });
  try {
    const [video] = await input.getVideoTracks();
    const audios = await input.getAudioTracks();
    return { video: video ?? null, audios, close: () => input.dispose() };
  } catch (error) {
    input.dispose();
    throw error;
  }
}

export interface EncodedFileFacts {
  /** s; null: without picture. */
  readonly videoEnd: number | null;
  /** s, of each sound. */
  readonly audioEnds: readonly number[];
  /** Total s of gaps longer than a second, of the track with the most, from 0 on. */
  readonly missing: number;
  /** RFC 6381, picture first. */
  readonly codecs: string;
}

async function endOf(track: InputVideoTrack | InputAudioTrack): Promise<number> {
  const last = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY, { metadataOnly: true });
  return last === null ? 0 : last.timestamp + last.duration;
}

/** Its tracks side by side, so that the file is read once; packet by packet, since an iterator reads a second ahead. */
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
    // Not its duration: where the file tells none, it is the time to the next packet.
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

/** Reads it to its end. @throws Error when it cannot be read, or what the signal was aborted with */
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
