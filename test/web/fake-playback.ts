/**
 * The part of the fake service that plays recordings: a stream of thirty seconds as a finished recording and
 * as a growing one, with captions, chapters and preview pictures.
 */
import { boxesIn } from '../../lib/mp4/boxes.ts';
import { FragmentRebaser, readFragment, rebase } from '../../lib/mp4/fragment.ts';
import { readTracks } from '../../lib/mp4/tracks.ts';
import type { Problem, Recording } from '../../lib/wire/api.ts';
import type { CaptionsFile } from '../../lib/wire/caption.ts';
import type { Changes, DetectionStatus } from '../../lib/wire/detection.ts';
import type { Chapters, Playback } from '../../lib/wire/playback.ts';
import type { Previews } from '../../lib/wire/recordings.ts';
import type { RecordedMessage } from '../data/recorded-message.ts';
import { type FakeStream, FRAGMENT_MS } from './fake-air.ts';

interface StreamSeen {
  readonly id: number;
  readonly way: 'stream' | 'chase';
  readonly codec: string | null;
  readonly from: number;
  readonly audio: string | null;
}

export interface FakeFile {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
  /** What HEAD says that it is, octets; undefined: the truth. */
  told?: number;
  /** Ranges that are answered before the others wait for `gate`. */
  open?: number;
  gate?: Promise<void>;
  /** HEAD still finds it, GET does not. */
  isGone?: boolean;
  /** `Range` of each GET. */
  readonly ranges: (string | null)[];
}

export interface FakePlayback {
  stream: FakeStream;
  /** Number of copies of the stream in a finished recording. */
  repeats: number;
  /** Seconds of a running recording that exist so far. */
  recorded: number;
  chapters: Chapters['chapters'];
  /** Commercial breaks as corrected by users. */
  corrected: Chapters['chapters'] | undefined;
  changes: Changes['changes'];
  gaps: Playback['gaps'];
  previews: Previews | undefined;
  /** JPEG of every sheet and poster. */
  picture: Uint8Array | undefined;
  captions: CaptionsFile | undefined;
  /** Its data broadcast from a second on; undefined: it has none. */
  data: ((from: number) => Iterable<RecordedMessage>) | undefined;
  /** `from` of each request for it. */
  readonly dataAsked: number[];
  /** The encoded file of every recording that has one, and how it is sent. */
  file: FakeFile | undefined;
  /** Failure of the next `count` streams. */
  problem: { readonly body: Problem; readonly status: number; count: number } | undefined;
  /** Closes or breaks a stream after this many fragments. */
  endsAfter: { readonly fragments: number; readonly breaks: boolean } | undefined;
  readonly seen: StreamSeen[];
}

export function newPlayback(stream: FakeStream = { init: new Uint8Array(), fragments: [] }): FakePlayback {
  return {
    stream,
    repeats: 1,
    recorded: 20,
    chapters: [],
    corrected: undefined,
    changes: [],
    gaps: [],
    previews: undefined,
    picture: undefined,
    captions: undefined,
    data: undefined,
    dataAsked: [],
    file: undefined,
    problem: undefined,
    endsAfter: undefined,
    seen: [],
  };
}

/** Limit of pieces queued before the page has read them. */
const MOST_WAITING = 20;
const FRAGMENT_S = FRAGMENT_MS / 1000;
const NOT_FOUND: Problem = { message: '録画が見つかりません。', code: 'not_found' };

const lengthOf = ({ stream, repeats }: FakePlayback): number =>
  stream.fragments.length * FRAGMENT_S * repeats;

/** A page reads the next piece only a quarter of a second later. */
const ROUNDS_A_PIECE = 3;

/**
 * Repeats the stream with continuous time stamps, several repetitions per piece. @param first fragment of the
 * whole
 */
