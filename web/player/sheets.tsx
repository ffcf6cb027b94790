/** Dialogs, and parts of them, that players share. */
import type { PlayCodec } from '../query/recordings.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Choices, Sheet } from '../ui/sheet.tsx';
import { canPlayAv1 } from './player.ts';
import { TEXTS } from './texts.ts';

interface AudioSheetProps {
  readonly audios: readonly {
    readonly id: string;
    readonly label: string;
    readonly main?: boolean | undefined;
  }[];
  /** The note where there is nothing to choose from. */
  readonly empty: string;
  readonly player: {
    readonly audio: { readonly value: string | undefined };
    setAudio(id: string): void;
  };
  readonly onClose: () => void;
}

/** The audio that plays: a programme that follows may lack what was chosen in the one before. */
export function chosenAudio({ audios, player }: Pick<AudioSheetProps, 'audios' | 'player'>) {
  const known = audios.find(({ id }) => id === player.audio.value);
  return known ?? audios.find(({ main }) => main === true) ?? audios[0];
}

export function AudioSheet({ audios, empty, player, onClose }: AudioSheetProps) {
  return (
    <Sheet title={TEXTS.sound} onClose={onClose}>
      {audios.length === 0 ? <p class="muted">{empty}</p> : null}
      <Choices
        label={TEXTS.sound}
        choices={audios.map(({ id, label }) => ({ value: id, label }))}
        chosen={chosenAudio({ audios, player })?.id ?? ''}
        onChoose={(id) => {
          player.setAudio(id);
          onClose();
        }}
      />
    </Sheet>
  );
}

/** A codec as a choice; AV1 is offered only where it can be played. */
export function codecChoice(codec: PlayCodec) {
  if (codec === 'h264') return { value: codec, label: 'H.264', note: TEXTS.h264Note, disabled: false };
  const disabled = !canPlayAv1();
  return { value: codec, label: 'AV1', note: disabled ? TEXTS.noAv1 : TEXTS.av1Note, disabled };
}

interface EntryProps {
  readonly icon: IconName;
  readonly text: string;
  /** What is chosen now. */
  readonly value?: string;
  /** Has the focus when the sheet opens. */
  readonly first?: boolean;
  /** Opens another sheet; else it acts. */
  readonly leads?: boolean;
  readonly onClick: () => void;
}

/** A row of a menu. */
export function Entry({ icon, text, value = '', first = false, leads = false, onClick }: EntryProps) {
  return (
    <button
      type="button"
      class="row full-width text-left"
      data-nav-first={first ? '' : undefined}
      onClick={onClick}
    >
      <Icon name={icon} />
      <span class="row-text">{text}</span>
      <span class="numbers push-end note nowrap">{value}</span>
      {leads ? <Icon name="next" class="faint" /> : null}
    </button>
  );
}

interface TableProps {
  /** Keys or movements, and what they do. */
  readonly rows: readonly (readonly [how: string | readonly string[], meaning: string])[];
}

export function KeyTable({ rows }: TableProps) {
  return (
    <dl class="keys stack gap-75">
      {rows.map(([how, meaning]) => (
        <div key={meaning} class="keys-row stack align-baseline gap-75">
          <dt class="flex wrap gap-25">
            {typeof how === 'string' ? how : how.map((key) => <kbd key={key}>{key}</kbd>)}
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
