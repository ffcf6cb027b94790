/** Legend of the genre colours and genre filter: the others are dimmed. */
import { Icon } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { MAJOR_GENRES } from '../words/genre.ts';
import { TEXTS } from './texts.ts';

interface GenreProps {
  readonly chosen: number | undefined;
  readonly onChoose: (genre: number | undefined) => void;
}

export function GenreSheet({ chosen, onChoose, onClose }: GenreProps & { readonly onClose: () => void }) {
  const choose = (genre: number | undefined): void => {
    onChoose(genre);
    onClose();
  };
  return (
    <Sheet title={TEXTS.genre} onClose={onClose}>
      <p class="below-75 muted">{TEXTS.genreNote}</p>
      <div class="choices stack gap-50" role="radiogroup" aria-label={TEXTS.genre}>
        {[{ lv1: undefined, name: TEXTS.all }, ...MAJOR_GENRES].map(({ lv1, name }) => (
          // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
          <button
            key={name}
            type="button"
            role="radio"
            class="choice hstack justify-between gap-100 bold text-left round-m bordered"
            aria-checked={chosen === lv1}
            data-genre={lv1}
            onClick={() => choose(lv1)}
          >
            <span class="inline-row gap-75">
              {lv1 === undefined ? <Icon name="guide" /> : <span class="swatch" />}
              {name}
            </span>
            <Icon name="check" class="choice-sign invisible text-accent" />
          </button>
        ))}
      </div>
    </Sheet>
  );
}

/** The same as a line under the guide, where there is room. Not reachable by arrows: the sheet offers the same. */
export function Legend({ chosen, onChoose }: GenreProps) {
  return (
    <section
      class="guide-legend wrap not-shown line-above surface"
      aria-label={TEXTS.genreColours}
      data-nav-skip=""
    >
      {MAJOR_GENRES.map(({ lv1, name }) => (
        <button
          key={lv1}
          type="button"
          class="legend-item inline-row rigid text-mini bold muted pill hover-deep gap-40 pad-x"
          data-genre={lv1}
          aria-pressed={chosen === lv1}
          onClick={() => onChoose(chosen === lv1 ? undefined : lv1)}
        >
          <span class="swatch" />
          {name}
        </button>
      ))}
    </section>
  );
}
