/** The worker's side of `messages.ts`: takes commands, owns the stations. */
import type { ServiceId } from '../../arib/ids.ts';
import type { FromReceptionWorker, ToReceptionWorker } from './reception-messages.ts';
import { Station } from './station-reception.ts';

const CHECK_MS = 1_000;

export class ReceptionHost {
  readonly #stations = new Map<number, Station>();
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(
    readonly post: (message: FromReceptionWorker) => void,
    readonly now: () => number,
    /** As `FileOutput`. */
    readonly syncFile?: ((path: string) => Promise<void>) | undefined,
  ) {}

  take(message: ToReceptionWorker): void {
    if (message.kind === 'open') this.#open(message.stream, message.url, message.serviceId as ServiceId);
    else if (message.kind === 'close') void this.#close(message.stream);
    else if (message.kind === 'ask') this.post({ kind: 'alive' });
    else if (message.kind === 'shutdown') void this.#shutdown();
    else this.#pass(message);
  }

  /** Commands about a sink. For a stream that is gone they mean nothing any more, but that no new sink begins. */
  #pass(message: Extract<ToReceptionWorker, { sink: number }>): void {
    const station = this.#stations.get(message.stream);
    switch (message.kind) {
      case 'encode':
      case 'raw':
        if (station === undefined) {
          this.post({ kind: 'sinkEnded', sink: message.sink, end: { cause: 'lost' } });
        } else if (message.kind === 'raw') station.raw(message.sink);
        else station.encode(message.sink, message.command, message.pids, message.waitForPicture);
        break;
      case 'record':
        if (station === undefined) {
          const event = { kind: 'ended' as const, path: message.opening.path, size: null };
          this.post({ kind: 'file', sink: message.sink, at: this.now(), event });
        } else station.record(message.sink, message.opening);
        break;
      case 'move':
        station?.move(message.sink, message.opening);
        break;
      case 'join':
        station?.join(message.sink, message.viewer);
        break;
      case 'drop':
        station?.drop(message.sink);
        break;
      case 'taken':
        station?.taken(message.sink, message.bytes);
        break;
    }
  }

  #open(stream: number, url: string, serviceId: ServiceId): void {
    const { post, now, syncFile } = this;
    const station = new Station({ stream, url, serviceId, post, now, syncFile });
    this.#stations.set(stream, station);
    this.#clock ??= setInterval(() => this.#check(), CHECK_MS);
    station.start();
  }

  async #close(stream: number): Promise<void> {
    const station = this.#stations.get(stream);
    this.#stations.delete(stream);
    if (this.#stations.size === 0) {
      clearInterval(this.#clock);
      this.#clock = undefined;
    }
    await station?.close();
    this.post({ kind: 'closed', stream });
  }

  async #shutdown(): Promise<void> {
    await Promise.all([...this.#stations.keys()].map((stream) => this.#close(stream)));
    this.post({ kind: 'down' });
  }

  #check(): void {
    for (const station of this.#stations.values()) station.check();
  }
}
