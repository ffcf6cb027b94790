/**
 * Selects a viewer's caption pages: those of its language, or of the first language if the programme does not have it.
 * Used by the encodings of frames (caption stream, socket). The language may change at any time.
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
  /** The last page of each language; at most eight. */
  readonly #pages = new Map<number, CaptionFrame>();

  constructor(
    private readonly superimpose: boolean,
    private wanted: number,
  ) {}

  /** The selected language if it is available or still may be; else the first. */
  get language(): number {
    const { languages, wanted } = this;
    if (languages === null || languages.length === 0) return wanted;
    return languages.some(({ index }) => index === wanted) ? wanted : FIRST_LANGUAGE;
  }

  /** Changes the languages and clears the old page on the screen. */
  follow(languages: CaptionTrackFrame['languages']): SelectedCaption[] {
    const shown = this.#pages.get(this.language);
    this.languages = languages;
    this.#pages.clear();
    return shown === undefined ? [] : [this.#cleared(shown.time)];
  }

  show(frame: CaptionFrame): SelectedCaption[] {
    this.#pages.set(frame.language, frame);
    if (frame.language !== this.language) return [];
    return [{ kind: 'page', superimpose: this.superimpose, time: frame.time, json: frame.json }];
  }

  /** The current page of the language, or an empty one. */
  select(language: number): SelectedCaption[] {
    const before = this.#pages.get(this.language);
    const was = this.language;
    this.wanted = language;
    if (this.language === was) return [];
    const page = this.#pages.get(this.language);
    if (page !== undefined) return this.show(page);
    return before === undefined ? [] : [this.#cleared(before.time)];
  }

  #cleared(time: number): SelectedCaption {
    return { kind: 'page', superimpose: this.superimpose, time, json: NO_PAGE_JSON };
  }
}

export class CaptionSelection {
  readonly #captions: Track;
  readonly #superimpose: Track;

  /** @param language 1 to 8 */
  constructor(language: number) {
    this.#captions = new Track(false, language);
    this.#superimpose = new Track(true, language);
  }

  take(frame: CaptionFrame | CaptionTrackFrame): SelectedCaption[] {
    const track = frame.superimpose ? this.#superimpose : this.#captions;
    if (frame.kind === 'caption') return track.show(frame);
    const cleared = track.follow(frame.languages);
    return frame.superimpose || frame.languages === null ? cleared : [...cleared, this.#notice()];
  }

  /** @param language 1 to 8 */
  select(language: number): SelectedCaption[] {
    const pages = [...this.#captions.select(language), ...this.#superimpose.select(language)];
    return this.#captions.languages === null ? pages : [this.#notice(), ...pages];
  }

  #notice(): SelectedCaption {
    const { language } = this.#captions;
    const languages = (this.#captions.languages ?? []).map(({ index, code }) => ({
      index,
      code,
      label: captionLanguageLabel(index, code),
    }));
    const code = languages.find(({ index }) => index === language)?.code ?? '';
    const notice: CaptionsNotice = {
      type: 'captions',
      tracks: [{ index: 0, lang: code === '' ? null : code, label: captionLanguageLabel(language, code) }],
      track: 0,
      ...(languages.length > 1 ? { languages, language } : {}),
    };
    return { kind: 'notice', notice };
  }
}
