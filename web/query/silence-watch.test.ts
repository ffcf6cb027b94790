import { afterEach, expect, test } from 'bun:test';
import { until } from '../../test/until.ts';
import { SilenceWatch } from './silence-watch.ts';

let watch: SilenceWatch;
afterEach(() => watch.stop());

interface Scene {
  /** Of the service to each request, the last one for ever. */
  readonly answers: readonly (boolean | Promise<boolean>)[];
  readonly silenceMs?: number;
  readonly isHidden?: boolean;
}

function watched({ answers, silenceMs = 60_000, isHidden = false }: Scene) {
  const seen = { asked: 0, lost: 0, isHidden };
  watch = new SilenceWatch({
    quietMs: 2,
    silenceMs,
    isWatched: () => !seen.isHidden,
    ask: async () => {
      seen.asked += 1;
      return (await answers[Math.min(seen.asked, answers.length) - 1]) ?? false;
    },
    onLost: () => {
      seen.lost += 1;
    },
  });
  watch.heard();
  return seen;
}

const soon = (what: string, condition: () => boolean): Promise<boolean> => until(what, condition);

test('a silent stream is kept while the service answers, and lost when it does not', async () => {
  const seen = watched({ answers: [true, true, false] });
  await soon('lost', () => seen.lost === 1);
  expect(seen.asked).toBe(3);
});

test('an event during a request outweighs its answer', async () => {
  const late = Promise.withResolvers<boolean>();
  const seen = watched({ answers: [late.promise, true] });
  await soon('asked', () => seen.asked === 1);
  watch.heard();
  late.resolve(false);
  await soon('asked again', () => seen.asked > 2);
  expect(seen.lost).toBe(0);
});

test('a stream that is silent for its own limit is lost although the service answers', async () => {
  const seen = watched({ answers: [true], silenceMs: 20 });
  await soon('lost', () => seen.lost === 1);
});

test('a hidden page asks nothing until it is shown', async () => {
  const seen = watched({ answers: [false], silenceMs: 20, isHidden: true });
  await soon('lost', () => seen.lost === 1);
  watch.check();
  expect(seen.asked).toBe(0);
  watch.heard();
  seen.isHidden = false;
  watch.check();
  await soon('lost by a request', () => seen.lost === 2);
  expect(seen.asked).toBe(1);
});
