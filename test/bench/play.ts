/**
 * Watching recordings: time from a seek to its first fragment, against the same ffmpeg without the service; twenty readers
 * of one file; how far chase is behind the writer; from a press to the first picture in a browser. `bun test/bench/play.ts`. The service is a process of its own; figures are
 * medians. Ends with 1 when one is past its limit.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BoxCutter } from '../../lib/mp4/boxes.ts';
import { readFragment } from '../../lib/mp4/fragment.ts';
import { readTracks, type Track } from '../../lib/mp4/tracks.ts';
import { OFFSET_HEADER, START_HEADER } from '../../lib/wire/api.ts';
import { liveCommand, VIDEO_ENCODERS } from '../../src/ffmpeg/recipes.ts';
import { openDatabase } from '../../src/store/database.ts';
import { buildWeb } from '../../tools/web.ts';
import { FFMPEG, output } from '../play/made-recording.ts';
import { putRecording } from '../service/recording-rows.ts';
import { idleAgent, startService } from './guide/bench-service.ts';
import { Figures, quantile } from './guide/figures.ts';
import { firstPictures } from './streams/first-picture.ts';

const SECONDS = 40;
const SEEKS = 12;
const READERS = 20;
const READER_BYTES_A_SECOND = 25e6 / 8;
const READ_SECONDS = 10;
const CHASE_SECONDS = 20;
const PRESSES = 30;

const figures = new Figures();
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-play-'));
const recordings = join(folder, 'recordings');

/** With moving noise, so that an encoder has as much to do as with a broadcast. */
function broadcast(): Promise<Uint8Array> {
  const picture = `testsrc2=s=1440x1080:r=30000/1001:d=${SECONDS},noise=alls=10:allf=t`;
  return output(
    ...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=r=48000:d=${SECONDS}`],
    ...[
      '-c:v',
      'mpeg2video',
      '-g',
      '15',
      '-bf',
      '2',
      '-b:v',
      '14M',
      '-maxrate',
      '16M',
      '-bufsize',
      '8M',
      '-aspect',
      '16:9',
    ],
    ...[
      '-c:a',
      'aac',
      '-b:a',
      '192k',
      '-ac',
      '2',
      '-pes_payload_size',
      '600',
      '-pat_period',
      '0.1',
      '-f',
      'mpegts',
      'pipe:1',
    ],
  );
}

/** Time until a whole fragment has arrived, ms. */
async function toFirstFragment(body: ReadableStream<Uint8Array>, began: number): Promise<number> {
  const cutter = new BoxCutter();
  for await (const chunk of body) {
    for (const box of cutter.feed(chunk)) if (box.type === 'mdat') return performance.now() - began;
  }
  throw new Error('no fragment came');
}

async function seekOfService(url: string, id: number, from: number): Promise<{ ms: number; start: number }> {
  const began = performance.now();
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/recordings/${id}/stream?codec=h264&from=${from}`, {
    signal: leaving.signal,
  });
  if (response.body === null || response.status !== 200) throw new Error(await response.text());
  const ms = await toFirstFragment(response.body, began);
  leaving.abort();
  return { ms, start: Number(response.headers.get(START_HEADER)) };
}

/** The same seek by ffmpeg alone, with the same encoder. */
async function seekOfFfmpeg(path: string, start: number): Promise<number> {
  const encoder = VIDEO_ENCODERS.find(({ name }) => name === 'libx264');
  if (encoder === undefined) throw new Error('no libx264');
  const video = { pid: 0x100, kind: 'mpeg2' as const, encoder };
  const command = liveCommand({ ffmpeg: FFMPEG, video, audio: { pid: 0x101, side: 'both', codec: 'aac' } });
  const input = command.indexOf('-i');
  command.splice(input, 2, '-ss', String(start), '-i', path);
  const began = performance.now();
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
  const ms = await toFirstFragment(child.stdout, began);
  child.kill('SIGKILL');
  await child.exited;
  return ms;
}

async function seeks(url: string, id: number, path: string): Promise<void> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let seek = 0; seek < SEEKS; seek += 1) {
    const { ms, start } = await seekOfService(url, id, 2 + ((seek * 7.3) % (SECONDS - 6)));
    ours.push(ms);
    bare.push(await seekOfFfmpeg(path, start));
  }
  const median = quantile(ours, 0.5);
  figures.note('seek of bare ffmpeg to its first fragment', quantile(bare, 0.5), 'ms');
  figures.limited('seek to the first fragment', median, 'ms', 900);
  figures.limited('seek against bare ffmpeg', median / quantile(bare, 0.5), 'times', 1.3);
}

