/** The frame's side of the messages with the page. */
import type { ApplicationIds } from '../application-storage.ts';
import type { FrameEnvelope, FrameMessage, HostEnvelope, HostMessage } from '../hybrid-messages.ts';

type Asked = 'fetch' | 'currentEvent' | 'confirm' | 'region';

/** The page's, before the application can change anything. */
const page = parent;
const postToPage = (envelope: FrameEnvelope): void => page.postMessage(envelope, '*');

export class PageLink {
  readonly #nonce: string;
  readonly #ids: ApplicationIds;
  readonly #onMessage: (message: HostMessage) => void;
  readonly #answers = new Map<number, (answer: unknown) => void>();
  #last = 0;

  constructor(nonce: string, ids: ApplicationIds, onMessage: (message: HostMessage) => void) {
    this.#nonce = nonce;
    this.#ids = ids;
    this.#onMessage = onMessage;
    this.listen();
  }

  /** Again after `document.open`, which removes all listeners of the window. */
  listen(): void {
    addEventListener('message', this.#take);
  }

  readonly #take = ({ source, data }: MessageEvent<HostEnvelope>): void => {
    if (source !== page || data?.nonce !== this.#nonce) return;
    const { message } = data;
    if (message.kind !== 'answer') {
      this.#onMessage(message);
      return;
    }
    this.#answers.get(message.id)?.(message.answer);
    this.#answers.delete(message.id);
  };

  send(message: FrameMessage): void {
    postToPage({ nonce: this.#nonce, ...this.#ids, message });
  }

  /** Undefined: the page refused, or it failed. */
  ask(kind: Asked, fields: object = {}): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.send({ kind, id, ...fields } as FrameMessage);
    });
  }
}
