/** A captions file from a given time on, for a viewer who already has earlier pages. */
import type { CaptionsFile, TimedCaptionPage } from '../../wire/caption.ts';

/** The page that is shown at that time and all later ones, of every language. @param from s on the playback scale */
export function captionsFrom(file: CaptionsFile, from: number): CaptionsFile {
  const later = (pages: readonly TimedCaptionPage[]): TimedCaptionPage[] =>
    pages.slice(
      Math.max(
        0,
        pages.findLastIndex(({ at }) => at <= from),
      ),
    );
  const { pages, others } = file;
  return {
    ...file,
    pages: later(pages),
    ...(others === undefined ? {} : { others: others.map((one) => ({ ...one, pages: later(one.pages) })) }),
  };
}
