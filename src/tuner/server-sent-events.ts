/** Splits a Server-Sent Events stream into events. WHATWG HTML, 9.2.6. */

interface ServerSentEvent {
  /** `message` if the stream names none. */
  name: string;
  data: string;
}

/** Larger events do not occur: then it is not an event stream. */
const MAX_EVENT = 65_536;

export class ServerSentEventParser {
  readonly #decoder = new TextDecoder();
  #pending = '';
  #name = '';
  #data: string[] = [];
  #size = 0;

  /**
   * Feeds a chunk, cut anywhere; returns the events that it completed.
   * @throws Error if an event, or one line, is longer than 64 KB
   */
  feed(chunk: Uint8Array): ServerSentEvent[] {
    this.#pending += this.#decoder.decode(chunk, { stream: true });
    const events: ServerSentEvent[] = [];
    // A carriage return at the end may be half of a line end.
    const usable = this.#pending.endsWith('\r') ? this.#pending.length - 1 : this.#pending.length;
    const lines = this.#pending.slice(0, usable).split(/\r\n|\n|\r/);
    this.#pending = (lines.pop() ?? '') + this.#pending.slice(usable);
    for (const line of lines) this.#line(line, events);
    if (this.#size + this.#pending.length > MAX_EVENT) throw new Error('event too long');
    return events;
  }

  #line(line: string, events: ServerSentEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push({ name: this.#name || 'message', data: this.#data.join('\n') });
      this.#name = '';
      this.#data = [];
      this.#size = 0;
      return;
    }
    this.#size += line.length;
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
  }
}
