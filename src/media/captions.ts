/** Caption pages as a viewer gets them, and as the captions file of a recording. */
import type { CaptionPage, CaptionsFile, CaptionsNotice, TimedCaptionPage } from '../../lib/wire/caption.ts';
import { LANGUAGE_NAMES } from '../../lib/wire/languages.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { CAPTION_PAGE_VERSION } from '../../lib/wire/vocabulary.ts';
import { type CutList, toEncoded } from '../model/recording-time.ts';
import type { CaptionItem, CaptionPageItem, CaptionTrackItem } from '../reception/caption-reader.ts';
import type { SideCollector, SideEncoder, SideMessage } from './side-row.ts';

const FIRST_LANGUAGE = 1;

const LABELS: Readonly<Record<string, string>> = { ...LANGUAGE_NAMES, tgl: 'タガログ語' };

/** @param index 1 to 8 @param code ISO 639-2; empty when none was declared */
function languageLabel(index: number, code: string): string {
  return LABELS[code] ?? (index === FIRST_LANGUAGE ? '日本語' : `第${index}言語`);
}

const NO_PAGE: CaptionPage = { v: CAPTION_PAGE_VERSION, plane: [960, 540], duration: null, runs: [] };
const NO_PAGE_JSON = JSON.stringify(NO_PAGE);

/** A page, and when it is shown on the timeline of the session. */
interface TimedPage {
  readonly time: number;
  readonly json: string;
}

/** The pages of one kind of text. */
class Track {
  languages: CaptionTrackItem['languages'] = null;
  /** A viewer selected a language that the programme does not have: no page until the languages change. */
  isAbsent = false;
  /** The last page of each language; at most eight. */
  readonly #pages = new Map<number, TimedPage>();

  constructor(
    private readonly superimpose: boolean,
    private wanted: number,
  ) {}

  /** The selected language if it is available or still may be; else the first of the programme. */
  get language(): number {
    const { languages, wanted } = this;
    const [first] = languages ?? [];
    if (first === undefined) return wanted;
    return languages?.some(({ index }) => index === wanted) === true ? wanted : first.index;
  }

  /** Changes the languages and clears the old page on the screen. */
  follow({ languages }: CaptionTrackItem, time: number | undefined): SideMessage[] {
    const shown = this.isAbsent ? undefined : this.#pages.get(this.language);
    this.languages = languages;
    this.isAbsent = false;
    this.#pages.clear();
    return shown === undefined ? [] : [this.#cleared(time ?? shown.time)];
  }

  show({ language, json }: CaptionPageItem, time: number): SideMessage[] {
    const page = { time, json };
    this.#pages.set(language, page);
    return this.isAbsent || language !== this.language ? [] : [this.#message(page)];
  }

  /** The current page of the language, or an empty one. @param reached current time of the stream */
  select(language: number, reached: number): SideMessage[] {
    const shown = this.#pages.get(this.language);
    const { languages } = this;
    this.wanted = language;
    this.isAbsent = languages !== null && languages.length > 0 && this.language !== language;
    const page = this.isAbsent ? undefined : this.#pages.get(language);
    if (page !== undefined) return [this.#message(page)];
    // Superimposed text is rare: without any there is nothing to clear.
    if (this.superimpose && shown === undefined) return [];
    return [this.#cleared(Math.max(reached, shown?.time ?? 0))];
  }

  #cleared(time: number): SideMessage {
    return this.#message({ time, json: NO_PAGE_JSON });
  }

  #message({ time, json }: TimedPage): SideMessage {
    const channel = this.superimpose ? LIVE_CHANNEL.superimpose : LIVE_CHANNEL.caption;
    return { channel, time, text: json };
  }
}

/**
 * Selects a viewer's caption pages: those of the language with which it began, or of the first language if the
 * programme does not have it. A language that is selected later and absent has an empty page.
 */
export class CaptionSelection implements SideEncoder<CaptionItem> {
  readonly #captions: Track;
  readonly #superimpose: Track;

  /** @param language 1 to 8 */
  constructor(language: number) {
    this.#captions = new Track(false, language);
    this.#superimpose = new Track(true, language);
  }

  encode(item: CaptionItem, time: number | undefined): SideMessage[] {
    const track = item.superimpose ? this.#superimpose : this.#captions;
    if (item.kind === 'page') return track.show(item, time ?? 0);
    const cleared = track.follow(item, time);
    return item.superimpose || item.languages === null ? cleared : [...cleared, this.#notice()];
  }

  select(language: number, reached: number): SideMessage[] {
    const tracks = [this.#captions, this.#superimpose];
    const pages = tracks.flatMap((track) => track.select(language, reached));
    return this.#captions.languages === null ? pages : [this.#notice(), ...pages];
  }

  /** Names the languages of the programme, and the one whose pages are sent, if it is one of them. */
  #notice(): SideMessage {
    const { language, isAbsent } = this.#captions;
    const languages = (this.#captions.languages ?? []).map(({ index, code }) => ({
      index,
      code,
      label: languageLabel(index, code),
    }));
    // Before the management data the languages are unknown.
    const sent = languages.find(({ index }) => index === language);
    const label = sent?.label ?? languageLabel(FIRST_LANGUAGE, '');
    const notice: CaptionsNotice = {
      type: 'captions',
      tracks: [{ index: 0, lang: sent === undefined || sent.code === '' ? null : sent.code, label }],
      track: 0,
      ...(languages.length > 1 || isAbsent ? { languages } : {}),
      ...(languages.length > 1 && !isAbsent ? { language } : {}),
    };
    return { channel: LIVE_CHANNEL.control, time: 0, text: JSON.stringify(notice) };
  }
}

/**
 * Runs kept, each some 300 octets of JSON: a captioned day has 40,000 pages of five. More do not occur in real
 * captions; later pages are left out.
 */
const MAX_RUNS = 200_000;
/** Pages without runs count too. */
const PAGE_COST = 1;

/**
 * Collects the captions of a whole recording to a captions file (`lib/wire/caption.ts`); superimposed text (news flashes) is
 * left out, as it only applies at broadcast time.
 */
export class CaptionCollection implements SideCollector<CaptionItem> {
  readonly #pages = new Map<number, TimedCaptionPage[]>();
  readonly #codes = new Map<number, string>();
  #cost = 0;

