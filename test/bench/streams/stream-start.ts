/** When a stream's first picture that can be decoded is there: of the service, of the agent, of a plain ffmpeg. */
import { serviceId } from '../../../lib/arib/ids.ts';
import { StationFilter } from '../../../lib/arib/ts/station-filter.ts';
import { BoxCutter } from '../../../lib/mp4/boxes.ts';
import { Fragmenter } from '../../../lib/mp4/fragmenter.ts';
import { liveCommand, VIDEO_ENCODERS } from '../../../src/ffmpeg/recipes.ts';
import { EntryPointFinder } from '../../../src/reception/entry-points.ts';
import { layoutOf, type StationLayout } from '../../../src/reception/station-layout.ts';

const READY_LIMIT_MS = 20_000;

export interface Times {
  /** Time to the first byte, ms. */
  byte: number;
  /** Time to the first picture that can be decoded, ms. */
  picture: number;
}

/** Reads until the judge has found a picture, then continues reading and discards the data, like a viewer. */
export async function timeStream(
  body: ReadableStream<Uint8Array>,
  started: number,
  judge: (chunk: Uint8Array) => boolean,
): Promise<Times> {
  const reader = body.getReader();
  let byte = Number.NaN;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error('the stream ended before a picture');
    if (Number.isNaN(byte)) byte = performance.now() - started;
    if (!judge(value)) continue;
    const picture = performance.now() - started;
    void drain(reader);
    return { byte, picture };
  }
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The reader was cancelled.
  }
}

export type Judging = () => (chunk: Uint8Array) => boolean;

/** A whole intra picture after PAT and PMT. */
export function rawJudge(station: number, onLayout: (layout: StationLayout) => void = () => {}) {
  const finder = new EntryPointFinder();
  const filter = new StationFilter(serviceId(station), {
    onProgramMap: (map) => {
      const layout = layoutOf(map);
      onLayout(layout);
      finder.watch(layout.video);
    },
  });
  return (chunk: Uint8Array): boolean => finder.feed(filter.feed(chunk)).points.length > 0;
}

/** A whole fragment that begins with a key frame. */
function fragmentJudge() {
  const fragmenter = new Fragmenter();
  return (chunk: Uint8Array): boolean =>
    [...fragmenter.feed(chunk)].some((piece) => piece.kind === 'fragment' && piece.sync);
}

/** The same for fragments whose times were already shifted. */
export function servedJudge() {
  const cutter = new BoxCutter();
  return (chunk: Uint8Array): boolean => [...cutter.feed(chunk)].some((box) => box.type === 'mdat');
}

export async function watch(url: string, judge: (chunk: Uint8Array) => boolean) {
  const abort = new AbortController();
  const limit = setTimeout(() => abort.abort(new Error(`no picture from ${url} in time`)), READY_LIMIT_MS);
  try {
    const started = performance.now();
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || response.body === null)
      throw new Error(`${response.status} ${await response.text()}`);
    const times = await timeStream(response.body, started, judge);
    return { times, leave: () => abort.abort() };
  } finally {
    clearTimeout(limit);
  }
}

/** A whole channel's stream, and how to end it. */
interface ChannelInput {
  readonly stream: ReadableStream<Uint8Array>;
  close(): void;
}

/** From a broadcaster's process of its own. */
export function broadcast(command: string[]): ChannelInput {
  const air = Bun.spawn(command, { stdout: 'pipe', stderr: 'ignore' });
  return { stream: air.stdout, close: () => air.kill() };
}

/** From the agent. @throws Error if it refuses */
export async function agentInput(url: string): Promise<ChannelInput> {
  const abort = new AbortController();
  const { ok, status, body } = await fetch(url, { signal: abort.signal });
  if (!ok || body === null) throw new Error(`the agent answers ${status}`);
  return { stream: body, close: () => abort.abort() };
}

/**
 * The channel's stream directly into an ffmpeg with the arguments of the service, except for the probing:
 * an ffmpeg that starts in the middle of a picture needs half a second of input to determine the frame rate;
 * without it, it soon outputs a grey picture.
 */
export async function plainEncoder(
  open: () => ChannelInput | Promise<ChannelInput>,
  layout: StationLayout,
): Promise<Times> {
  const encoder = VIDEO_ENCODERS.find((one) => one.name === 'libx264');
  const audio = layout.audios[0];
  if (layout.video === null || audio === undefined || encoder === undefined) throw new Error('no video');
  const command = liveCommand({
    ffmpeg: Bun.which('ffmpeg') ?? 'ffmpeg',
    video: { ...layout.video, encoder },
    audio: { pid: audio, side: 'both', codec: 'aac' },
  });
  const limit = command.indexOf('-analyzeduration') + 1;
  command[limit] = '500000';
  const started = performance.now();
  const input = await open();
  const ffmpeg = Bun.spawn(command, { stdin: input.stream, stdout: 'pipe', stderr: 'ignore' });
  try {
    return await timeStream(ffmpeg.stdout, started, fragmentJudge());
  } finally {
    ffmpeg.kill('SIGKILL');
    input.close();
    await ffmpeg.exited;
  }
}
