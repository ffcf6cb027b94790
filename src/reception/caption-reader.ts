/**
 * Reader `caption`: the caption pages of one station as they are broadcast, for each language, and its superimposed
 * text. Posts a page as JSON, which is the same for all viewers. The command `repeat` posts the current state again,
 * for an owner that joins late. ARIB STD-B24 Vol. 1 Part 3; the stream is parsed in `arib/caption`.
 */
import { type CaptionSource, CaptionStream } from '../../arib/caption/caption-stream.ts';
import type { CaptionEvent } from '../../arib/caption/decoder.ts';
import type { CaptionLanguage } from '../../arib/caption/management.ts';
import type { ServiceId } from '../../arib/ids.ts';
import type { Pts90k } from '../../arib/time.ts';
import type { CaptionPage } from '../../wire/caption.ts';
import { defineReader, type Reader, type ReaderContext } from './reader-kind.ts';

interface CaptionReaderOptions {
  serviceId: number;
}

interface CaptionReaderCommand {
  kind: 'repeat';
}

export type CaptionReaderValue =
  /** Which kinds of text the station announces in its PMT. `time`: the stream's clock then, if it is known. */
  | { kind: 'announced'; captions: boolean; superimpose: boolean; time?: Pts90k }
  /** From the management data; clears at this time what was on screen before. */
  | { kind: 'languages'; superimpose: boolean; languages: CaptionLanguage[]; time: Pts90k }
  /** `time`: when it is shown (PTS). The page replaces the previous one; a page without runs clears the screen. */
  | { kind: 'page'; superimpose: boolean; language: number; time: Pts90k; json: string };

export const captionReader = defineReader<CaptionReaderOptions, CaptionReaderCommand, CaptionReaderValue>({
  name: 'caption',
  start: ({ serviceId }, context) => new CaptionReader(serviceId as ServiceId, context),
});

class CaptionReader implements Reader<CaptionReaderCommand> {
  readonly #stream: CaptionStream;
  #sources: readonly CaptionSource[] | undefined;
  #selected = '';
  /** Current state by kind, text and language: at most two kinds of text in eight languages. */
  readonly #current = new Map<string, CaptionReaderValue>();

  constructor(
    serviceId: ServiceId,
    private readonly context: ReaderContext<CaptionReaderValue>,
  ) {
    this.#stream = new CaptionStream(serviceId);
    this.#select();
  }

  feed(packets: Uint8Array): void {
    const events = this.#stream.feed(packets);
    this.#select();
    for (const event of events) this.#post(event);
  }

  command(): void {
    for (const value of this.#current.values()) this.context.post(value);
  }

  #select(): void {
    const { pids, sources } = this.#stream;
    const wanted = pids.join();
    if (wanted !== this.#selected) {
      this.#selected = wanted;
      this.context.select(pids);
    }
    if (sources === this.#sources || (this.#sources === undefined && sources.length === 0)) return;
    this.#sources = sources;
    const captions = sources.some(({ superimpose }) => !superimpose);
    const superimpose = sources.some((source) => source.superimpose);
    const before = this.#current.get('announced');
    if (before?.kind === 'announced' && before.captions === captions && before.superimpose === superimpose)
      return;
    const time = this.#stream.clock;
    this.#keep('announced', {
      kind: 'announced',
      ...{ captions, superimpose },
      ...(time === undefined ? {} : { time }),
    });
  }

  #post(event: CaptionEvent): void {
    const { superimpose } = event;
    if (event.kind === 'management') {
      const pages = [...this.#current].filter(
        ([, value]) => value.kind === 'page' && value.superimpose === superimpose,
      );
      for (const [key] of pages) this.#current.delete(key);
      this.#keep(`languages/${superimpose}`, {
        kind: 'languages',
        superimpose,
        languages: [...event.languages],
        time: event.at,
      });
      return;
    }
    const page: CaptionPage = event.page;
    const { language, at: time } = event;
    const json = JSON.stringify(page);
    this.#keep(`page/${superimpose}/${language}`, { kind: 'page', superimpose, language, time, json });
  }

  #keep(key: string, value: CaptionReaderValue): void {
    this.#current.set(key, value);
    this.context.post(value);
  }
}
