/**
 * A station encoded as H.264 and AAC in MPEG-TS, for software that plays no MPEG-2. The encoding is the one that other
 * viewers of the station share; only its container is changed here.
 */
import type { Log } from '../../lib/host/log.ts';
import { FfmpegProcess } from '../ffmpeg/process.ts';

/** 20 s of the highest quality; a remux is never that far behind unless the client does not read. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;

interface H264Needs {
  /** Fragmented MP4 until the layout changes. @throws Failure */
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** Path of ffmpeg. @throws Failure ffmpeg_unavailable */
  readonly ffmpeg: () => Promise<string>;
  readonly log: Log;
}

function remuxCommand(ffmpeg: string): string[] {
  return [
    ...[ffmpeg, '-v', 'error', '-nostdin', '-probesize', '500000', '-analyzeduration', '0'],
    ...[
      '-i',
      'pipe:0',
      '-map',
      '0',
      '-c',
      'copy',
      '-flush_packets',
      '1',
      '-muxdelay',
      '0',
      '-muxpreload',
      '0',
    ],
    ...['-mpegts_flags', '+initial_discontinuity', '-f', 'mpegts', 'pipe:1'],
  ];
}

/** Ends when the station is lost. @param signal the client's */
export async function* h264Packets(
  { open, ffmpeg, log }: H264Needs,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const path = await ffmpeg();
  // A changed layout ends the encoding, and the next one continues the stream.
  for (;;) {
    const source = await open(signal);
    const remux = new FfmpegProcess(remuxCommand(path), MAX_QUEUED_BYTES);
    const feeding = feed(source, remux);
    // It may fail while the output is read: an error that nobody waits for yet would end the service.
    feeding.catch(() => {});
    try {
      for await (const packets of remux.output) yield packets;
      const { code, stderr } = await remux.ended;
      if (code !== 0) log.warn('remux ended', { code, stderr });
      await feeding;
      if (code !== 0) return;
    } finally {
      await Promise.all([remux.stop(), source.locked ? undefined : source.cancel()]);
    }
    signal.throwIfAborted();
  }
}

/** @throws the error of the source */
async function feed(source: ReadableStream<Uint8Array>, remux: FfmpegProcess): Promise<void> {
  const reader = source.getReader();
  // A remux that has ended takes nothing more.
  const over = remux.ended.then(() => reader.cancel());
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      await remux.room(MAX_QUEUED_BYTES / 2);
      remux.write(value);
    }
  } finally {
    remux.finish();
    void over.catch(() => {});
  }
}
