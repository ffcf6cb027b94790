/**
 * Devices without a Japanese font fetch the built-in one in parts, each when a text needs it. The texts about a lost
 * connection come when nothing can be fetched: their characters are laid out before, out of sight.
 */
import { TEXTS as PLAYER } from './player/texts.ts';
import { ApiFailure, type FailureCode } from './query/api.ts';
import { TEXTS } from './texts.ts';
import { adviceFor } from './words/advice.ts';

const CODES: readonly FailureCode[] = ['network', 'timeout'];
const NEEDED = CODES.map((code) => adviceFor(new ApiFailure(code, ''))).flatMap(({ title, next }) => [
  title,
  next,
]);

/** Each character once: no text that a reader or a search of the page would find. */
const CHARACTERS = [...new Set([...NEEDED, TEXTS.lost, PLAYER.connecting, PLAYER.retryIn(0)].join(''))]
  .sort()
  .join('');

export function OfflineGlyphs() {
  return (
    <span class="hidden-text" aria-hidden="true">
      {CHARACTERS}
    </span>
  );
}
