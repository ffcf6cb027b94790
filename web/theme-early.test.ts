import { afterEach, expect, test } from 'bun:test';
import { shownTheme } from './device/theme-choice.ts';

const STUBBED = ['localStorage', 'matchMedia', 'document'] as const;
const before = STUBBED.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));

afterEach(() => {
  STUBBED.forEach((name, index) => {
    const descriptor = before[index];
    if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
    else Object.defineProperty(globalThis, name, descriptor);
  });
});

test('the viewer’s choice wins over the system’s', () => {
  expect(shownTheme('light', true)).toBe('light');
  expect(shownTheme('dark', false)).toBe('dark');
  expect(shownTheme('auto', true)).toBe('dark');
  expect(shownTheme({ nonsense: 1 }, false)).toBe('light');
});

test('the early script puts the stored choice on the root', async () => {
  const attributes = new Map<string, string>();
  const stubs = {
    localStorage: { getItem: (key: string) => (key === 'svc.theme' ? '"dark"' : null) },
    matchMedia: () => ({ matches: false }),
    document: {
      documentElement: { setAttribute: (name: string, value: string) => attributes.set(name, value) },
    },
  };
  for (const name of STUBBED) {
    Object.defineProperty(globalThis, name, { value: stubs[name], configurable: true, writable: true });
  }
  await import('./theme-early.ts');
  expect(attributes.get('data-theme')).toBe('dark');
});
