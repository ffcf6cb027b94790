/** Page of a rule: conditions, reservations and recordings. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { RuleId } from '../../lib/wire/ids.ts';
import { goBackOr } from '../navigation/router.ts';
import { ruleQuery } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { FailurePanel } from '../words/failure-panel.tsx';
import { Airings } from './airings.tsx';
import { CrowdedNote, DisabledNote, RuleFoot, RuleSwitch, stationName } from './card.tsx';
import { DeleteSheet } from './delete-sheet.tsx';
import { RuleGone } from './editor.tsx';
import { TEXTS } from './texts.ts';
import { actionsInWords, conditionsInWords } from './words.ts';

export function RulePage({ id }: { id: RuleId }) {
  const { value: rule, failure, renew } = useQuery(ruleQuery(id));
  const deleting = useSignal<{ byKeys: boolean } | undefined>(undefined);
  const gone = useRef(false);
  // The rule may be missing already while it is being deleted here.
  if (failure?.code === 'not_found' && deleting.value === undefined && !gone.current) return <RuleGone />;
  if (rule === undefined) {
    return failure === undefined ? (
      <span class="skeleton block-skeleton" role="status" aria-label={TEXTS.loading} />
    ) : (
      <FailurePanel failure={failure} onRetry={() => void renew()} />
    );
  }
  const extras = actionsInWords(rule);
  return (
    <div class="rule-page">
      <header class="screen-head">
        <button type="button" class="round" aria-label={TEXTS.back} onClick={() => goBackOr('rules')}>
          <Icon name="back" />
        </button>
        <h1 class="screen-title">{rule.name}</h1>
      </header>
      <section
        class="block rule-about stack gap-75 below-100"
        aria-label={TEXTS.rule}
        data-off={rule.enabled ? undefined : ''}
      >
        <div class="rule-head flex align-start justify-between gap-100">
          <ul class="rule-conditions flex wrap grow gap-40">
            {conditionsInWords(rule, stationName).map((words) => (
              <li class="bold ground-deep" key={words}>
                {words}
              </li>
            ))}
          </ul>
          <RuleSwitch rule={rule} renew={renew} />
        </div>
        {extras.length === 0 ? null : <p class="rule-extras note">{extras.join('、')}</p>}
        <DisabledNote rule={rule} />
        <CrowdedNote rule={rule} />
        <RuleFoot
          rule={rule}
          onDelete={(byKeys) => {
            deleting.value = { byKeys };
          }}
        />
      </section>
      <Airings rule={rule} />
      {deleting.value === undefined ? null : (
        <DeleteSheet
          {...deleting.value}
          rule={rule}
          renew={() => undefined}
          onClose={() => {
            deleting.value = undefined;
          }}
          onDeleted={() => {
            gone.current = true;
            deleting.value = undefined;
            goBackOr('rules');
          }}
        />
      )}
    </div>
  );
}
