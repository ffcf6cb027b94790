/** Order and filters, as sheets for fingers and remote controls. */
import type { RecordingSort } from '../../lib/wire/api.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import { recordingsSort } from '../device/preferences.ts';
import { setQuery } from '../navigation/router.ts';
import { stations } from '../query/stations.ts';
import { Choices, Sheet } from '../ui/sheet.tsx';
import { narrow } from '../words/channel.ts';
import { MAJOR_GENRES } from '../words/genre.ts';
import { SORT_NAMES } from '../words/recording.ts';
import type { RecordingQuery } from './query.ts';
import { TEXTS } from './texts.ts';

const SORTS = Object.entries(SORT_NAMES).map(([value, label]) => ({ value: value as RecordingSort, label }));

export function SortSheet({ onClose }: { onClose: () => void }) {
  return (
    <Sheet title={TEXTS.order} onClose={onClose}>
      <Choices
        label={TEXTS.order}
        choices={SORTS}
        chosen={recordingsSort.value}
        onChoose={(sort) => {
          recordingsSort.value = sort;
          onClose();
        }}
      />
    </Sheet>
  );
}

interface GenreChoicesProps {
  readonly chosen: number | undefined;
  readonly onChoose: (genre: number | undefined) => void;
}

/** Side by side: thirteen rows would push the rules and stations out of sight. */
function GenreChoices({ chosen, onChoose }: GenreChoicesProps) {
  return (
    <div class="flex wrap gap-50" role="radiogroup" aria-label={TEXTS.genre}>
      {[{ lv1: undefined, name: TEXTS.all }, ...MAJOR_GENRES].map(({ lv1, name }) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
        <button
          key={name}
          type="button"
          role="radio"
          class="chip button button-small"
          aria-checked={chosen === lv1}
          data-genre={lv1}
          onClick={() => onChoose(lv1)}
        >
          {lv1 === undefined ? null : <span class="swatch" />}
          {name}
        </button>
      ))}
    </div>
  );
}

/** The choice "all": never equal to the id of a rule or station. */
const ANY = 'any';

export interface RuleName {
  readonly id: RuleId;
  readonly name: string;
}

interface FilterSheetProps {
  readonly shown: RecordingQuery;
  readonly rules: readonly RuleName[];
  readonly onClose: () => void;
}

export function FilterSheet({ shown, rules, onClose }: FilterSheetProps) {
  const choose = (name: 'genre' | 'station' | 'rule') => (value: string) => {
    onClose();
    setQuery({ [name]: value === ANY ? null : value }, true);
  };
  return (
    <Sheet title={TEXTS.filter} onClose={onClose}>
      <section class="sheet-section">
        <h3>{TEXTS.genre}</h3>
        <GenreChoices
          chosen={shown.genre}
          onChoose={(genre) => choose('genre')(genre === undefined ? ANY : String(genre))}
        />
      </section>
      {rules.length === 0 ? null : (
        <section class="sheet-section">
          <h3>{TEXTS.rule}</h3>
          <Choices
            label={TEXTS.rule}
            choices={[
              { value: ANY, label: TEXTS.all },
              ...rules.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            chosen={String(shown.ruleId ?? ANY)}
            onChoose={choose('rule')}
          />
        </section>
      )}
      <section class="sheet-section">
        <h3>{TEXTS.station}</h3>
        <Choices
          label={TEXTS.station}
          choices={[
            { value: ANY, label: TEXTS.all },
            ...stations.value.map(({ id, name, type }) => ({
              value: String(id),
              label: narrow(name),
              note: type === 'GR' ? undefined : type,
            })),
          ]}
          chosen={String(shown.stationId ?? ANY)}
          onChoose={choose('station')}
        />
      </section>
    </Sheet>
  );
}
