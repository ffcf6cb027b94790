/** The genres of a rule: major genres, or subgenres of the selected ones. */
import { useSignal } from '@preact/signals';
import { RULE_CONDITIONS } from '../../lib/wire/rule-fields.ts';
import { Toggle } from '../ui/toggle.tsx';
import { MAJOR_GENRES, majorGenreName, middleGenres } from '../words/genre.ts';
import type { Draft } from './draft.ts';
import { FieldGroup } from './fields.tsx';
import { withMajor, withMiddle } from './genres.ts';
import { TEXTS } from './texts.ts';
import { genreName } from './words.ts';

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
        class="genre-parts genre-parts-closed cluster justify-between full-width gap-35 text-left ground hover-deep"
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
    <div class="genre-parts cluster gap-35 ground" data-genre={lv1}>
      <span class="genre-parts-name note">{TEXTS.partsOf(majorGenreName(lv1))}</span>
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

export function GenreField({ draft }: { draft: Draft }) {
  const { genres } = draft.form;
  const chosen = [...new Set(genres.map(({ lv1 }) => lv1))];
  const usual = MAJOR_GENRES.map(({ lv1 }) => lv1);
  const strange = chosen.filter((lv1) => !usual.includes(lv1));
  return (
    <FieldGroup draft={draft} paths={['genres']} label={RULE_CONDITIONS.genres.label}>
      <div class="chips">
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
