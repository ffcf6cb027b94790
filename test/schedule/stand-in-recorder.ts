/** A recorder for tests of reservations: stores its orders, and runs the recordings that a test adds. */
import type { ReservationId } from '../../lib/wire/ids.ts';
import type { RecorderPort, RecordingOrder, RunningRecordingStatus } from '../../src/model/recording.ts';

export class StandInRecorder implements RecorderPort {
  orders: readonly RecordingOrder[] = [];
  readonly stopped: number[] = [];
  readonly recordings = new Map<ReservationId, RunningRecordingStatus>();
  onStop: (id: number) => void = () => {};
  onOver: () => void = () => {};

  order(orders: readonly RecordingOrder[]): void {
    this.orders = orders;
  }

  async stop(id: number): Promise<void> {
    this.stopped.push(id);
    this.onStop(id);
  }

  async over(): Promise<void> {
    this.onOver();
  }

  running(): ReadonlyMap<ReservationId, RunningRecordingStatus> {
    return this.recordings;
  }
}
