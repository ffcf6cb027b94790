/** Analyses received media with ffmpeg, which shares no code with the muxer under test. */

const bytesOf = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(await new Response(stream).arrayBuffer());
const textOf = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

async function ffmpeg(input: Uint8Array, words: string[]): Promise<Uint8Array> {
  const child = Bun.spawn(['ffmpeg', '-v', 'error', '-nostdin', ...words], {
    stdin: input,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors] = await Promise.all([bytesOf(child.stdout), textOf(child.stderr)]);
  if ((await child.exited) !== 0) throw new Error(errors);
  return out;
}

interface Picture {
  /** Seconds. */
  time: number;
  /** Mean brightness of the lower right corner, where the broadcast flashes, 0 to 255. */
  light: number;
}

/** Every picture's time (from the container) and brightness. */
export async function pictures(file: Uint8Array): Promise<Picture[]> {
  const child = Bun.spawn(
    ['ffmpeg', '-v', 'info', '-nostdin', '-copyts', '-i', 'pipe:0', '-an', '-vsync', 'passthrough'].concat([
      '-vf',
      'showinfo,crop=iw/12:ih/12:iw*11/12:ih*11/12,scale=1:1:flags=area,format=gray',
      '-f',
      'rawvideo',
      'pipe:1',
    ]),
    { stdin: file, stdout: 'pipe', stderr: 'pipe' },
  );
  const [light, log] = await Promise.all([bytesOf(child.stdout), textOf(child.stderr)]);
  const times = [...log.matchAll(/ pts_time:\s*(-?[\d.]+)/g)].map((match) => Number(match[1]));
  return times.map((time, index) => ({ time, light: light[index] ?? 0 }));
}

const RATE = 48_000;

interface Sound {
  /** Seconds of the first sample. */
  start: number;
  left: Float32Array;
  right: Float32Array;
}

export async function sound(file: Uint8Array): Promise<Sound> {
  const raw = await ffmpeg(file, [
    '-i',
    'pipe:0',
    '-vn',
    '-ac',
    '2',
    '-ar',
    String(RATE),
    '-f',
    'f32le',
    'pipe:1',
  ]);
  const samples = new Float32Array(raw.buffer, raw.byteOffset, raw.byteLength >> 2);
  const count = samples.length >> 1;
  const left = new Float32Array(count);
  const right = new Float32Array(count);
  for (let index = 0; index < count; index += 1) {
    left[index] = samples[index * 2] ?? 0;
    right[index] = samples[index * 2 + 1] ?? 0;
  }
  return { start: await firstTime(file, 'a'), left, right };
}

export async function firstTime(file: Uint8Array, stream: 'a' | 'v'): Promise<number> {
  const child = Bun.spawn(
    ['ffprobe', '-v', 'error', '-select_streams', stream, '-show_entries', 'packet=pts_time'].concat([
      '-read_intervals',
      '%+#1',
      '-of',
      'csv=p=0',
      'pipe:0',
    ]),
    { stdin: file, stdout: 'pipe', stderr: 'ignore' },
  );
  return Number.parseFloat(await textOf(child.stdout));
}

/** Energy of a tone in all samples, Goertzel. */
export function tone(samples: Float32Array, hertz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hertz) / RATE);
  let energy = 0;
  const BLOCK = 2400;
  for (let from = 0; from + BLOCK <= samples.length; from += BLOCK) {
    let previous = 0;
    let before = 0;
    for (let index = from; index < from + BLOCK; index += 1) {
      const current = (samples[index] ?? 0) + factor * previous - before;
      before = previous;
      previous = current;
    }
    energy += (previous * previous + before * before - factor * previous * before) / (BLOCK * BLOCK);
  }
  return energy;
}

/** Seconds at which a quiet signal becomes loud. */
export function onsets(audio: Sound): number[] {
  const found: number[] = [];
  let quietSince = 0;
  for (let index = 0; index < audio.left.length; index += 1) {
    if (Math.abs(audio.left[index] ?? 0) < 0.05) continue;
    if (index - quietSince > RATE / 10) found.push(audio.start + index / RATE);
    quietSince = index;
  }
  return found;
}

/** Seconds at which dark pictures become light. */
export function flashes(frames: readonly Picture[]): number[] {
  const dark = Math.min(...frames.map((frame) => frame.light));
  const bright = Math.max(...frames.map((frame) => frame.light));
  // An encoder at a low bit rate lets a flash fade over some pictures: only the flash itself is this bright.
  const limit = dark + (bright - dark) * 0.8;
  return frames.flatMap((frame, index) => {
    const before = frames[index - 1];
    return before !== undefined && before.light < limit && frame.light >= limit ? [frame.time] : [];
  });
}

/** Bytes of every top-level box. */
export function boxTypes(file: Uint8Array): string[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const types: string[] = [];
  for (let at = 0; at + 8 <= file.length; at += view.getUint32(at)) {
    types.push(String.fromCharCode(...file.subarray(at + 4, at + 8)));
    if (view.getUint32(at) < 8) break;
  }
  return types;
}
