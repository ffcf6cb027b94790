/** Quality of the encoded path: the viewer's choice on this device, or with 自動 the measured throughput. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { LiveQuality } from '../../wire/api.ts';
import { liveLevel, liveQuality } from '../device/preferences.ts';
import { type NetworkSample, QUALITIES, QualityLadder, STARVED_MS } from './quality-ladder.ts';

/** Default on a device with data saving. */
const SAVING: LiveQuality = 'low';

interface Connected {
  readonly connection?: { readonly saveData?: boolean };
}

/** The highest that 自動 takes on this device. */
function mostWanted(): LiveQuality {
  return (navigator as Connected).connection?.saveData === true ? SAVING : 'high';
}

function lowerOf(a: LiveQuality, b: LiveQuality): LiveQuality {
  return QUALITIES.indexOf(a) < QUALITIES.indexOf(b) ? a : b;
}

/** Another quality is asked for from now on. */
export interface QualityChange {
  readonly quality: LiveQuality;
  readonly isLower: boolean;
}

export class QualityChoice {
  #ladder = new QualityLadder(lowerOf(liveLevel.peek(), mostWanted()));
  readonly #shortage = signal<number | undefined>(undefined);

  /** To be asked for. */
  get wanted(): LiveQuality {
    const chosen = liveQuality.value;
    return chosen === 'auto' ? this.#ladder.level : chosen;
  }

  /** Received bit rate when it is too low for the current quality and no lower one is left. */
  get shortage(): ReadonlySignal<number | undefined> {
    return this.#shortage;
  }

  /** The viewer chose. */
  choose(quality: LiveQuality | 'auto'): void {
    liveQuality.value = quality;
    this.#ladder = new QualityLadder(mostWanted());
    this.#shortage.value = undefined;
  }

  /** Another stream begins. */
  restart(): void {
    this.#ladder.restart();
    this.#shortage.value = undefined;
  }

  /** Undefined: it stays as it is. */
  follow(sample: NetworkSample): QualityChange | undefined {
    const before = this.#ladder.level;
    const isAuto = liveQuality.peek() === 'auto';
    const quality = isAuto ? this.#ladder.next(sample, mostWanted()) : undefined;
    const { at, bitRate, fedSince = at } = sample;
    const isShort = at - fedSince >= STARVED_MS;
    this.#shortage.value = isShort && quality === undefined ? bitRate : undefined;
    if (quality === undefined) return undefined;
    liveLevel.value = quality;
    return { quality, isLower: QUALITIES.indexOf(quality) < QUALITIES.indexOf(before) };
  }
}
