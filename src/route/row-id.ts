/** The row number in a path. */
import { Failure } from '../model/failure.ts';
import type { RowId } from '../model/ids.ts';

/** @throws Failure bad_request if it is not a number; a number that is too large matches no row. */
export function readRowId(text: string): RowId {
  if (!/^\d{1,15}$/.test(text)) throw new Failure('bad_request', '番号が正しくありません。', { path: 'id' });
  return Number(text) as RowId;
}
