/**
 * Selects a viewer's caption pages: those of the language with which it began, or of the first language if the
 * programme does not have it. A language that is selected later and absent has an empty page. Used by the encodings of
 * frames (caption stream, socket).
 */
import type { CaptionPage, CaptionsNotice } from '../../wire/caption.ts';
import { CAPTION_PAGE_VERSION } from '../../wire/caption-version.ts';
import { captionLanguageLabel } from '../model/caption-language.ts';
import type { CaptionFrame, CaptionTrackFrame } from './frame.ts';

const FIRST_LANGUAGE = 1;

const NO_PAGE: CaptionPage = { v: CAPTION_PAGE_VERSION, plane: [960, 540], duration: null, runs: [] };
const NO_PAGE_JSON = JSON.stringify(NO_PAGE);

export type SelectedCaption =
  /** `time`: that of the page. */
  | { readonly kind: 'page'; readonly superimpose: boolean; readonly time: number; readonly json: string }
  | { readonly kind: 'notice'; readonly notice: CaptionsNotice };

/** The pages of one kind of text. */
class Track {
  languages: CaptionTrackFrame['languages'] = null;
  /** A viewer selected a language that the programme does not have: no page until the languages change. */
  isAbsent = false;
  /** The last page of each language; at most eight. */
  readonly #pages = new Map<number, CaptionFrame>();

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
  follow({ languages, time }: CaptionTrackFrame): SelectedCaption[] {
    const shown = this.isAbsent ? undefined : this.#pages.get(this.language);
    this.languages = languages;
    this.isAbsent = false;
    this.#pages.clear();
    return shown === undefined ? [] : [this.#cleared(time ?? shown.time)];
  }

  show(frame: CaptionFrame): SelectedCaption[] {
    this.#pages.set(frame.language, frame);
    if (this.isAbsent || frame.language !== this.language) return [];
    return [{ kind: 'page', superimpose: this.superimpose, time: frame.time, json: frame.json }];
  }

  /** The current page of the language, or an empty one. @param reached current time of the stream */
  select(language: number, reached: number): SelectedCaption[] {
    const shown = this.#pages.get(this.language);
    const { languages } = this;
    this.wanted = language;
    this.isAbsent = languages !== null && languages.length > 0 && this.language !== language;
    const page = this.isAbsent ? undefined : this.#pages.get(language);
    if (page !== undefined) return this.show(page);
    // Superimposed text is rare: without any there is nothing to clear.
    if (this.superimpose && shown === undefined) return [];
    return [this.#cleared(Math.max(reached, shown?.time ?? 0))];
  }

  #cleared(time: number): SelectedCaption {
    return { kind: 'page', superimpose: this.superimpose, time, json: NO_PAGE_JSON };
  }
}

export class CaptionSelection {
  readonly #captions: Track;
  readonly #superimpose: Track;
  #reached = 0;

  /** @param language 1 to 8 */
  constructor(language: number) {
    this.#captions = new Track(false, language);
    this.#superimpose = new Track(true, language);
  }

  /** The stream was sent up to this time. */
  reached(time: number): void {
    this.#reached = time;
  }

  take(frame: CaptionFrame | CaptionTrackFrame): SelectedCaption[] {
    const track = frame.superimpose ? this.#superimpose : this.#captions;
    if (frame.kind === 'caption') return track.show(frame);
    const cleared = track.follow(frame);
    return frame.superimpose || frame.languages === null ? cleared : [...cleared, this.#notice()];
  }

  /** @param language 1 to 8 */
  select(language: number): SelectedCaption[] {
    const tracks = [this.#captions, this.#superimpose];
    const pages = tracks.flatMap((track) => track.select(language, this.#reached));
    return this.#captions.languages === null ? pages : [this.#notice(), ...pages];
  }

  /** Names the languages of the programme, and the one whose pages are sent, if it is one of them. */
  #notice(): SelectedCaption {
    const { language, isAbsent } = this.#captions;
    const languages = (this.#captions.languages ?? []).map(({ index, code }) => ({
      index,
      code,
      label: captionLanguageLabel(index, code),
    }));
    // Before the management data the languages are unknown.
    const sent = languages.find(({ index }) => index === language);
    const label = sent?.label ?? captionLanguageLabel(FIRST_LANGUAGE, '');
    const notice: CaptionsNotice = {
      type: 'captions',
      tracks: [{ index: 0, lang: sent === undefined || sent.code === '' ? null : sent.code, label }],
      track: 0,
      ...(languages.length > 1 || isAbsent ? { languages } : {}),
      ...(languages.length > 1 && !isAbsent ? { language } : {}),
    };
    return { kind: 'notice', notice };
  }
}
