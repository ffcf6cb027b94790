/**
 * Matches an expression in time linear in the text: a lazily built deterministic automaton. Building a state costs more
 * than following one; an expression that keeps building new ones (as `a.{15}b` may) is stopped by a budget, so that it
 * cannot block the service.
 */
import { Failure } from '../../model/failure.ts';
import type { CharacterSet, Expression } from './syntax.ts';

/** Limit of states of an expanded expression. */
const MAX_NODES = 4000;
/** Limit of the classes of letters that an expression distinguishes: their numbers are octets. */
const MAX_KINDS = 250;
/** Limit of parts visited while an expression is expanded: `((){200}){200}` has many parts and no node. */
const MAX_PARTS = 20_000;
/** Limit of nodes and transitions of cached states: 3 MB per expression. Beyond it the cache is cleared. */
const MAX_HELD_NODES = 100_000;
const MAX_HELD_WAYS = 200_000;
/** Budget of a run over a guide for building states, in visited nodes: a fraction of a second. */
const WORK_LIMIT = 1_000_000;

type Node =
  | { readonly kind: 'letter'; readonly set: CharacterSet; readonly next: number }
  | { readonly kind: 'fork'; readonly next: readonly number[] }
  | { readonly kind: 'start' | 'end'; readonly next: number }
  | { readonly kind: 'match' };

/** An expression exceeded its budget; matching is aborted. */
export class ExpressionTooCostly extends Error {
  override readonly name = 'ExpressionTooCostly';
}

function tooLarge(): Failure {
  return new Failure('bad_request', '正規表現: 複雑すぎます。', { path: 'keyword' });
}

/** Nodes are built from the end backwards: each gets its successor. */
class Builder {
  readonly nodes: Node[] = [];
  #parts = 0;

  add(node: Node): number {
    if (this.nodes.length >= MAX_NODES) throw tooLarge();
    return this.nodes.push(node) - 1;
  }

  build(expression: Expression, next: number): number {
    if (++this.#parts > MAX_PARTS) throw tooLarge();
    switch (expression.kind) {
      case 'set':
        return this.add({ kind: 'letter', set: expression.set, next });
      case 'start':
      case 'end':
        return this.add({ kind: expression.kind, next });
      case 'sequence':
        return expression.parts.reduceRight((after, part) => this.build(part, after), next);
      case 'either':
        return this.add({
          kind: 'fork',
          next: expression.options.map((option) => this.build(option, next)),
        });
      case 'repeat':
        return this.#repeat(expression.part, expression.min, expression.max, next);
    }
  }

  #repeat(part: Expression, min: number, max: number, next: number): number {
    let entry = next;
    if (max === Number.POSITIVE_INFINITY) {
      // The fork of the loop is created first, and linked to its body afterwards.
      const loop = this.add({ kind: 'fork', next: [] });
      const body = this.build(part, loop);
      this.nodes[loop] = { kind: 'fork', next: [body, next] };
      entry = loop;
    } else {
      for (let count = min; count < max; count++)
        entry = this.add({ kind: 'fork', next: [this.build(part, entry), next] });
    }
    for (let count = 0; count < min; count++) entry = this.build(part, entry);
    return entry;
  }
}

/** Numbers the classes of letters: letters that no set distinguishes have the same number. */
class Kinds {
  readonly count: number;
  readonly #low = new Uint8Array(0x10000);
  /** Boundaries between classes above the basic plane. */
  readonly #starts: number[] = [];
  readonly #high: number[] = [];
  /** For each set, whether it contains a class. */
  readonly #members = new Map<CharacterSet, Uint8Array>();

  constructor(sets: readonly CharacterSet[]) {
    const different = new Map<string, CharacterSet[]>();
    for (const set of new Set(sets)) {
      const text = set.join();
      different.set(text, [...(different.get(text) ?? []), set]);
    }
    const alike = [...different.values()];
    /** Where sets begin and end, one bit per set. */
    const edges = new Map([[0, 0n]]);
    for (const [index, [set = []]] of alike.entries()) {
      for (const edge of set.flatMap(([from, to]) => [from, to + 1]))
        edges.set(edge, (edges.get(edge) ?? 0n) ^ (1n << BigInt(index)));
    }
    const starts = [...edges.keys()].filter((edge) => edge <= 0x10ffff).sort((a, b) => a - b);
    const known = new Map<bigint, number>();
    let within = 0n;
    for (const [index, start] of starts.entries()) {
      const end = (starts[index + 1] ?? 0x110000) - 1;
      within ^= edges.get(start) ?? 0n;
      const kind = known.get(within) ?? known.size;
      known.set(within, kind);
      if (kind > MAX_KINDS) throw tooLarge();
      if (start < 0x10000) this.#low.fill(kind, start, Math.min(end, 0xffff) + 1);
      if (end >= 0x10000) {
        this.#starts.push(Math.max(start, 0x10000));
        this.#high.push(kind);
      }
    }
    this.count = known.size;
    for (const [index, same] of alike.entries()) {
      const members = Uint8Array.from(known.keys(), (mask) => Number((mask >> BigInt(index)) & 1n));
      for (const set of same) this.#members.set(set, members);
    }
  }

