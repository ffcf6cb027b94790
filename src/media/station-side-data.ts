/**
 * Side data of a station. Each row is read once for all outputs of the station: while there is a follower, or on demand
 * while a follower asks for it. What viewers who join later get is kept here, once for all of them; each follower gets
 * the times on its own time scale.
 */
import { type Media90k, media90k, type Pts90k, unwrapPts } from '../../lib/arib/time.ts';
import type { Log } from '../../lib/host/log.ts';
import type { ReceptionStream } from '../reception/reception-pool.ts';
import type { SideItem, SideReaderOptions } from '../reception/side-item.ts';
import type { SideFrame } from './frame.ts';
import type { SideRow } from './side-row.ts';
import { SideState } from './side-state.ts';
import type { SideFeed } from './source.ts';

interface StationSideDataOptions {
  readonly stream: Pick<ReceptionStream, 'output' | 'reader'>;
  /** As it is known when a row is begun. */
  readonly reading: () => SideReaderOptions;
  readonly rows: readonly SideRow[];
  readonly log: Log;
}

/** A row that is being read. */
interface RunningRow {
  /** With the broadcast's time stamps. */
  readonly state: SideState;
  readonly stop: () => void;
}

export class StationSideData {
  readonly #followers = new Set<SideDataFollower>();
  readonly #running = new Map<SideRow, RunningRow>();

  constructor(private readonly options: StationSideDataOptions) {}

  follow(take: (frame: SideFrame) => void): SideDataFollower {
    const follower = new SideDataFollower(take, {
      current: (when) => this.#current(when),
      changed: () => this.#update(),
      stop: () => {
        this.#followers.delete(follower);
        this.#update();
      },
    });
    this.#followers.add(follower);
    this.#update();
    return follower;
  }

  #current(when: SideRow['when']): SideFrame[] {
    return [...this.#running].flatMap(([row, { state }]) => (row.when === when ? state.frames() : []));
  }

  /** Starts and stops rows as the followers need them. */
  #update(): void {
    const followers = [...this.#followers];
    const isDemanded = followers.some((follower) => follower.isDemanding);
    for (const row of this.options.rows) {
      const isWanted = row.when === 'demand' ? isDemanded : followers.length > 0;
      const running = this.#running.get(row);
      if (isWanted && running === undefined) this.#start(row);
      else if (!isWanted && running !== undefined) {
        this.#running.delete(row);
        running.stop();
      }
    }
  }

  #start(row: SideRow): void {
    const { stream, reading, log } = this.options;
    const state = new SideState(row.maxBytes);
    const take = (item: SideItem): void => {
      if (this.#running.get(row)?.state !== state) return;
      const frame: SideFrame = { kind: 'side', row, item, ...timed(item.time) };
      state.keep(frame);
      for (const follower of [...this.#followers]) follower.take(frame);
    };
    const ended = ({ cause, reason }: { cause: string; reason?: string | null }): void => {
      if (cause === 'fault' || (cause === 'lost' && reason !== undefined))
        log.error('side data not read', { row: row.name, reason });
    };
    const { source } = row;
    const part =
      'reader' in source
        ? stream.reader(source.reader, reading(), { value: take, ended })
        : stream.output(source.output, null, { event: take, ended });
    this.#running.set(row, { state, stop: () => void part.stop() });
  }
}

interface FollowerNeeds {
  /** With the broadcast's time stamps. */
  current(when: SideRow['when']): SideFrame[];
  /** `isDemanding` has changed. */
  changed(): void;
  /** Removes the follower. Idempotent. */
  stop(): void;
}

class SideDataFollower implements SideFeed {
  isDemanding = false;
  /** Unwrapped time stamp of time 0, if the follower has its own time scale. */
  #origin: number | undefined;
  /** Reference for unwrapping time stamps. */
  #reached = 0;
  #isPlaced = false;

  constructor(
    private readonly give: (frame: SideFrame) => void,
    private readonly needs: FollowerNeeds,
  ) {}

  /** Uses the broadcast's time stamps as times. */
  onStamps(): void {
    this.#isPlaced = true;
  }

  /** @param origin unwrapped time stamp of time 0 */
  onScale(origin: number): void {
    this.#isPlaced = true;
    this.#origin = origin;
  }

  /** Reports the current time on the time scale. */
  reached(time: Media90k): void {
    this.#reached = time;
  }

  take(frame: SideFrame): void {
    const placed = this.#place(frame);
    if (placed !== undefined) this.give(placed);
  }

  current(when: SideRow['when']): SideFrame[] {
    return this.needs.current(when).flatMap((frame) => this.#place(frame) ?? []);
  }

  demand(on: boolean): void {
    this.isDemanding = on;
    this.needs.changed();
  }

  stop(): void {
    this.isDemanding = false;
    this.needs.stop();
  }

  /** The frame on the follower's time scale; undefined while that is not known, and for a time long before it. */
  #place(frame: SideFrame): SideFrame | undefined {
    if (!this.#isPlaced) return undefined;
    const { row, item, time: pts } = frame;
    if (pts === undefined || this.#origin === undefined) return frame;
    // Negative before the time scale begins.
    const place = unwrapPts(pts as Pts90k, this.#origin + this.#reached) - this.#origin;
    if (place >= 0) return { ...frame, time: media90k(place) };
    const early = row.early === undefined ? item : row.early(item, -place);
    return early === undefined ? undefined : { ...frame, item: early, time: media90k(0) };
  }
}

function timed(time: Pts90k | undefined): { time?: Pts90k } {
  return time === undefined ? {} : { time };
}
