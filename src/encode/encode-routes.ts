/** `/api/encodes` and the encode of one recording. */
import type { Elysia } from 'elysia';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { HOUR_MS } from '../../lib/arib/time.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import {
  type EncodeItem,
  type EncodeLog,
  EncodeLogSchema,
  EncodeManyAnswerSchema,
  EncodeManySchema,
  EncodeQueueChangeSchema,
  EncodeRequestSchema,
  type Encodes,
  EncodesSchema,
} from '../../lib/wire/encode.ts';
import { pick } from '../../lib/wire/fields.ts';
import { ENCODE_OPTIONS } from '../../lib/wire/rule-fields.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import {
  findRecording,
  ID_PARAMS,
  NO_RECORDING,
  readRecordingId,
  unknownRecording,
} from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import type { EncodeReason } from '../model/encode-reason.ts';
import type { EncodeResult } from '../model/encoding.ts';
import { Failure } from '../model/failure.ts';
import { readAs } from '../model/schema-mismatch.ts';
import type { EncodeLogRow, EncodeStore, ListedEncode } from '../store/encode-store.ts';
import type { RecordingListStore } from '../store/recording-list-store.ts';
import type { EncodeJobs, EncodeProgress } from './encode-jobs.ts';
import { encodeReasonText } from './encode-reason-text.ts';
import { isDue } from './encode-window.ts';

interface EncodeRouteNeeds {
  recordingList: Pick<RecordingListStore, 'find'>;
  encodes: EncodeJobs;
  store: Pick<EncodeStore, 'queue' | 'recent' | 'results' | 'trials' | 'log' | 'isPaused'>;
  now: WallClock;
}

function waitsFor(parts: EncodeRouteNeeds, job: ListedEncode): EncodeItem['waitsFor'] {
  if (job.state !== 'waiting') return null;
  if (!job.isReady) return 'recording';
  // A new recording is delayed briefly before its first attempt: that is not a retry.
  if (!isDue(job, parts.now())) return job.reason === null ? null : 'retry';
  return parts.encodes.awaits(job) ?? null;
}

function messageOf(reason: EncodeReason | null): string | null {
  return reason === null ? null : encodeReasonText(reason);
}

function logAnswer({ reason, ...row }: EncodeLogRow): EncodeLog {
  return { ...row, message: messageOf(reason) };
}

function toItem(
  parts: EncodeRouteNeeds,
  job: ListedEncode,
  progress: EncodeProgress | undefined,
): EncodeItem {
  const { recordingId, name, serviceName, startAt, durationMs, state, reason, endedAt } = job;
  const running = state === 'running' && progress?.recordingId === recordingId ? progress : undefined;
  return {
    ...{ recordingId, title: removeTitleMarks(name).title, serviceName, startAt, durationMs, state },
    ...pick(ENCODE_OPTIONS, job),
    ...{ message: messageOf(reason), endedAt },
    percent: running?.percent ?? null,
    etaMs: running?.etaMs ?? null,
    waitsFor: waitsFor(parts, job),
  };
}

function answer(parts: EncodeRouteNeeds): Encodes {
  const { store, encodes } = parts;
  const queue = store.queue();
  const progress = encodes.progress();
  return {
    paused: store.isPaused,
    wait: queue.length === 0 ? null : encodes.wait,
    queue: queue.map((job) => toItem(parts, job, progress)),
    recent: store.recent().map((job) => toItem(parts, job, undefined)),
    measured: measuredEncodes(store.results(), store.trials()),
  };
}

