/**
 * Captions and superimposed text: PES payloads in, caption pages out. ARIB STD-B24 Vol. 1 Part 3, 9; operation TR-B14
 * and TR-B15 Vol. 3 Section 2. One decoder per stream.
 *
 * A statement is shown from the time passed by the caller (its PTS; for superimposed text, which has none, the
 * stream's clock at its arrival); waits in it (TIME) produce further pages later. A page ends with the next one of
 * its language. Nothing is thrown: damaged groups are counted and dropped, undefined codes are skipped.
 */
import { PTS_MODULUS, type Pts90k, pts90k, TICKS_PER_MS, unwrapPts } from '../time.ts';
import {
  type DataGroup,
  type DeclaredLanguage,
  dataUnits,
  readDataGroup,
  readManagement,
  statementUnits,
  UNIT,
} from './data-group.ts';
import { DrcsTable } from './drcs.ts';
import { HD_FORMAT, managementFormat, ONE_SEGMENT_FORMAT, type WritingFormat } from './look.ts';
import { type CaptionPage, captionPage, EMPTY_SNAPSHOT, Screen, type Snapshot } from './page.ts';
import { type CaptionProfile, CaptionWriter, type WriterStart } from './writer.ts';

export type CaptionEvent =
  | {
      /** The management data changed: the screen is cleared. */
      readonly kind: 'management';
      readonly superimpose: boolean;
      /** When it is cleared. */
      readonly at: Pts90k;
      readonly languages: readonly DeclaredLanguage[];
    }
  | {
      readonly kind: 'page';
      readonly superimpose: boolean;
      /** 1 to 8. */
      readonly language: number;
      /** When the page is shown. */
      readonly at: Pts90k;
      readonly page: CaptionPage;
    };

interface TimedSnapshot {
  /** Milliseconds after the statement's time. */
  readonly offset: number;
  readonly snapshot: Snapshot;
  readonly format: WritingFormat;
}

interface LanguageState {
  readonly screen: Screen;
  /** When the last statement began and its snapshots: a later statement interrupts it. */
  statementAt: number;
  snapshots: readonly TimedSnapshot[];
  /** Whether the last page was one without text, or ended by itself. */
  blank: boolean;
}

const LANGUAGES = 8;
/**
 * Limit of pages of one statement; in practice there are a text, a few additions and an erasure. Further waits are
 * only added.
 */
const MAX_SNAPSHOTS = 16;
/** Without management data for this long a receiver starts again: TR-B14 Vol. 3 Section 2, 4.2.4. */
const MANAGEMENT_TIMEOUT = 180_000 * TICKS_PER_MS;

export class CaptionDecoder {
  /** Number of caption payloads with a truncated group or a wrong CRC. */
  damagedGroups = 0;
  /** Number of shown statements. */
  statements = 0;

  readonly #profile: CaptionProfile;
  readonly #writer: CaptionWriter;
  readonly #drcs = new DrcsTable();
  readonly #states = new Map<number, LanguageState>();
  #group: DataGroup['group'] | undefined;
  #management: Uint8Array | undefined;
  #languages: readonly DeclaredLanguage[] = [];
  #managementAt: number | undefined;
  #superimpose = false;
  #snapshots: TimedSnapshot[] = [];
  #screen = new Screen();
  #offset = 0;

