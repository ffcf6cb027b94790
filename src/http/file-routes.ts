/** Routes of `/api` that return files of the build. */
import { type Elysia, t } from 'elysia';
import { Failure } from '../model/failure.ts';
import type { Assets } from './assets.ts';
import { addHybridRoute } from './hybrid-route.ts';
import { problemResponse, REFUSALS } from './route/described-responses.ts';

/** File that the build puts beside those of the UI: tools/caption-font.ts. */
const FONT = 'svc-font.woff2';

/** `/api/font/svc-font.woff2`: the rounded gothic that captions and data broadcasts are drawn with. */
function addFontRoute(app: Elysia, parts: { assets: Pick<Assets, 'serve'> }): void {
  app.get(
    `/api/font/${FONT}`,
    async ({ request }) => {
      const font = await parts.assets.serve(FONT, request);
      if (font === undefined) throw new Failure('not_found', 'フォントが組み込まれていません。');
      return font;
    },
    {
      detail: {
        summary: 'The font of captions and data broadcasts',
        tags: ['system'],
        responses: {
          ...REFUSALS,
          200: {
            description: 'WOFF2; revalidated by its ETag, the URL has no version',
            content: { 'font/woff2': { schema: { type: 'string' as const, format: 'binary' } } },
          },
          304: { description: 'unchanged' },
          404: problemResponse('a development tree without a built font'),
        },
      },
    },
  );
}

/** Files that the build puts beside those of the UI: tools/web.ts. */
const FILES = ['decoder.wasm', 'decoder.mjs'] as const;

/** `/api/live/mpeg2/<name>`: the MPEG-2 decoder with which browsers show a station as it is broadcast. */
function addDecoderRoute(app: Elysia, parts: { assets: Pick<Assets, 'serve'> }): void {
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

/** @param isBidirectional the setting of the household */
export function addUiFileRoutes(
  app: Elysia,
  parts: { assets: Pick<Assets, 'serve'>; isBidirectional: () => boolean },
): void {
  addFontRoute(app, parts);
  addDecoderRoute(app, parts);
  addHybridRoute(app, parts);
}
