/**
 * Reader `caption`: the caption pages of one station as they are broadcast, for each language, and its superimposed
 * text. Posts a page as JSON, which is the same for all viewers. ARIB STD-B24 Vol. 1 Part 3; the stream is parsed in
 * `lib/arib/caption`.
 */
import { type CaptionSource, CaptionStream } from '../../lib/arib/caption/caption-stream.ts';
import type { CaptionEvent } from '../../lib/arib/caption/decoder.ts';
import type { ServiceId } from '../../lib/arib/ids.ts';
import type { Pts90k } from '../../lib/arib/time.ts';
import type { CaptionLanguage } from '../../lib/wire/caption.ts';
import { defineReader, type ReaderContext, type StreamReader } from './reader-kind.ts';
import type { SideItem, SideReaderOptions } from './side-item.ts';

/** Current languages of captions or superimposed text; clears earlier pages. */
export interface CaptionTrackItem extends SideItem {
  readonly kind: 'track';
  readonly superimpose: boolean;
  /** null: the stream has none. Empty until its management data was received. */
  readonly languages: readonly Pick<CaptionLanguage, 'index' | 'code'>[] | null;
}

/** A caption page of one language; replaces the previous page, and a page without runs clears it. */
export interface CaptionPageItem extends SideItem {
  readonly kind: 'page';
  /** Superimposed text has separate pages. */
  readonly superimpose: boolean;
  /** 1 to 8. */
  readonly language: number;
  readonly time: Pts90k;
  readonly json: string;
}

export type CaptionItem = CaptionTrackItem | CaptionPageItem;

type Languages = CaptionTrackItem['languages'];

export const captionReader = defineReader<SideReaderOptions, never, CaptionItem>({
  name: 'caption',
  start: ({ serviceId }, context) => new CaptionReader(serviceId as ServiceId, context),
});

class CaptionReader implements StreamReader<never> {
  readonly #stream: CaptionStream;
  #sources: readonly CaptionSource[] | undefined;
  #selected = '';
  /** Key: whether the text is superimposed. */
  readonly #languages = new Map<boolean, Languages>();

  constructor(
    serviceId: ServiceId,
    private readonly context: ReaderContext<CaptionItem>,
  ) {
    this.#stream = new CaptionStream(serviceId === 0 ? undefined : serviceId);
    this.#select();
  }

  feed(packets: Uint8Array): void {
    const events = this.#stream.feed(packets);
    this.#select();
    for (const event of events) this.#post(event);
  }

  #select(): void {
    const { pids, sources, clock } = this.#stream;
    const wanted = pids.join();
    if (wanted !== this.#selected) {
      this.#selected = wanted;
      this.context.select(pids);
    }
    if (sources === this.#sources) return;
    this.#sources = sources;
    for (const superimpose of [false, true]) {
      const isThere = sources.some((source) => source.superimpose === superimpose);
      this.#announced(superimpose, isThere, clock);
    }
  }

  /** The languages follow with the management data, which is not repeated while the stream continues. */
  #announced(superimpose: boolean, isThere: boolean, time: Pts90k | undefined): void {
    const known = this.#languages.get(superimpose) ?? null;
    if (isThere !== (known !== null)) this.#postTrack(superimpose, isThere ? [] : null, time);
  }

  #post(event: CaptionEvent): void {
    const { superimpose, at: time } = event;
    if (event.kind === 'management') {
      const languages = event.languages.map(({ index, code }) => ({ index, code }));
      this.#postTrack(superimpose, languages, time);
      return;
    }
    const { language } = event;
    const json = JSON.stringify(event.page);
    const key = `page/${superimpose}/${language}`;
    // UTF-16 in memory
    const size = 2 * json.length;
    this.context.post({ kind: 'page', superimpose, language, time, json, key, rank: 1, size });
  }

  #postTrack(superimpose: boolean, languages: Languages, time: Pts90k | undefined): void {
    this.#languages.set(superimpose, languages);
    const state = { key: `track/${superimpose}`, clears: `page/${superimpose}/`, size: 0 };
    const timed = time === undefined ? {} : { time };
    this.context.post({ kind: 'track', superimpose, languages, ...state, ...timed });
  }
}