  of(code: number): number {
    if (code < 0x10000) return this.#low[code] ?? 0;
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) > code) high = middle - 1;
      else low = middle;
    }
    return this.#high[low] ?? 0;
  }

  isIn(set: CharacterSet, kind: number): boolean {
    return this.#members.get(set)?.[kind] === 1;
  }
}

interface State {
  /** Nodes that wait for a letter or for the end. */
  readonly nodes: readonly number[];
  /** Matched, whatever follows. */
  readonly found: boolean;
  /** Matched if the text ends here. */
  readonly foundAtEnd: boolean;
  /** By class of letter. */
  readonly next: (State | undefined)[];
}

export class Automaton {
  readonly #nodes: readonly Node[];
  readonly #entry: number;
  readonly #kinds: Kinds;
  #states = new Map<string, State>();
  /** Total of all states. */
  #heldNodes = 0;
  #first: State | undefined;
  #work = 0;

  /** @throws Failure if the expression is too large */
  constructor(expression: Expression) {
    const builder = new Builder();
    this.#entry = builder.build(expression, builder.add({ kind: 'match' }));
    this.#nodes = builder.nodes;
    this.#kinds = new Kinds(builder.nodes.flatMap((node) => (node.kind === 'letter' ? [node.set] : [])));
  }

  /** Resets the budget for a new run over many texts. */
  renew(): void {
    this.#work = 0;
  }

  /**
   * Whether the expression is found anywhere in a text in normal form.
   * @throws ExpressionTooCostly when the budget of all texts since `renew` is exhausted
   */
  test(text: string): boolean {
    // Only in an empty text is one position both start and end.
    if (text === '') return this.#hasMatch(this.#closed([this.#entry], true, true));
    this.#first ??= this.#state(this.#closed([this.#entry], true, false));
    let state = this.#first;
    for (let at = 0; at < text.length; at++) {
      if (state.found) return true;
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code <= 0xdbff && at + 1 < text.length) {
        code = text.codePointAt(at) ?? code;
        if (code > 0xffff) at++;
      }
      const kind = this.#kinds.of(code);
      state = state.next[kind] ?? this.#step(state, kind);
    }
    return state.found || state.foundAtEnd;
  }

  #hasMatch(nodes: Iterable<number>): boolean {
    for (const index of nodes) {
      if (this.#nodes[index]?.kind === 'match') return true;
    }
    return false;
  }

  #step(state: State, kind: number): State {
    if (this.#work > WORK_LIMIT) throw new ExpressionTooCostly();
    const moved: number[] = [];
    for (const index of state.nodes) {
      const node = this.#nodes[index];
      if (node?.kind === 'letter' && this.#kinds.isIn(node.set, kind)) moved.push(node.next);
    }
    this.#work += state.nodes.length;
    // A match may begin at every letter.
    moved.push(this.#entry);
    const next = this.#state(this.#closed(moved, false, false));
    state.next[kind] = next;
    return next;
  }

  /** Epsilon closure. */
  #closed(from: readonly number[], atStart: boolean, atEnd: boolean): Set<number> {
    const reached = new Set<number>();
    const open = [...from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (reached.has(index)) continue;
      reached.add(index);
      const node = this.#nodes[index];
      if (node?.kind === 'fork') open.push(...node.next);
      else if ((node?.kind === 'start' && atStart) || (node?.kind === 'end' && atEnd)) open.push(node.next);
    }
    this.#work += reached.size;
    return reached;
  }

  #state(reached: ReadonlySet<number>): State {
    const nodes = [...reached].filter((index) => {
      const kind = this.#nodes[index]?.kind;
      return kind === 'letter' || kind === 'end' || kind === 'match';
    });
    nodes.sort((a, b) => a - b);
    const key = nodes.join();
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    this.#heldNodes += nodes.length;
    if (this.#heldNodes > MAX_HELD_NODES || (this.#states.size + 1) * this.#kinds.count > MAX_HELD_WAYS) {
      this.#states = new Map();
      this.#first = undefined;
      this.#heldNodes = nodes.length;
    }
    const state: State = {
      nodes,
      found: this.#hasMatch(nodes),
      foundAtEnd: this.#hasMatch(this.#closed(nodes, false, true)),
      next: new Array<State | undefined>(this.#kinds.count),
    };
    this.#states.set(key, state);
    return state;
  }
}