  take(item: CaptionItem, scaled: number | undefined): void {
    if (item.superimpose) return;
    if (item.kind === 'track') {
      for (const { index, code } of item.languages ?? []) this.#codes.set(index, code);
      if (scaled !== undefined && Number.isFinite(scaled)) this.cut(scaled);
      return;
    }
    const { language } = item;
    const page = JSON.parse(item.json) as CaptionPage;
    const cost = page.runs.length + PAGE_COST;
    if (scaled === undefined || !Number.isFinite(scaled) || this.#cost + cost > MAX_RUNS) return;
    // A page shown before the beginning is shown from the beginning on.
    const seconds = Math.max(0, scaled);
    const pages = this.#pages.get(language) ?? [];
    this.#pages.set(language, pages);
    // Pages of an unfinished statement at later times were interrupted by this one.
    while ((pages.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= seconds) pages.pop();
    if (page.runs.length === 0 && (pages.at(-1)?.page.runs.length ?? 0) === 0) return;
    this.#cost += cost;
    pages.push({ at: seconds, page });
  }

  /** Clears the screen at a cut or a change of the languages: the page before it does not apply after it. */
  cut(seconds: number): void {
    for (const pages of this.#pages.values()) {
      const last = pages.at(-1);
      if (last === undefined || last.page.runs.length === 0 || last.at >= seconds) continue;
      const { duration, plane } = last.page;
      if (duration !== null && last.at + duration / 1000 <= seconds) continue;
      pages.push({ at: seconds, page: { v: CAPTION_PAGE_VERSION, plane, duration: null, runs: [] } });
    }
  }

  /** Null if nothing was ever shown. */
  file(from: number): CaptionsFile | null {
    const indexes = [...this.#pages.keys()].filter((index) => (this.#pages.get(index)?.length ?? 0) > 0);
    if (indexes.length === 0) return null;
    const file: CaptionsFile = { v: CAPTION_PAGE_VERSION, pages: this.#pages.get(1) ?? [] };
    if (this.#codes.has(1)) file.language = this.#language(1);
    const others = indexes.filter((index) => index !== 1).sort((one, other) => one - other);
    if (others.length > 0) {
      file.others = others.map((index) => ({
        ...this.#language(index),
        pages: this.#pages.get(index) ?? [],
      }));
    }
    return from > 0 ? captionsFrom(file, from) : file;
  }

  #language(index: number): { index: number; code: string; label: string } {
    const code = this.#codes.get(index) ?? '';
    return { index, code, label: languageLabel(index, code) };
  }
}

/**
 * A captions file for a viewer who already has earlier pages: the page that is shown at that time and all later ones,
 * of every language.
 * @param from s on the playback scale
 */
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

/** A captions file of the original stream on the time scale of an encoded file. */
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
