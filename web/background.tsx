/** What the page does beside its screen: announcements, saved recordings, and texts for a lost connection. */
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { savedState } from './offline/saved-state.ts';
import { startOffline } from './offline/start.ts';
import { OfflineGlyphs } from './offline-glyphs.tsx';
import { FinishedNotices } from './recordings/finished-notices.tsx';
import { PairingNotices } from './settings/pairing-notices.tsx';
import { hasSaved } from './shell.tsx';

export function Background({ player }: { player: boolean }) {
  useEffect(startOffline, []);
  useEffect(
    () =>
      effect(() => {
        hasSaved.value = savedState.value?.videos.some(({ state }) => state === 'ready') === true;
      }),
    [],
  );
  return (
    <>
      <OfflineGlyphs />
      {player ? null : <FinishedNotices />}
      <PairingNotices />
    </>
  );
}
