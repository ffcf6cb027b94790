/** The files of a recording, complete or in ranges. Only regular files that a row lists; links are not followed. */
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { within } from '../../lib/host/deadline.ts';
import { FILE_SOURCES } from '../../lib/wire/api.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING } from '../http/route/path-ids.ts';
import { matchesEtag } from '../http/route/request.ts';
import { ENDLESS, LENGTH_HEADER, NO_LENGTH } from '../http/route/stream-response.ts';
import { hasAdts, recordingAudio } from '../media/recording-audio.ts';
import type { EncodedFile } from '../model/encoding.ts';
import { Failure } from '../model/failure.ts';
import type { EncodedFileStore } from '../store/encoded-file-store.ts';
import type { ListedFile, ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import type { AudioFiles } from './audio-files.ts';
import type { EncodedStreams } from './encoded-streams.ts';
import { type FilePiece, joinedBody } from './joined-file.ts';
import type { OpenRecordings } from './open-recordings.ts';

export interface FileRouteNeeds {
  recordingList: Pick<RecordingListStore, 'find' | 'originals'>;
  /** A recording is being watched. */
  seen(id: RecordingId): void;
  open: Pick<OpenRecordings, 'open'>;
  encodedFiles: Pick<EncodedFileStore, 'of'>;
  encodedStreams: Pick<EncodedStreams, 'sound'>;
  audioFiles: Pick<AudioFiles, 'find' | 'start'>;
  /** Undefined for a folder that does not respond. */
  folderSpace(path: string): Promise<object | undefined>;
}

/** An unavailable network folder may block forever. */
const LOOK_MS = 3_000;

const TYPES: Readonly<Record<ListedFile['source'], string>> = {
  encoded: 'video/x-matroska',
  alt: 'video/x-matroska',
  ts: 'video/mp2t',
};

const NO_FILE = () => new Failure('not_found', 'この録画のファイルはありません。');

const hanging = () => new Failure('busy', '録画フォルダーが応答しません。');

/** @throws Failure not_found if it is not a regular file, busy if its folder does not respond */
async function statOf(parts: Pick<FileRouteNeeds, 'folderSpace'>, path: string): Promise<Stats> {
  // A hanging folder is not accessed further: each call would block a thread.
  if ((await parts.folderSpace(dirname(path))) === undefined) throw hanging();
  const found = await within(
    LOOK_MS,
    lstat(path).catch(() => undefined),
    () => {
      throw hanging();
    },
  );
  if (found === undefined || !found.isFile()) throw NO_FILE();
  return found;
}

/** A growing file has no ETag: its beginning is final, its end is not known yet. */
function tagOf({ state }: ListedRecording, pieces: readonly Stats[]): string | null {
  if (state === 'recording') return null;
  const marks = pieces.map(
    ({ size, mtimeMs, ino }) =>
      `${size.toString(36)}-${Math.round(mtimeMs).toString(36)}-${ino.toString(36)}`,
  );
  const [only] = marks;
  return `"${marks.length === 1 ? only : Bun.hash(marks.join(' ')).toString(36)}"`;
}

/** HEAD: the length is known without reading. */
function headOnly(status: number, headers: Record<string, string>, length: number): Response {
  return new Response(null, { status, headers: { ...headers, [LENGTH_HEADER]: String(length) } });
}

/** @param paths files to concatenate */
async function sendFile(
  parts: Pick<FileRouteNeeds, 'folderSpace'>,
  request: Request,
  recording: ListedRecording,
  { type, paths }: { type: string; paths: readonly string[] },
): Promise<Response> {
  const stats = await Promise.all(paths.map((path) => statOf(parts, path)));
  const pieces: FilePiece[] = paths.map((path, index) => ({ path, size: stats[index]?.size ?? 0 }));
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  const etag = tagOf(recording, stats);
  const headers: Record<string, string> = {
    'content-type': type,
    'accept-ranges': 'bytes',
    'cache-control': etag === null ? 'no-store' : 'private, no-cache',
    ...(etag === null ? {} : { etag }),
  };
  if (etag !== null && matchesEtag(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers });
  }
  // Ranges only apply to GET: RFC 9110, 14.2.
  const isPart = request.method === 'GET' && isSameForRange(request.headers.get('if-range'), etag);
  const range = isPart ? readRange(request.headers.get('range'), size) : 'whole';
  if (range === 'outside') {
    return new Response(null, {
      status: 416,
      headers: { 'content-range': `bytes */${size}`, 'accept-ranges': 'bytes', 'cache-control': 'no-store' },
    });
  }
  const { start, end } = range === 'whole' ? { start: 0, end: size } : range;
  const status = range === 'whole' ? 200 : 206;
  if (status === 206) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`;
  if (request.method === 'HEAD') return headOnly(status, headers, end - start);
  // Only the current content: does not wait for a growing file.
  return new Response(await joinedBody(pieces, start, end), { status, headers });
}

const AUDIO_TYPE = 'audio/aac';
/** How long a request for a range waits until the audio is extracted. */
const EXTRACT_LIMIT_MS = 20_000;

const NO_AUDIO = () => new Failure('not_found', 'この録画には取り出せる音声がありません。');

/** The audio as broadcast, as it is read: without length, which would require reading everything. */
async function audioStream(
  parts: Pick<FileRouteNeeds, 'open' | 'encodedStreams'>,
  recording: ListedRecording,
  encoded: EncodedFile | undefined,
): Promise<ReadableStream<Uint8Array>> {
  if (encoded !== undefined) {
    if (encoded.facts.tracks.length === 0) throw NO_AUDIO();
    return parts.encodedStreams.sound(recording, encoded);
  }
  const opened = await parts.open.open(recording);
  if (hasAdts(opened.index)) return recordingAudio(opened.bytes, opened.index, opened.close);
  opened.close();
  throw NO_AUDIO();
}

/** Name of the extracted audio in the cache: another one after the file was replaced. */
async function audioName(
  parts: Pick<FileRouteNeeds, 'folderSpace'>,
  source: ListedFile['source'],
  paths: readonly string[],
): Promise<string> {
  const stats = await Promise.all(paths.map((path) => statOf(parts, path)));
  const marks = stats.map(({ size, mtimeMs, ino }) => `${size} ${Math.round(mtimeMs)} ${ino}`);
  return `audio-${source}-${Bun.hash(marks.join(' ')).toString(36)}.aac`;
}

/** @param file where the audio is taken from */
async function sendAudio(
  parts: Pick<FileRouteNeeds, 'open' | 'seen' | 'encodedStreams' | 'folderSpace' | 'audioFiles'>,
  request: Request,
  recording: ListedRecording,
  file: { source: ListedFile['source']; paths: readonly string[]; encoded: EncodedFile | undefined },
): Promise<Response> {
  const { source, paths, encoded } = file;
  const extract = () => audioStream(parts, recording, encoded);
  const growing = { 'content-type': AUDIO_TYPE, ...ENDLESS };
  if (recording.state === 'recording') {
    const body = await extract();
    if (request.method !== 'HEAD') return new Response(body, { headers: growing });
    await body.cancel();
    return new Response(null, { headers: { ...growing, [LENGTH_HEADER]: NO_LENGTH } });
  }
  const id = recordingId(recording.id);
  const name = await audioName(parts, source, paths);
  const send = (path: string): Promise<Response> =>
    sendFile(parts, request, recording, { type: AUDIO_TYPE, paths: [path] });
  const known = await parts.audioFiles.find(id, name);
  if (request.method !== 'HEAD') parts.seen(id);
  if (known !== undefined) return send(known);
  const headers = { ...growing, 'accept-ranges': 'bytes' };
  if (request.method === 'HEAD') {
    await (await extract()).cancel();
    return new Response(null, { headers: { ...headers, [LENGTH_HEADER]: NO_LENGTH } });
  }
  const audio = await parts.audioFiles.start(id, name, extract);
  // From the beginning, it is sent while it is extracted: RFC 9110, 14.2 allows to ignore a range.
  const range = readRange(request.headers.get('range'), Number.MAX_SAFE_INTEGER);
  const isWhole = range === 'whole' || (range !== 'outside' && range.start === 0);
  if (isWhole) return new Response(audio.body(), { headers });
  await within(EXTRACT_LIMIT_MS, audio.done, () => {
    throw new Failure('busy', '音声を取り出しています。少し待ってから、もう一度お試しください。');
  });
  return send(audio.path);
}

/** If no folder had room for a complete original stream, or it is not joined yet, it is in several files. */
function pathsOf(
  parts: Pick<FileRouteNeeds, 'recordingList'>,
  id: RecordingId,
  { source, path }: ListedFile,
): string[] {
  const originals = source === 'ts' ? parts.recordingList.originals(id) : [];
  return originals.includes(path) ? originals : [path];
}

const FILE_QUERY = t.Object({
  source: t.Optional(
    t.Union(
      FILE_SOURCES.map((source) => t.Literal(source)),
      { description: 'default: the first one in the list' },
    ),
  ),
  audio: t.Optional(t.Literal('only', { description: 'only the first audio, AAC in ADTS' })),
});

export function addFileRoutes(app: Elysia, parts: FileRouteNeeds): void {
  const tags = ['recordings'];
  const etag = { schema: { type: 'string' as const }, description: 'for a file that no longer grows' };
  const media = Object.fromEntries(
    [...new Set([...Object.values(TYPES), AUDIO_TYPE])].map((type) => [
      type,
      { schema: { type: 'string' as const, format: 'binary' } },
    ]),
  );

  const answer = (id: string, query: typeof FILE_QUERY.static, request: Request): Promise<Response> => {
    const recording = findRecording(parts.recordingList, id);
    const file = recording.files.find(({ source }) => query.source === undefined || source === query.source);
    if (file === undefined) throw NO_FILE();
    const paths = pathsOf(parts, recording.id, file);
    if (query.audio !== undefined) {
      const encoded = parts.encodedFiles.of(recording.id).find(({ source }) => source === file.source);
      return sendAudio(parts, request, recording, { source: file.source, paths, encoded });
    }
    if (request.method !== 'HEAD') parts.seen(recording.id);
    return sendFile(parts, request, recording, { type: TYPES[file.source], paths });
  };

  app.get('/api/recordings/:id/file', ({ params, query, request }) => answer(params.id, query, request), {
    params: ID_PARAMS,
    query: FILE_QUERY,
    detail: {
      summary: 'A file of a recording',
      description:
        'For playback, also in parts with `Range` (one range; several are answered with the complete file). The file of ' +
        'a running recording is sent as far as it is written. An original stream in several files is sent as one; a ' +
        'range over a file boundary of more than 4 MB is sent chunked, without `Content-Length` except for HEAD. ' +
        'With `audio=only` the first request extracts the audio and sends it meanwhile, without length; later ones, and ' +
        'those for a range that does not begin at 0, are answered from the extracted file (503 `busy` if it takes longer ' +
        'than 20 s). Of a running recording the audio so far is sent.',
      tags,
      responses: {
        ...REFUSALS,
        ...NO_RECORDING,
        200: { description: 'the file', headers: { etag }, content: media },
        206: { description: 'the requested range', headers: { etag }, content: media },
        304: { description: 'unchanged since the `If-None-Match` that was sent' },
        400: problemResponse('malformed id, unknown source'),
        404: problemResponse('no such recording, it is in the bin, or it has no such file'),
        416: { description: 'the range is not satisfiable; `Content-Range` has the size' },
        503: problemResponse('`busy`: its folder does not answer'),
      },
    },
  });
}

/** Parts of a file by `Range` and `If-Range`: RFC 9110, 13.1.5 and 14. */

/** Octets, end exclusive. */
interface ByteRange {
  start: number;
  end: number;
}

/** `whole`: no range, or one that may be ignored. `outside`: the range is not satisfiable. */
type RangeAnswer = 'whole' | 'outside' | ByteRange;

const SINGLE = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i;

/** Several ranges at once may be answered with the complete file (14.2): players request one. */
export function readRange(header: string | null, size: number): RangeAnswer {
  const match = header === null ? null : SINGLE.exec(header);
  if (match === null) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return 'whole';
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'outside';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** Whether a range may be sent to a client that has another part (If-Range). Only strong tags match; dates never do. */
export function isSameForRange(ifRange: string | null, etag: string | null): boolean {
  return ifRange === null || (etag !== null && ifRange.trim() === etag);
}
