/** Chooses between the raw and the encoded path: the viewer's setting, the browser's capabilities, recent failures. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { ReceptionFault } from '../../wire/live.ts';
import { rawLive } from '../device/preferences.ts';
import type { PacketSource } from '../raw/packet-source.ts';
import { RawFeed } from '../raw/raw-feed.ts';
import type { RawFigures, RawProblem } from '../raw/raw-messages.ts';
import { canPlayRaw } from '../raw/raw-picture.ts';

export class RawChoice {
  /** Why the encoded path plays instead. */
  #problem: RawProblem | undefined;
  readonly #figures = signal<RawFigures | undefined>(undefined);

  get isOn(): boolean {
    return rawLive.value && this.#problem === undefined && canPlayRaw();
  }

  /** The decoder's report, once a second; undefined on the encoded path. */
  get figures(): ReadonlySignal<RawFigures | undefined> {
    return this.#figures;
  }

  /** The viewer chose. */
  choose(isRaw: boolean): void {
    rawLive.value = isRaw;
    this.#problem = undefined;
  }

  /** Another station: what the last one lacked it may have. A slow device stays slow. */
  forget(): void {
    if (this.#problem !== 'slow') this.#problem = undefined;
  }

  /** @param audio id of an Audio option: `<stream>:<side>` */
  feed(
    video: HTMLVideoElement,
    source: PacketSource,
    audio: string | undefined,
    onSound: (isDual: boolean) => void,
    onFault: (fault: ReceptionFault | undefined) => void,
  ): RawFeed {
    const stream = Number(audio?.split(':')[0] ?? 0);
    this.#figures.value = undefined;
    return new RawFeed(video, source, Number.isInteger(stream) ? stream : 0, {
      onFigures: (figures) => {
        this.#figures.value = figures;
      },
      onSound,
      onFault,
      onProblem: (problem) => {
        this.#problem = problem;
      },
    });
  }

  /** After a decoder that did not even load. */
  fail(): void {
    this.#problem ??= 'unsupported';
    this.#figures.value = undefined;
  }
}
