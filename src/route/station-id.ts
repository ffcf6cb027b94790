/** The station in a path. */
import { type StationId, splitStationId, stationId } from '../../arib/ids.ts';
import { Failure } from '../model/failure.ts';

/** @throws Failure bad_request if it is not a number, not_found for a number that no station can have. */
export function readStationId(text: string): StationId {
  if (!/^\d{1,16}$/.test(text)) {
    throw new Failure('bad_request', '局の番号が正しくありません。', { path: 'id' });
  }
  const parts = splitStationId(Number(text));
  if (parts === undefined) throw unknownStation();
  return stationId(parts.networkId, parts.serviceId);
}

export function unknownStation(): Failure {
  return new Failure('not_found', '局が見つかりません。');
}
