import { expect, jest, test } from 'bun:test';
import { monotonicMs } from '../../lib/wire/times.ts';
import { Gestures, type Touch } from './gestures.ts';

function recorded(): { gestures: Gestures; seen: string[] } {
  const seen: string[] = [];
  const gestures = new Gestures({
    onTap: () => seen.push('tap'),
    onSkip: (by, count) => seen.push(`skip ${by} ${count}`),
    onStroke: (part) => seen.push(`stroke ${part.toFixed(2)}`),
    onStrokeEnd: (part) => seen.push(`end ${part.toFixed(2)}`),
    onStrokeCancel: () => seen.push('cancel'),
  });
  return { gestures, seen };
}

const touch = (x: number, at: number, y = 100): Touch => ({ x, y, width: 400, at: monotonicMs(at) });

function tap(gestures: Gestures, x: number, at: number): void {
  gestures.down(touch(x, at));
  gestures.up(touch(x + 2, at));
}

test('a tap in the middle shows the controls at once, one at a side when no second follows', () => {
  jest.useFakeTimers();
  try {
    const { gestures, seen } = recorded();
    tap(gestures, 200, 0);
    expect(seen).toEqual(['tap']);
    tap(gestures, 380, 1_000);
    expect(seen).toEqual(['tap']);
    jest.advanceTimersByTime(400);
    expect(seen).toEqual(['tap', 'tap']);
  } finally {
    jest.useRealTimers();
  }
});

test('taps in succession at a side skip each time', () => {
  jest.useFakeTimers();
  try {
    const { gestures, seen } = recorded();
    for (const at of [0, 200, 400]) tap(gestures, 380, at);
    tap(gestures, 20, 600);
    tap(gestures, 20, 750);
    jest.advanceTimersByTime(1_000);
    expect(seen).toEqual(['skip 1 1', 'skip 1 2', 'skip -1 1']);
  } finally {
    jest.useRealTimers();
  }
});

test('a horizontal swipe seeks, a vertical one scrolls the page', () => {
  const { gestures, seen } = recorded();
  gestures.down(touch(100, 0));
  expect(gestures.move(touch(104, 10))).toBe(false);
  expect(gestures.move(touch(200, 20))).toBe(true);
  gestures.up(touch(300, 30));
  gestures.down(touch(100, 40));
  expect(gestures.move(touch(110, 50, 180))).toBe(false);
  gestures.cancel();
  expect(seen).toEqual(['stroke 0.25', 'end 0.50']);
});
