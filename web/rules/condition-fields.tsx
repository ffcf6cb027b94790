/** Conditions of a rule: the most used first, the rest collapsed. */
import { useSignal } from '@preact/signals';
import { RULE_CONDITIONS } from '../../lib/wire/rule-fields.ts';
import { Icon } from '../ui/icon.tsx';
import { Toggle, toggled } from '../ui/toggle.tsx';
import { MAJOR_GENRES, majorGenreName, middleGenres } from '../words/genre.ts';
import type { Draft } from './draft.ts';
import { FieldGroup, Fold, InlineInput, RuleTextField, SwitchLine } from './fields.tsx';
import { type FieldName, readForm } from './form.ts';
import { withMajor, withMiddle } from './genres.ts';
import { StationField } from './station-field.tsx';
import { TEXTS } from './texts.ts';
import { readMinute } from './time-text.ts';
import { conditionsInWords, genreName, KEYWORD_FIELD_WORDS, WEEKDAY_CHOICES } from './words.ts';

function KeywordHelp({ regex }: { regex: boolean }) {
  const open = useSignal(false);
  if (regex) return <p>{TEXTS.regexHelp}</p>;
  return (
    <>
      <p>
        {TEXTS.keywordHelp}
        <button
          type="button"
          class="link-button bold text-accent"
          aria-expanded={open.value}
          onClick={() => {
            open.value = !open.value;
          }}
        >
          {open.value ? TEXTS.closeWriting : TEXTS.writing}
        </button>
      </p>
      {open.value ? (
        <dl class="stack round-m ground pad-3 gap-40">
          {TEXTS.examples.map(([example, meaning]) => (
            <div class="cluster" key={example}>
              <dt>
                <code>{example}</code>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
          <p>{TEXTS.keywordNote}</p>
        </dl>
      ) : null}
    </>
  );
}

const HOUR = 60;
const TIMES = [
  { label: TEXTS.morning, from: 5 * HOUR, to: 11 * HOUR },
  { label: TEXTS.daytime, from: 11 * HOUR, to: 17 * HOUR },
  { label: TEXTS.earlyEvening, from: 17 * HOUR, to: 19 * HOUR },
  { label: TEXTS.night, from: 19 * HOUR, to: 23 * HOUR },
  { label: TEXTS.lateNight, from: 23 * HOUR, to: 5 * HOUR },
] as const;

const clock = (minute: number): string => `${minute / HOUR}:00`;

function WhenFields({ draft }: { draft: Draft }) {
  const { timeFrom, timeTo, weekdays } = draft.form;
  const from = readMinute(timeFrom, false);
  const to = readMinute(timeTo, true);
  return (
    <>
      <FieldGroup
        draft={draft}
        paths={['weekdays']}
        label={RULE_CONDITIONS.weekdays.label}
        help={TEXTS.weekdaysHelp}
      >
        <div class="chips-days flex wrap gap-50">
          {WEEKDAY_CHOICES.map(({ day, name }) => (
            <Toggle
              key={day}
              on={weekdays.includes(day)}
              label={TEXTS.weekday(name)}
              onPress={() => draft.change({ weekdays: toggled(weekdays, day).sort((a, b) => a - b) })}
            >
              {name}
            </Toggle>
          ))}
        </div>
      </FieldGroup>
      <FieldGroup draft={draft} paths={['timeFrom', 'timeTo']} label={TEXTS.begins}>
        <div class="cluster gap-50">
          <InlineInput draft={draft} path="timeFrom" label={TEXTS.beginsFrom} placeholder="19:00" digits />
          <span>〜</span>
          <InlineInput draft={draft} path="timeTo" label={TEXTS.beginsTo} placeholder="22:00" digits />
          {from !== undefined && to !== undefined && from > to ? (
            <span class="note">{TEXTS.overMidnight}</span>
          ) : null}
        </div>
        <div class="flex wrap gap-50">
          {TIMES.map((time) => {
            const on = from === time.from && to === time.to;
            return (
              <Toggle
                key={time.label}
                on={on}
                onPress={() =>
                  draft.change(
                    on
                      ? { timeFrom: '', timeTo: '' }
                      : { timeFrom: clock(time.from), timeTo: clock(time.to) },
                  )
                }
              >
                {time.label}
              </Toggle>
            );
          })}
        </div>
      </FieldGroup>
    </>
  );
}

const WORD_PATHS: readonly FieldName[] = ['keywordIn', 'excludeKeyword', 'regex'];
const OTHER_PATHS: readonly FieldName[] = [
  'durationMin',
  'durationMax',
  'freeOnly',
  'periodFrom',
  'periodTo',
];

function DateTimeInput({
  draft,
  path,
  label,
}: {
  draft: Draft;
  path: 'periodFrom' | 'periodTo';
  label: string;
}) {
  const input = draft.form[path];
  return (
    <div class="cluster gap-50">
      <span class="rule-line-name">{label}</span>
      <input
        class="rule-input rule-input-date"
        type="date"
        name={path}
        aria-label={TEXTS.dayOf(label)}
        aria-invalid={draft.faultOf(path) !== undefined}
        value={input.date}
        onInput={(event) => draft.change({ [path]: { ...input, date: event.currentTarget.value } })}
        onBlur={() => draft.leave(path)}
      />
      <input
        class="rule-input"
        type="text"
        autocomplete="off"
        placeholder={TEXTS.time}
        aria-label={TEXTS.timeOf(label)}
        value={input.time}
        onInput={(event) => draft.change({ [path]: { ...input, time: event.currentTarget.value } })}
        onBlur={() => draft.leave(path)}
      />
    </div>
  );
}

/** Summary of the conditions set in a collapsed part. */
function folded(draft: Draft, paths: readonly FieldName[]): string {
  const { body } = readForm(draft.form);
  const blank = { ...body, keyword: '', excludeKeyword: '', stationIds: [], types: [], genres: [] };
  const rest = { weekdays: [], timeFrom: null, timeTo: null };
  const nothing = { durationMin: null, durationMax: null, freeOnly: true, periodFrom: null, periodTo: null };
  const words = conditionsInWords(
    paths === OTHER_PATHS
      ? { ...blank, ...rest }
      : { ...blank, ...rest, ...nothing, excludeKeyword: body.excludeKeyword },
    () => undefined,
  );
  if (paths === WORD_PATHS) {
    const places = KEYWORD_FIELD_WORDS.filter(({ value }) => body.keywordIn.includes(value));
    words.unshift(TEXTS.findIn(places.map(({ label }) => label).join('・')));
    if (body.regex) words.push(TEXTS.regex);
  }
  return words.length === 0 ? TEXTS.notSet : words.join('、');
}

function WordFold({ draft }: { draft: Draft }) {
  const { form, change } = draft;
  return (
    <Fold draft={draft} title={TEXTS.method} paths={WORD_PATHS} summary={folded(draft, WORD_PATHS)}>
      <FieldGroup draft={draft} paths={['keywordIn']} label={RULE_CONDITIONS.keywordIn.label}>
        <div class="flex wrap gap-50">
          {KEYWORD_FIELD_WORDS.map(({ value, label }) => (
            <Toggle
              key={value}
              on={form.keywordIn.includes(value)}
              onPress={() => {
                const next = toggled(form.keywordIn, value);
                // At least one field must be searched.
                if (next.length > 0) {
                  change({
                    keywordIn: KEYWORD_FIELD_WORDS.map((field) => field.value).filter((one) =>
                      next.includes(one),
                    ),
                  });
                }
              }}
            >
              {label}
            </Toggle>
          ))}
        </div>
      </FieldGroup>
      <RuleTextField
        draft={draft}
        path="excludeKeyword"
        label={RULE_CONDITIONS.excludeKeyword.label}
        placeholder={TEXTS.excludeExample}
        help={TEXTS.excludeHelp}
      />
      <SwitchLine draft={draft} path="regex" label={RULE_CONDITIONS.regex.label} help={TEXTS.useRegexHelp} />
    </Fold>
  );
}

function OtherFold({ draft }: { draft: Draft }) {
  const { form, change } = draft;
  return (
    <Fold
      draft={draft}
      title={TEXTS.otherConditions}
      paths={OTHER_PATHS}
      summary={folded(draft, OTHER_PATHS)}
    >
      <FieldGroup draft={draft} paths={['durationMin', 'durationMax']} label={TEXTS.length}>
        <div class="cluster gap-50">
          <InlineInput
            draft={draft}
            path="durationMin"
            label={RULE_CONDITIONS.durationMin.short}
            unit={TEXTS.minutesAtLeast}
            digits
          />
          <InlineInput
            draft={draft}
            path="durationMax"
            label={RULE_CONDITIONS.durationMax.short}
            unit={TEXTS.minutesAtMost}
            digits
          />
        </div>
      </FieldGroup>
      <FieldGroup
        draft={draft}
        paths={['periodFrom', 'periodTo']}
        label={TEXTS.period}
        help={TEXTS.periodHelp}
      >
        <DateTimeInput draft={draft} path="periodFrom" label={RULE_CONDITIONS.periodFrom.short} />
        <DateTimeInput draft={draft} path="periodTo" label={RULE_CONDITIONS.periodTo.short} />
        {form.periodFrom.date + form.periodTo.date === '' ? null : (
          <button
            type="button"
            class="button button-small"
            onClick={() => change({ periodFrom: { date: '', time: '' }, periodTo: { date: '', time: '' } })}
          >
            <Icon name="close" />
            {TEXTS.clearPeriod}
          </button>
        )}
      </FieldGroup>
      <SwitchLine draft={draft} path="freeOnly" inverted label={TEXTS.paidToo} help={TEXTS.paidTooHelp} />
    </Fold>
  );
}

function Parts({ draft, lv1 }: { draft: Draft; lv1: number }) {
  const { genres } = draft.form;
  const open = useSignal(genres.some((genre) => genre.lv1 === lv1 && genre.lv2 !== null));
  const listed = middleGenres(lv1);
  const known = new Set(listed.map(({ lv2 }) => lv2));
  const strange = genres.filter((genre) => genre.lv1 === lv1 && genre.lv2 !== null && !known.has(genre.lv2));
  const all = [...listed, ...strange.map(({ lv2 }) => ({ lv2: lv2 ?? 0, name: genreName({ lv1, lv2 }) }))];
  if (all.length === 0) return null;
  if (!open.value) {
    return (
      <button
        type="button"
        class="genre-parts cluster justify-between full-width text-left ground hover-deep pad-2 gap-40"
        data-genre={lv1}
        onClick={() => (open.value = true)}
      >
        <span>
          {majorGenreName(lv1)}：<b>{TEXTS.all}</b>
        </span>
        <span class="text-s bold text-accent">{TEXTS.choosePart}</span>
      </button>
    );
  }
  return (
    <div class="genre-parts cluster ground pad-2 gap-40" data-genre={lv1}>
      <span class="note whole-line">{TEXTS.partsOf(majorGenreName(lv1))}</span>
      {all.map(({ lv2, name }) => (
        <Toggle
          key={lv2}
          on={genres.some((genre) => genre.lv1 === lv1 && genre.lv2 === lv2)}
          onPress={() => draft.change({ genres: withMiddle(genres, lv1, lv2) })}
        >
          {name}
        </Toggle>
      ))}
    </div>
  );
}

/** Major genres, or subgenres of the selected ones. */
function GenreField({ draft }: { draft: Draft }) {
  const { genres } = draft.form;
  const chosen = [...new Set(genres.map(({ lv1 }) => lv1))];
  const usual = MAJOR_GENRES.map(({ lv1 }) => lv1);
  const strange = chosen.filter((lv1) => !usual.includes(lv1));
  return (
    <FieldGroup draft={draft} paths={['genres']} label={RULE_CONDITIONS.genres.label}>
      <div class="flex wrap gap-50">
        {[...usual, ...strange].map((lv1) => (
          <Toggle
            key={lv1}
            on={chosen.includes(lv1)}
            onPress={() => draft.change({ genres: withMajor(genres, lv1) })}
          >
            <span class="swatch" data-genre={lv1} />
            {majorGenreName(lv1)}
            {usual.includes(lv1) ? '' : `（${lv1}）`}
          </Toggle>
        ))}
      </div>
      {chosen.map((lv1) => (
        <Parts key={lv1} draft={draft} lv1={lv1} />
      ))}
    </FieldGroup>
  );
}

export function ConditionFields({ draft }: { draft: Draft }) {
  const { form } = draft;
  return (
    <section class="block stack gap-100" aria-label={TEXTS.conditions}>
      <header class="block-head">
        <h2>{TEXTS.conditions}</h2>
      </header>
      <RuleTextField
        draft={draft}
        path="keyword"
        label={form.regex ? TEXTS.keywordRegex : RULE_CONDITIONS.keyword.label}
        placeholder={form.regex ? TEXTS.regexExample : TEXTS.keywordExample}
        help={<KeywordHelp regex={form.regex} />}
        initial
      />
      <WordFold draft={draft} />
      <StationField draft={draft} />
      <GenreField draft={draft} />
      <WhenFields draft={draft} />
      <OtherFold draft={draft} />
    </section>
  );
}
