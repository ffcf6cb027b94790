/** Data that a player requests before it plays a recording: how it can be played, and its chapters. */
import type { Elysia } from 'elysia';
import { ChaptersSchema, PlaybackSchema } from '../../lib/wire/api.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { chaptersOf } from '../model/chapters.ts';
import { Failure } from '../model/failure.ts';
import type { ChapterStore } from '../store/chapter-store.ts';
import type { DataFileStore } from '../store/data-file-store.ts';
import type { EncodedFileStore } from '../store/encoded-file-store.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import type { OpenRecordings } from './open-recordings.ts';
import { describeEncoded, describePlayback } from './playback-description.ts';
import type { RecordingLengths } from './recording-lengths.ts';

export interface PlaybackRouteNeeds {
  recordingList: Pick<RecordingListStore, 'find'>;
  open: Pick<OpenRecordings, 'open'>;
  chapters: Pick<ChapterStore, 'find'>;
  dataFiles: Pick<DataFileStore, 'find'>;
  encodedFiles: Pick<EncodedFileStore, 'of'>;
  encoders: Pick<Encoders, 'hasAv1'>;
  lengths: Pick<RecordingLengths, 'note'>;
}

/** @throws Failure not_found while it is being recorded, or without a file */
export function finishedRecording(
  parts: Pick<PlaybackRouteNeeds, 'recordingList'>,
  id: string,
): ListedRecording {
  const recording = findRecording(parts.recordingList, id);
  if (recording.state === 'recording') {
    throw new Failure('not_found', '録画中の番組です。追いかけ再生をご利用ください。');
  }
  if (recording.files.length === 0) {
    throw new Failure('not_found', 'この録画のファイルはありません。');
  }
  return recording;
}

export function addPlaybackRoutes(app: Elysia, parts: PlaybackRouteNeeds): void {
  const tags = ['recordings'];

  app.get(
    '/api/recordings/:id/playback',
    async ({ params, request }) => {
      const recording = finishedRecording(parts, params.id);
      const encoded = parts.encodedFiles.of(recording.id);
      const about = { hasAv1: parts.encoders.hasAv1, data: parts.dataFiles.find(recording.id) };
      if (encoded.length > 0)
        return polledJson(request, polledAnswer(describeEncoded(recording, encoded, about)));
      const opened = await parts.open.open(recording);
      try {
        parts.lengths.note(recording, opened.index);
        return polledJson(request, polledAnswer(describePlayback(recording, opened.index, about)));
      } finally {
        opened.close();
      }
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'How a finished recording can be played',
        description:
          'Times are seconds on the playback scale: 0 is the first picture that can be shown, and gaps in the ' +
          'reception have no length. `stream`, chapters and captions have the same scale. With an encoded file it is ' +
          'that of the file (`axis`), in which commercials may be cut; `chase` and the original keep their own. A conversion ' +
          'to AV1 is offered only where this machine encodes it in real time.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          ...polledResponses('how it can be played', PlaybackSchema),
          404: problemResponse(
            'no such recording, it is being recorded, or it has no file that can be played',
          ),
          503: problemResponse('`busy`: its folder does not answer'),
        },
      },
    },
  );

  app.get(
    '/api/recordings/:id/chapters',
    ({ params, request }) => {
      const recording = findRecording(parts.recordingList, params.id);
      const known = recording.state === 'recording' ? undefined : parts.chapters.find(recording.id);
      // Parts that are cut out have no chapters.
      const isCut = recording.files.some(({ cuts }) => cuts !== null);
      return polledJson(request, polledAnswer(chaptersOf(isCut ? [] : (known?.segments ?? []))));
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Chapters of a recording',
        description:
          'Empty if no commercials are known or they were cut out, and while it is being recorded. Corrections by ' +
          'users take precedence over detected chapters. The event `chapters` reports changes.',
        tags,
        responses: { ...REFUSALS, ...NO_RECORDING, ...polledResponses('the chapters', ChaptersSchema) },
      },
    },
  );
}
