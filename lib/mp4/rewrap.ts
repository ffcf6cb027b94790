/**
 * Rewraps an encoded file (Matroska) as fragmented MP4, from any second on, without decoding. Keeps the times of the
 * file. The service does it for viewers, the browser for files that it has saved.
 */
import {
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  type Input,
  type InputAudioTrack,
  type InputVideoTrack,
  Mp4OutputFormat,
  Output,
  type StreamTargetChunk,
  type Target,
} from 'mediabunny';

export interface EncodedFileInput {
  readonly video: InputVideoTrack | null;
  /** In file order. */
  readonly audios: readonly InputAudioTrack[];
  close(): void;
}

/** Takes over the input. @throws Error if it cannot be read; the input is closed then */
export async function openTracks(input: Input): Promise<EncodedFileInput> {
  try {
    const [video] = await input.getVideoTracks();
    const audios = await input.getAudioTracks();
    return { video: video ?? null, audios, close: () => input.dispose() };
  } catch (error) {
    input.dispose();
    throw error;
  }
}

interface Rewrapping {
  readonly mime: string;
  /** Time of the first video or audio packet, s. */
  readonly start: number;
  /** The next bytes of the stream; undefined at its end. @throws Error if the file cannot be read */
  next(): Promise<Uint8Array[] | undefined>;
  /** Ends it before its end; the file is left to the caller. */
  cancel(): void;
}

/** Fragment length, s; also the delay until a seek is shown. */
const FRAGMENT_SECONDS = 0.5;

/** One stream of the file being rewrapped. */
interface Track {
  next: EncodedPacket | null;
  readonly sink: EncodedPacketSink;
  readonly add: (packet: EncodedPacket) => Promise<void>;
}

interface RewrapOptions {
  /** s; the output begins at the key frame before it. */
  readonly from: number;
  /** Index of the audio track in the file; the first track if there is no such index. */
  readonly audio: number;
  /** A stream target that calls `write` with each chunk: streams are the platform's. */
  readonly targetOf: (write: (chunk: StreamTargetChunk) => void) => Target;
}

/** @throws Error if the file cannot be read, or contains something that MP4 does not support */
export async function rewrap(
  file: EncodedFileInput,
  { from, audio, targetOf }: RewrapOptions,
): Promise<Rewrapping> {
  const chunks: Uint8Array[] = [];
  let start: number | undefined;
  const format = new Mp4OutputFormat({ fastStart: 'fragmented', minimumFragmentDuration: FRAGMENT_SECONDS });
  const output = new Output({ format, target: targetOf(({ data }) => void chunks.push(data)) });
  const tracks: Track[] = [];
  const codecs: string[] = [];
  const { video } = file;
  if (video !== null) {
    const [sink, codec, config] = [
      new EncodedPacketSink(video),
      await video.getCodec(),
      await video.getDecoderConfig(),
    ];
    const next = (await sink.getKeyPacket(from)) ?? (await sink.getFirstKeyPacket());
    if (codec === null || config === null || next === null) throw new Error('the picture cannot be read');
    const source = new EncodedVideoPacketSource(codec);
    output.addVideoTrack(source);
    tracks.push({ sink, next, add: (packet) => source.add(packet, { decoderConfig: config }) });
    codecs.push(config.codec);
    start = next.timestamp;
  }
  const sound = file.audios[audio] ?? file.audios[0];
  if (sound !== undefined) {
    const [sink, codec, config] = [
      new EncodedPacketSink(sound),
      await sound.getCodec(),
      await sound.getDecoderConfig(),
    ];
    const at = start ?? from;
    const next = (await sink.getPacket(at)) ?? (await sink.getFirstPacket());
    if (codec === null || config === null) throw new Error('the sound cannot be read');
    const source = new EncodedAudioPacketSource(codec);
    output.addAudioTrack(source);
    tracks.push({ sink, next, add: (packet) => source.add(packet, { decoderConfig: config }) });
    codecs.push(config.codec);
    start ??= next?.timestamp;
  }
  await output.start();
  let hasMore = true;
  return {
    mime: `${video === null ? 'audio' : 'video'}/mp4; codecs="${codecs.join(',')}"`,
    start: start ?? 0,
    async next() {
      while (hasMore && chunks.length === 0) hasMore = await step(output, tracks);
      return chunks.length === 0 ? undefined : chunks.splice(0);
    },
    cancel: () => {
      if (output.state !== 'finalized') void output.cancel().catch(() => {});
    },
  };
}

/** Adds the next packet; at the end, flushes the output. @returns whether there may be more */
async function step(output: Output, tracks: readonly Track[]): Promise<boolean> {
  let earliest: Track | undefined;
  for (const track of tracks) {
    if (track.next === null) continue;
    if (earliest?.next == null || track.next.timestamp < earliest.next.timestamp) earliest = track;
  }
  if (earliest?.next == null) {
    await output.finalize();
    return false;
  }
  const packet = earliest.next;
  earliest.next = await earliest.sink.getNextPacket(packet);
  await earliest.add(packet);
  return true;
}
