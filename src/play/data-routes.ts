/** The data broadcast of recordings. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING } from '../http/route/path-ids.ts';
import { accepts } from '../http/route/request.ts';
import { ENDLESS, LENGTH_HEADER, NO_LENGTH } from '../http/route/stream-response.ts';
import { Failure } from '../model/failure.ts';
import type { DataFile } from '../store/data-file-store.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import { type DataBodyOptions, dataBody, TornDataFile } from './data-body.ts';
import type { DataFiles } from './data-files.ts';
import { FROM, readFrom } from './play-position.ts';

interface DataRouteNeeds {
  recordingList: Pick<RecordingListStore, 'find'>;
  dataFiles: Pick<DataFiles, 'find' | 'rebuild'>;
}

const TYPE = 'application/x-ndjson';
/** Each has a file open, and the log of its recording in memory. */
const MAX_BODIES = 16;

export function addDataRoutes(app: Elysia, parts: DataRouteNeeds): void {
  let bodies = 0;

  const bodyOf = async (
    recording: ListedRecording,
    file: DataFile,
    options: Pick<DataBodyOptions, 'from' | 'isCompressed'>,
  ): Promise<ReadableStream<Uint8Array>> => {
    if (bodies >= MAX_BODIES) throw new Failure('busy', 'サーバが混んでいます');
    const encoded = recording.files.find(({ source }) => source !== 'ts');
    bodies += 1;
    try {
      return await dataBody({
        ...options,
        path: file.path,
        cuts: encoded?.cuts ?? null,
        isWhole: file.isComplete && recording.files.some(({ source }) => source === 'ts'),
        renew: async () => {
          if (file.isComplete) return false;
          const now = parts.recordingList.find(recording.id);
          return now !== undefined && !(await parts.dataFiles.find(now)).isComplete;
        },
        onOver: () => {
          bodies -= 1;
        },
      });
    } catch (error) {
      bodies -= 1;
      throw error;
    }
  };

  /** A file that is gone or damaged is made again. */
  const open = async (
    recording: ListedRecording,
    options: Pick<DataBodyOptions, 'from' | 'isCompressed'>,
  ): Promise<ReadableStream<Uint8Array>> => {
    const file = await parts.dataFiles.find(recording);
    try {
      return await bodyOf(recording, file, options);
    } catch (error) {
      if (!(error instanceof TornDataFile) && (error as { code?: unknown }).code !== 'ENOENT') throw error;
      return bodyOf(recording, await parts.dataFiles.rebuild(recording), options);
    }
  };

  app.get(
    '/api/recordings/:id/databroadcast',
    async ({ params, query, request }) => {
      const from = readFrom(query.from);
      const recording = findRecording(parts.recordingList, params.id);
      const isCompressed = accepts(request, 'gzip');
      const headers = {
        'content-type': TYPE,
        ...ENDLESS,
        vary: 'accept-encoding',
        ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      };
      if (request.method === 'HEAD') {
        await parts.dataFiles.find(recording);
        return new Response(null, { headers: { ...headers, [LENGTH_HEADER]: NO_LENGTH } });
      }
      return new Response(await open(recording, { from, isCompressed }), { headers });
    },
    {
      params: ID_PARAMS,
      query: t.Object({ from: FROM }),
      detail: {
        summary: 'The data broadcast of a recording',
        description:
          'Lines of JSON, `{"at": s on the playback scale, "message": …}`, in order of time; messages as of the live ' +
          'socket (`docs/live-socket.md`), `currentTime` every second. It begins with the state at `from`, as one who ' +
          'joined the station then would get it. The scale is that of the encoded file where there is one, ' +
          'as of `captions.json`. Of a recording in progress it continues until that ends. Read from the original on ' +
          'the first request, unless that was done while it was recorded.',
        tags: ['recordings'],
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          200: {
            description: 'the messages',
            content: {
              [TYPE]: { schema: { type: 'string' as const, description: 'a JSON object in each line' } },
            },
          },
          400: problemResponse('malformed id, or a time that is none; `path` names the field'),
          404: problemResponse(
            'no such recording, it is in the bin, it has no data broadcast, or neither that nor its original was kept',
          ),
          503: problemResponse('`busy`: it is being read, ask again; or the folder does not answer'),
        },
      },
    },
  );
}
