/** Converts a captions file of the original stream to the time scale of an encoded file. Pure. */
import type { CaptionsFile, TimedCaptionPage } from '../../wire/caption.ts';
import { type CutList, toEncoded } from '../model/recording-time.ts';

/** Of pages with the same time the last one is used. A page that ended within a cut is not shown. */
function movedPages(pages: readonly TimedCaptionPage[], cuts: CutList): TimedCaptionPage[] {
  const moved: TimedCaptionPage[] = [];
  for (const { at, page } of pages) {
    const from = toEncoded(at * 1000, cuts);
    const { duration } = page;
    const to = duration === null ? null : toEncoded(at * 1000 + duration, cuts);
    const left = to === null ? null : Math.round(to - from);
    const shown = left === 0 ? { ...page, duration: null, runs: [] } : { ...page, duration: left };
    if (moved.at(-1)?.at === from / 1000) moved.pop();
    moved.push({ at: from / 1000, page: shown });
  }
  return moved;
}

export function encodedCaptions(file: CaptionsFile, cuts: CutList): CaptionsFile {
  if (cuts === null) return file;
  const { pages, others, ...rest } = file;
  return {
    ...rest,
    pages: movedPages(pages, cuts),
    ...(others === undefined
      ? {}
      : { others: others.map((one) => ({ ...one, pages: movedPages(one.pages, cuts) })) }),
  };
}
