/** The page of `hybrid-stage.ts`: one session of an application, without the rest of the UI. */
import type { ControlledApplication } from '../../lib/arib/application/application.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { HybridSession, openNetwork } from '../../web/hybrid/hybrid.ts';

export interface StageStart {
  readonly application: ControlledApplication;
  readonly isSignalled?: boolean;
  readonly signalled?: readonly ControlledApplication[];
  /** The viewer's answer to the question for the region; `later`: by `answer`. */
  readonly consent?: boolean | 'later';
}

interface StageState {
  shown: number;
  ended: string | undefined;
  log: string[];
  video: unknown[];
  /** Questions for the region. */
  asked: number;
  /** Longest pause of the page's thread since it was reset, ms. */
  gap: number;
}

declare global {
  var hybridStage: {
    state: StageState;
    start(start: StageStart): void;
    signal(applications: readonly ControlledApplication[]): void;
    /** Answers the last question for the region. */
    answer(isGiven: boolean): void;
    key(code: number): void;
    takes(code: number): boolean;
    close(): void;
    frames(): number;
    /** What has the keyboard. */
    focused(): string;
    watchGap(): void;
  };
}

const main = document.querySelector('main') ?? document.body;
let session: HybridSession | undefined;
let answerLast = (_isGiven: boolean): void => {};

const empty = (): StageState => ({ shown: 0, ended: undefined, log: [], video: [], asked: 0, gap: 0 });

globalThis.hybridStage = {
  state: empty(),
  start: ({ application, isSignalled = false, signalled, consent = false }) => {
    session?.close();
    const state = empty();
    hybridStage.state = state;
    main.focus();
    session = new HybridSession({
      ...{
        element: main,
        base: document.baseURI,
        storage: localStorage,
        signalled,
        volume: 1,
        title: 'application',
      },
      network: openNetwork(new URL('api/bml/', document.baseURI).href, () => {}),
      found: { application, isSignalled },
      now: () => performance.now() as MonotonicMs,
      region: () => ({ postalCode: '1500001', prefecture: 14 }),
      askRegion: async (_application, signal) => {
        state.asked += 1;
        if (consent !== 'later') return consent;
        return await new Promise<boolean>((resolve) => {
          answerLast = resolve;
          signal.addEventListener('abort', () => resolve(false));
        });
      },
      currentEvent: () => ({
        ...{ networkId: 1, transportStreamId: 2, serviceId: 3, eventId: 4 },
        ...{ name: '番組', startAt: 1_000_000, durationMs: 60_000 },
      }),
      focusPage: () => main.focus(),
      handlers: {
        onShown: () => {
          state.shown += 1;
        },
        onApplication: () => {},
        onVideo: (rectangle, isAbove) => void state.video.push({ ...rectangle, isAbove }),
        onEnd: (reason) => {
          state.ended = reason;
        },
        onLog: (text) => void state.log.push(text),
      },
    });
  },
  signal: (applications) => session?.setSignalled(applications),
  answer: (isGiven) => answerLast(isGiven),
  key: (code) => {
    session?.key(code, true);
    session?.key(code, false);
  },
  takes: (code) => session?.takes(code) ?? false,
  close: () => session?.close(),
  frames: () => document.querySelectorAll('iframe').length,
  focused: () => document.activeElement?.tagName ?? '',
  watchGap: () => {
    let last = performance.now();
    hybridStage.state.gap = 0;
    setInterval(() => {
      const now = performance.now();
      hybridStage.state.gap = Math.max(hybridStage.state.gap, now - last);
      last = now;
    }, 4);
  },
};