/** CPU seconds that a process has used. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function readPaced(url: string, until: number): Promise<number> {
  let read = 0;
  const began = performance.now();
  while (performance.now() < until) {
    const response = await fetch(url);
    if (response.body === null) throw new Error('no body');
    for await (const chunk of response.body) {
      read += chunk.length;
      const ahead = (read / READER_BYTES_A_SECOND) * 1000 - (performance.now() - began);
      if (ahead > 0) await Bun.sleep(ahead);
      if (performance.now() >= until) break;
    }
  }
  return read;
}

async function readers(url: string, id: number, pid: number): Promise<void> {
  const file = `${url}/api/recordings/${id}/file?source=ts`;
  const before = cpuOf(pid);
  const until = performance.now() + READ_SECONDS * 1000;
  const began = performance.now();
  const read = await Promise.all(Array.from({ length: READERS }, () => readPaced(file, until)));
  const seconds = (performance.now() - began) / 1000;
  const rate = (read.reduce((sum, one) => sum + one, 0) * 8) / seconds / READERS / 1e6;
  figures.note(`each of ${READERS} readers`, rate, 'Mbit/s');
  figures.limited(`CPU for ${READERS} readers`, ((cpuOf(pid) - before) / seconds) * 100, '% of a core', 10);
}

/** Positions on the playback scale that fragments reach, s, as they arrive. */
async function* reached(response: Response): AsyncGenerator<number> {
  const offset = Number(response.headers.get(OFFSET_HEADER));
  const cutter = new BoxCutter();
  let tracks: readonly Track[] = [];
  for await (const chunk of response.body ?? []) {
    for (const { type, bytes } of cutter.feed(chunk)) {
      if (type === 'moov') tracks = readTracks(bytes);
      if (type !== 'moof') continue;
      const video = readFragment(bytes, tracks).find(({ track }) => track.kind === 'video');
      if (video !== undefined) yield offset + video.time / video.track.timescale;
    }
  }
}

async function chase(url: string, id: number, path: string, whole: Uint8Array, head: number): Promise<void> {
  const perSecond = whole.length / SECONDS;
  const began = performance.now();
  const written = (): number => Math.min(SECONDS, head + (performance.now() - began) / 1000);
  let size = Math.floor((head * perSecond) / 188) * 188;
  const writer = setInterval(() => {
    const to = Math.floor((written() * perSecond) / 188) * 188;
    if (to > size) appendFileSync(path, whole.subarray(size, to));
    size = Math.max(size, to);
  }, 500);
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/recordings/${id}/chase?from=1e9`, { signal: leaving.signal });
  if (response.status !== 200) throw new Error(await response.text());
  const behind: number[] = [];
  for await (const second of reached(response)) {
    const elapsed = (performance.now() - began) / 1000;
    // Data written before the start has to be encoded first.
    if (elapsed > CHASE_SECONDS / 2) behind.push(written() - second);
    if (elapsed > CHASE_SECONDS) break;
  }
  clearInterval(writer);
  leaving.abort();
  figures.limited('chase behind the writer, 95 of 100 fragments', quantile(behind, 0.95), 's', 6);
}

async function inBrowser(url: string): Promise<void> {
  const times = await firstPictures(url, PRESSES);
  figures.note('first picture in Chromium, 90 of 100', quantile(times, 0.9), 'ms');
  figures.limited(`first picture in Chromium, median of ${PRESSES}`, quantile(times, 0.5), 'ms', 1_500);
}

const agent = idleAgent([]);
try {
  await buildWeb(join(import.meta.dir, '..', '..', 'dist', 'web'));
  const whole = await broadcast();
  figures.note('recording', (whole.length * 8) / SECONDS / 1e6, 'Mbit/s');
  const service = await startService(folder, agent.url);
  const database = openDatabase(join(folder, 'svc.db'));
  // There was never a tuner, so no station is known.
  database.run('PRAGMA foreign_keys = OFF');
  const row = {
    station: 3_260_809_216,
    serviceName: 'bench',
    startAt: Date.now(),
    endAt: Date.now() + SECONDS * 1000,
  };
  const pathOf = (id: number): string =>
    database
      .query<{ path: string }, { id: number }>('SELECT path FROM recording_parts WHERE recording_id = $id')
      .get({ id })?.path ?? '';
  const id = putRecording(database, { ...row, name: 'finished', content: whole }, recordings);
  // Encoder trials run in the first seconds and would take processor time from the measurement.
  await Bun.sleep(12_000);
  await seeks(service.url, id, pathOf(id));
  await inBrowser(service.url);
  await readers(service.url, id, service.pid);
  const head = 10;
  const begun = whole.subarray(0, Math.floor((head * whole.length) / SECONDS / 188) * 188);
  const running = putRecording(
    database,
    { ...row, name: 'running', state: 'recording', content: begun },
    recordings,
  );
  await chase(service.url, running, pathOf(running), whole, head);
  database.close();
  await service.end();
} finally {
  agent.end();
  rmSync(folder, { recursive: true });
}
process.exit(figures.failed ? 1 : 0);
