/** Side data of a recording while it is read for one viewer, with times on the recording's timeline. */
import { type Media90k, media90k, type Pts90k, unwrapPts } from '../../lib/arib/time.ts';
import type { StreamReader } from '../reception/reader-kind.ts';
import type { SideItem } from '../reception/side-item.ts';
import type { SideFrame } from './frame.ts';
import type { IndexPiece, RecordingIndex } from './recording-index.ts';
import { readRecorded, type SideRow } from './side-row.ts';
import { SideState } from './side-state.ts';
import type { SideFeed } from './source.ts';

interface RecordingSideDataOptions {
  readonly rows: readonly SideRow[];
  readonly serviceId: RecordingIndex['serviceId'];
  readonly tables: Uint8Array;
  /** Media time up to which the recording was read. */
  readonly position: () => Media90k;
  /** Converts a media time to the viewer's time scale. */
  readonly timeOf: (media: Media90k) => NonNullable<SideFrame['time']>;
  readonly give: (frame: SideFrame) => void;
}

export class RecordingSideData implements SideFeed {
  readonly #readers: { readonly reader: StreamReader<never>; readonly state: SideState }[];
  #piece: IndexPiece | undefined;

  constructor(private readonly options: RecordingSideDataOptions) {
    const serviceId = options.serviceId ?? 0;
    const rows = options.rows.filter(({ isReadFromFiles }) => isReadFromFiles);
    this.#readers = rows.map((row) => {
      const state = new SideState(row.maxBytes);
      const reader = readRecorded(row, { serviceId }, (item) => this.#emit(row, item, state));
      return { reader, state };
    });
    this.feed(options.tables);
  }

  /** Nothing is read on demand: that would burden the main thread. */
  current(when: SideRow['when']): SideFrame[] {
    return when === 'demand' ? [] : this.#readers.flatMap(({ state }) => state.frames());
  }

  demand(): void {}

  begin(piece: IndexPiece): void {
    this.#piece = piece;
  }

  /** Takes whole recorded packets. Never throws, so that a fault of a reader does not affect the video. */
  feed(packets: Uint8Array): void {
    for (const { reader } of this.#readers) {
      try {
        reader.feed(packets);
      } catch {
        // An unreadable item is skipped.
      }
    }
  }

  #emit(row: SideRow, item: SideItem, state: SideState): void {
    const { timeOf, give } = this.options;
    const time = item.time === undefined ? {} : { time: timeOf(this.#mediaOf(item.time)) };
    const frame: SideFrame = { kind: 'side', row, item, ...time };
    state.keep(frame);
    give(frame);
  }

  #mediaOf(pts: Pts90k): Media90k {
    const piece = this.#piece;
    if (piece === undefined) return this.options.position();
    const near = piece.pts + Math.max(0, this.options.position() - piece.start);
    return media90k(piece.start + unwrapPts(pts, near) - piece.pts);
  }
}
