/** Rewraps an encoded file as fragmented MP4, from any second on, without decoding. Keeps the times of the file. */
import {
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
  StreamTarget,
  type StreamTargetChunk,
} from 'mediabunny';
import { type EncodedFileInput, openEncodedFile } from './encoded-file.ts';

interface RewrapOptions {
  /** s; the output begins at the key frame before it. */
  readonly from: number;
  /** Index of the audio track in the file; the first track if there is no such index. */
  readonly audio: number;
  /** A client that reads nothing for this long is disconnected, ms. */
  readonly abandonedAfterMs: number;
}

interface RewrappedStream {
  readonly mime: string;
  /** Time of the first video or audio packet, s. */
  readonly start: number;
  readonly body: ReadableStream<Uint8Array>;
}

/** Fragment length, s; also the delay until a seek is shown. */
const FRAGMENT_SECONDS = 0.5;

/** One stream of the file being rewrapped. */
interface Track {
  next: EncodedPacket | null;
  readonly sink: EncodedPacketSink;
  readonly add: (packet: EncodedPacket) => Promise<void>;
}

/** @throws Error if the file cannot be read, or contains something that MP4 does not support */
export async function rewrapFile(path: string, options: RewrapOptions): Promise<RewrappedStream> {
  const file = await openEncodedFile(path);
  try {
    return await startRewrap(file, options);
  } catch (error) {
    file.close();
    throw error;
  }
}

async function startRewrap(
  file: EncodedFileInput,
  { from, audio, abandonedAfterMs }: RewrapOptions,
): Promise<RewrappedStream> {
  const chunks: Uint8Array[] = [];
  let start: number | undefined;
  const writable = new WritableStream<StreamTargetChunk>({ write: ({ data }) => void chunks.push(data) });
  const format = new Mp4OutputFormat({ fastStart: 'fragmented', minimumFragmentDuration: FRAGMENT_SECONDS });
  const output = new Output({ format, target: new StreamTarget(writable) });
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
  const kind = video === null ? 'audio' : 'video';
  return {
    mime: `${kind}/mp4; codecs="${codecs.join(',')}"`,
    start: start ?? 0,
    body: bodyOf({ file, output, tracks, chunks, abandonedAfterMs }),
  };
}

interface Rewrapping {
  readonly file: EncodedFileInput;
  readonly output: Output;
  readonly tracks: readonly Track[];
  /** Written but not yet read. */
  readonly chunks: Uint8Array[];
  readonly abandonedAfterMs: number;
}

/** Adds the next packet; at the end, flushes the output. @returns whether there may be more */
async function step({ output, tracks }: Rewrapping): Promise<boolean> {
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

/** Reads only as fast as the viewer (backpressure). */
function bodyOf(rewrapping: Rewrapping): ReadableStream<Uint8Array> {
  const { file, output, chunks, abandonedAfterMs } = rewrapping;
  let isOpen = true;
  let untaken: ReturnType<typeof setTimeout> | undefined;
  const close = (): void => {
    clearTimeout(untaken);
    if (!isOpen) return;
    isOpen = false;
    file.close();
    if (output.state !== 'finalized') void output.cancel().catch(() => {});
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(untaken);
        try {
          let hasMore = true;
          while (isOpen && hasMore && chunks.length === 0) hasMore = await step(rewrapping);
          for (const chunk of chunks.splice(0)) controller.enqueue(chunk);
          if (!hasMore) {
            close();
            controller.close();
            return;
          }
          untaken = setTimeout(() => {
            close();
            controller.error(new Error('the client does not read'));
          }, abandonedAfterMs);
          untaken.unref();
        } catch (error) {
          close();
          throw error;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
