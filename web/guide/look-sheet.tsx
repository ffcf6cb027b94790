/** How the guide looks on this device: size of rows, columns and letters, what is dimmed, colours, stations. */
import { useSignal } from '@preact/signals';
import { Icon } from '../ui/icon.tsx';
import { Segments } from '../ui/segments.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { MAJOR_GENRES, majorGenreName } from '../words/genre.ts';
import { chooseColour, colourOf } from '../words/genre-colours.ts';
import { dimShopping, forgetLook, guideLetters, guideWidth, isUsualLook } from './look.ts';

const TEXTS = {
  title: '番組表の表示',
  rows: '行の高さ',
  columns: '列の幅',
  letters: '文字の大きさ',
  shopping: '通販番組を薄く表示する',
  colours: 'ジャンルの色',
  stations: 'チャンネルの並びと表示',
  usual: '標準に戻す',
  device: 'この端末だけの設定です。',
} as const;

const LETTERS = [
  { value: 'auto', label: '自動' },
  { value: 'usual', label: '標準' },
  { value: 'television', label: 'テレビ向け' },
] as const;

interface SizeProps {
  readonly label: string;
  /** Factor of the usual size. */
  readonly value: number;
  readonly onStep: (by: 1 | -1) => void;
}

function Size({ label, value, onStep }: SizeProps) {
  return (
    <div class="look-row">
      <span class="look-label">{label}</span>
      <span class="look-size">
        <button
          type="button"
          class="button button-small button-icon"
          aria-label={`${label}を小さく`}
          onClick={() => onStep(-1)}
        >
          <Icon name="minus" />
        </button>
        <output class="numbers">{Math.round(value * 100)}%</output>
        <button
          type="button"
          class="button button-small button-icon"
          aria-label={`${label}を大きく`}
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
    <ul class="look-genres">
      {MAJOR_GENRES.map(({ lv1, name }) => {
        const open = chosen.value === lv1;
        return (
          <li key={lv1}>
            <button
              type="button"
              class="look-genre"
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
              <div class="look-colours" role="radiogroup" aria-label={`${name}の色`}>
                {MAJOR_GENRES.map(({ lv1: colour }) => (
                  // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
                  <button
                    key={colour}
                    type="button"
                    role="radio"
                    class="look-colour"
                    style={{ '--genre': `var(--genre-${colour})` }}
                    aria-checked={colourOf(lv1) === colour}
                    aria-label={colour === lv1 ? '標準の色' : `${majorGenreName(colour)}の標準の色`}
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
    <Sheet title={TEXTS.title} onClose={onClose}>
      <p class="sheet-note">{TEXTS.device}</p>
      <Size label={TEXTS.rows} value={zoom} onStep={onZoom} />
      <Size label={TEXTS.columns} value={guideWidth.value} onStep={onWidth} />
      <div class="look-row">
        <span class="look-label">{TEXTS.letters}</span>
        <Segments
          label={TEXTS.letters}
          options={LETTERS}
          value={guideLetters.value}
          onChoose={(value) => {
            guideLetters.value = LETTERS.find((one) => one.value === value)?.value ?? 'auto';
          }}
        />
      </div>
      <button
        type="button"
        role="switch"
        class="look-row look-switch"
        aria-checked={dimShopping.value}
        onClick={() => {
          dimShopping.value = !dimShopping.value;
        }}
      >
        <span class="look-label">{TEXTS.shopping}</span>
        <span class="switch" aria-hidden="true" />
      </button>
      <button type="button" class="look-row look-more" aria-haspopup="dialog" onClick={onStations}>
        <span class="look-label">{TEXTS.stations}</span>
        <Icon name="list" />
      </button>
      <h3 class="look-head">{TEXTS.colours}</h3>
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
        {TEXTS.usual}
      </button>
    </Sheet>
  );
}
