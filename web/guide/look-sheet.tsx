/** Appearance of the guide on this device: size of rows, columns and letters, dimming, colours, stations. */
import { useSignal } from '@preact/signals';
import { Icon } from '../ui/icon.tsx';
import { Segments } from '../ui/segments.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { SwitchButton } from '../ui/switch-button.tsx';
import { MAJOR_GENRES, majorGenreName } from '../words/genre.ts';
import { chooseColour, colourOf } from '../words/genre-colours.ts';
import { dimShopping, forgetLook, guideLetters, guideWidth, isUsualLook } from './look.ts';
import { TEXTS } from './texts.ts';

const LETTERS = [
  { value: 'auto', label: TEXTS.lettersAuto },
  { value: 'usual', label: TEXTS.lettersUsual },
  { value: 'television', label: TEXTS.lettersTelevision },
] as const;

interface SizeProps {
  readonly label: string;
  /** Factor of the usual size. */
  readonly value: number;
  readonly onStep: (by: 1 | -1) => void;
}

function Size({ label, value, onStep }: SizeProps) {
  return (
    <div class="text-left full-width justify-between line">
      <span class="bold">{label}</span>
      <span class="inline-row gap-50">
        <button
          type="button"
          class="button button-small button-icon"
          aria-label={TEXTS.smaller(label)}
          onClick={() => onStep(-1)}
        >
          <Icon name="minus" />
        </button>
        <output class="numbers text-center">{Math.round(value * 100)}%</output>
        <button
          type="button"
          class="button button-small button-icon"
          aria-label={TEXTS.larger(label)}
          onClick={() => onStep(1)}
        >
          <Icon name="plus" />
        </button>
      </span>
    </div>
  );
}

function Colours() {
  const chosen = useSignal<number | undefined>(undefined);
  return (
    <ul class="stack below-100 gap-10">
      {MAJOR_GENRES.map(({ lv1, name }) => {
        const open = chosen.value === lv1;
        return (
          <li key={lv1}>
            <button
              type="button"
              class="hstack full-width press-height gap-75 text-left round-s pad-x"
              data-genre={lv1}
              aria-expanded={open}
              onClick={() => {
                chosen.value = open ? undefined : lv1;
              }}
            >
              <span class="swatch" />
              {name}
            </button>
            {open ? (
              <div class="flex wrap gap-40 pad-2" role="radiogroup" aria-label={TEXTS.colourOf(name)}>
                {MAJOR_GENRES.map(({ lv1: colour }) => (
                  // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
                  <button
                    key={colour}
                    type="button"
                    role="radio"
                    class="look-colour place-center round-s"
                    style={{ '--genre': `var(--genre-${colour})` }}
                    aria-checked={colourOf(lv1) === colour}
                    aria-label={
                      colour === lv1 ? TEXTS.usualColour : TEXTS.usualColourOf(majorGenreName(colour))
                    }
                    onClick={() => chooseColour(lv1, colour)}
                  >
                    <span class="swatch" />
                  </button>
                ))}
              </div>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

interface LookSheetProps {
  /** Factor of a row's height. */
  readonly zoom: number;
  readonly onZoom: (by: 1 | -1) => void;
  readonly onWidth: (by: 1 | -1) => void;
  readonly onUsual: () => void;
  readonly onStations: () => void;
  readonly onClose: () => void;
}

export function LookSheet({ zoom, onZoom, onWidth, onUsual, onStations, onClose }: LookSheetProps) {
  return (
    <Sheet title={TEXTS.look} onClose={onClose}>
      <p class="muted">{TEXTS.thisDevice}</p>
      <Size label={TEXTS.rows} value={zoom} onStep={onZoom} />
      <Size label={TEXTS.columns} value={guideWidth.value} onStep={onWidth} />
      <div class="text-left full-width justify-between line">
        <span class="bold">{TEXTS.letters}</span>
        <Segments
          label={TEXTS.letters}
          options={LETTERS}
          value={guideLetters.value}
          onChoose={(value) => {
            guideLetters.value = LETTERS.find((one) => one.value === value)?.value ?? 'auto';
          }}
        />
      </div>
      <SwitchButton label={TEXTS.dimShopping} value={dimShopping} />
      <button
        type="button"
        class="text-left full-width justify-between line"
        aria-haspopup="dialog"
        onClick={onStations}
      >
        <span class="bold">{TEXTS.stationOrder}</span>
        <Icon name="list" />
      </button>
      <h3 class="above-100 no-margin below-75">{TEXTS.genreColours}</h3>
      <Colours />
      <button
        type="button"
        class="button"
        disabled={isUsualLook.value && zoom === 1}
        onClick={() => {
          forgetLook();
          onUsual();
        }}
      >
        {TEXTS.usualLook}
      </button>
    </Sheet>
  );
}
