/** Captions and superimposed text of the station that is watched, by the position of its picture. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { CaptionPage, CaptionsNotice } from '../../wire/caption.ts';
import { CaptionTimeline } from '../caption/caption-timeline.ts';

interface CaptionLanguageChoice {
  /** 1 to 8. */
  readonly index: number;
  readonly label: string;
}

/** Pages older than what can be gone back to are forgotten. */
const KEPT_S = 180;

export class LiveCaptions {
  readonly #pages = new CaptionTimeline();
  readonly #superimposed = new CaptionTimeline();
  readonly #languages = signal<readonly CaptionLanguageChoice[]>([]);

  /** Empty: the programme has no captions, or none were announced yet. */
  get languages(): ReadonlySignal<readonly CaptionLanguageChoice[]> {
    return this.#languages;
  }

  announce({ tracks, languages }: CaptionsNotice): void {
    this.#languages.value =
      languages?.map(({ index, label }) => ({ index, label })) ??
      tracks.slice(0, 1).map(({ label }) => ({ index: 1, label }));
  }

  /** @param positionS on the element's timeline */
  add(page: CaptionPage, positionS: number, superimpose: boolean): void {
    // A version that is not known here is not drawn.
    if (page.v !== 1) return;
    const timeline = superimpose ? this.#superimposed : this.#pages;
    timeline.add(positionS * 1000, page);
    timeline.dropBefore((positionS - KEPT_S) * 1000);
  }

  /** @param positionS on the element's timeline */
  pageAt(positionS: number): CaptionPage | undefined {
    return this.#pages.at(positionS * 1000);
  }

  superimposedAt(positionS: number): CaptionPage | undefined {
    return this.#superimposed.at(positionS * 1000);
  }

  /** Another tuning: resets all state. */
  clear(): void {
    this.#pages.clear();
    this.#superimposed.clear();
    this.#languages.value = [];
  }
}