function repeated(
  { stream: { init, fragments }, repeats }: FakePlayback,
  first: number,
): ReadableStream<Uint8Array> {
  const tracks = readTracks(init);
  const again = (round: number): Uint8Array => {
    const moved = fragments
      .slice(round * fragments.length < first ? first % fragments.length : 0)
      .map((fragment) => {
        const [moof] = boxesIn(fragment);
        const copy = fragment.slice();
        const header = copy.subarray(moof?.start, moof?.end);
        rebase(header, readFragment(copy, tracks), -round * fragments.length * FRAGMENT_S * 90_000);
        return copy;
      });
    return new Uint8Array(Buffer.concat(moved));
  };
  let round = Math.floor(first / fragments.length);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(init),
      pull: (controller) => {
        const until = Math.min(repeats, round + ROUNDS_A_PIECE);
        const pieces: Uint8Array[] = [];
        for (; round < until; round += 1) pieces.push(again(round));
        controller.enqueue(new Uint8Array(Buffer.concat(pieces)));
        if (round === repeats) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function playbackOf(state: FakePlayback, { startAt, files }: Recording): Playback {
  return {
    duration: lengthOf(state),
    axis: files.some(({ source }) => source !== 'ts') ? 'encoded' : 'ts',
    audios: [
      { id: '0:main', label: '日本語', main: true },
      { id: '0:sub', label: '英語' },
    ],
    offers: [
      ...files.flatMap(({ source, codec }) =>
        codec === 'av1' || codec === 'h264' ? [{ codec, way: 'file' as const, source }] : [],
      ),
      { codec: 'h264', way: 'stream', codecs: 'avc1.640028,mp4a.40.2' },
      { codec: 'av1', way: 'stream', codecs: 'av01.0.08M.08,opus' },
      { codec: 'mpeg2', way: 'raw' },
    ],
    gaps: state.gaps,
    joins: [],
    broadcastAt: startAt,
    programStart: 0,
    hasVideo: true,
    hasDataBroadcast: state.data !== undefined,
  };
}

function detectionOf({ corrected }: FakePlayback): DetectionStatus {
  return {
    state: 'done',
    share: 0,
    reason: null,
    message: null,
    reliable: true,
    corrected: corrected !== undefined,
    confidence: 0.9,
    version: 1,
  };
}

/** The content from a position on, as it becomes available. */
function body(state: FakePlayback, first: number, grows: boolean, rebased: boolean, signal: AbortSignal) {
  const { init, fragments } = state.stream;
  const rebaser = new FragmentRebaser(init);
  let open = true;
  signal.addEventListener('abort', () => {
    open = false;
  });
  return new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(init);
      for (let index = first; index < fragments.length && open; index += 1) {
        while (open && grows && (index + 1) * FRAGMENT_S > state.recorded) await Bun.sleep(50);
        const fragment = fragments[index];
        const ends = state.endsAfter;
        if (ends !== undefined && index - first >= ends.fragments) {
          // An error discards what was not read yet.
          while (open && (controller.desiredSize ?? 1) < 1) await Bun.sleep(20);
          if (ends.breaks) controller.error();
          break;
        }
        if (!open || fragment === undefined) break;
        for (const part of rebased ? rebaser.fragment(fragment) : [fragment]) controller.enqueue(part);
        // Waits until the page has read the queued pieces.
        while (open && (controller.desiredSize ?? 1) < -MOST_WAITING) await Bun.sleep(20);
      }
      if (open && state.endsAfter?.breaks !== true) controller.close();
    },
    cancel: () => {
      open = false;
    },
  });
}

function streamAnswer(
  state: FakePlayback,
  recording: Recording,
  way: 'stream' | 'chase',
  request: Request,
): Response {
  const query = new URL(request.url).searchParams;
  const from = Number(query.get('from') ?? 0);
  const [codec, audio] = [query.get('codec'), query.get('audio')];
  state.seen.push({ id: recording.id, way, codec, from, audio });
  const failing = state.problem;
  if (failing !== undefined && failing.count > 0) {
    failing.count -= 1;
    return Response.json(failing.body, { status: failing.status });
  }
  const grows = way === 'chase' && recording.recording;
  const most = grows ? state.recorded - 5 : lengthOf(state) - 1;
  // Starts at a key frame a second earlier.
  const first = Math.max(0, Math.floor((Math.min(from, most) - 1) / FRAGMENT_S));
  const offset = way === 'chase' ? first * FRAGMENT_S : 0;
  const bytes =
    state.repeats > 1 ? repeated(state, first) : body(state, first, grows, way === 'chase', request.signal);
  return new Response(bytes, {
    headers: {
      'content-type': 'video/mp4',
      'x-svc-start': String(first * FRAGMENT_S),
      'x-svc-offset': String(offset),
      ...(way === 'chase' ? { 'x-svc-recorded': String(grows ? state.recorded : lengthOf(state)) } : {}),
    },
  });
}

