/**
 * Channel entry by the remote control's digits: collects and displays them, and tunes when they are complete or after a
 * timeout.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Station } from '../../lib/wire/api.ts';
import { stations } from '../query/stations.ts';
import { showToast } from '../ui/toast.tsx';
import { completeEntry, ENTRY_LIMIT_MS, entryText, type TypedDigit, typeButton } from './channel-entry.ts';
import { TEXTS } from './texts.ts';

export class ChannelInput {
  readonly #text = signal<string | undefined>(undefined);
  #entry = '';
  /** Three digits were asked for. */
  #explicit = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param band of the station that is watched */
  constructor(
    private readonly band: () => Station['type'],
    private readonly onStation: (station: Station) => void,
  ) {}

  /** The digits typed so far; undefined: no entry. */
  get text(): ReadonlySignal<string | undefined> {
    return this.#text;
  }

  begin(): void {
    this.#entry = '';
    this.#explicit = true;
    this.#wait();
  }

  /** @param button 1 to 12 */
  button(button: number): void {
    this.#take(typeButton(this.#entry, button, stations.value, this.band(), this.#explicit));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #take({ entry, station, unknown = false }: TypedDigit): void {
    this.#entry = entry;
    if (entry !== '') {
      this.#wait();
      return;
    }
    this.#rest();
    if (station !== undefined) this.onStation(station);
    else if (unknown) showToast(TEXTS.noChannel);
  }

  #wait(): void {
    this.#text.value = entryText(this.#entry);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#take(completeEntry(this.#entry, stations.value)), ENTRY_LIMIT_MS);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#explicit = false;
    this.#text.value = undefined;
  }
}

export function ChannelEntryView({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p
      class="channel-entry numbers no-margin absolute layer-3 extrabold text-white round-m"
      role="status"
      aria-label={TEXTS.channelNumber(text)}
    >
      {text}
    </p>
  );
}
