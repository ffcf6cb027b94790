/** All rules: looked through, put in order, switched, copied, deleted. */
import { useSignal } from '@preact/signals';
import type { RuleItem } from '../../wire/api.ts';
import { ruleOrder } from '../device/preferences.ts';
import { RULES } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { BookingTabs } from '../reservations/tabs.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Choices, Sheet } from '../ui/sheet.tsx';
import { FailurePanel } from '../words/failure-panel.tsx';
import { cardWords, RuleCard } from './card.tsx';
import { DeleteSheet } from './delete-sheet.tsx';
import { ordered, RULE_ORDERS, searched } from './order.ts';

/** Fewer are seen at a glance. */
const SEARCHED_FROM = 5;

function OrderButton() {
  const open = useSignal(false);
  const label = RULE_ORDERS.find(({ value }) => value === ruleOrder.value)?.label ?? '';
  return (
    <>
      <button
        type="button"
        class="button rule-order"
        aria-label={`並び順：${label}`}
        onClick={() => (open.value = true)}
      >
        <Icon name="list" />
        <span class="rule-order-words">{label}</span>
      </button>
      {open.value ? (
        <Sheet title="並び順" onClose={() => (open.value = false)}>
          <Choices
            label="並び順"
            choices={RULE_ORDERS}
            chosen={ruleOrder.value}
            onChoose={(order) => {
              ruleOrder.value = order;
              open.value = false;
            }}
          />
        </Sheet>
      ) : null}
    </>
  );
}

function NewButton() {
  return (
    <a class="button button-main rule-new" href="rules?new" data-nav-initial="">
      <Icon name="plus" />
      新しいルール
    </a>
  );
}

function NoRules() {
  return (
    <Panel
      icon="filter"
      title="録画ルールはまだありません"
      actions={
        <>
          <a class="button button-main" href="rules?new" data-nav-initial="">
            <Icon name="plus" />
            ルールを作る
          </a>
          <a class="button" href="guide">
            番組表から選ぶ
          </a>
        </>
      }
    >
      <p>
        ルールを作ると、番組名やジャンル、時間帯などの条件に合う番組を見つけて、毎週でも自動で予約します。
        同じ回が何度か放送されるときは、はじめの1回だけを録画します。
      </p>
    </Panel>
  );
}

function RuleSearch({ value, onInput }: { value: string; onInput: (text: string) => void }) {
  return (
    <SearchField
      label="ルールを探す"
      kind="rule-search"
      value={value}
      onInput={onInput}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || value === '') return;
        event.preventDefault();
        onInput('');
      }}
    />
  );
}

export function RuleList() {
  const { value: rules, failure, renew } = useQuery(RULES);
  const search = useSignal('');
  const deleting = useSignal<{ rule: RuleItem; byKeys: boolean } | undefined>(undefined);
  const shown = ordered(searched(rules ?? [], search.value, cardWords), ruleOrder.value);
  const many = (rules?.length ?? 0) >= SEARCHED_FROM;
  return (
    <>
      <header class="screen-head">
        <h1 class="screen-title">録画ルール</h1>
        <BookingTabs shown="rules" />
      </header>
      {rules === undefined ? (
        failure === undefined ? (
          <span class="skeleton block-skeleton" role="status" aria-label="読み込んでいます" />
        ) : (
          <FailurePanel failure={failure} onRetry={renew} />
        )
      ) : rules.length === 0 ? (
        <NoRules />
      ) : (
        <>
          <div class="rule-tools">
            <NewButton />
            {rules.length > 1 ? <OrderButton /> : null}
            {many ? (
              <RuleSearch
                value={search.value}
                onInput={(text) => {
                  search.value = text;
                }}
              />
            ) : null}
          </div>
          <ul class="rule-list" data-nav-group="rules">
            {shown.map((rule) => (
              <RuleCard
                key={rule.id}
                rule={rule}
                renew={renew}
                onDelete={(chosen, byKeys) => {
                  deleting.value = { rule: chosen, byKeys };
                }}
              />
            ))}
          </ul>
          {shown.length === 0 ? (
            <Panel icon="search" title={`「${search.value.trim()}」に合うルールはありません`}>
              <p>名前と条件の言葉から探します。言葉を短くしてみてください。</p>
            </Panel>
          ) : null}
        </>
      )}
      {deleting.value === undefined ? null : (
        <DeleteSheet
          {...deleting.value}
          renew={renew}
          onClose={() => {
            deleting.value = undefined;
          }}
          onDeleted={() => {
            deleting.value = undefined;
          }}
        />
      )}
    </>
  );
}
