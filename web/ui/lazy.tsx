/** Components that are loaded with their style sheets when they are first shown, or before by `prefetch`. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { leaveIfReplaced, loadAgain } from '../device/build.ts';
import { addStyles, type StyleGroup } from '../device/style-groups.ts';
import { Panel } from './panel.tsx';
import { TEXTS } from './texts.ts';

interface LazyOptions<P> {
  readonly styles: readonly StyleGroup[];
  readonly load: () => Promise<ComponentType<P>>;
  /** Shown until the component is there. */
  readonly Waiting?: ComponentType;
  /** It takes the place of what was shown until then. */
  readonly onArrival?: () => void;
  /** Shown instead of a panel where it cannot be loaded. */
  readonly Failed?: ComponentType<{ readonly onRetry: () => void }>;
}

export interface Prefetched {
  /** Loads it without showing it. @throws Error where it cannot be fetched; shown, it is tried again */
  readonly prefetch: () => Promise<void>;
}

type State<P> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'ready'; readonly Component: ComponentType<P> };

/** A connection may accept a request and never answer, ms. */
const LONGEST_MS = 20_000;
const FONTS_MS = 3_000;

function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('loading takes too long')), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function LoadFailed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Panel
      alert
      icon="unlink"
      title={TEXTS.notLoaded}
      actions={
        <button type="button" class="button button-main" data-nav-initial="" onClick={onRetry}>
          {TEXTS.retry}
        </button>
      }
    >
      <p>{TEXTS.notLoadedNote}</p>
    </Panel>
  );
}

/** The texts of a screen are laid out once, in the letters that they keep; without the sheet they are shown all the same. */
const fontsKnown = (): Promise<void> => withinLimit(addStyles(['fonts']), FONTS_MS).catch(() => undefined);

const Nothing = (): null => null;

export function lazy<P extends object>(options: LazyOptions<P>): ComponentType<P> & Prefetched {
  const { styles, load, onArrival, Waiting = Nothing, Failed = LoadFailed } = options;
  const state = signal<State<P>>({ kind: 'waiting' });
  let loading: Promise<void> | undefined;

  async function fetchAll(): Promise<void> {
    const all = Promise.all([load(), addStyles(styles), fontsKnown()]);
    const [Component] = await withinLimit(all, LONGEST_MS);
    state.value = { kind: 'ready', Component };
  }

  function prefetch(): Promise<void> {
    loading ??= fetchAll().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  /** @param again after a failure that a person has seen */
  async function show(again: boolean): Promise<void> {
    if (again) state.value = { kind: 'waiting' };
    try {
      await prefetch();
    } catch {
      const found = await leaveIfReplaced();
      if (found === 'replaced') return;
      // A browser may remember that a module failed, until the page is loaded again.
      if (again && found === 'same') loadAgain();
      else state.value = { kind: 'failed' };
    }
  }

  function Lazy(props: P) {
    const shown = state.value;
    const isReady = shown.kind === 'ready';
    const hasWaited = useRef(false);
    useLayoutEffect(() => {
      if (!isReady) {
        hasWaited.current = true;
        void show(false);
      } else if (hasWaited.current) onArrival?.();
    }, [isReady]);
    // Shown a second time after a failure, it is tried again without being asked.
    useEffect(
      () => () => {
        if (state.peek().kind === 'failed') state.value = { kind: 'waiting' };
      },
      [],
    );
    if (shown.kind === 'ready') return <shown.Component {...props} />;
    return shown.kind === 'failed' ? <Failed onRetry={() => void show(true)} /> : <Waiting />;
  }
  return Object.assign(Lazy, { prefetch });
}
