/** Every caption in a time range, for tests and inspection. */
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { ticksAt, wrapTicks } from '../clock.ts';
import type { EventStation } from '../si/eit.ts';
import { drawnCharacter } from './drcs.ts';
import { cellOf, type Page, type Run, type Step } from './page.ts';
import { CaptionTrack, type Presentation, presentedAt, SuperimposeTrack } from './track.ts';

/** Replacement for a bitmap in plain text. */
const GETA = '〓';

function readable(text: string): string {
  return [...text].map((character) => (drawnCharacter(character) === undefined ? character : GETA)).join('');
}

function runTruth(page: Page, run: Run) {
  const { width, height } = cellOf(page.frame, run.size);
  const drcs = [...run.text].flatMap((character, index) => {
    const drawn = drawnCharacter(character);
    if (drawn === undefined) return [];
    const { set, bytes, width: dotsAcross, height: dotsDown, levels, hash } = drawn;
    return [{ index, set, code: [...bytes], width: dotsAcross, height: dotsDown, levels, md5: hash }];
  });
  const { x, y, size, role, foreground, background, underline, flash, boxed, inverted } = run;
  return {
    text: readable(run.text),
    role,
    /** Bottom left dot of the first cell; in vertical writing the active position as sent. */
    x,
    y,
    size,
    cell: { width, height },
    ...{ foreground, background, underline, flash, boxed, inverted },
    outlined: page.style.outlined,
    drcs,
  };
}

function stepTruth(language: string, ticks: number, page: Page, step: Step) {
  const texts = step.runs.filter(({ role }) => role === 'text');
  const rubies = step.runs.filter(({ role }) => role === 'ruby');
  return {
    language,
    pts: wrapTicks(ticks),
    at: presentedAt(ticks),
    clears: step.clears,
    vertical: page.frame.writing === 8,
    text: readable(texts.map(({ text }) => text).join('')),
    ruby: rubies.map(({ text }) => text),
    runs: step.runs.map((run) => runTruth(page, run)),
  };
}

function presentationTruth({ ticks, page }: Presentation, language: string) {
  const erased = { language, pts: wrapTicks(ticks), at: presentedAt(ticks), clears: true, vertical: false };
  if (page === null) return [{ ...erased, text: '', ruby: [], runs: [] }];
  let at = ticks;
  return page.steps.map((step) => {
    at += step.waitMs * 90;
    return stepTruth(language, at, page, step);
  });
}

/**
 * Captions and superimposed texts presented in a period. A superimposed text is presented when it has
 * arrived, a few packets after the moment given here.
 */
export function captionTruth(seed: number, station: EventStation, at: BroadcastMs, seconds: number) {
  const { captions, superimpose } = station.place;
  const from = ticksAt(at);
  const to = ticksAt(broadcastMs(at + seconds * 1000));
  const stream = (place: typeof captions) =>
    place === null
      ? null
      : { pid: place.pid, streamType: place.streamType, componentTag: place.componentTag };
  const track = new CaptionTrack(seed, station);
  const spoken = captions === null ? [] : track.presentations(from, to);
  const flashes = superimpose === null ? [] : new SuperimposeTrack(seed, station).presentations(from, to);
  const [first = ''] = captions?.plan.languages ?? [];
  return {
    captionStream: stream(captions),
    superimposeStream: stream(superimpose),
    captions: spoken.flatMap((one) =>
      presentationTruth(one, track.languagesAt(one.ticks)[one.language] ?? first),
    ),
    superimposed: flashes.flatMap((one) => presentationTruth(one, first)),
  };
}
