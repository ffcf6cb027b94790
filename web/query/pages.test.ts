import { describe, expect, test } from 'bun:test';
import { type AskPage, PAGE_ROWS, Pages } from './pages.ts';

interface Row {
  readonly id: number;
  readonly runs: boolean;
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition() && tries < 400; tries += 1) await Bun.sleep(5);
  expect(condition()).toBe(true);
}

/** A list whose rows begin with a number that can be changed, and what was asked of it. */
function served(total: number) {
  const state = {
    total,
    first: 0,
    running: 0,
    broken: false,
    asked: [] as number[],
    cursors: [] as string[],
  };
  const ask: AskPage<Row> = async (offset, limit, signal, cursor) => {
    state.asked.push(offset);
    if (cursor !== undefined) state.cursors.push(cursor);
    await Bun.sleep(1);
    if (signal.aborted) throw new Error('aborted');
    if (state.broken) throw new Error('broken');
    const rows = Array.from({ length: Math.max(0, Math.min(limit, state.total - offset)) }, (_, index) => ({
      id: state.first + offset + index,
      runs: offset + index < state.running,
    }));
    return { rows, total: state.total, next: `behind ${state.first + offset + limit - 1}` };
  };
  return { state, pages: new Pages<Row>(ask, ({ runs }) => runs) };
}

describe('pages', () => {
  test('are requested where needed, each once', async () => {
    const { state, pages } = served(40_000);
    pages.want(0, 20);
    await until(() => pages.at(0) !== undefined);
    expect(pages.count).toBe(40_000);
    pages.want(20_040, 20_120);
    await until(() => pages.at(20_119) !== undefined);
    pages.want(20_040, 20_120);
    expect(pages.at(20_040)?.id).toBe(20_040);
    expect(state.asked).toEqual([0, 20_000, 20_100]);
    expect(pages.at(5_000)).toBeUndefined();
  });

  test('are requested by the cursor of the page before, unless that is outdated', async () => {
    const { state, pages } = served(40_000);
    pages.want(0, 20);
    await until(() => pages.at(0) !== undefined);
    pages.want(100, 120);
    await until(() => pages.at(100) !== undefined);
    expect(state.cursors).toEqual(['behind 99']);
    state.first = 1;
    pages.renew();
    pages.want(200, 220);
    await until(() => pages.at(200) !== undefined && pages.at(0)?.id === 1);
    expect(state.cursors).not.toContain('behind 200');
    pages.want(300, 320);
    await until(() => pages.at(300)?.id === 301);
    expect(state.cursors.at(-1)).toBe('behind 300');
  });

  test('far from the view are evicted', async () => {
    const { pages } = served(40_000);
    for (let index = 0; index < 3_000; index += PAGE_ROWS) {
      pages.want(index, index + 1);
      await until(() => pages.at(index) !== undefined);
    }
    expect(pages.known().length).toBeLessThan(10 * PAGE_ROWS);
    expect(pages.at(0)).toBeDefined();
  });

  test('keep their content while they are read again', async () => {
    const { state, pages } = served(300);
    pages.want(150, 160);
    await until(() => pages.at(150) !== undefined);
    state.first = 1;
    state.total = 299;
    pages.renew();
    pages.renew();
    expect(pages.at(150)?.id).toBe(150);
    await until(() => pages.at(150)?.id === 151);
    expect(pages.count).toBe(299);
    expect(state.asked.filter((offset) => offset === 100)).toHaveLength(2);
  });

  test('omit from the first page what is shown separately', async () => {
    const { state, pages } = served(250);
    state.running = 3;
    pages.want(0, 250);
    await until(() => pages.at(246) !== undefined);
    expect(pages.count).toBe(247);
    expect([0, 96, 97, 246].map((index) => pages.at(index)?.id)).toEqual([3, 99, 100, 249]);
    expect(pages.offsetOf(0)).toBe(3);
  });

  test('that fail give the reason, keep the old data, and can be retried', async () => {
    const { state, pages } = served(50);
    state.broken = true;
    pages.want(0, 10);
    await until(() => pages.state.value.failure !== undefined);
    expect(pages.state.value.total).toBeUndefined();
    state.broken = false;
    pages.renew();
    await until(() => pages.at(0) !== undefined);
    expect(pages.state.value.failure).toBeUndefined();
    state.broken = true;
    pages.renew();
    await until(() => pages.state.value.failure !== undefined);
    expect(pages.at(49)?.id).toBe(49);
  });

  test('without a change request nothing', async () => {
    const { state, pages } = served(50);
    pages.want(0, 10);
    pages.rest();
    expect(pages.state.value.reading).toBe(false);
    pages.want(0, 10);
    await until(() => pages.at(0) !== undefined);
    expect(state.asked).toEqual([0, 0]);
  });
});
