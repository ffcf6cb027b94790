/** Actions of users on a recording: watched marks, protection, bin, restore. */
import type { Elysia } from 'elysia';
import {
  ProtectRequestSchema,
  ResumeRequestSchema,
  ResumeSchema,
  WatchedRequestSchema,
} from '../../lib/wire/api.ts';
import { jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING, readRecordingId } from '../http/route/path-ids.ts';
import { RESUME_EDGE_MS } from '../model/recording-time.ts';
import { readAs } from '../model/schema-mismatch.ts';
import { cutsOf } from './recording-answers.ts';
import type { RecordingMarks } from './recording-marks.ts';
import type { RecordingRouteNeeds } from './recording-routes.ts';
import type { RetentionService } from './retention-service.ts';

interface RecordingMarkRouteNeeds extends RecordingRouteNeeds {
  recordingMarks: Pick<RecordingMarks, 'reach' | 'seen' | 'watched' | 'protect'>;
  retention: Pick<RetentionService, 'bin' | 'restore' | 'remove'>;
}

const tags = ['recordings'];

function done(): Response {
  return new Response(null, { status: 204 });
}

const DONE = { description: 'done' };
const MARKED = {
  ...REFUSALS,
  ...NO_RECORDING,
  204: DONE,
  400: problemResponse('malformed id or body'),
};
const BEING_MADE = problemResponse('`conflict`: it is being recorded');

function addMarkRoutes(app: Elysia, parts: RecordingMarkRouteNeeds): void {
  app.post(
    '/api/recordings/:id/resume',
    ({ params, body }) => {
      const recording = findRecording(parts.recordingList, params.id);
      const { at, length, source } = readAs(ResumeRequestSchema, body);
      const resume = parts.recordingMarks.reach(recording, {
        at,
        length: length ?? null,
        cuts: cutsOf(recording, source),
      });
      return Response.json(
        { resume, edge: RESUME_EDGE_MS / 1000 },
        { headers: { 'cache-control': 'no-store' } },
      );
    },
    {
      params: ID_PARAMS,
      detail: {
        requestBody: jsonBody(ResumeRequestSchema),
        summary: 'Store the playback position',
        description:
          'Positions in the first and the last 30 s are not stored. One within the last 30 s of the sent `length` ' +
          'marks the recording as watched. A `length` of 0, or more than 0.5 s below `at`, changes nothing. Without `source` positions are of the encoded file if there is one, else ' +
          'of the original stream. A running recording has no end: every position after the first 30 s is stored.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          200: {
            description: 'the stored position',
            content: { 'application/json': { schema: JSON.parse(JSON.stringify(ResumeSchema)) } },
          },
          400: problemResponse('malformed id or body; `path` names the field'),
        },
      },
    },
  );

  app.post(
    '/api/recordings/:id/watched',
    ({ params, body }) => {
      const { watched } = readAs(WatchedRequestSchema, body);
      parts.recordingMarks.watched(findRecording(parts.recordingList, params.id).id, watched);
      return done();
    },
    {
      params: ID_PARAMS,
      detail: {
        requestBody: jsonBody(WatchedRequestSchema),
        summary: 'Mark a recording as watched or as not watched',
        description: 'Also removes the position.',
        tags,
        responses: MARKED,
      },
    },
  );

  app.post(
    '/api/recordings/:id/protect',
    ({ params, body }) => {
      const { protected: isProtected } = readAs(ProtectRequestSchema, body);
      parts.recordingMarks.protect(findRecording(parts.recordingList, params.id).id, isProtected);
      return done();
    },
    {
      params: ID_PARAMS,
      detail: {
        requestBody: jsonBody(ProtectRequestSchema),
        summary: 'Protect a recording from deletion by its rule, or end the protection',
        description:
          'Users can still delete it. It does not count towards the recordings that its rule keeps.',
        tags,
        responses: MARKED,
      },
    },
  );
}

export function addRecordingMarkRoutes(app: Elysia, parts: RecordingMarkRouteNeeds): void {
  addMarkRoutes(app, parts);

  app.post(
    '/api/recordings/:id/bin',
    ({ params }) => {
      parts.retention.bin(readRecordingId(params.id));
      return done();
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Move a recording to the bin',
        description:
          'It counts as deleted at once; its files are deleted 2 days later. No effect if it is already there. ' +
          '`show=bin` lists the recordings that can be restored.',
        tags,
        responses: { ...MARKED, 404: problemResponse('no such recording'), 409: BEING_MADE },
      },
    },
  );

  app.post(
    '/api/recordings/:id/restore',
    ({ params }) => {
      parts.retention.restore(readRecordingId(params.id));
      return done();
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Restore a recording from the bin',
        description:
          'What its rule would put back at once is protected from then on. What is in no bin stays as it is.',
        tags,
        responses: { ...MARKED, 404: problemResponse('no such recording, or its files no longer exist') },
      },
    },
  );

  app.delete(
    '/api/recordings/:id',
    async ({ params }) => {
      await parts.retention.remove(readRecordingId(params.id));
      return done();
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Delete a recording and its files',
        description: 'Immediately and permanently, also from the bin. Idempotent.',
        tags,
        responses: { ...MARKED, 404: problemResponse('no such recording'), 409: BEING_MADE },
      },
    },
  );
}
