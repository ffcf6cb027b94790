/** `/api/font/svc-font.woff2`: the rounded gothic that captions and data broadcasts are drawn with. */
import type { Elysia } from 'elysia';
import { Failure } from '../model/failure.ts';
import { problemResponse, REFUSALS } from '../route/described-responses.ts';
import type { Assets } from './assets.ts';

/** File that the build puts beside those of the UI: tools/caption-font.ts. */
const FONT = 'svc-font.woff2';

export function addFontRoute(app: Elysia, parts: { assets: Pick<Assets, 'serve'> }): void {
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
