/** `/api/live/mpeg2/<name>`: the MPEG-2 decoder with which browsers show a station as it is broadcast. */
import { type Elysia, t } from 'elysia';
import { Failure } from '../model/failure.ts';
import { problemResponse, REFUSALS } from '../route/described-responses.ts';
import type { Assets } from './assets.ts';

/** Files that the build puts beside those of the UI: tools/web.ts. */
const FILES = ['decoder.wasm', 'decoder.mjs'] as const;

export function addDecoderRoute(app: Elysia, parts: { assets: Pick<Assets, 'serve'> }): void {
  app.get(
    '/api/live/mpeg2/:name',
    async ({ params, request }) => {
      const name = FILES.find((one) => one === params.name);
      const file = name === undefined ? undefined : await parts.assets.serve(name, request);
      if (file === undefined)
        throw new Failure('not_found', '放送画質の再生に使うデコーダーが組み込まれていません。');
      return file;
    },
    {
      params: t.Object({ name: t.String({ maxLength: 64 }) }),
      detail: {
        summary: 'The MPEG-2 decoder for browsers: `decoder.wasm` and `decoder.mjs`',
        tags: ['live'],
        responses: {
          ...REFUSALS,
          200: {
            description: 'compressed if Accept-Encoding permits; revalidated by its ETag',
            content: {
              'application/wasm': { schema: { type: 'string' as const, format: 'binary' } },
              'text/javascript': { schema: { type: 'string' as const } },
            },
          },
          304: { description: 'unchanged' },
          404: problemResponse('no such file, or a development tree without a built decoder'),
        },
      },
    },
  );
}