/** `GET` and `HEAD` of the file, whole or one range. */
async function fileAnswer(file: FakeFile, request: Request): Promise<Response> {
  const headers = { etag: file.etag, 'accept-ranges': 'bytes', 'content-type': 'video/x-matroska' };
  if (request.method === 'HEAD') {
    const length = file.told ?? file.bytes.length;
    return new Response(null, { headers: { ...headers, 'content-length': String(length) } });
  }
  const range = request.headers.get('range');
  if (file.isGone === true) return Response.json(NOT_FOUND, { status: 404 });
  file.ranges.push(range);
  if (file.open !== undefined && file.ranges.length > file.open) await file.gate;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/u.exec(range ?? '') ?? [];
  if (from === undefined || to === undefined) return new Response(file.bytes, { headers });
  const part = file.bytes.slice(Number(from), Number(to) + 1);
  const place = `bytes ${from}-${Number(from) + part.length - 1}/${file.bytes.length}`;
  return new Response(part, { status: 206, headers: { ...headers, 'content-range': place } });
}

const jpeg = (bytes: Uint8Array | undefined): Response =>
  bytes === undefined
    ? Response.json(NOT_FOUND, { status: 404 })
    : new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { 'content-type': 'image/jpeg' } });

const orNotFound = (value: unknown): Response =>
  value === undefined ? Response.json(NOT_FOUND, { status: 404 }) : Response.json(value);

/** Lines as the page reads them, compressed as those of the service. */
function dataAnswer(state: FakePlayback, request: Request): Response {
  if (state.data === undefined) return Response.json(NOT_FOUND, { status: 404 });
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' };
  if (request.method === 'HEAD') return new Response(null, { headers });
  const from = Number(new URL(request.url).searchParams.get('from') ?? 0);
  state.dataAsked.push(from);
  const lines = state.data(from)[Symbol.iterator]();
  const text = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        const { done, value } = lines.next();
        if (done) controller.close();
        else controller.enqueue(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(text.pipeThrough(new CompressionStream('gzip')), { headers });
}

/** @returns undefined for a path that does not concern playback. @param action below `recordings/<id>/` */
export function answerPlayback(
  state: FakePlayback,
  recording: Recording,
  action: string,
  request: Request,
  body: string,
): Response | Promise<Response> | undefined {
  switch (action) {
    case 'file':
      return state.file === undefined ? undefined : fileAnswer(state.file, request);
    case 'playback':
      return recording.recording || recording.files.length === 0
        ? Response.json(NOT_FOUND, { status: 404 })
        : Response.json(playbackOf(state, recording));
    case 'status': {
      const { id, state: course, durationMs, progress, files } = recording;
      const encoded = files.some(({ source }) => source !== 'ts');
      return Response.json({ id, encoded, state: course, durationMs, progress });
    }
    case 'stream':
    case 'chase':
      return streamAnswer(state, recording, action, request);
    case 'chapters':
      if (request.method === 'PUT') state.corrected = (JSON.parse(body) as Chapters).chapters;
      if (request.method === 'DELETE') state.corrected = undefined;
      return Response.json({ chapters: state.corrected ?? state.chapters });
    case 'changes':
      return Response.json({ changes: state.changes });
    case 'detect':
      return Response.json(detectionOf(state));
    case 'previews':
      return orNotFound(state.previews);
    case 'captions.json':
      return orNotFound(state.captions);
    case 'databroadcast':
      return dataAnswer(state, request);
    case 'poster':
      return jpeg(state.picture);
  }
  return /^previews\/\d+$/u.test(action) ? jpeg(state.picture) : undefined;
}
