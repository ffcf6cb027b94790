/** Routes for the chapters of a recording: users correct the boundaries, or undo the correction. */
import type { Elysia } from 'elysia';
import type { WallClock } from '../../lib/host/clock.ts';
import { ChaptersRequestSchema, ChaptersSchema } from '../../lib/wire/api.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING } from '../http/route/path-ids.ts';
import type { OpensOriginals } from '../media/job/recording-context.ts';
import { type ChapterSegment, CM_TITLE, chaptersOf, wholeSegments } from '../model/chapters.ts';
import { Failure } from '../model/failure.ts';
import { readAs } from '../model/schema-mismatch.ts';
import type { Hub } from '../notify/hub.ts';
import type { ChapterStore } from '../store/chapter-store.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';

interface ChapterRouteNeeds {
  recordingList: Pick<RecordingListStore, 'find'>;
  chapters: Pick<ChapterStore, 'find' | 'putCorrected'>;
  open: OpensOriginals;
  hub: Pick<Hub, 'publish' | 'changed'>;
  /** Called with a recording that a user corrected. */
  corrected: (id: RecordingId) => void;
  now: WallClock;
}

/** Tolerance beyond the end for boundaries that a player rounded, s. */
const BEHIND_END = 1;
const tags = ['recordings'];

/** @throws Failure bad_request with the path of the invalid chapter */
function readSegments(body: unknown, durationMs: number): ChapterSegment[] {
  const { chapters } = readAs(ChaptersRequestSchema, body);
  let last = 0;
  for (const [index, { start, end }] of chapters.entries()) {
    const path = `chapters.${index}`;
    if (end <= start) throw new Failure('bad_request', 'チャプターの終わりが始まりより前です。', { path });
    if (start < last) throw new Failure('bad_request', 'チャプターが重なっています。', { path });
    if (end * 1000 > durationMs + BEHIND_END * 1000)
      throw new Failure('bad_request', 'チャプターが録画の長さを超えています。', { path });
    last = end;
  }
  const commercials = chapters
    .filter(({ title }) => title === CM_TITLE)
    .map(({ start, end }) => ({ startMs: start * 1000, endMs: end * 1000 }));
  return wholeSegments(commercials, durationMs);
}

/** @throws Failure conflict while it is being recorded */
function refuseGrowing(recording: ListedRecording): void {
  if (recording.state === 'recording')
    throw new Failure('conflict', '録画中の番組のチャプターは変更できません。');
}

/**
 * Duration of the original stream in ms, the time base of chapters; for a recording with only an encoded file, of that
 * file.
 * @throws Failure not_found, busy; conflict where commercials are cut out
 */
async function lengthOf(recording: ListedRecording, open: OpensOriginals): Promise<number> {
  if (recording.files.some(({ cuts }) => cuts !== null))
    throw new Failure('conflict', 'CMをカットした録画のチャプターは変更できません。');
  const encoded = recording.files.find(({ source }) => source !== 'ts');
  const hasOriginal = recording.files.some(({ source }) => source === 'ts');
  if (!hasOriginal && encoded !== undefined && encoded.durationMs !== null) return encoded.durationMs;
  const opened = await open.open(recording);
  try {
    return Math.round(opened.index.duration / 90);
  } finally {
    opened.close();
  }
}

export function addChapterRoutes(app: Elysia, parts: ChapterRouteNeeds): void {
  const { recordingList, chapters, open, hub, now } = parts;
  const changed = (id: RecordingId): void => {
    hub.publish({ name: 'chapters', data: { recordingId: id } });
    hub.changed('recordings');
  };
  const answer = (id: RecordingId): Response =>
    Response.json(chaptersOf(chapters.find(id)?.segments ?? []), {
      headers: { 'cache-control': 'no-store' },
    });

  app.put(
    '/api/recordings/:id/chapters',
    async ({ params, body }) => {
      const recording = findRecording(recordingList, params.id);
      refuseGrowing(recording);
      const segments = readSegments(body, await lengthOf(recording, open));
      chapters.putCorrected(recordingId(recording.id), segments, now());
      changed(recording.id);
      parts.corrected(recording.id);
      return answer(recording.id);
    },
    {
      params: ID_PARAMS,
      detail: {
        requestBody: jsonBody(ChaptersRequestSchema),
        summary: 'Correct the commercials of a recording',
        description:
          'Stored, and takes precedence over detected commercials, also after another detection. An empty list means ' +
          'that there are none. The event `chapters` reports it.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          200: describedJson('the chapters as they are now', ChaptersSchema),
          400: problemResponse('malformed id or body; `path` names the chapter'),
          404: problemResponse('no such recording, or it has no file that can be played'),
          409: problemResponse('`conflict`: it is being recorded, or its commercials are cut out'),
          503: problemResponse('`busy`: its folder does not answer'),
        },
      },
    },
  );

  app.delete(
    '/api/recordings/:id/chapters',
    ({ params }) => {
      const recording = findRecording(recordingList, params.id);
      refuseGrowing(recording);
      if (chapters.find(recording.id)?.isCorrected === true) {
        chapters.putCorrected(recordingId(recording.id), null, now());
        changed(recording.id);
      }
      return answer(recording.id);
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Undo the correction of the commercials of a recording',
        description: 'The detected commercials apply again.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          200: describedJson('the chapters as they are now', ChaptersSchema),
          409: problemResponse('`conflict`: it is being recorded'),
        },
      },
    },
  );
}
