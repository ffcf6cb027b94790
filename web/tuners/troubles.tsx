/** Channels whose guide could not be read: cause, since when, and the next step. */
import type { Channel } from '../../lib/wire/agent.ts';
import type { GuideStatus } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { Icon } from '../ui/icon.tsx';
import { agoText } from '../words/time.ts';
import { TEXTS } from './texts.ts';
import { type TroubleWords, troubleWords } from './trouble-words.ts';

/** More would push the guide's own list out of sight. */
const PLACES_SHOWN = 6;

function placesText(places: TroubleWords['places']): string {
  const more = places.length - PLACES_SHOWN;
  return `${places.slice(0, PLACES_SHOWN).join('、')}${more > 0 ? TEXTS.morePlaces(more) : ''}`;
}

function triesText({ failures, at, tone }: TroubleWords): string | undefined {
  if (at === undefined) return undefined;
  const often = failures > 1 && tone === 'bad' ? TEXTS.inARow(failures) : '';
  return TEXTS.lastTry(often, agoText(at, now.value));
}

export function Troubles({ status, channels }: { status: GuideStatus; channels: readonly Channel[] }) {
  const groups = troubleWords(status.troubles, channels);
  if (groups.length === 0) return null;
  return (
    <ul class="troubles stack gap-60" aria-label={TEXTS.troubles}>
      {groups.map((words) => {
        const tries = triesText(words);
        return (
          <li key={words.key} class="trouble flex gap-70 text-s round-m" data-tone={words.tone}>
            <Icon name={words.tone === 'bad' ? 'alert' : 'clock'} />
            <div>
              <b>{words.title}</b>
              <p class="numbers semibold" title={words.places.join('、')}>
                {placesText(words.places)}
              </p>
              {words.reason === undefined && tries === undefined ? null : (
                <p>
                  {words.reason}
                  {tries === undefined ? null : <span class="numbers muted">{TEXTS.tries(tries)}</span>}
                </p>
              )}
              <p>{words.next}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
