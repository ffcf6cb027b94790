/** Failures of sessions without output, with different texts for stations and recordings. */
import { Failure } from '../model/failure.ts';

export interface SessionFailures {
  /** The session was stopped, or its source broke, before the first frames. */
  interrupted(): Failure;
  /** The layout has no playable stream. */
  empty(): Failure;
  /** Streams of the layout are not sent, or only scrambled. */
  unreadable(pids: readonly number[]): Failure;
}

function causeOf(pids: readonly number[]): { cause: string } {
  return { cause: `nothing readable on PIDs ${pids.join(', ')}` };
}

/** The stream of a station ended before the first frames, perhaps because its tuner went to a recording. */
export class ReceptionInterrupted extends Failure {
  constructor() {
    super('no_signal', '放送の受信が途切れました');
  }
}

export const STATION_FAILURES: SessionFailures = {
  interrupted: () => new ReceptionInterrupted(),
  empty: () => new Failure('not_found', 'この局は音声を放送していません'),
  unreadable: (pids) =>
    new Failure('no_signal', '放送が届いていないか、スクランブルが解除されていません', causeOf(pids)),
};

export const RECORDING_FAILURES: SessionFailures = {
  interrupted: () =>
    new Failure('busy', '録画を読み込めませんでした。少し待ってから、もう一度お試しください。'),
  empty: () => new Failure('not_found', 'この録画には再生できる映像や音声がありません。'),
  unreadable: (pids) =>
    new Failure('not_found', 'この位置には再生できる映像や音声がありません。', causeOf(pids)),
};
