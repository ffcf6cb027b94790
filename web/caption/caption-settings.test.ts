import { expect, test } from 'bun:test';
import { DEFAULT_CAPTION_SETTINGS, readCaptionSettings } from './caption-settings.ts';

test('stored settings are read back', () => {
  const chosen = {
    ...{ visible: false, size: 1.5, background: 0.5, opacity: 0.8, ruby: false, font: 'system' as const },
    position: 'top' as const,
  };
  expect(readCaptionSettings(JSON.parse(JSON.stringify(chosen)))).toEqual(chosen);
});

test('missing or invalid fields are taken from the household', () => {
  const household = { ...DEFAULT_CAPTION_SETTINGS, size: 1.25, ruby: false, font: 'system' as const };
  expect(readCaptionSettings(undefined, household)).toEqual(household);
  expect(readCaptionSettings('large', household)).toEqual(household);
  expect(readCaptionSettings({ size: 'x', ruby: 1, font: 'serif', position: 'left' }, household)).toEqual(
    household,
  );
  expect(readCaptionSettings({ size: 99, opacity: -1, background: null }, household)).toEqual({
    ...household,
    ...{ size: 2, opacity: 0.2, background: null },
  });
});
