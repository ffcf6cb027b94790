/** Settles tens of thousands of recordings (an import) page by page, so that other tasks run in between. */
import { sleepUnlessAborted } from '../../../lib/host/deadline.ts';
import { isLocked } from '../../store/transaction.ts';

const TURN_MS = 50;

/**
 * @param settle stores a page
 * @returns recordings that were settled, and whether all pages are: another connection may write
 */
export async function settlePages<Id>(
  pages: Iterable<readonly Id[]>,
  settle: (ids: readonly Id[]) => void,
  signal: AbortSignal,
): Promise<{ count: number; isWhole: boolean }> {
  let [count, isWhole] = [0, true];
  for (const ids of pages) {
    if (signal.aborted) return { count, isWhole: false };
    try {
      if (ids.length > 0) settle(ids);
      count += ids.length;
    } catch (error) {
      if (!isLocked(error)) throw error;
      isWhole = false;
    }
    await sleepUnlessAborted(TURN_MS, signal);
  }
  return { count, isWhole };
}
