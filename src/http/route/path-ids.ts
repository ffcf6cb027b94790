/** Rows, stations and recordings in a path. */
import { Type as t } from '@sinclair/typebox';
import { type StationId, splitStationId, stationId } from '../../../lib/arib/ids.ts';
import { type RecordingId, type RowId, recordingId } from '../../../lib/wire/ids.ts';
import { Failure } from '../../model/failure.ts';
import { problemResponse } from './described-responses.ts';

/** @throws Failure bad_request if it is not a number; a number that is too large matches no row. */
export function readRowId(text: string): RowId {
  if (!/^\d{1,15}$/.test(text)) throw new Failure('bad_request', '番号が正しくありません。', { path: 'id' });
  return Number(text) as RowId;
}

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

/** @throws Failure bad_request if it is not a number */
export function readRecordingId(text: string): RecordingId {
  if (!/^\d{1,15}$/.test(text)) {
    throw new Failure('bad_request', '録画の番号が正しくありません。', { path: 'id' });
  }
  return recordingId(Number(text));
}

export function unknownRecording(): Failure {
  return new Failure('not_found', '録画が見つかりません。');
}

/** @throws Failure not_found, also for a recording in the bin */
export function findRecording<T>(list: { find(id: RecordingId): T | undefined }, text: string): T {
  const recording = list.find(readRecordingId(text));
  if (recording === undefined) throw unknownRecording();
  return recording;
}

export const ID_PARAMS = t.Object({ id: t.String({ description: 'recording id' }) });

export const NO_RECORDING = {
  400: problemResponse('malformed id'),
  404: problemResponse('no such recording, or it is in the bin'),
};
