/** An encoded file as a media source, from any second on, converted to another codec for one viewer. */
import { pid } from '../../lib/arib/ids.ts';
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { Fragmenter } from '../../lib/mp4/fragmenter.ts';
import { fileConversionCommand } from '../ffmpeg/recipes.ts';
import { encoderFailure, FfmpegOutput } from './ffmpeg-output.ts';
import { LEAD_TICKS } from './playback-remuxer.ts';
import type {
  EncodeOrder,
  MediaLayout,
  MediaSource,
  OutputConsumer,
  PacketOutput,
  SourceOutput,
} from './source.ts';

interface EncodedFileSourceOptions {
  readonly path: string;
  /** Start, s. */
  readonly from: number;
  readonly hasVideo: boolean;
  readonly sounds: number;
  readonly clock: MonotonicClock;
  /** Called once all resources are released. */
  readonly onClosed: () => void;
}

/** Queue bound towards ffmpeg; unused, because ffmpeg reads the file itself. */
const NO_INPUT = 1;

/** Streams of a file have no PIDs: this PID and the next ones stand for the video and audio tracks. */
const VIDEO = pid(0x100);
const FIRST_AUDIO = 0x110;

export class EncodedFileSource implements MediaSource {
  readonly layout: MediaLayout;
  readonly #outputs = new Set<FileConversion>();
  #isClosed = false;

  constructor(private readonly options: EncodedFileSourceOptions) {
    const { hasVideo, sounds } = options;
    this.layout = {
      // Unused: ffmpeg reads the codec from the file.
      video: hasVideo ? { pid: VIDEO, kind: 'h264' } : null,
      audios: Array.from({ length: sounds }, (_, index) => pid(FIRST_AUDIO + index)),
    };
  }

  encode(order: EncodeOrder, consumer: OutputConsumer): SourceOutput {
    const output = new FileConversion(this.options, order, consumer);
    this.#outputs.add(output);
    return { stop: () => void output.stop(), hold: (isHeld) => output.hold(isHeld) };
  }

  packets(): PacketOutput {
    throw new Error('an encoded file has no packets of the broadcast');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#outputs].map((output) => output.stop()));
    this.options.onClosed();
  }
}

class FileConversion extends FfmpegOutput {
  constructor({ path, from, clock }: EncodedFileSourceOptions, order: EncodeOrder, consumer: OutputConsumer) {
    const { ffmpeg, video, audio } = order;
    super({
      command: fileConversionCommand({
        ...{ ffmpeg, video, path, from, lead: LEAD_TICKS / TICKS_PER_SECOND },
        audio: audio === null ? null : { ...audio, stream: audio.pid - FIRST_AUDIO },
      }),
      ...{ maxQueued: NO_INPUT, isFed: false, fragmenter: new Fragmenter(LEAD_TICKS) },
      ...{ atJump: encoderFailure('the times of the file jump'), clock, consumer },
    });
    this.running = this.run(async () => {});
  }
}
