/** The actions of a rule. Empty fields follow the household's settings. */
import { namesOf } from '../../lib/wire/fields.ts';
import { RECORDING_OPTIONS, RULE_ACTIONS } from '../../lib/wire/rule-fields.ts';
import { household } from '../query/settings.ts';
import { Icon } from '../ui/icon.tsx';
import type { Draft } from './draft.ts';
import { inputOf, wordsOf } from './field-input.ts';
import {
  type ChoiceName,
  FieldGroup,
  Fold,
  InlineChoice,
  InlineInput,
  RuleTextField,
  SwitchLine,
} from './fields.tsx';
import { type FieldName, readForm } from './form.ts';
import { TEXTS } from './texts.ts';
import { readCount } from './time-text.ts';
import { actionsInWords } from './words.ts';

const { type: PRIORITY, fallback: USUAL_PRIORITY } = RULE_ACTIONS.priority;

function PriorityField({ draft }: { draft: Draft }) {
  const value = readCount(draft.form.priority) ?? USUAL_PRIORITY;
  const set = (next: number): void =>
    draft.change({ priority: String(Math.min(PRIORITY.maximum, Math.max(PRIORITY.minimum, next))) });
  return (
    <FieldGroup
      draft={draft}
      paths={['priority']}
      label={RULE_ACTIONS.priority.label}
      help={TEXTS.priorityHelp}
    >
      <div class="cluster gap-50">
        <button
          type="button"
          class="round bordered surface-high"
          aria-label={TEXTS.lower}
          onClick={() => set(value - 1)}
        >
          <Icon name="minus" />
        </button>
        <InlineInput draft={draft} path="priority" label={RULE_ACTIONS.priority.label} digits />
        <button
          type="button"
          class="round bordered surface-high"
          aria-label={TEXTS.raise}
          onClick={() => set(value + 1)}
        >
          <Icon name="plus" />
        </button>
      </div>
    </FieldGroup>
  );
}

function KeepFields({ draft }: { draft: Draft }) {
  return (
    <FieldGroup draft={draft} paths={['keepNewest', 'keepDays']} label={TEXTS.keep} help={TEXTS.keepHelp}>
      <div class="cluster gap-50">
        <span class="rule-line-name">{TEXTS.newest}</span>
        <InlineInput
          draft={draft}
          path="keepNewest"
          label={RULE_ACTIONS.keepNewest.label}
          placeholder={TEXTS.all}
          unit={TEXTS.pieces}
          digits
        />
      </div>
      <div class="cluster gap-50">
        <span class="rule-line-name">{TEXTS.sinceRecorded}</span>
        <InlineInput
          draft={draft}
          path="keepDays"
          label={RULE_ACTIONS.keepDays.label}
          placeholder={TEXTS.always}
          unit={TEXTS.days}
          digits
        />
      </div>
    </FieldGroup>
  );
}

/** Options with a value for "as in the settings". */
const CHOICES = namesOf(RECORDING_OPTIONS).filter(
  (name): name is ChoiceName => RECORDING_OPTIONS[name].type.of.kind !== 'integer',
);
const DETAIL_PATHS: readonly FieldName[] = [
  'priority',
  'keepNewest',
  'keepDays',
  ...namesOf(RECORDING_OPTIONS),
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
    <div class="cluster gap-50">
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

/** Names of the values of an option; for "as in the settings" with the current value of the setting. */
function wordsWithSetting(name: ChoiceName): Readonly<Record<string, string>> {
  const { type } = RECORDING_OPTIONS[name];
  const words = wordsOf(type);
  const setting = houseSettings()[name];
  if (setting === undefined) return words;
  return { ...words, setting: `${words.setting}（${words[String(inputOf(type, setting))]}）` };
}

function ConversionFields({ draft }: { draft: Draft }) {
  return (
    <FieldGroup draft={draft} paths={CHOICES} label={RULE_ACTIONS.encode.label} help={TEXTS.conversionHelp}>
      {CHOICES.map((name) => (
        <InlineChoice
          key={name}
          draft={draft}
          path={name}
          label={RECORDING_OPTIONS[name].short}
          words={wordsWithSetting(name)}
        />
      ))}
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
        <MarginLine
          draft={draft}
          path="marginBefore"
          side={RECORDING_OPTIONS.marginBefore.short}
          setting={marginBefore}
        />
        <MarginLine
          draft={draft}
          path="marginAfter"
          side={RECORDING_OPTIONS.marginAfter.short}
          setting={marginAfter}
        />
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
    <section class="block stack gap-100" aria-label={TEXTS.actions}>
      <header class="block-head">
        <h2>{TEXTS.actions}</h2>
      </header>
      <RuleTextField
        draft={draft}
        path="name"
        label={RULE_ACTIONS.name.label}
        placeholder={keyword === '' ? TEXTS.nameless : keyword}
        help={draft.form.name.trim() === '' ? TEXTS.nameHelp : undefined}
      />
      <SwitchLine draft={draft} path="dedupe" label={RULE_ACTIONS.dedupe.label} help={TEXTS.dedupeHelp} />
      <SwitchLine draft={draft} path="enabled" label={RULE_ACTIONS.enabled.label} help={TEXTS.useHelp} />
      <Fold draft={draft} title={TEXTS.details} paths={DETAIL_PATHS} summary={summary(draft)}>
        <DetailFields draft={draft} />
      </Fold>
    </section>
  );
}
