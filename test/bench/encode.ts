/**
 * Encoding a recording into a file: its time against the plain ffmpeg command that does the same work on the same file,
 * and the size of each quality in octets per hour. `bun test/bench/encode.ts [seconds]`. Processor time, which is
 * independent of other load; runs alternate, medians. Two seconds of film take 90 s of processor time. Ends with 1 when
 * a figure is past its limit.
 */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs, media90k } from '../../lib/arib/time.ts';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import type { EncodeQuality } from '../../lib/wire/vocabulary.ts';
import { encodeCommand } from '../../src/encode/encode-command.ts';
import { encodedTracks } from '../../src/encode/encoded-tracks.ts';
import { metadataText } from '../../src/encode/file-texts.ts';
import { RecordingEncode } from '../../src/encode/recording-encode.ts';
import { verifyFile } from '../../src/encode/verify-file.ts';
import { VIDEO_ENCODERS } from '../../src/ffmpeg/recipes.ts';
import { findEntry } from '../../src/media/entry-search.ts';
import { RecordingBytes } from '../../src/media/recording-bytes.ts';
import { RecordingIndexer } from '../../src/media/recording-index.ts';
import { FFMPEG, output } from '../play/made-recording.ts';
import { Figures, quantile } from './guide/figures.ts';

const SECONDS = Number(process.argv[2] ?? 2);
const RUNS = 3;
const LIMIT = 1.05;
/** Beside `standard`, whose runs are compared with ffmpeg alone. */
const OTHER_QUALITIES: readonly EncodeQuality[] = ['small', 'fine'];
const CODECS = { av1: 'libsvtav1', h264: 'libx264' } as const;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-encode-'));
const figures = new Figures();

/** As sent by a station: interlaced, moving, with noise. */
async function broadcast(path: string): Promise<void> {
  const picture = `testsrc2=s=1440x1080:r=60000/1001:d=${SECONDS},noise=alls=10:allf=t,interlace=lowpass=0`;
  writeFileSync(
    path,
    await output(
      ...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=r=48000:d=${SECONDS}`],
      ...['-c:v', 'mpeg2video', '-flags', '+ildct+ilme', '-top', '1', '-g', '15', '-bf', '2'],
      ...['-b:v', '14M', '-maxrate', '16M', '-bufsize', '8M', '-aspect', '16:9'],
      ...['-c:a', 'aac', '-b:a', '192k', '-ac', '2', '-pat_period', '0.1', '-f', 'mpegts', 'pipe:1'],
    ),
  );
}

/** Processor time of this process and of its exited children, s. proc(5): ticks of 10 ms. */
function processorSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / 100;
}

interface Timed {
  /** s. */
  readonly processor: number;
  readonly wall: number;
}

async function timed(act: () => Promise<void>): Promise<Timed> {
  const [processor, began] = [processorSeconds(), performance.now()];
  await act();
  return { processor: processorSeconds() - processor, wall: (performance.now() - began) / 1000 };
}

try {
  const source = join(folder, 'recording.ts');
  await broadcast(source);
  const bytes = await RecordingBytes.open(() => [source]);
  const index = await new RecordingIndexer().index({
    ...{ source: bytes, breaks: [], beganAt: undefined, serviceId: undefined },
  });
  const entry = await findEntry(bytes, index, media90k(0));
  if (entry === undefined) throw new Error('nothing to encode');
  const metadata = join(folder, 'tags.txt');
  writeFileSync(
    metadata,
    metadataText({ title: '番組', station: '局', description: '', startAt: broadcastMs(0) }, true),
  );
  const made = join(folder, 'out.mkv');
  const commandOf = (codec: keyof typeof CODECS, quality: EncodeQuality): string[] => {
    const encoder = VIDEO_ENCODERS.find(({ name }) => name === CODECS[codec]);
    if (encoder === undefined) throw new Error(`no ${codec}`);
    return encodeCommand({
      choice: { ffmpeg: FFMPEG, encoder, standIn: false },
      video: { kind: 'mpeg2', material: 'video', shape: { width: 1440, height: 1080, aspect: 16 / 9 } },
      ...{
        quality,
        tracks: encodedTracks([], 1),
        cuts: null,
        captions: null,
        metadata,
        poster: null,
        output: made,
      },
    });
  };
  const ours = async (command: string[]): Promise<void> => {
    const options = { bytes, index, entry, streams: 1, command, stallMs: 600_000 };
    const { code, stderr } = await new RecordingEncode({ ...options, elapsed: systemMonotonicClock }).outcome;
    if (code !== 0) throw new Error(stderr);
  };
  const plain = async (command: string[]): Promise<void> => {
    // Its streams have other indexes, and its times begin where ffmpeg's multiplexer begins.
    const words = command.map((word) =>
      word === 'pipe:0' ? source : word === '0:i:256' ? '0:v:0' : word === '0:i:272' ? '0:a:0' : word,
    );
    const child = Bun.spawn(words, {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: { ...process.env, SVT_LOG: '1' },
    });
    if ((await child.exited) !== 0) throw new Error('ffmpeg failed');
  };
  for (const codec of ['av1', 'h264'] as const) {
    const print = (quality: EncodeQuality, { wall, processor }: Timed): void => {
      const size = (statSync(made).size / SECONDS) * 3600;
      const speed = `${(SECONDS / wall).toFixed(2)} x real time, ${(processor / SECONDS).toFixed(2)} processors`;
      console.log(`${codec} ${quality}: ${(size / 1e9).toFixed(2)} GB an hour, ${speed}`);
    };
    const ratios: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const command = commandOf(codec, 'standard');
      const alone = await timed(() => plain(command));
      const fed = await timed(() => ours(command));
      ratios.push(fed.processor / alone.processor);
      if (run === RUNS - 1) print('standard', fed);
    }
    figures.limited(`${codec}: processor time against plain ffmpeg`, quantile(ratios, 0.5), 'times', LIMIT);
    for (const quality of OTHER_QUALITIES) print(quality, await timed(() => ours(commandOf(codec, quality))));
    const check = await timed(async () => {
      const length = index.duration / 90_000;
      const options = { ffmpeg: FFMPEG, path: made, length, hasVideo: true, sounds: 1, background: [] };
      const signal = AbortSignal.timeout(600_000);
      const verified = await verifyFile({ ...options, missing: 0, signal, folder });
      if ('fault' in verified) throw new Error(verified.fault);
    });
    console.log(`${codec}: verified in ${check.wall.toFixed(2)} s`);
  }
  await bytes.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(figures.failed ? 1 : 0);
