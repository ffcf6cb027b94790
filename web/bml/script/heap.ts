/**
 * The limit of a machine's memory, by estimated bytes. Allocations are counted; what is still in use is counted by a trace
 * of everything that the script can reach, when enough was allocated since the last one.
 */
import { ScriptObject, textBytes, type Value } from './values.ts';

/** Thrown when the limit is exceeded: the document has to be stopped. */
export class HeapExhausted extends Error {}

/** Texts of at least this many characters are counted once, however often they are referred to. */
const LONG_TEXT = 64;

export class Heap {
  /** Bytes in use and allocated since the last trace. */
  used = 0;
  /** A trace is due above this. */
  threshold: number;
  #trace: Trace | undefined;
  #traces = 0;

  constructor(readonly limit: number) {
    this.threshold = limit;
  }

  /** Counts bytes that are about to be allocated. */
  allocate(bytes: number): void {
    if (bytes > this.limit) throw new HeapExhausted();
    this.used += bytes;
  }

  /**
   * Traces what is in use, as long as the machine does not run; continues a trace that was interrupted.
   * @param roots calls its argument with every value that the machine refers to
   * @param isOver whether the slice is over
   * @returns whether the trace is complete
   */
  collect(roots: (visit: (value: Value) => void) => void, isOver: () => boolean): boolean {
    if (this.#trace === undefined) {
      this.#traces += 1;
      this.#trace = new Trace(this.#traces);
      roots(this.#trace.visit);
    }
    while (!this.#trace.advance()) if (isOver()) return false;
    const { bytes } = this.#trace;
    this.#trace = undefined;
    if (bytes > this.limit) throw new HeapExhausted();
    this.used = bytes;
    // Even just below the limit, a trace pays for an eighth of it.
    this.threshold = Math.max(this.limit, bytes + this.limit / 8);
    return true;
  }

  /** Forgets an interrupted trace, because the machine will run before it could be continued. */
  interrupt(): void {
    this.#trace = undefined;
  }
}

/** Objects that are traced between two looks at the clock. */
const CHUNK = 512;

class Trace {
  bytes = 0;
  readonly #texts = new Set<string>();
  readonly #waiting: ScriptObject[] = [];

  constructor(private readonly mark: number) {}

  readonly visit = (value: Value): void => {
    if (typeof value === 'string') {
      if (value.length >= LONG_TEXT) {
        if (this.#texts.has(value)) return;
        this.#texts.add(value);
      }
      this.bytes += textBytes(value);
    } else if (value instanceof ScriptObject && value.mark !== this.mark) {
      value.mark = this.mark;
      this.#waiting.push(value);
    }
  };

  /** Traces some objects; true if none is left. */
  advance(): boolean {
    for (let count = 0; count < CHUNK; count += 1) {
      const object = this.#waiting.pop();
      if (object === undefined) return true;
      this.bytes += object.bytes;
      object.visit(this.visit);
    }
    return false;
  }
}
