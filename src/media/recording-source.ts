/** A recording as a media source, from an entry on. For one viewer, because viewers watch different positions. */
import type { Pid } from '../../lib/arib/ids.ts';
import { type Media90k, media90k } from '../../lib/arib/time.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { Fragmenter } from '../../lib/mp4/fragmenter.ts';
import type { FfmpegProcess } from '../ffmpeg/process.ts';
import { liveCommand, type PictureSize, pictureSize } from '../ffmpeg/recipes.ts';
import { DualMonoPackets } from '../reception/dual-mono.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import type { RecordingEntry } from './entry-search.ts';
import { FfmpegOutput } from './ffmpeg-output.ts';
import {
  INTERLEAVE_MS,
  LEAD_TICKS,
  PLAYBACK_AUDIO,
  PLAYBACK_VIDEO,
  PlaybackRemuxer,
} from './playback-remuxer.ts';
import type { RecordingBytes } from './recording-bytes.ts';
import { type FollowedRecording, recordingFeed } from './recording-feed.ts';
import type { RecordingIndex } from './recording-index.ts';
import { RecordingPackets } from './recording-packets.ts';
import { RecordingSideData } from './recording-side-data.ts';
import type { SideRow } from './side-row.ts';
import type {
  EncodeOrder,
  MediaSource,
  OutputConsumer,
  PacketConsumer,
  PacketOutput,
  SourceOutput,
} from './source.ts';

interface RecordingSourceOptions {
  readonly bytes: Pick<RecordingBytes, 'read' | 'size' | 'refresh'>;
  readonly index: RecordingIndex;
  readonly entry: RecordingEntry;
  /** Only for a recording in progress. */
  readonly follow: FollowedRecording | undefined;
  /** Media time of time 0 in the fragments. */
  readonly zero: Media90k;
  readonly clock: MonotonicClock;
  /** Side data that are read, too. */
  readonly rows?: readonly SideRow[];
  /** The conversion ends because the codec or layout changes: after this time, and in or after the block at this octet. */
  readonly onLayoutChange?: (change: { readonly media: Media90k; readonly at: number }) => void;
  /** Called once all resources are released. */
  readonly onClosed: () => void;
}

/** Queue bound towards ffmpeg: a second at 32 Mbit/s. */
const MAX_QUEUED = 4 * 1024 * 1024;
interface RecordingOutput {
  readonly side: RecordingSideData;
  stop(): Promise<void>;
  hold(isHeld: boolean): void;
}

export class RecordingSource implements MediaSource {
  readonly layout: StationLayout;
  readonly #outputs = new Set<{ stop(): Promise<void> }>();
  #isClosed = false;

  constructor(readonly options: RecordingSourceOptions) {
    this.layout = options.entry.layout;
  }

  encode(order: EncodeOrder, consumer: OutputConsumer): SourceOutput {
    const output = new Conversion(this.options, order, consumer);
    return this.#started(output);
  }

  packets(consumer: PacketConsumer): PacketOutput {
    const output = new RecordingPackets(this.options, consumer);
    return { ...this.#started(output), join: (viewer) => output.join(viewer) };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#outputs].map((output) => output.stop()));
    this.options.onClosed();
  }

  #started(output: RecordingOutput): Required<SourceOutput> {
    this.#outputs.add(output);
    const { side } = output;
    return { side, stop: () => void output.stop(), hold: (isHeld) => output.hold(isHeld) };
  }
}

/** The picture size for the start of an encoder; undefined if it is not in the header. */
function sizeOf(format: string | null): PictureSize | undefined {
  const match = format === null ? null : /^(\d+)x(\d+)\/(\d+)$/.exec(format);
  if (match === null) return undefined;
  const [width, lines, code] = match.slice(1).map(Number) as [number, number, number];
  // aspect_ratio_information, ISO/IEC 13818-2 table 6-3: square samples, 4:3, 16:9, 2.21:1.
  const aspect = [0, width / lines, 4 / 3, 16 / 9, 2.21][code];
  if (!aspect || lines < 16 || !Number.isFinite(aspect)) return undefined;
  return pictureSize(lines, aspect);
}

class Conversion extends FfmpegOutput {
  readonly #remuxer: PlaybackRemuxer;
  readonly side: RecordingSideData;
  readonly #dualMono = new DualMonoPackets([PLAYBACK_AUDIO]);

  constructor(
    private readonly options: RecordingSourceOptions,
    order: EncodeOrder,
    consumer: OutputConsumer,
  ) {
    const { entry, index, zero, clock } = options;
    super({
      ...{ command: commandOf(order, entry), maxQueued: MAX_QUEUED, isFed: true },
      // Time stamps for the encoder are media time minus the start, plus the lead.
      ...{ fragmenter: new Fragmenter(LEAD_TICKS - entry.media + zero), atJump: { cause: 'layout' } },
      ...{ clock, consumer },
    });
    const { audio } = order;
    const audioIndex = audio === null ? -1 : entry.layout.audios.indexOf(audio.pid as Pid);
    const remuxer = new PlaybackRemuxer({
      layout: entry.layout,
      tables: entry.tables,
      serviceId: index.serviceId,
      audios: audio === null ? [] : [({ audios }) => (audios.length > audioIndex ? audioIndex : 0)],
      hasVideo: order.video !== null,
      start: entry.media,
      // The rule of live viewing: the client asks again at once, and may choose among the new streams.
      endsWithLayout: options.follow !== undefined,
    });
    this.#remuxer = remuxer;
    this.side = new RecordingSideData({
      ...{ rows: options.rows ?? [], serviceId: index.serviceId, tables: entry.tables },
      position: () => remuxer.position,
      timeOf: (media) => media90k(Math.max(0, media - zero)),
      give: (frame) => consumer.frame(frame),
    });
    this.running = this.run((process, signal) => this.#feed(process, signal));
  }

  async #feed(process: FfmpegProcess, signal: AbortSignal): Promise<void> {
    const { bytes, index, entry, follow } = this.options;
    const remuxer = this.#remuxer;
    const position = (): Media90k => remuxer.position;
    const feed = recordingFeed({ bytes, index, from: entry.at, follow, position, signal });
    for await (const block of feed) {
      if (block.kind === 'piece') {
        remuxer.begin({ pts: block.piece.pts, media: block.piece.start });
        this.side.begin(block.piece);
        continue;
      }
      this.side.feed(block.bytes);
      await this.#write(process, this.#dualMono.feed(remuxer.feed(block.bytes)));
      if (remuxer.isOver) {
        this.end ??= { cause: 'layout' };
        this.options.onLayoutChange?.({ media: remuxer.position, at: block.at });
        break;
      }
    }
  }

  async #write(process: FfmpegProcess, packets: Uint8Array): Promise<void> {
    if (packets.length === 0) return;
    this.waitingSince ??= this.options.clock();
    await process.room(MAX_QUEUED / 2);
    process.write(packets);
  }
}

function commandOf(order: EncodeOrder, { format }: RecordingEntry): string[] {
  const { video, audio } = order;
  return liveCommand({
    ...order,
    interleaveMs: INTERLEAVE_MS,
    video: video === null ? null : { ...video, pid: PLAYBACK_VIDEO, size: sizeOf(format) },
    audio: audio === null ? null : { ...audio, pid: PLAYBACK_AUDIO },
  });
}
