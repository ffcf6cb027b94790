/** Preview beside the form: the programmes that the rule would match now, each with its resulting state. */
import type { RulePreview } from '../../lib/wire/api.ts';
import { openProgram } from '../navigation/router.ts';
import { stationById } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { adviceFor } from '../words/advice.ts';
import { bytesText } from '../words/bytes.ts';
import { narrow } from '../words/channel.ts';
import { highlightWords } from '../words/highlight.ts';
import { Highlighted } from '../words/highlighted.tsx';
import { type StateTone, stateWords } from '../words/reservation.ts';
import { lengthText, shortText } from '../words/time.ts';
import { splitTitle, tidyTitle } from '../words/title.ts';
import { type PreviewState, previewOf } from './preview-run.ts';
import { TEXTS } from './texts.ts';

type PreviewProgram = RulePreview['programs'][number];

interface Fate {
  readonly face: string;
  /** Of the badge: its `data-tone`. */
  readonly tone: StateTone;
}

function fateOf({ state, reservationId }: PreviewProgram): Fate {
  if (state === null) return { face: TEXTS.faceLeftOut, tone: 'quiet' };
  if (state === 'scheduled' && reservationId === null) return { face: TEXTS.facePlanned, tone: 'kept' };
  return stateWords(state);
}

/** Counts by state, in the order of first occurrence. */
function countFates(programs: readonly PreviewProgram[]): (Fate & { count: number })[] {
  const counts = new Map<string, Fate & { count: number }>();
  for (const program of programs) {
    const { face, tone } = fateOf(program);
    const before = counts.get(face);
    if (before === undefined) counts.set(face, { face, tone, count: 1 });
    else before.count += 1;
  }
  return [...counts.values()];
}

function PreviewRow({ program, words }: { program: PreviewProgram; words: readonly string[] }) {
  const { title, marks } = splitTitle(program.name);
  const { face, tone } = fateOf(program);
  const name = narrow(program.serviceName);
  const logo = stationById(program.stationId)?.logo ?? null;
  return (
    <button
      type="button"
      class="row preview-row full-width text-left"
      onClick={() => openProgram(program.id)}
    >
      <Logo station={{ id: program.stationId, name, logo }} />
      <span class="row-text">
        <span class="found-when wrap align-center flex note gap-text">
          <b class="numbers">{shortText(program.startAt)}</b>
          <span>{name}</span>
          <span class="numbers wide-only">{lengthText(program.endAt - program.startAt)}</span>
          <span class="badge" data-tone={tone}>
            {face}
          </span>
        </span>
        <span class="found-title cluster gap-text bold">
          <Highlighted pieces={highlightWords(title, words)} />
          <Marks marks={marks} />
        </span>
        {program.reason === null ? null : <span class="note">{program.reason}</span>}
      </span>
    </button>
  );
}

/** Number of examples shown. */
const MOST_RETIRING = 8;

/** Recordings that would move to the bin as soon as the rule is saved. */
function Retiring({ retiring }: { retiring: NonNullable<RulePreview['retiring']> }) {
  if (retiring.length === 0) return null;
  const bytes = retiring.reduce((sum, one) => sum + one.bytes, 0);
  return (
    <section class="preview-retiring stack gap-50 round-m fill-warn pad-3" aria-label={TEXTS.retiring}>
      <h3 class="hstack">
        <Icon name="trash" />
        {TEXTS.retires(retiring.length)}
      </h3>
      <p class="text-s">{TEXTS.retiresNote(bytesText(bytes))}</p>
      <ul>
        {retiring.slice(0, MOST_RETIRING).map((one) => (
          <li class="stack text-s ink gap-75" key={one.id}>
            <span class="numbers">{shortText(one.startAt)}</span>
            <span>{tidyTitle(one.title)}</span>
            <small>{one.watched ? TEXTS.watched : TEXTS.unwatched}</small>
          </li>
        ))}
      </ul>
      {retiring.length > MOST_RETIRING ? (
        <p class="text-s">{TEXTS.moreRetiring(retiring.length - MOST_RETIRING)}</p>
      ) : null}
    </section>
  );
}

function Found({ preview, words }: { preview: RulePreview; words: readonly string[] }) {
  const { programs, total, fault } = preview;
  if (fault != null) {
    return (
      <p class="alert" role="alert">
        {fault}
      </p>
    );
  }
  const fates = countFates(programs);
  return (
    <>
      {/* First: a list of hundreds would hide it. */}
      <Retiring retiring={preview.retiring ?? []} />
      {programs.length === 0 ? (
        <div class="muted">
          <p>
            <b class="ink">{TEXTS.noMatches}</b>
          </p>
          <p>{TEXTS.noMatchesNote}</p>
        </div>
      ) : (
        <>
          {/* All of one state: the heading counts them. */}
          {fates.length === 1 && total === programs.length ? null : (
            <p class="preview-states flex wrap gap-40">
              {total > programs.length ? <span>{TEXTS.ofShown(programs.length)}</span> : null}
              {fates.map(({ face, tone, count }) => (
                <span key={face} class="badge" data-tone={tone}>
                  {face} <span class="numbers">{count}</span>
                </span>
              ))}
            </p>
          )}
          <div class="rows" data-nav-group="preview">
            {programs.map((program) => (
              <PreviewRow key={program.id} program={program} words={words} />
            ))}
          </div>
          {total > programs.length ? (
            <p class="note">
              {TEXTS.moreMatches((total - programs.length).toLocaleString('ja'), programs.length)}
            </p>
          ) : null}
        </>
      )}
    </>
  );
}

interface PreviewProps {
  readonly state: PreviewState;
  /** Some fields are invalid: the preview is older than the form. */
  readonly stale: boolean;
  readonly words: readonly string[];
  readonly onRetry: () => void;
}

export function Preview({ state, stale, words, onRetry }: PreviewProps) {
  const preview = previewOf(state);
  const waiting = state.kind === 'waiting';
  return (
    <section
      class="block preview sticky scroll-y"
      aria-label={TEXTS.matches}
      aria-busy={waiting}
      id="rule-preview"
    >
      <header class="block-head">
        <h2>{TEXTS.matches}</h2>
        <span class="semibold note numbers align-center inline-row gap-50" role="status">
          <span class="search-wait circle rigid" data-shown={waiting ? '' : undefined} />
          {preview === undefined || preview.fault != null
            ? ''
            : TEXTS.matching(preview.total.toLocaleString('ja'))}
        </span>
      </header>
      {state.kind === 'empty' ? <p class="muted">{TEXTS.noConditions}</p> : null}
      {stale || (state.kind === 'failed' && state.failure.path !== undefined) ? (
        <p class="alert" data-tone="warn">
          <Icon name="alert" />
          {TEXTS.stale}
        </p>
      ) : null}
      {state.kind === 'failed' && state.failure.path === undefined ? (
        <div class="alert" role="alert">
          <Icon name="unlink" />
          <p>
            <b class="block-level">{state.failure.message}</b>
            {adviceFor(state.failure).next}
          </p>
          <button type="button" class="button button-small rigid nowrap" onClick={onRetry}>
            {TEXTS.retry}
          </button>
        </div>
      ) : null}
      {preview === undefined && waiting ? <span class="skeleton block-skeleton" /> : null}
      {preview === undefined ? null : (
        <div class="preview-found stack gap-75" data-old={stale || state.kind === 'failed' ? '' : undefined}>
          <Found preview={preview} words={words} />
        </div>
      )}
    </section>
  );
}
