/** The recording whose sheet is open, kept in the address: Back closes the sheet, a link opens it. */
import { computed } from '@preact/signals';
import { type RecordingId, recordingId } from '../../wire/ids.ts';
import { goBack, query, setQuery } from '../navigation/router.ts';

export const shownRecording = computed<RecordingId | undefined>(() => {
  const text = query.value.get('recording') ?? '';
  return /^\d{1,15}$/u.test(text) ? recordingId(Number(text)) : undefined;
});

/** Whether the sheet was opened from this screen: then Back closes it. */
function isOpenedHere(): boolean {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'over' in state;
}

export function openRecording(id: RecordingId): void {
  setQuery({ recording: String(id) }, shownRecording.value !== undefined);
}

export function closeRecording(): void {
  if (shownRecording.value === undefined) return;
  if (isOpenedHere()) goBack();
  else setQuery({ recording: null }, true);
}

export function openSeries(key: string): void {
  setQuery({ series: key }, false);
}

export function closeSeries(): void {
  if (isOpenedHere()) goBack();
  else setQuery({ series: null }, true);
}
