/** A rule in the list: what it looks for, what comes next, and what can be done with it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import type { RuleItem } from '../../lib/wire/api.ts';
import { focusOn } from '../navigation/focus.ts';
import { ruleCopy, ruleEditor, rulePage } from '../navigation/rule-address.ts';
import { stationById } from '../query/stations.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { narrow } from '../words/channel.ts';
import { StateBadge } from '../words/state-badge.tsx';
import { shortText } from '../words/time.ts';
import { tidyTitle } from '../words/title.ts';
import { switchRule, wantedRule } from './store.ts';
import { TEXTS } from './texts.ts';
import { actionsInWords, conditionsInWords } from './words.ts';

export function stationName(id: StationId): string | undefined {
  const station = stationById(id);
  return station === undefined ? undefined : narrow(station.name);
}

export function ruleCardWords(rule: RuleItem): string {
  return [
    rule.name,
    ...conditionsInWords(rule, stationName),
    ...actionsInWords(rule),
    rule.next?.title ?? '',
    rule.enabled ? TEXTS.on : TEXTS.off,
  ].join(' ');
}

interface SwitchProps {
  readonly rule: RuleItem;
  readonly renew: () => void;
}

/** Shows the new state while the request is under way. */
export function RuleSwitch({ rule, renew }: SwitchProps) {
  const [requested, setRequested] = useState<boolean>();
  const shown = requested ?? rule.enabled;
  useEffect(() => setRequested(undefined), [rule]);
  return (
    <button
      type="button"
      role="switch"
      class="switch-button rigid relative layer-1"
      aria-label={TEXTS.switchOn(rule.name)}
      aria-checked={shown}
      onClick={async (event) => {
        const byKeys = event.currentTarget.matches(':focus-visible');
        setRequested(!shown);
        if (!(await switchRule({ rule, renew, byKeys }, !shown))) setRequested(undefined);
      }}
    >
      <span class="note bold" aria-hidden="true">
        {shown ? TEXTS.on : TEXTS.off}
      </span>
      <span class="switch" aria-hidden="true" />
    </button>
  );
}

/** Why the service disabled the rule, and how to mend that. */
export function DisabledNote({ rule }: { rule: RuleItem }) {
  if (rule.disabledReason === null) return null;
  return (
    <div class="alert">
      <Icon name="alert" />
      <p>
        <b class="block-level">{TEXTS.stoppedItself(rule.disabledReason)}</b>
        {TEXTS.stoppedItselfNote}
      </p>
    </div>
  );
}

/** Warns that it matches more than is booked at once, and says what happens to the rest. */
export function CrowdedNote({ rule }: { rule: RuleItem }) {
  const crowded = rule.crowded ?? null;
  if (crowded === null) return null;
  return (
    <p class="alert" data-tone="warn">
      <Icon name="clock" />
      <span>{crowded.reason}</span>
    </p>
  );
}

function NextLine({ rule }: { rule: RuleItem }) {
  const next = rule.next ?? null;
  if (next === null) {
    return (
      <p class="rule-next hstack note round-m ground pad-2 gap-75">
        <Icon name="clock" />
        {rule.enabled ? TEXTS.nothingToBook : TEXTS.booksNothing}
      </p>
    );
  }
  return (
    <p class="rule-next hstack round-m ground pad-2 gap-75">
      <Icon name={next.state === 'conflict' ? 'alert' : 'clock'} />
      <span class="stack grow min-0">
        <span class="cluster note gap-text">
          <b class="numbers ink">{shortText(next.startAt)}</b>
          <span>{narrow(next.serviceName)}</span>
          <StateBadge item={next} />
        </span>
        <span class="semibold truncate">{tidyTitle(next.title)}</span>
      </span>
    </p>
  );
}

function RuleCounts({ rule }: { rule: RuleItem }) {
  const { booked = 0, conflicts = 0, recorded = 0, priority } = rule;
  return (
    <p class="numbers flex wrap note gap-text">
      <span>{TEXTS.booked(booked.toLocaleString('ja'))}</span>
      {conflicts === 0 ? null : (
        <span class="bold text-warn">{TEXTS.conflicts(conflicts.toLocaleString('ja'))}</span>
      )}
      <span>{TEXTS.recorded(recorded.toLocaleString('ja'))}</span>
      <span>{TEXTS.priorityOf(priority)}</span>
    </p>
  );
}

function ActionLink({ href, icon, label }: { href: string; icon: IconName; label: string }) {
  return (
    <a class="button button-small" href={href}>
      <Icon name={icon} />
      {label}
    </a>
  );
}

interface FootProps {
  readonly rule: RuleItem;
  /** Label of the delete button where several rules are in view. */
  readonly deleteLabel?: string;
  readonly onDelete: (byKeys: boolean) => void;
}

/** Counts and actions of the rule. */
export function RuleFoot({ rule, deleteLabel, onDelete }: FootProps) {
  return (
    <footer class="cluster justify-between push-bottom gap-tools">
      <RuleCounts rule={rule} />
      <span class="rule-buttons relative layer-1 flex wrap push-end gap-40">
        <ActionLink href={ruleEditor(rule.id)} icon="edit" label={TEXTS.edit} />
        <ActionLink href={ruleCopy(rule.id)} icon="copy" label={TEXTS.copy} />
        <button
          type="button"
          class="button button-small"
          aria-label={deleteLabel}
          onClick={(event) => onDelete(event.currentTarget.matches(':focus-visible'))}
        >
          <Icon name="trash" />
          {TEXTS.remove}
        </button>
      </span>
    </footer>
  );
}

interface CardProps extends SwitchProps {
  readonly onDelete: (rule: RuleItem, byKeys: boolean) => void;
}

export function RuleCard({ rule, renew, onDelete }: CardProps) {
  const link = useRef<HTMLAnchorElement>(null);
  const wanted = wantedRule.value === rule.id;
  useEffect(() => {
    if (!wanted || link.current === null) return;
    wantedRule.value = undefined;
    focusOn(link.current, 'center');
  }, [wanted]);
  const extras = actionsInWords(rule);
  return (
    <li
      class="rule vstack min-0 relative round-l bordered surface shadow-1 hover-surface gap-50 pad-3"
      data-rule={rule.id}
      data-off={rule.enabled ? undefined : ''}
    >
      <header class="rule-head flex align-start justify-between gap-100">
        <h2 class="grow min-0 text-l">
          <a ref={link} class="rule-link" href={rulePage(rule.id)}>
            {rule.name}
          </a>
        </h2>
        <RuleSwitch rule={rule} renew={renew} />
      </header>
      <p class="rule-words semibold">{conditionsInWords(rule, stationName).join('、')}</p>
      {extras.length === 0 ? null : <p class="rule-extras note">{extras.join('、')}</p>}
      <DisabledNote rule={rule} />
      <CrowdedNote rule={rule} />
      <NextLine rule={rule} />
      <RuleFoot
        rule={rule}
        deleteLabel={TEXTS.removeOf(rule.name)}
        onDelete={(byKeys) => onDelete(rule, byKeys)}
      />
    </li>
  );
}
