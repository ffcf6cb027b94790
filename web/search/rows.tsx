/** The rows of a search's result, a kind of row for each of its four sections. */
import type { FoundProgram, FoundRecording, FoundReservation, FoundRule } from '../../wire/api.ts';
import { now } from '../clock.ts';
import { openProgram } from '../navigation/router.ts';
import { rulePage } from '../rules/address.ts';
import { narrow } from '../text/channel.ts';
import { highlight } from '../text/highlight.ts';
import { lengthText, remainingText, shortText } from '../text/time.ts';
import { splitTitle } from '../text/title.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Marks } from '../ui/marks.tsx';

export function Highlighted({ text, words }: { text: string; words: string }) {
  return (
    <>
      {highlight(text, words).map((piece, index) =>
        piece.hit ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>,
      )}
    </>
  );
}

interface RowProps {
  readonly icon: IconName;
  readonly name: string;
  readonly words: string;
  readonly when: string;
  readonly station: string;
  readonly badge?: readonly [text: string, tone: string] | undefined;
}

function RowContent({ icon, name, words, when, station, badge }: RowProps) {
  const { title, marks } = splitTitle(name);
  return (
    <>
      <Icon name={icon} class="found-sign" />
      <span class="row-text">
        <span class="found-title">
          <span>
            <Highlighted text={title} words={words} />
          </span>
          <Marks marks={marks} />
        </span>
        <span class="found-when">
          <span class="numbers">{when}</span>
          {station === '' ? null : (
            <span>
              <Highlighted text={narrow(station)} words={words} />
            </span>
          )}
        </span>
      </span>
      {badge === undefined ? null : <span class={`found-badge found-badge-${badge[1]}`}>{badge[0]}</span>}
    </>
  );
}

const STATES: Readonly<Record<string, readonly [string, string]>> = {
  scheduled: ['予約', 'kept'],
  recording: ['録画中', 'recording'],
  conflict: ['重複', 'warn'],
  skipped: ['録画しない', 'quiet'],
  missed: ['失敗', 'warn'],
  failed: ['失敗', 'warn'],
};

export function ProgramRow({ row, words }: { row: FoundProgram; words: string }) {
  const live = row.start_at <= now.value && row.end_at > now.value;
  const state = STATES[row.reservation_state ?? ''];
  return (
    <button type="button" class="row row-button found" onClick={() => openProgram(row.id)}>
      <RowContent
        icon={live ? 'play' : 'guide'}
        name={row.name}
        words={words}
        when={`${shortText(row.start_at)}・${live ? remainingText(row.end_at, now.value) : lengthText(row.end_at - row.start_at)}`}
        station={row.service_name}
        badge={state ?? (live ? ['放送中', 'live'] : undefined)}
      />
    </button>
  );
}

export function ReservationRow({ row, words }: { row: FoundReservation; words: string }) {
  return (
    <button type="button" class="row row-button found" onClick={() => openProgram(row.program_id)}>
      <RowContent
        icon="record"
        name={row.name}
        words={words}
        when={shortText(row.start_at)}
        station={row.service_name}
        badge={STATES[row.state]}
      />
    </button>
  );
}

/** A recording that can be watched leads there; another is only told. */
export function RecordingRow({ row, words }: { row: FoundRecording; words: string }) {
  const content = (
    <RowContent
      icon="recordings"
      name={row.name}
      words={words}
      when={shortText(row.start_at)}
      station={row.service_name}
      badge={STATES[row.state]}
    />
  );
  if (row.watch === null) return <div class="row found found-still">{content}</div>;
  return (
    <a class="row found" href={row.watch}>
      {content}
    </a>
  );
}

export function RuleRow({ row, words }: { row: FoundRule; words: string }) {
  return (
    <a class="row found" href={rulePage(row.id)}>
      <Icon name="filter" class="found-sign" />
      <span class="row-text">
        <span class="found-title">
          <Highlighted text={row.name} words={words} />
        </span>
      </span>
      <span class="found-badge found-badge-quiet">{row.enabled ? '有効' : '停止中'}</span>
    </a>
  );
}
