/** All rules: search, order, switch, copy, delete. */
import { useSignal } from '@preact/signals';
import type { RuleItem } from '../../lib/wire/api.ts';
import { ruleOrder } from '../device/preferences.ts';
import { RULES } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { BookingTabs } from '../reservations/tabs.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Choices, Sheet } from '../ui/sheet.tsx';
import { FailurePanel } from '../words/failure-panel.tsx';
import { RuleCard, ruleCardWords } from './card.tsx';
import { DeleteSheet } from './delete-sheet.tsx';
import { ordered, RULE_ORDERS, searched } from './order.ts';
import { TEXTS } from './texts.ts';

/** Search and order are shown from this many rules on. */
const SEARCHED_FROM = 5;

function OrderButton() {
  const open = useSignal(false);
  const label = RULE_ORDERS.find(({ value }) => value === ruleOrder.value)?.label ?? '';
  return (
    <>
      <button
        type="button"
        class="button rule-order"
        aria-label={TEXTS.orderOf(label)}
        onClick={() => (open.value = true)}
      >
        <Icon name="list" />
        <span class="wide-only">{label}</span>
      </button>
      {open.value ? (
        <Sheet title={TEXTS.order} onClose={() => (open.value = false)}>
          <Choices
            label={TEXTS.order}
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
      {TEXTS.newRule}
    </a>
  );
}

function NoRules() {
  return (
    <Panel
      icon="filter"
      title={TEXTS.none}
      actions={
        <>
          <a class="button button-main" href="rules?new" data-nav-initial="">
            <Icon name="plus" />
            {TEXTS.make}
          </a>
          <a class="button" href="guide">
            {TEXTS.fromGuide}
          </a>
        </>
      }
    >
      <p>{TEXTS.noneNote}</p>
    </Panel>
  );
}

function RuleSearch({ value, onInput }: { value: string; onInput: (text: string) => void }) {
  return (
    <SearchField
      label={TEXTS.find}
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
  const shown = ordered(searched(rules ?? [], search.value, ruleCardWords), ruleOrder.value);
  const many = (rules?.length ?? 0) >= SEARCHED_FROM;
  return (
    <>
      <header class="screen-head">
        <h1 class="screen-title">{TEXTS.rules}</h1>
        <BookingTabs shown="rules" />
      </header>
      {rules === undefined ? (
        failure === undefined ? (
          <span class="skeleton block-skeleton" role="status" aria-label={TEXTS.loading} />
        ) : (
          <FailurePanel failure={failure} onRetry={renew} />
        )
      ) : rules.length === 0 ? (
        <NoRules />
      ) : (
        <>
          <div class="cluster gap-75 below-100">
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
          <ul class="tiles gap-blocks" style="--tile:30rem" data-nav-group="rules">
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
            <Panel icon="search" title={TEXTS.noneFound(search.value.trim())}>
              <p>{TEXTS.noneFoundNote}</p>
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
