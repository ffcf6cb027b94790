/** What a rule looks for: what is used most first, the rest folded. */
import { useSignal } from '@preact/signals';
import { Icon } from '../ui/icon.tsx';
import { Toggle, toggled } from '../ui/toggle.tsx';
import type { Draft } from './draft.ts';
import { FieldGroup, Fold, InlineInput, SwitchLine, TextField } from './fields.tsx';
import { type FieldName, readForm } from './form.ts';
import { GenreField } from './genre-field.tsx';
import { readMinute } from './moments.ts';
import { StationField } from './station-field.tsx';
import { conditionsInWords, KEYWORD_FIELDS, WEEKDAY_CHOICES } from './words.ts';

/** How keywords are written, by example. */
const EXAMPLES = [
  ['灯台 守', '「灯台」と「守」の両方を含む'],
  ['"灯台 守"', '空白も含めて、この並びのまま含む'],
  ['灯台|岬', '「灯台」か「岬」のどちらかを含む'],
  ['灯台 -再放送', '「灯台」を含み、「再放送」を含まない'],
] as const;

function KeywordHelp({ regex }: { regex: boolean }) {
  const open = useSignal(false);
  if (regex) return <p>正規表現として読みます。全角・半角、大文字・小文字は区別しません。</p>;
  return (
    <>
      <p>
        空白で区切ると、すべてを含む番組を探します。
        <button
          type="button"
          class="link-button"
          aria-expanded={open.value}
          onClick={() => {
            open.value = !open.value;
          }}
        >
          書き方{open.value ? 'を閉じる' : ''}
        </button>
      </p>
      {open.value ? (
        <dl class="keyword-examples">
          {EXAMPLES.map(([example, meaning]) => (
            <div key={example}>
              <dt>
                <code>{example}</code>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
          <p>全角・半角、大文字・小文字、カナの幅は区別しません。</p>
        </dl>
      ) : null}
    </>
  );
}

const HOUR = 60;
const TIMES = [
  { label: '朝', from: 5 * HOUR, to: 11 * HOUR },
  { label: '昼', from: 11 * HOUR, to: 17 * HOUR },
  { label: '夕方', from: 17 * HOUR, to: 19 * HOUR },
  { label: '夜', from: 19 * HOUR, to: 23 * HOUR },
  { label: '深夜', from: 23 * HOUR, to: 5 * HOUR },
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
        label="曜日"
        help="午前5時までは前日の深夜として扱います。"
      >
        <div class="chips chips-days">
          {WEEKDAY_CHOICES.map(({ day, name }) => (
            <Toggle
              key={day}
              on={weekdays.includes(day)}
              label={`${name}曜日`}
              onPress={() => draft.change({ weekdays: toggled(weekdays, day).sort((a, b) => a - b) })}
            >
              {name}
            </Toggle>
          ))}
        </div>
      </FieldGroup>
      <FieldGroup draft={draft} paths={['timeFrom', 'timeTo']} label="始まる時刻">
        <div class="rule-line">
          <InlineInput draft={draft} path="timeFrom" label="この時刻から" placeholder="19:00" digits />
          <span>〜</span>
          <InlineInput draft={draft} path="timeTo" label="この時刻まで" placeholder="22:00" digits />
          {from !== undefined && to !== undefined && from > to ? (
            <span class="rule-help">翌日まで</span>
          ) : null}
        </div>
        <div class="chips">
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

function MomentInput({
  draft,
  path,
  label,
}: {
  draft: Draft;
  path: 'periodFrom' | 'periodTo';
  label: string;
}) {
  const moment = draft.form[path];
  return (
    <div class="rule-line">
      <span class="rule-line-name">{label}</span>
      <input
        class="rule-input rule-input-date"
        type="date"
        name={path}
        aria-label={`${label}の日`}
        aria-invalid={draft.faultOf(path) !== undefined}
        value={moment.date}
        onInput={(event) => draft.change({ [path]: { ...moment, date: event.currentTarget.value } })}
        onBlur={() => draft.leave(path)}
      />
      <input
        class="rule-input"
        type="text"
        autocomplete="off"
        placeholder="時刻"
        aria-label={`${label}の時刻（省略できます）`}
        value={moment.time}
        onInput={(event) => draft.change({ [path]: { ...moment, time: event.currentTarget.value } })}
        onBlur={() => draft.leave(path)}
      />
    </div>
  );
}

/** What of the conditions is set in a fold, as a summary of it. */
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
    const places = KEYWORD_FIELDS.filter(({ value }) => body.keywordIn.includes(value));
    words.unshift(`${places.map(({ label }) => label).join('・')}から探す`);
    if (body.regex) words.push('正規表現');
  }
  return words.length === 0 ? '指定なし' : words.join('、');
}

function WordFold({ draft }: { draft: Draft }) {
  const { form, change } = draft;
  return (
    <Fold draft={draft} title="検索方法" paths={WORD_PATHS} summary={folded(draft, WORD_PATHS)}>
      <FieldGroup draft={draft} paths={['keywordIn']} label="検索対象">
        <div class="chips">
          {KEYWORD_FIELDS.map(({ value, label }) => (
            <Toggle
              key={value}
              on={form.keywordIn.includes(value)}
              onPress={() => {
                const next = toggled(form.keywordIn, value);
                // Somewhere the words must be looked for.
                if (next.length > 0) {
                  change({
                    keywordIn: KEYWORD_FIELDS.map((field) => field.value).filter((one) => next.includes(one)),
                  });
                }
              }}
            >
              {label}
            </Toggle>
          ))}
        </div>
      </FieldGroup>
      <TextField
        draft={draft}
        path="excludeKeyword"
        label="除外キーワード"
        placeholder="再放送 総集編"
        help="どれかひとつでも含む番組は除きます。"
      />
      <SwitchLine
        draft={draft}
        path="regex"
        label="正規表現を使う"
        help="キーワードを1つの正規表現として読みます。"
      />
    </Fold>
  );
}

function OtherFold({ draft }: { draft: Draft }) {
  const { form, change } = draft;
  return (
    <Fold draft={draft} title="そのほかの条件" paths={OTHER_PATHS} summary={folded(draft, OTHER_PATHS)}>
      <FieldGroup draft={draft} paths={['durationMin', 'durationMax']} label="番組の長さ">
        <div class="rule-line">
          <InlineInput draft={draft} path="durationMin" label="最短" unit="分以上" digits />
          <InlineInput draft={draft} path="durationMax" label="最長" unit="分以下" digits />
        </div>
      </FieldGroup>
      <FieldGroup
        draft={draft}
        paths={['periodFrom', 'periodTo']}
        label="期間"
        help="時刻が空欄の場合は、午前5時からの1日として扱います。"
      >
        <MomentInput draft={draft} path="periodFrom" label="はじめ" />
        <MomentInput draft={draft} path="periodTo" label="おわり" />
        {form.periodFrom.date + form.periodTo.date === '' ? null : (
          <button
            type="button"
            class="button button-small"
            onClick={() => change({ periodFrom: { date: '', time: '' }, periodTo: { date: '', time: '' } })}
          >
            <Icon name="close" />
            期間を消す
          </button>
        )}
      </FieldGroup>
      <SwitchLine
        draft={draft}
        path="freeOnly"
        inverted
        label="有料番組も含める"
        help="契約していないチャンネルの番組は、録画しても映りません。"
      />
    </Fold>
  );
}

export function ConditionFields({ draft }: { draft: Draft }) {
  const { form } = draft;
  return (
    <section class="block rule-block" aria-label="探す条件">
      <header class="block-head">
        <h2>探す条件</h2>
      </header>
      <TextField
        draft={draft}
        path="keyword"
        label={form.regex ? 'キーワード（正規表現）' : 'キーワード'}
        placeholder={form.regex ? '第[0-9]+話' : '番組名や出演者など'}
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
