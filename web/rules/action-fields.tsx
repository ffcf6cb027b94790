/** The actions of a rule. Empty fields follow the household's settings. */
import { household } from '../query/settings.ts';
import { Icon } from '../ui/icon.tsx';
import type { Draft } from './draft.ts';
import { FieldGroup, Fold, InlineChoice, InlineInput, SwitchLine, TextField } from './fields.tsx';
import { type FieldName, readForm } from './form.ts';
import { readCount } from './moments.ts';
import { TEXTS } from './texts.ts';
import { actionsInWords, CONVERSION_WORDS } from './words.ts';

const MAX_PRIORITY = 100;
const PRIORITY = 1;

function PriorityField({ draft }: { draft: Draft }) {
  const value = readCount(draft.form.priority) ?? PRIORITY;
  const set = (next: number): void =>
    draft.change({ priority: String(Math.min(MAX_PRIORITY, Math.max(0, next))) });
  return (
    <FieldGroup draft={draft} paths={['priority']} label={TEXTS.priority} help={TEXTS.priorityHelp}>
      <div class="rule-line">
        <button type="button" class="round stepper" aria-label={TEXTS.lower} onClick={() => set(value - 1)}>
          <Icon name="minus" />
        </button>
        <InlineInput draft={draft} path="priority" label={TEXTS.priority} digits />
        <button type="button" class="round stepper" aria-label={TEXTS.raise} onClick={() => set(value + 1)}>
          <Icon name="plus" />
        </button>
      </div>
    </FieldGroup>
  );
}

function KeepFields({ draft }: { draft: Draft }) {
  return (
    <FieldGroup draft={draft} paths={['keepNewest', 'keepDays']} label={TEXTS.keep} help={TEXTS.keepHelp}>
      <div class="rule-line">
        <span class="rule-line-name">{TEXTS.newest}</span>
        <InlineInput
          draft={draft}
          path="keepNewest"
          label={TEXTS.keepNewest}
          placeholder={TEXTS.all}
          unit={TEXTS.pieces}
          digits
        />
      </div>
      <div class="rule-line">
        <span class="rule-line-name">{TEXTS.sinceRecorded}</span>
        <InlineInput
          draft={draft}
          path="keepDays"
          label={TEXTS.keepDays}
          placeholder={TEXTS.always}
          unit={TEXTS.days}
          digits
        />
      </div>
    </FieldGroup>
  );
}

const DETAIL_PATHS: readonly FieldName[] = [
  'priority',
  'keepNewest',
  'keepDays',
  'marginBefore',
  'marginAfter',
  'encode',
  'keepTs',
  'commercials',
];

function houseSettings() {
  return household.value.kind === 'ready' ? household.value.settings : {};
}

function secondsOf(ms: number | undefined): string {
  return ms === undefined ? TEXTS.asSet : TEXTS.secondsSet(ms / 1000);
}

interface MarginProps {
  readonly draft: Draft;
  readonly path: 'marginBefore' | 'marginAfter';
  readonly side: string;
  /** The household's, in milliseconds. */
  readonly setting: number | undefined;
}

function MarginLine({ draft, path, side, setting }: MarginProps) {
  return (
    <div class="rule-line">
      <span class="rule-line-name">{side}</span>
      <InlineInput
        draft={draft}
        path={path}
        label={TEXTS.marginOf(side)}
        placeholder={secondsOf(setting)}
        unit={TEXTS.seconds}
        digits
      />
    </div>
  );
}

/** Label of a choice; for "as in the settings" with the current value of the setting. */
function withSetting<T extends string>(
  words: Readonly<Record<T | 'setting', string>>,
  setting: T | undefined,
): Readonly<Record<T | 'setting', string>> {
  return setting === undefined ? words : { ...words, setting: `${words.setting}（${words[setting]}）` };
}

function ConversionFields({ draft }: { draft: Draft }) {
  const { encode, keepTs, commercials } = houseSettings();
  const keep = keepTs === undefined ? undefined : keepTs ? 'yes' : 'no';
  return (
    <FieldGroup
      draft={draft}
      paths={['encode', 'keepTs', 'commercials']}
      label={TEXTS.conversion}
      help={TEXTS.conversionHelp}
    >
      <InlineChoice
        draft={draft}
        path="encode"
        label={TEXTS.format}
        words={withSetting(CONVERSION_WORDS.encode, encode)}
      />
      <InlineChoice
        draft={draft}
        path="keepTs"
        label={TEXTS.original}
        words={withSetting(CONVERSION_WORDS.keepTs, keep)}
      />
      <InlineChoice
        draft={draft}
        path="commercials"
        label={TEXTS.commercials}
        words={withSetting(CONVERSION_WORDS.commercials, commercials)}
      />
    </FieldGroup>
  );
}

function DetailFields({ draft }: { draft: Draft }) {
  const { marginBefore, marginAfter } = houseSettings();
  return (
    <>
      <PriorityField draft={draft} />
      <KeepFields draft={draft} />
      <FieldGroup
        draft={draft}
        paths={['marginBefore', 'marginAfter']}
        label={TEXTS.margins}
        help={TEXTS.marginsHelp}
      >
        <MarginLine draft={draft} path="marginBefore" side={TEXTS.before} setting={marginBefore} />
        <MarginLine draft={draft} path="marginAfter" side={TEXTS.after} setting={marginAfter} />
      </FieldGroup>
      <ConversionFields draft={draft} />
    </>
  );
}

function summary(draft: Draft): string {
  const { body } = readForm(draft.form);
  const words = actionsInWords({ ...body, dedupe: true });
  return [TEXTS.priorityOf(body.priority), ...words].join('、');
}

export function ActionFields({ draft }: { draft: Draft }) {
  const keyword = draft.form.keyword.trim();
  return (
    <section class="block rule-block" aria-label={TEXTS.actions}>
      <header class="block-head">
        <h2>{TEXTS.actions}</h2>
      </header>
      <TextField
        draft={draft}
        path="name"
        label={TEXTS.name}
        placeholder={keyword === '' ? TEXTS.nameless : keyword}
        help={draft.form.name.trim() === '' ? TEXTS.nameHelp : undefined}
      />
      <SwitchLine draft={draft} path="dedupe" label={TEXTS.dedupe} help={TEXTS.dedupeHelp} />
      <SwitchLine draft={draft} path="enabled" label={TEXTS.use} help={TEXTS.useHelp} />
      <Fold draft={draft} title={TEXTS.details} paths={DETAIL_PATHS} summary={summary(draft)}>
        <DetailFields draft={draft} />
      </Fold>
    </section>
  );
}
