/**
 * The event hub: features publish changes, the event stream and other features subscribe. It holds no state and no
 * history; a listener that throws does not affect the others.
 */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { EventName } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
/** Events without data: a list changed. */
export type ChangeName = Exclude<EventName, 'encode' | 'chapters' | 'yielded' | 'ping'>;

/** Data of each event, as sent to clients. */
export type EventData = { [Name in ChangeName]: 1 } & {
  encode: { recordingId: RecordingId; percent: number; etaMs: number | null; log: string };
  chapters: { recordingId: RecordingId };
  yielded: {
    serviceId: number;
    recording: { id: RecordingId; title: string; serviceName: string; endAt: BroadcastMs };
  };
};

export type HubEvent = { [Name in keyof EventData]: { name: Name; data: EventData[Name] } }[keyof EventData];

type HubListener = (event: HubEvent) => void;

export class Hub {
  readonly #listeners = new Set<HubListener>();

  constructor(private readonly onListenerError: (error: unknown) => void) {}

  changed(name: ChangeName): void {
    this.publish({ name, data: 1 });
  }

  publish(event: HubEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }

  /** @returns a function that unsubscribes */
  subscribe(listener: HubListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}
