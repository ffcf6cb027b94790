/** The files of a recording, complete or in ranges. Only regular files that a row lists; links are not followed. */
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { within } from '../../host/deadline.ts';
import { FILE_SOURCES } from '../../wire/api.ts';
import { hasAdts, recordingAudio } from '../media/recording-audio.ts';
import type { EncodedFile } from '../model/encoding.ts';
import { Failure } from '../model/failure.ts';
import type { RecordingId } from '../model/ids.ts';
import { problemResponse, REFUSALS } from '../route/described-responses.ts';
import { matchesEtag } from '../route/etag.ts';
import { findRecording, ID_PARAMS, NO_RECORDING } from '../route/recording-id.ts';
import { ENDLESS, LENGTH_HEADER, NO_LENGTH } from '../route/stream-headers.ts';
import type { EncodedFileStore } from '../store/encoded-file-store.ts';
import type { ListedFile, ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import { isSameForRange, readRange } from './byte-ranges.ts';
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
  { source, paths }: { source: ListedFile['source']; paths: readonly string[] },
): Promise<Response> {
  const stats = await Promise.all(paths.map((path) => statOf(parts, path)));
  const pieces: FilePiece[] = paths.map((path, index) => ({ path, size: stats[index]?.size ?? 0 }));
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  const etag = tagOf(recording, stats);
  const headers: Record<string, string> = {
    'content-type': TYPES[source],
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

/** Audio as broadcast: without length, which would require reading everything. */
async function sendAudio(
  parts: Pick<FileRouteNeeds, 'open' | 'seen' | 'encodedStreams'>,
  request: Request,
  recording: ListedRecording,
  encoded: EncodedFile | undefined,
): Promise<Response> {
  if (encoded !== undefined) return sendEncodedAudio(parts, request, recording, encoded);
  const opened = await parts.open.open(recording);
  if (!hasAdts(opened.index)) {
    opened.close();
    throw new Failure('not_found', 'この録画には取り出せる音声がありません。');
  }
  const headers = { 'content-type': 'audio/aac', ...ENDLESS };
  if (request.method === 'HEAD') {
    opened.close();
    return new Response(null, { headers: { ...headers, [LENGTH_HEADER]: NO_LENGTH } });
  }
  parts.seen(recording.id);
  return new Response(recordingAudio(opened.bytes, opened.index, opened.close), { headers });
}

async function sendEncodedAudio(
  { encodedStreams, seen }: Pick<FileRouteNeeds, 'seen' | 'encodedStreams'>,
  request: Request,
  recording: ListedRecording,
  encoded: EncodedFile,
): Promise<Response> {
  const headers = { 'content-type': 'audio/aac', ...ENDLESS };
  if (encoded.facts.tracks.length === 0) {
    throw new Failure('not_found', 'この録画には取り出せる音声がありません。');
  }
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...headers, [LENGTH_HEADER]: NO_LENGTH } });
  seen(recording.id);
  return new Response(await encodedStreams.sound(recording, encoded), { headers });
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
    [...new Set([...Object.values(TYPES), 'audio/aac'])].map((type) => [
      type,
      { schema: { type: 'string' as const, format: 'binary' } },
    ]),
  );

  const answer = (id: string, query: typeof FILE_QUERY.static, request: Request): Promise<Response> => {
    const recording = findRecording(parts.recordingList, id);
    const file = recording.files.find(({ source }) => query.source === undefined || source === query.source);
    if (file === undefined) throw NO_FILE();
    if (query.audio !== undefined) {
      const encoded = parts.encodedFiles.of(recording.id).find(({ source }) => source === file.source);
      return sendAudio(parts, request, recording, encoded);
    }
    if (request.method !== 'HEAD') parts.seen(recording.id);
    return sendFile(parts, request, recording, { ...file, paths: pathsOf(parts, recording.id, file) });
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
        'With `audio=only` the complete audio is sent, without `Range`.',
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
