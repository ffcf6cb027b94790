/** Remote control on the screen, for phones and the mouse. Keys are held for as long as they are pressed. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { KEY } from '../bml/engine/keys.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import type { DataBroadcast } from './data-broadcast.ts';
import { TEXTS } from './texts.ts';

interface KeyProps {
  readonly data: DataBroadcast;
  readonly code: number;
  readonly label: string;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

function Key({ data, code, label, class: extra = '', disabled = false, children }: KeyProps) {
  const up = (): void => void data.up(code);
  return (
    <button
      type="button"
      class={`remote-key place-center min-0 press-height bold round-m ${extra}`}
      aria-label={label}
      title={label}
      disabled={disabled}
      // The focus stays where it is: Enter of the keyboard remains the document's.
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        data.down(code);
      }}
      onPointerUp={up}
      onPointerCancel={up}
      onLostPointerCapture={up}
      onClick={(event) => {
        // By the keyboard, or by an assistive device.
        if (event.detail !== 0) return;
        data.down(code);
        data.up(code);
      }}
      onContextMenu={(event) => event.preventDefault()}
    >
      {children}
    </button>
  );
}

const ARROWS: readonly (readonly [code: number, icon: IconName, label: string, place: string])[] = [
  [KEY.up, 'up', TEXTS.up, 'remote-up'],
  [KEY.left, 'left', TEXTS.left, 'remote-left'],
  [KEY.right, 'next', TEXTS.right, 'remote-right'],
  [KEY.down, 'down', TEXTS.down, 'remote-down'],
];

/** In the order of remote controls, ARIB TR-B14. */
const COLOURS = [
  [KEY.blue, TEXTS.blue, 'B'],
  [KEY.red, TEXTS.red, 'R'],
  [KEY.green, TEXTS.green, 'G'],
  [KEY.yellow, TEXTS.yellow, 'Y'],
] as const;

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0] as const;

export function DataRemote({ data }: { data: DataBroadcast }) {
  const areDigits = useSignal(false);
  const showsDigits = areDigits.value && data.takesDigits;
  return (
    <section class="data-remote" aria-label={TEXTS.remote} data-nav-group="data-remote">
      <div class="remote-colours stack gap-40">
        {COLOURS.map(([code, name, key], index) => (
          <Key
            key={code}
            data={data}
            code={code}
            label={TEXTS.colourLabel(name, key)}
            class={`remote-colour text-s remote-colour-${index}`}
          >
            {name}
          </Key>
        ))}
      </div>
      {showsDigits ? (
        <div class="remote-digits numbers stack gap-25">
          {DIGITS.map((digit) => (
            <Key key={digit} data={data} code={KEY.digit0 + digit} label={String(digit)}>
              {digit}
            </Key>
          ))}
        </div>
      ) : (
        <div class="remote-pad stack gap-25">
          {ARROWS.map(([code, icon, label, place]) => (
            <Key key={code} data={data} code={code} label={label} class={place}>
              <Icon name={icon} />
            </Key>
          ))}
          <Key data={data} code={KEY.enter} label={TEXTS.enter} class="remote-enter fill-main">
            {TEXTS.enter}
          </Key>
        </div>
      )}
      <div class="remote-row stack gap-40">
        <Key data={data} code={KEY.data} label={TEXTS.dataKeyLabel} class="remote-data text-l fill-main">
          {TEXTS.dataKey}
        </Key>
        <button
          type="button"
          class="remote-key place-center min-0 press-height bold round-m"
          disabled={!data.takesDigits}
          aria-pressed={showsDigits}
          onClick={() => {
            areDigits.value = !showsDigits;
          }}
        >
          {showsDigits ? TEXTS.arrows : TEXTS.digits}
        </button>
        <Key data={data} code={KEY.back} label={TEXTS.backLabel}>
          {TEXTS.back}
        </Key>
      </div>
    </section>
  );
}
