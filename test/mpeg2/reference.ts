/** Elementary streams made and decoded by ffmpeg, with units and pictures for comparison. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecodedPicture } from '../../web/raw/mpeg2-decoder.ts';
import { HANG_LIMIT_MS } from '../until.ts';

/** Runs ffmpeg. @returns its standard output */
export async function ffmpeg(args: readonly string[]): Promise<Uint8Array> {
  const child = Bun.spawn(['ffmpeg', '-v', 'error', '-y', ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: HANG_LIMIT_MS,
  });
  const [bytes, errors, code] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`ffmpeg: ${errors}`);
  return bytes;
}

/** Encodes a noisy moving test picture. @param options of the encoder */
export function encode(size: string, seconds: number, options: readonly string[]): Promise<Uint8Array> {
  const source = `testsrc2=size=${size}:rate=30000/1001:duration=${seconds},noise=alls=12:allf=t`;
  const encoder = ['-c:v', 'mpeg2video', '-threads', '1', ...options, '-f', 'mpeg2video', '-'];
  return ffmpeg(['-f', 'lavfi', '-i', source, ...encoder]);
}

interface FieldFilm {
  /** Pictures of 59.94 Hz, planar 4:2:0. */
  readonly source: Uint8Array;
  /** The same pictures as frames of two fields, top field first. */
  readonly stream: Uint8Array;
}

/** A picture that moves sideways, without noise. @param filter of ffmpeg's `testsrc2`, 59.94 Hz */
export async function fieldFilm(size: string, seconds: number): Promise<FieldFilm> {
  const input = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=60000/1001:duration=${seconds}`];
  const [source, stream] = await Promise.all([
    ffmpeg([...input, '-pix_fmt', 'yuv420p', '-f', 'rawvideo', '-']),
    ffmpeg([
      ...[...input, '-vf', 'format=yuv422p,tinterlace=interleave_top,scale=interl=1,format=yuv420p', '-c:v'],
      ...[
        'mpeg2video',
        '-flags',
        '+ildct+ilme',
        '-top',
        '1',
        '-q:v',
        '1',
        '-bf',
        '2',
        '-f',
        'mpeg2video',
        '-',
      ],
    ]),
  ]);
  return { source, stream };
}

/**
 * Encodes frames of two fields each, top field first. @param fields planar 4:2:0 pictures, of which only the
 * lines of the field's parity are used
 */
export async function encodeFields(size: string, fields: readonly Uint8Array[]): Promise<Uint8Array> {
  const [width = 0, height = 0] = size.split('x').map(Number);
  const folder = mkdtempSync(join(tmpdir(), 'svc-mpeg2-'));
  try {
    const frames = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [first, second] = [fields[at], fields[at + 1]];
      if (first !== undefined && second !== undefined) frames.push(woven(first, second, width, height));
    }
    const file = join(folder, 'fields.yuv');
    await Bun.write(file, Buffer.concat(frames));
    const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', size, '-r', '30000/1001', '-i', file];
    const encoder = [
      '-c:v',
      'mpeg2video',
      '-threads',
      '1',
      '-flags',
      '+ildct+ilme',
      '-top',
      '1',
      '-q:v',
      '2',
    ];
    return await ffmpeg([...input, ...encoder, '-bf', '2', '-f', 'mpeg2video', '-']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The even lines of one picture and the odd lines of another. */
function woven(first: Uint8Array, second: Uint8Array, width: number, height: number): Uint8Array {
  const frame = first.slice();
  const planes = [
    [0, width, height],
    [width * height, width / 2, height / 2],
    [(width * height * 5) / 4, width / 2, height / 2],
  ] as const;
  for (const [from, columns, lines] of planes) {
    for (let y = 1; y < lines; y += 2) {
      const at = from + y * columns;
      frame.set(second.subarray(at, at + columns), at);
    }
  }
  return frame;
}

/** All pictures of a stream as decoded by ffmpeg, planar 4:2:0, one after another. */
export async function decodeByFfmpeg(stream: Uint8Array): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mpeg2-'));
  try {
    const file = join(folder, 'stream.m2v');
    await Bun.write(file, stream);
    const exact = ['-flags', 'bitexact', '-cpuflags', '0', '-idct', 'simple'];
    const raw = ['-fps_mode', 'passthrough', '-pix_fmt', 'yuv420p', '-f', 'rawvideo', '-'];
    return await ffmpeg([...exact, '-f', 'mpegvideo', '-i', file, ...raw]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The samples of a picture without line padding. */
export function samplesOf({ planes, shape }: DecodedPicture): Uint8Array {
  const { width, height, stride, cb, cr } = shape;
  const [halfWidth, halfHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const samples = new Uint8Array(width * height + 2 * halfWidth * halfHeight);
  let to = 0;
  const copy = (from: number, line: number, columns: number, lines: number): void => {
    for (let y = 0; y < lines; y += 1) {
      samples.set(planes.subarray(from + y * line, from + y * line + columns), to);
      to += columns;
    }
  };
  copy(0, stride, width, height);
  copy(cb, stride / 2, halfWidth, halfHeight);
  copy(cr, stride / 2, halfWidth, halfHeight);
  return samples;
}

/** Peak signal-to-noise ratio, dB. */
export function psnr(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += ((a[at] ?? 0) - (b[at] ?? 0)) ** 2;
  return sum === 0 ? 99 : 10 * Math.log10((255 ** 2 * a.length) / sum);
}

export function largestDifference(a: Uint8Array, b: Uint8Array): number {
  let most = Math.abs(a.length - b.length);
  for (let at = 0; at < a.length; at += 1) most = Math.max(most, Math.abs((a[at] ?? 0) - (b[at] ?? 0)));
  return most;
}
