/** The licences of everything that the programs contain: one entry for each package, its text shown on request. */
import { useSignal } from '@preact/signals';
import { getLicenses } from '../query/api.ts';
import { callQuery, useQuery } from '../query/use-query.ts';
import { FieldFailure } from '../words/field-failure.tsx';
import { TEXTS } from './texts.ts';

interface Notice {
  readonly name: string;
  /** Such as `License: MIT`; empty where its text says it. */
  readonly terms: string;
  readonly text: string;
}

/** A shorter line ends where its author ended it, not at the width of the file. */
const SHORT_LINE = 50;
/** An item of a list or a notice begins a line of its own. */
const BEGINS_LINE = /^([-*\u2022(]|\w{1,3}[.)] |Copyright|https?:)/i;

/** Lines that were broken at the width of a text file become paragraphs, which fit every screen. */
function reflowed(text: string): string {
  let result = '';
  let last = '';
  for (const line of text.split('\n').map((one) => one.trim())) {
    const isOwn = line === '' || last.length < SHORT_LINE || BEGINS_LINE.test(line);
    result += (isOwn ? '\n' : ' ') + line;
    last = line;
  }
  return result.trim();
}

/** Separator of two notices (`tools/licenses.ts`). */
const RULE = /^={20,}$/m;

function splitNotices(text: string): Notice[] {
  return text.split(RULE).flatMap((part) => {
    const [name = '', ...lines] = part.trim().split('\n');
    if (name === '') return [];
    const [first = ''] = lines;
    const terms = /^License: (.+)$/.exec(first)?.[1];
    const body = reflowed((terms === undefined ? lines : lines.slice(1)).join('\n'));
    return [{ name, terms: terms ?? '', text: body }];
  });
}

const LICENSES = callQuery('licenses', [], async (signal) => splitNotices(await getLicenses(signal)));

/** Arrow keys read on inside a text; at its ends they move the focus as everywhere. */
function onTextKey(event: KeyboardEvent): void {
  const text = event.currentTarget;
  if (!(text instanceof HTMLElement) || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
  const rest =
    event.key === 'ArrowUp' ? text.scrollTop : text.scrollHeight - text.clientHeight - text.scrollTop;
  if (rest < 1) return;
  event.preventDefault();
  const step = Math.min(rest, text.clientHeight * 0.6);
  text.scrollBy({ top: event.key === 'ArrowUp' ? -step : step });
}

function LicenseEntry({ notice }: { notice: Notice }) {
  const open = useSignal(false);
  const { name, terms, text } = notice;
  return (
    <details
      class="license line-above"
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary class="cluster press-height press semibold">
        <span class="min-0">{name}</span>
        {terms === '' ? null : <small class="muted">{terms}</small>}
      </summary>
      {open.value ? (
        <section
          class="license-text below-75 text-s round-m ground-deep pad-3"
          lang="en"
          aria-label={name}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
          tabIndex={0}
          onKeyDown={onTextKey}
        >
          {text}
        </section>
      ) : null}
    </details>
  );
}

export function LicensesBlock() {
  const open = useSignal(false);
  const { value, failure } = useQuery(open.value ? LICENSES : undefined);
  return (
    <details
      class="licenses"
      onToggle={(event) => {
        open.value = event.currentTarget.open;
      }}
    >
      <summary class="cluster press-height press semibold">{TEXTS.showLicenses}</summary>
      {value !== undefined ? (
        value.map((notice) => <LicenseEntry key={notice.name} notice={notice} />)
      ) : failure !== undefined ? (
        <FieldFailure failure={failure} />
      ) : (
        <span class="skeleton block-skeleton" />
      )}
    </details>
  );
}
