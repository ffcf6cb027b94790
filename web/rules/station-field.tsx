/** The stations of a rule: selected in a sheet by type, shown as chips. */
import { useSignal } from '@preact/signals';
import { BROADCAST_TYPES, type StationId } from '../../lib/arib/ids.ts';
import { RULE_CONDITIONS } from '../../lib/wire/rule-fields.ts';
import { stations } from '../query/stations.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { Toggle, toggled } from '../ui/toggle.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { TYPE_NAMES } from '../words/tuner.ts';
import type { Draft } from './draft.ts';
import { FieldGroup } from './fields.tsx';
import { TEXTS } from './texts.ts';
import { TYPE_CHOICES } from './words.ts';

interface ChooserProps {
  readonly chosen: readonly StationId[];
  readonly onChange: (ids: readonly StationId[]) => void;
  readonly onClose: () => void;
}

function StationChooser({ chosen, onChange, onClose }: ChooserProps) {
  const present = BROADCAST_TYPES.filter((type) => stations.value.some((station) => station.type === type));
  const first = stations.value.find(({ id }) => chosen.includes(id))?.type;
  const type = useSignal(first ?? present[0] ?? 'GR');
  const ofType = stations.value.filter((station) => station.type === type.value);
  return (
    <Sheet title={TEXTS.chooseStations} onClose={onClose} wide>
      <div class="station-tools hstack justify-between sticky layer-2 surface gap-50">
        <div class="tabs" role="tablist" aria-label={RULE_CONDITIONS.types.label}>
          {present.map((one) => {
            const count = stations.value.filter((s) => s.type === one && chosen.includes(s.id)).length;
            return (
              <button
                key={one}
                type="button"
                role="tab"
                class="tab"
                aria-selected={one === type.value}
                onClick={() => {
                  type.value = one;
                }}
              >
                {TYPE_NAMES[one]}
                {count === 0 ? null : <span class="faint semibold text-xs numbers">{count}</span>}
              </button>
            );
          })}
        </div>
        <button type="button" class="button button-main button-small" onClick={onClose}>
          {TEXTS.done}
        </button>
      </div>
      {chosen.length === 0 ? (
        <p class="muted">{TEXTS.anyStation}</p>
      ) : (
        <p class="hstack justify-between gap-50 muted">
          {TEXTS.stationsChosen(chosen.length)}
          <button type="button" class="button button-small" onClick={() => onChange([])}>
            {TEXTS.noStations}
          </button>
        </p>
      )}
      <div class="tiles above-75 gap-40" data-nav-group="stations">
        {ofType.map((station) => (
          <button
            key={station.id}
            type="button"
            class="station-choice hstack min-0 bold text-left round-m bordered hover-surface gap-75 pad-1"
            aria-pressed={chosen.includes(station.id)}
            onClick={() => onChange(toggled(chosen, station.id))}
          >
            <Logo station={station} />
            <span class="stack grow min-0 line-tight">
              <small class="numbers semibold muted">{channelLabel(station, stations.value)}</small>
              {narrow(station.name)}
            </span>
            <Icon name="check" class="invisible text-accent choice-sign" />
          </button>
        ))}
      </div>
    </Sheet>
  );
}

/** Both conditions must hold: stations of a type that is not selected never match. */
function contradicts({ stationIds, types }: Draft['form']): boolean {
  if (stationIds.length === 0 || types.length === 0) return false;
  const known = stations.value.filter(({ id }) => stationIds.includes(id));
  return known.length > 0 && !known.some(({ type }) => types.includes(type));
}

export function StationField({ draft }: { draft: Draft }) {
  const open = useSignal(false);
  const { stationIds, types } = draft.form;
  const change = (ids: readonly StationId[]): void => draft.change({ stationIds: ids });
  return (
    <FieldGroup draft={draft} paths={['stationIds', 'types']} label={TEXTS.stations}>
      <div class="flex wrap gap-50">
        {TYPE_CHOICES.map(({ value, label }) => (
          <Toggle
            key={value}
            on={types.includes(value)}
            onPress={() =>
              draft.change({ types: BROADCAST_TYPES.filter((type) => toggled(types, value).includes(type)) })
            }
          >
            {label}
          </Toggle>
        ))}
        {stationIds.map((id) => {
          const station = stations.value.find((one) => one.id === id);
          const name = station === undefined ? TEXTS.notReceived : narrow(station.name);
          return (
            <button
              key={id}
              type="button"
              class="chip chip-station button button-small"
              aria-label={TEXTS.removeStation(name)}
              onClick={() => change(stationIds.filter((other) => other !== id))}
            >
              {station === undefined ? <Icon name="help" /> : <Logo station={station} />}
              {name}
              <Icon name="close" />
            </button>
          );
        })}
        <button
          type="button"
          class="chip button button-small"
          aria-haspopup="dialog"
          onClick={() => (open.value = true)}
        >
          <Icon name="plus" />
          {TEXTS.chooseStations}
        </button>
      </div>
      {contradicts(draft.form) ? (
        <p class="alert" data-tone="warn">
          <Icon name="alert" />
          {TEXTS.typeMisfit}
        </p>
      ) : null}
      {open.value ? (
        <StationChooser chosen={stationIds} onChange={change} onClose={() => (open.value = false)} />
      ) : null}
    </FieldGroup>
  );
}
