/** The kinds of side data. A new kind is one row here (`side-row.ts`). */
import { plusMs, pts90k, TICKS_PER_MS, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { captionReader } from '../reception/caption-reader.ts';
import { clockOutput } from '../reception/clock-output.ts';
import { dataReader } from '../reception/data-reader.ts';
import { CaptionCollection, CaptionSelection } from './captions.ts';
import { defineSideRow, type SideRow } from './side-row.ts';

/** TOT comes at least every 30 s, in practice every 5 s, so an older time belongs to another clock. */
const CLOCK_KEPT = 30 * TICKS_PER_SECOND;

/** Captions and superimposed text, in the language that a viewer selected. */
export const captionRow = defineSideRow({
  name: 'caption',
  channels: [LIVE_CHANNEL.caption, LIVE_CHANNEL.superimpose],
  source: { reader: captionReader },
  isReadFromFiles: true,
  encoder: (language) => new CaptionSelection(language),
  collector: () => new CaptionCollection(),
});

/** Maps the timeline of a session to broadcast time. */
const clockRow = defineSideRow({
  name: 'clock',
  channels: [],
  source: { output: clockOutput },
  marksTime: true,
  /** Extrapolated to the beginning. */
  early: (item, ticks) =>
    ticks > CLOCK_KEPT
      ? undefined
      : { ...item, time: pts90k(item.time + ticks), at: plusMs(item.at, Math.round(ticks / TICKS_PER_MS)) },
  encoder: () => ({
    encode: ({ at }, time = 0) => {
      const text = JSON.stringify({ type: 'clock', pts: Math.round(time), at });
      return [{ channel: LIVE_CHANNEL.control, time: 0, text }];
    },
  }),
});

/** BML data broadcast (`lib/wire/data-broadcast.ts`). What is kept is bounded in the reader, too (`DATA_LIMITS`). */
const dataRow = defineSideRow({
  name: 'data',
  channels: [LIVE_CHANNEL.data],
  source: { reader: dataReader },
  when: 'demand',
  maxBytes: 4608 * 1024,
});

export const SIDE_ROWS: readonly SideRow[] = [captionRow, clockRow, dataRow];