export function addEncodeRoutes(app: Elysia, parts: EncodeRouteNeeds): void {
  const tags = ['recordings'];

  app.post(
    '/api/recordings/:id/encode',
    ({ params, body }) => {
      const recording = findRecording(parts.recordingList, params.id);
      parts.encodes.enqueue(recording, readAs(EncodeRequestSchema, body ?? {}));
      return new Response(null, { status: 204 });
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Queue a recording for encoding',
        description:
          'Defaults come from its rule or reservation, else from the settings. A waiting job gets the new options. ' +
          'The event `encode` reports the progress, `recordings` changes of files.',
        tags,
        requestBody: { ...jsonBody(EncodeRequestSchema), required: false },
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          204: { description: 'queued' },
          400: problemResponse('malformed id or body; `path` names the field'),
          409: problemResponse(
            '`conflict`: it is being recorded or encoded, it failed, or its original stream no longer exists',
          ),
        },
      },
    },
  );

  app.delete(
    '/api/recordings/:id/encode',
    async ({ params }) => {
      if (!(await parts.encodes.cancel(readRecordingId(params.id)))) throw unknownRecording();
      return new Response(null, { status: 204 });
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Cancel the encode of a recording',
        description: 'Waiting or running; its original stays. Idempotent.',
        tags,
        responses: {
          ...REFUSALS,
          204: { description: 'none is waiting or running any more' },
          400: problemResponse('malformed id'),
          404: problemResponse('no such recording'),
          503: problemResponse('`busy`: its folder does not respond; it ends as soon as that does'),
        },
      },
    },
  );

  app.get(
    '/api/recordings/:id/encode-log',
    ({ params, request }) => {
      const recording = findRecording(parts.recordingList, params.id);
      const log = parts.store.log(recording.id);
      if (log === undefined) throw new Failure('not_found', 'この録画はまだ変換されていません。');
      return polledJson(request, polledAnswer(logAnswer(log)));
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'The log of the last encode of a recording',
        description: 'Kept for 2 weeks, the latest of each recording as long as the recording.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          ...polledResponses('the log', EncodeLogSchema),
          404: problemResponse('no such recording, or it was never encoded'),
        },
      },
    },
  );

  app.get('/api/encodes', ({ request }) => polledJson(request, polledAnswer(answer(parts))), {
    detail: {
      summary: 'The encode queue',
      description: 'The event `recordings` reports changes, `encode` the progress of the first one.',
      tags,
      responses: { ...REFUSALS, ...polledResponses('the queue', EncodesSchema) },
    },
  });

  app.put(
    '/api/encodes',
    ({ body }) => {
      parts.encodes.change(readAs(EncodeQueueChangeSchema, body));
      return Response.json(answer(parts));
    },
    {
      detail: {
        summary: 'Pause or reorder the encode queue',
        tags,
        requestBody: jsonBody(EncodeQueueChangeSchema),
        responses: {
          ...REFUSALS,
          200: describedJson('the queue as it is now', EncodesSchema),
          400: problemResponse('malformed body; `path` names the field'),
        },
      },
    },
  );

  app.post(
    '/api/encodes',
    ({ body }) => {
      const selection = readAs(EncodeManySchema, body);
      const named = [selection.ids, selection.series, selection.before].filter((one) => one !== undefined);
      if (named.length !== 1) {
        throw new Failure('bad_request', 'ids、series、before のどれかひとつを指定してください。', {
          path: 'ids',
        });
      }
      return Response.json({ queued: parts.encodes.enqueueMany(selection) });
    },
    {
      detail: {
        summary: 'Queue several recordings for encoding',
        description: 'Recordings without an original stream, in the bin or in progress are left out.',
        tags,
        requestBody: jsonBody(EncodeManySchema),
        responses: {
          ...REFUSALS,
          200: describedJson('how many were added to the queue', EncodeManyAnswerSchema),
          400: problemResponse('malformed body, or not exactly one of `ids`, `series`, `before`'),
        },
      },
    },
  );
}

/**
 * Expected size and time of a codec and quality on this machine: averages of past encodes, or else of the trials
 * (`encode-trials.ts`). @param trials one per codec and quality
 */
export function measuredEncodes(
  results: readonly EncodeResult[],
  trials: readonly EncodeResult[],
): Encodes['measured'] {
  const done = averages(results);
  const isDone = ({ codec, quality }: EncodeResult): boolean =>
    done.some((one) => one.codec === codec && one.quality === quality);
  const tried = averages(trials.filter((trial) => !isDone(trial)));
  return [...done, ...tried.map((one) => ({ ...one, files: 0 }))];
}

function averages(results: readonly EncodeResult[]): Encodes['measured'] {
  const sound = results.filter(({ lengthMs, bytes, tookMs }) => lengthMs > 0 && bytes > 0 && tookMs > 0);
  const groups = Map.groupBy(sound, ({ codec, quality }) => `${codec} ${quality}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const sum = (of: (one: EncodeResult) => number): number =>
      group.reduce((total, one) => total + of(one), 0);
    const length = sum(({ lengthMs }) => lengthMs);
    return {
      ...{ codec: first.codec, quality: first.quality, files: group.length },
      bytesPerHour: Math.round((sum(({ bytes }) => bytes) / length) * HOUR_MS),
      speed: Math.round((length / sum(({ tookMs }) => tookMs)) * 100) / 100,
    };
  });
}
