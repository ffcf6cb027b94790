/** The worker's half of `worker-link.ts`: called once at the top of a worker entry. */
import type { Answer, Ask, FromWorker, RequestName, ToWorker, WorkerContract } from './worker-link.ts';

/** An answer whose buffers are transferred, not copied. */
export class Transferring<T> {
  constructor(
    readonly body: T,
    readonly transfer: ArrayBuffer[],
  ) {}
}

type Answered<T> = T | Transferring<T>;

export interface WorkerHandlers<C extends WorkerContract> {
  /**
   * By name. An error of a handler reaches the caller as `WorkerError` with message and `code`. The signal aborts
   * when the caller cancels.
   */
  requests: {
    [K in RequestName<C>]: (
      body: Ask<C, K>,
      signal: AbortSignal,
    ) => Answered<Answer<C, K>> | Promise<Answered<Answer<C, K>>>;
  };
  /** An error ends the worker, since a half-processed order cannot be recovered. */
  order?: ((order: C['orders']) => void) | undefined;
  /** Writes pending data; the worker ends after it. */
  close?: (() => Promise<void> | void) | undefined;
}

export type SendEvent<C extends WorkerContract> = (event: C['events'], transfer?: ArrayBuffer[]) => void;

/** @param scope `self` of the worker @param make creates the handlers, given a function that sends events */
export function serveWorker<C extends WorkerContract>(
  scope: Pick<Worker, 'postMessage' | 'onmessage'>,
  make: (send: SendEvent<C>) => WorkerHandlers<C>,
): void {
  const post = (message: FromWorker, transfer: ArrayBuffer[] = []): void =>
    scope.postMessage(message, transfer);
  const handlers = make((event, transfer) => post({ link: 'event', body: event }, transfer));
  const open = new Map<number, AbortController>();

  const run = async (id: number, name: string, body: unknown): Promise<void> => {
    const aborting = new AbortController();
    open.set(id, aborting);
    try {
      const handler = handlers.requests[name as RequestName<C>];
      const answer = await handler(body as never, aborting.signal);
      if (answer instanceof Transferring) post({ link: 'answer', id, body: answer.body }, answer.transfer);
      else post({ link: 'answer', id, body: answer });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      const message = error instanceof Error ? error.message : String(error);
      post({ link: 'failed', id, message, code: typeof code === 'string' ? code : null });
    } finally {
      open.delete(id);
    }
  };

  const end = async (): Promise<void> => {
    await handlers.close?.();
    post({ link: 'closed' });
  };

  scope.onmessage = (event: MessageEvent<ToWorker>): void => {
    const message = event.data;
    switch (message.link) {
      case 'request':
        void run(message.id, message.name, message.body);
        break;
      case 'abort':
        open.get(message.id)?.abort();
        break;
      case 'order':
        handlers.order?.(message.body as C['orders']);
        break;
      case 'ping':
        post({ link: 'pong' });
        break;
      case 'close':
        void end();
        break;
    }
  };
}
