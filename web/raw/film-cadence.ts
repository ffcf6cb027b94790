/**
 * Inverse telecine: detects film in interlaced video, pictures converted to fields by 3:2 pulldown (24 a second) or 2:2
 * pulldown (30) without a flag in the stream. Every possible cadence is checked against each pair of fields; one
 * without a contradiction for half a second of moving pictures is taken as the film's. The first contradiction ends it.
 * Pure.
 */

type FieldUse =
  /** Interlaced video: shown as a picture of its own. */
  | { readonly kind: 'field' }
  /** A film picture begins: woven with the next field, shown for the given number of fields. */
  | { readonly kind: 'film'; readonly fields: number }
  /** Belongs to the film's picture that is shown. */
  | { readonly kind: 'held' };

interface Cadence {
  /** Fields of each picture, in turn. */
  readonly lengths: readonly number[];
  readonly period: number;
  /** Added to a field's number: its place in the cadence. */
  readonly phase: number;
  /** Torn blocks of the first pair of a picture that its own vertical detail explains, as a part of a change's. */
  readonly detail: number;
}

interface Evidence {
  /** Fields since the last contradiction. */
  clean: number;
  /** Pairs since then that moved where the cadence changes its picture. */
  changes: number;
}

function cadences(lengths: readonly number[], detail: number): Cadence[] {
  const period = lengths.reduce((sum, one) => sum + one, 0);
  return Array.from({ length: period }, (_, phase) => ({ lengths, period, phase, detail }));
}

/**
 * Measured: fields of one picture tear 0.02 to 0.3 of the blocks that a change of picture tears, by how much fine vertical
 * detail moves; fields of video 0.8 to 1. With 3:2 pulldown the repeated field also shows what does not belong to the film,
 * such as a moving text; without one the limit has to.
 */
const CADENCES: readonly Cadence[] = [...cadences([3, 2], 0.4), ...cadences([2], 0.08)];
/** Difference of a repeated field: coding noise only. */
const REPEATED = 0.06;
/** Half a second, in which video that moves contradicts every cadence. */
const MIN_CLEAN = 30;
const MIN_CHANGES = 5;
/** Blocks that noise tears. */
const NOISE = 2;
/** Blocks torn where a picture changes, from which it counts as movement. */
const MIN_TORN = 6;
/** Pairs of which the most torn one is a change of picture, in every cadence. */
const REMEMBERED = 3;

const FIELD: FieldUse = { kind: 'field' };
const HELD: FieldUse = { kind: 'held' };

/** Where a field stands: its place in its picture, and the fields that the picture has. */
function fieldPlace(cadence: Cadence, field: number): { at: number; fields: number } {
  let at = (field + cadence.phase) % cadence.period;
  for (const fields of cadence.lengths) {
    if (at < fields) return { at, fields };
    at -= fields;
  }
  return { at: 0, fields: 1 };
}

export class FilmCadence {
  readonly #evidence: Evidence[] = CADENCES.map(() => ({ clean: 0, changes: 0 }));
  #recent: number[] = [];
  #field = 0;
  #active: number | undefined;
  /** The active cadence has begun a picture: fields can be held for it. */
  #isShown = false;

  reset(): void {
    for (const evidence of this.#evidence) Object.assign(evidence, { clean: 0, changes: 0 });
    this.#recent = [];
    this.#leave();
  }

  /**
   * For each field in order of time.
   * @param combed torn blocks when woven with the next field; undefined: cannot be measured
   */
  next(combed: number | undefined): FieldUse {
    if (combed === undefined) {
      this.reset();
      return FIELD;
    }
    this.#recent.push(combed);
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
    this.#judge(combed);
    const field = this.#field;
    this.#field += 1;
    if (this.#active !== undefined && this.#evidence[this.#active]?.clean === 0) this.#leave();
    this.#active ??= this.#likely();
    const cadence = CADENCES[this.#active ?? -1];
    if (cadence === undefined) return FIELD;
    const { at, fields } = fieldPlace(cadence, field);
    if (at !== 0) return this.#isShown ? HELD : FIELD;
    this.#isShown = true;
    return { kind: 'film', fields };
  }

  #leave(): void {
    this.#active = undefined;
    this.#isShown = false;
  }

  #judge(combed: number): void {
    const most = Math.max(...this.#recent);
    for (const [index, cadence] of CADENCES.entries()) {
      const evidence = this.#evidence[index];
      if (evidence === undefined) continue;
      const { at, fields } = fieldPlace(cadence, this.#field);
      const isLast = at === fields - 1;
      const part = at === 0 ? cadence.detail : REPEATED;
      if (!isLast && combed > NOISE + most * part) Object.assign(evidence, { clean: 0, changes: 0 });
      else {
        evidence.clean += 1;
        if (isLast && combed >= MIN_TORN) evidence.changes += 1;
      }
    }
  }

  /** The cadence that most changes of picture speak for. */
  #likely(): number | undefined {
    let best: number | undefined;
    for (const [index, { clean, changes }] of this.#evidence.entries()) {
      if (clean < MIN_CLEAN || changes < MIN_CHANGES) continue;
      if (best === undefined || changes > (this.#evidence[best]?.changes ?? 0)) best = index;
    }
    return best;
  }
}
