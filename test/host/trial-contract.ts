/** The requests, orders and events of `trial.worker.ts`. */
export interface Trial {
  requests: {
    echo: { ask: string; answer: string };
    bytes: { ask: Uint8Array<ArrayBuffer>; answer: Uint8Array<ArrayBuffer> };
    fail: { ask: string | null; answer: never };
    /** Answers only when it is aborted. */
    wait: { ask: null; answer: string };
    loop: { ask: null; answer: never };
    die: { ask: null; answer: never };
  };
  orders:
    | { kind: 'remember'; text: string }
    | { kind: 'report' }
    | { kind: 'throw' }
    | { kind: 'end'; end: 'at once' | 'never' };
  events: { remembered: string };
}
