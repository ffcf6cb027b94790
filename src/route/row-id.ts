/** The number of a row that an address names. */
import { Failure } from '../model/failure.ts';
import type { RowId } from '../model/ids.ts';

/** @throws Failure bad_request for anything but a number; one too large for a row names none. */
export function readRowId(text: string): RowId {
  if (!/^\d{1,15}$/.test(text)) throw new Failure('bad_request', '番号が正しくありません。', { path: 'id' });
  return Number(text) as RowId;
}
