/** What the page does beside its screen: announcements, saved recordings, and texts for a lost connection. */
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { savedState } from './offline/saved-state.ts';
import { startOffline } from './offline/start.ts';
import { TEXTS as PLAYER } from './player/texts.ts';
import { ApiFailure, type FailureCode } from './query/api.ts';
import { FinishedNotices } from './recordings/finished-notices.tsx';
import { PairingNotices } from './settings/pairing-notices.tsx';
import { hasSaved } from './shell.tsx';
import { TEXTS } from './texts.ts';
import { adviceFor } from './words/advice.ts';

/*
 * Devices without a Japanese font fetch the built-in one in parts, each when a text needs it. The texts about a lost
 * connection come when nothing can be fetched: their characters are laid out before, out of sight.
 */
const CODES: readonly FailureCode[] = ['network', 'timeout'];
const NEEDED = CODES.map((code) => adviceFor(new ApiFailure(code, ''))).flatMap(({ title, next }) => [
  title,
  next,
]);

/** Each character once: no text that a reader or a search of the page would find. */
const CHARACTERS = [...new Set([...NEEDED, TEXTS.lost, PLAYER.connecting, PLAYER.retryIn(0)].join(''))]
  .sort()
  .join('');

function OfflineGlyphs() {
  return (
    <span class="hidden-text" aria-hidden="true">
      {CHARACTERS}
    </span>
  );
}

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
