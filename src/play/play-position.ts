/** The position from which a client wants side data of a recording. */
import { Type as t } from '@sinclair/typebox';
import { Failure } from '../model/failure.ts';

/** Of a query. */
export const FROM = t.Optional(
  t.String({
    maxLength: 32,
    description: 's on the playback scale, as of the video beside it; default 0; beyond the end: the end',
  }),
);

/** @throws Failure bad_request for an invalid time */
export function readFrom(text: string | undefined): number {
  const from = text === undefined ? 0 : Number(text);
  if (text?.trim() === '' || !Number.isFinite(from) || from < 0) {
    throw new Failure('bad_request', '再生位置が正しくありません。', { path: 'from' });
  }
  return from;
}