  constructor(profile: CaptionProfile = 'A') {
    this.#profile = profile;
    this.#writer = new CaptionWriter(profile, this.#startOf(1, this.#screen), (milliseconds) => {
      if (this.#snapshots.length < MAX_SNAPSHOTS) this.#takeSnapshot();
      this.#offset += milliseconds;
    });
  }

  /** Languages of the last management data; empty before the first. */
  get languages(): readonly DeclaredLanguage[] {
    return this.#languages;
  }

  /** Resets all state: the stream was cut here, or another one follows. */
  reset(): void {
    this.#forget();
    this.#group = undefined;
    this.#management = undefined;
    this.#languages = [];
    this.#managementAt = undefined;
  }

  /** Processes PES_packet_data_byte of one packet. `at`: its PTS, or the stream's clock if it has none. */
  feed(payload: Uint8Array, at: Pts90k): CaptionEvent[] {
    const group = readDataGroup(payload);
    if (group === 'no-caption') return [];
    if (group === 'damaged') {
      this.damagedGroups++;
      return [];
    }
    this.#superimpose = group.kind === 'superimpose';
    const events = this.expire(at);
    if (group.number === 0) this.#readManagement(group, at, events);
    else if (this.#isListed(group)) this.#readStatement(group.number, statementUnits(group.data), at, events);
    return events;
  }

  /** Must be called regularly with the stream's clock: clears captions without current management data. */
  expire(at: Pts90k): CaptionEvent[] {
    const last = this.#managementAt;
    if (last === undefined || unwrapPts(at, last) - last < MANAGEMENT_TIMEOUT) return [];
    const shown = [...this.#states].filter(([, state]) => !state.blank).map(([language]) => language);
    this.reset();
    return shown.map((language) => this.#pageEvent(language, at, EMPTY_SNAPSHOT, HD_FORMAT, null));
  }

  #forget(): void {
    this.#states.clear();
    this.#drcs.clear();
  }

  /** A statement in a language that the management data of its group does not list is ignored. */
  #isListed({ group, number }: DataGroup): boolean {
    if (this.#management === undefined || group !== this.#group) return true;
    return this.#languages.some(({ index }) => index === number);
  }

  #readManagement(group: DataGroup, at: Pts90k, events: CaptionEvent[]): void {
    const repeated =
      group.group === this.#group && this.#management !== undefined && same(group.data, this.#management);
    this.#managementAt = at;
    if (repeated) return;
    const management = readManagement(group.data);
    if (management === undefined) return;
    this.#forget();
    this.#group = group.group;
    this.#management = group.data.slice();
    this.#languages = management.languages;
    const { languages } = management;
    events.push({ kind: 'management', superimpose: this.#superimpose, at, languages });
    if (management.units.length === 0) return;
    for (const { index } of management.languages) this.#readStatement(index, management.units, at, events);
  }

  #startOf(language: number, screen: Screen): WriterStart {
    const announced = this.#languages.find(({ index }) => index === language);
    return {
      screen,
      drcs: this.#drcs,
      format:
        this.#profile === 'C'
          ? ONE_SEGMENT_FORMAT
          : announced === undefined
            ? HD_FORMAT
            : managementFormat(announced.format),
      coding: announced?.coding ?? 'eight-unit',
      rollUp: announced?.rollUp ?? false,
    };
  }

  #stateOf(language: number): LanguageState {
    const known = this.#states.get(language);
    if (known !== undefined) return known;
    const state = { screen: new Screen(), statementAt: 0, snapshots: [], blank: false };
    if (language <= LANGUAGES) this.#states.set(language, state);
    return state;
  }

  #readStatement(language: number, units: Uint8Array, at: Pts90k, events: CaptionEvent[]): void {
    const state = this.#stateOf(language);
    this.#interrupt(state, at);
    const start = this.#startOf(language, state.screen);
    this.#writer.begin(start);
    this.#snapshots = [];
    this.#offset = 0;
    this.#screen = state.screen;
    for (const { parameter, data } of dataUnits(units)) {
      if (parameter === UNIT.body) this.#writer.write(data);
      else if (parameter === UNIT.singleDrcs || parameter === UNIT.doubleDrcs) {
        this.#drcs.define(parameter, data, start.coding === 'ucs');
      }
    }
    this.#takeSnapshot();
    this.statements++;
    state.statementAt = at;
    state.snapshots = this.#snapshots;
    this.#report(language, state, at, events);
  }

  /** A statement that is still waiting when the next one begins is interrupted. */
  #interrupt(state: LanguageState, at: Pts90k): void {
    if (state.snapshots.length < 2) return;
    const elapsed = (unwrapPts(at, state.statementAt) - state.statementAt) / TICKS_PER_MS;
    const reached = state.snapshots.filter(({ offset }) => offset <= elapsed).at(-1);
    const last = state.snapshots.at(-1);
    if (elapsed < 0 || reached === undefined || reached === last) return;
    state.screen.restore(reached.snapshot);
    state.blank = false;
  }

  /** Records the current screen, if it changed. */
  #takeSnapshot(): void {
    if (!this.#writer.changed) return;
    this.#writer.changed = false;
    const timed = {
      offset: this.#offset,
      snapshot: this.#screen.snapshot(),
      format: this.#writer.format,
    };
    this.#snapshots.push(timed);
  }

  #report(language: number, state: LanguageState, at: Pts90k, events: CaptionEvent[]): void {
    for (const [index, { offset, snapshot, format }] of this.#snapshots.entries()) {
      const empty = snapshot.cells.length === 0 && snapshot.raster === undefined;
      const wasBlank = state.blank;
      state.blank = empty;
      // The previous page has a duration, or nothing was shown.
      if (empty && (wasBlank || index > 0)) continue;
      const next = this.#snapshots[index + 1];
      const duration = next === undefined || empty ? null : next.offset - offset;
      const shown = pts90k((at + offset * TICKS_PER_MS) % PTS_MODULUS);
      events.push(this.#pageEvent(language, shown, snapshot, format, duration));
    }
  }

  #pageEvent(
    language: number,
    at: Pts90k,
    snapshot: Snapshot,
    format: WritingFormat,
    duration: number | null,
  ): CaptionEvent {
    const page = captionPage(snapshot, format, duration, this.#profile === 'C');
    return { kind: 'page', superimpose: this.#superimpose, language, at, page };
  }
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((octet, at) => octet === b[at]);
}
