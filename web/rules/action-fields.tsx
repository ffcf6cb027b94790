/** The actions of a rule. Empty fields follow the household's settings. */
import { household } from '../query/settings.ts';
import { Icon } from '../ui/icon.tsx';
import type { Draft } from './draft.ts';
import { FieldGroup, Fold, InlineChoice, InlineInput, SwitchLine, TextField } from './fields.tsx';
import { type FieldName, readForm } from './form.ts';
import { readCount } from './moments.ts';
import { actionsInWords, CONVERSION_WORDS } from './words.ts';

const MAX_PRIORITY = 100;
const PRIORITY = 1;

function PriorityField({ draft }: { draft: Draft }) {
  const value = readCount(draft.form.priority) ?? PRIORITY;
  const set = (next: number): void =>
    draft.change({ priority: String(Math.min(MAX_PRIORITY, Math.max(0, next))) });
  return (
    <FieldGroup
      draft={draft}
      paths={['priority']}
      label="優先度"
      help="チューナーが足りないときは、大きいほうを録画します。ふつうのルールは1、手動の予約は2です。"
    >
      <div class="rule-line">
        <button
          type="button"
          class="round stepper"
          aria-label="優先度を下げる"
          onClick={() => set(value - 1)}
        >
          <Icon name="minus" />
        </button>
        <InlineInput draft={draft} path="priority" label="優先度" digits />
        <button
          type="button"
          class="round stepper"
          aria-label="優先度を上げる"
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
    <FieldGroup
      draft={draft}
      paths={['keepNewest', 'keepDays']}
      label="残す録画"
      help="超えた分は、見たものから順にごみ箱に入れます。保護した録画は入れません。"
    >
      <div class="rule-line">
        <span class="rule-line-name">新しいほうから</span>
        <InlineInput draft={draft} path="keepNewest" label="残す件数" placeholder="すべて" unit="件" digits />
      </div>
      <div class="rule-line">
        <span class="rule-line-name">録画してから</span>
        <InlineInput draft={draft} path="keepDays" label="残す日数" placeholder="ずっと" unit="日" digits />
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
  return ms === undefined ? '設定どおり' : `${ms / 1000}（設定）`;
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
        label={`${side}のマージン`}
        placeholder={secondsOf(setting)}
        unit="秒"
        digits
      />
    </div>
  );
}

/** A word of a choice; that of the setting with what it is set to. */
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
      label="録画後の変換"
      help="このルールの録画だけ、共通の設定と違う扱いにできます。"
    >
      <InlineChoice
        draft={draft}
        path="encode"
        label="形式"
        words={withSetting(CONVERSION_WORDS.encode, encode)}
      />
      <InlineChoice
        draft={draft}
        path="keepTs"
        label="元の録画"
        words={withSetting(CONVERSION_WORDS.keepTs, keep)}
      />
      <InlineChoice
        draft={draft}
        path="commercials"
        label="CMの扱い"
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
        label="録画マージン"
        help="番組の前後に余分に録画する長さです。次の録画があるときは、そちらに譲ります。"
      >
        <MarginLine draft={draft} path="marginBefore" side="前" setting={marginBefore} />
        <MarginLine draft={draft} path="marginAfter" side="後" setting={marginAfter} />
      </FieldGroup>
      <ConversionFields draft={draft} />
    </>
  );
}

function summary(draft: Draft): string {
  const { body } = readForm(draft.form);
  const words = actionsInWords({ ...body, dedupe: true });
  return [`優先度 ${body.priority}`, ...words].join('、');
}

export function ActionFields({ draft }: { draft: Draft }) {
  const keyword = draft.form.keyword.trim();
  return (
    <section class="block rule-block" aria-label="録画のしかた">
      <header class="block-head">
        <h2>録画のしかた</h2>
      </header>
      <TextField
        draft={draft}
        path="name"
        label="ルールの名前"
        placeholder={keyword === '' ? '名前のないルール' : keyword}
        help={draft.form.name.trim() === '' ? '空欄の場合はキーワードがルール名になります。' : undefined}
      />
      <SwitchLine
        draft={draft}
        path="dedupe"
        label="同じ回は1度だけ録画する"
        help="再放送やほかの局での放送があっても、はじめの1回だけを録画します。"
      />
      <SwitchLine
        draft={draft}
        path="enabled"
        label="このルールを使う"
        help="切ると、条件は残したまま予約を止めます。"
      />
      <Fold draft={draft} title="詳しい設定" paths={DETAIL_PATHS} summary={summary(draft)}>
        <DetailFields draft={draft} />
      </Fold>
    </section>
  );
}
