/** Routes of commercial detection: request, cancel, progress, and the scene changes found. */
import type { Elysia } from 'elysia';
import { ChangesSchema, DetectionSchema, type DetectionStatus } from '../../lib/wire/api.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { describedJson, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import type { DetectionFailure } from '../model/chapters.ts';
import { Failure } from '../model/failure.ts';
import type { ChapterStore } from '../store/chapter-store.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import type { DetectionJobs } from './detection-jobs.ts';

interface DetectionRouteNeeds {
  recordingList: Pick<RecordingListStore, 'find'>;
  chapters: Pick<ChapterStore, 'find' | 'detection' | 'changes'>;
  detection: Pick<DetectionJobs, 'request' | 'cancel' | 'shareOf' | 'lacksFfmpeg'>;
  /** Whether commercials are detected without a request. */
  isAutomatic: (id: RecordingId) => boolean;
}

const MESSAGES: Readonly<Record<DetectionFailure, string>> = {
  no_file: '録画ファイルが見つからないため、CMを検出できませんでした。',
  unreadable: '録画の映像を読み取れないため、CMを検出できませんでした。',
  no_video: '映像のない録画です。',
  too_short: '録画が短いため、CMは検出しません。',
  ffmpeg_unavailable: 'ffmpegが見つからないため、CMを検出できません。',
  ffmpeg_failed: 'ffmpegの処理に失敗しました。もう一度検出してみてください。',
  interrupted: '検出が何度も中断されました。もう一度検出してみてください。',
};

const tags = ['recordings'];

/** @throws Failure not_found without an original stream, conflict while it is being recorded */
function detectable(list: DetectionRouteNeeds['recordingList'], id: string): ListedRecording {
  const recording = findRecording(list, id);
  if (recording.state === 'recording') {
    throw new Failure('conflict', '録画中の番組です。録画が終わってから検出します。');
  }
  if (!recording.files.some(({ source }) => source === 'ts')) {
    throw new Failure('not_found', '元のTSが残っていないため、CMを検出できません。');
  }
  // It would wait for ever.
  if (recording.state === 'failed') throw new Failure('conflict', '録画に失敗した番組のCMは検出できません。');
  return recording;
}

export function addDetectionRoutes(app: Elysia, parts: DetectionRouteNeeds): void {
  const { recordingList, chapters, detection, isAutomatic } = parts;

  const status = (id: RecordingId): DetectionStatus => {
    const known = chapters.detection(id);
    const found = chapters.find(id);
    const share = detection.shareOf(id);
    // Recordings not analysed yet are queued, unless detection is switched off.
    const waits = isAutomatic(id) ? 'waiting' : 'cancelled';
    const state = share === undefined ? (known?.state ?? waits) : 'running';
    const obstacle = state === 'waiting' && detection.lacksFfmpeg ? ('ffmpeg_unavailable' as const) : null;
    const reason = state === 'failed' ? (known?.reason ?? null) : obstacle;
    return {
      state,
      share: share ?? 0,
      reason,
      message: reason === null ? null : MESSAGES[reason],
      reliable: found?.reliable ?? false,
      corrected: found?.isCorrected ?? false,
      confidence: known?.confidence ?? null,
      version: found?.version ?? 0,
    };
  };

  app.get(
    '/api/recordings/:id/detect',
    ({ params, request }) =>
      polledJson(request, polledAnswer(status(findRecording(recordingList, params.id).id))),
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Progress of detecting the commercials of a recording',
        tags,
        responses: { ...REFUSALS, ...NO_RECORDING, ...polledResponses('how far it is', DetectionSchema) },
      },
    },
  );

  app.post(
    '/api/recordings/:id/detect',
    ({ params }) => {
      const { id } = detectable(recordingList, params.id);
      detection.request(recordingId(id));
      return Response.json(status(id), { status: 202, headers: { 'cache-control': 'no-store' } });
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Detect the commercials of a recording again',
        description:
          'In the background, before recordings that were not requested. At the end the chapters are rewritten, which ' +
          'the event `chapters` reports. Corrections by users stay, and are used to learn the logo of the station.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          202: describedJson('it waits for its turn', DetectionSchema),
          404: problemResponse('no such recording, or its original stream no longer exists'),
          409: problemResponse('`conflict`: it is being recorded, or it failed'),
        },
      },
    },
  );

  app.delete(
    '/api/recordings/:id/detect',
    ({ params }) => {
      const { id } = findRecording(recordingList, params.id);
      const { state } = status(id);
      if (state === 'waiting' || state === 'running') detection.cancel(recordingId(id));
      return Response.json(status(id), { headers: { 'cache-control': 'no-store' } });
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Do not detect the commercials of a recording',
        description: 'Earlier results stay. No effect if the detection has finished.',
        tags,
        responses: { ...REFUSALS, ...NO_RECORDING, 200: describedJson('as it is now', DetectionSchema) },
      },
    },
  );

  app.get(
    '/api/recordings/:id/changes',
    ({ params, request }) => {
      const { id } = findRecording(recordingList, params.id);
      const changes = chapters.changes(id).map(({ atMs, kind }) => ({ at: atMs / 1000, kind }));
      return polledJson(request, polledAnswer({ changes }));
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Places to which the boundary of a chapter may be moved',
        description: 'Changes of the picture or the sound; empty before the detection.',
        tags,
        responses: { ...REFUSALS, ...NO_RECORDING, ...polledResponses('the changes', ChangesSchema) },
      },
    },
  );
}
