/** A verdict: what the household must know in one line, the next airing, a bar that shows the gaps, and the details folded. */
import type { Recording, RecordingDetail } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { useBookings } from '../query/reservations.ts';
import { book, isBusy } from '../reservations/actions.ts';
import { Icon } from '../ui/icon.tsx';
import { airingText } from '../words/reservation.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { airClockText } from '../words/time.ts';
import { verdictLine, verdictMark, verdictWords } from '../words/verdict.ts';
import { TEXTS } from './texts.ts';

const percent = (part: number): string => `${(part * 100).toFixed(2)}%`;

type Damage = RecordingDetail['damage'];

function VerdictLine({ recording, damage }: { recording: Recording; damage: Damage }) {
  const line = verdictLine(recording, damage);
  if (line === undefined) return null;
  return (
    <div>
      <div class="verdict-track relative clip" role="img" aria-label={TEXTS.verdictLine}>
        <span
          class="verdict-whole absolute"
          style={{ left: percent(line.start), width: percent(line.end - line.start) }}
        />
        {line.pieces.map((piece, index) => (
          <span
            key={index}
            class={`verdict-piece absolute at-top at-bottom verdict-piece-${piece.kind}`}
            title={piece.label}
            style={{ left: percent(piece.from), width: percent(piece.to - piece.from) }}
          />
        ))}
      </div>
      <p class="numbers flex justify-between text-xs semibold muted" aria-hidden="true">
        <span>{airClockText(recording.startAt)}</span>
        <span>{airClockText(recording.endAt)}</span>
      </p>
    </div>
  );
}

/** The next airing of a recording that lacks something: whether it is booked, or a button that books it. */
function NextAiring({ recording }: { recording: Recording }) {
  const { items } = useBookings();
  const { id, title } = recording;
  const booked = items
    ?.filter(({ state, startAt }) => (state === 'scheduled' || state === 'recording') && startAt > now.value)
    .filter((item) => item.title === title)
    .sort((a, b) => a.startAt - b.startAt)[0];
  const offer = items?.find(({ recordingId }) => recordingId === id)?.offers?.[0];
  const next = booked ?? offer;
  if (next === undefined) return null;
  return (
    <p class="verdict-next cluster text-s semibold gap-50">
      <Icon name="reserve" />
      <span class="numbers grow">{TEXTS.nextAiring(airingText(next))}</span>
      {booked !== undefined ? (
        <StateBadge item={booked} />
      ) : offer === undefined ? null : (
        <button
          type="button"
          class="button button-small"
          aria-disabled={isBusy(offer.programId)}
          onClick={() => void book({ id: offer.programId, title: offer.title })}
        >
          {TEXTS.bookNext}
        </button>
      )}
    </p>
  );
}

export function VerdictBox({ recording, damage = [] }: { recording: Recording; damage?: Damage }) {
  const words = verdictWords(recording);
  if (words === undefined) return null;
  const { first, sentences, remedies } = words;
  const { label, tone } = verdictMark(recording);
  return (
    <section
      class="verdict-box above-100 stack gap-75 round-m bordered surface-high pad-3"
      data-tone={tone}
      aria-label={TEXTS.verdict(label)}
    >
      <h4 class="flex align-start no-margin gap-50">
        <Icon name={tone === 'good' ? 'check' : tone === 'quiet' ? 'clock' : 'alert'} />
        {first}
      </h4>
      {tone === 'good' || recording.binnedAt !== null ? null : <NextAiring recording={recording} />}
      <VerdictLine recording={recording} damage={damage} />
      {sentences.length === 0 ? null : (
        <details>
          <summary class="press text-s semibold muted">{TEXTS.verdictDetails}</summary>
          <ul class="stack text-s gap-40">
            {sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          {remedies.length === 0 ? null : (
            <p class="note">
              <b>{TEXTS.remedies}</b>
              {remedies.join('')}
            </p>
          )}
        </details>
      )}
    </section>
  );
}
