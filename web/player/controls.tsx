/** Controls shared by all players: buttons, volume, and the button shown when autoplay of sound is blocked. */
import { muted, volume } from '../device/preferences.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { canPictureInPicture } from './player.ts';
import type { SoundOutput } from './sound-output.ts';
import { fullscreen, leaveFullscreen } from './stage-actions.ts';
import { TEXTS } from './texts.ts';

interface ControlProps {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly class?: string;
}

export function Control({ icon, label, onClick, class: extra = '' }: ControlProps) {
  return (
    <button type="button" class={`control ${extra}`} aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

/** Out of full screen, then out of the player. */
export function BackControl({ onClick }: { readonly onClick: () => void }) {
  const leave = (): void => {
    if (!leaveFullscreen()) onClick();
  };
  return <Control icon="back" class="osd-back" label={TEXTS.back} onClick={leave} />;
}

export function VolumeControl({ sound }: { sound: SoundOutput }) {
  const level = muted.value || sound.silenced.value ? 0 : volume.value;
  return (
    <div class="volume hstack min-0 gap-40">
      <Control
        icon={level === 0 ? 'silent' : 'sound'}
        label={level === 0 ? TEXTS.unmute : TEXTS.mute}
        onClick={() => sound.toggleMute()}
      />
      <input
        class="volume-slider wide-only min-0 no-margin pill press"
        data-nav-skip=""
        type="range"
        min="0"
        max="100"
        step="5"
        value={Math.round(level * 100)}
        aria-label={TEXTS.volume}
        onInput={(event) => sound.setVolume(Number(event.currentTarget.value) / 100)}
      />
    </div>
  );
}

interface PictureButtonsProps {
  readonly onScreenshot: () => void;
  readonly onPictureInPicture: () => void;
  readonly onHelp: () => void;
  readonly onFullscreen: () => void;
}

export function FullscreenControl({ onClick }: { readonly onClick: () => void }) {
  const isFull = fullscreen.value;
  return (
    <Control
      icon={isFull ? 'reduce' : 'enlarge'}
      label={isFull ? TEXTS.leaveFullScreen : TEXTS.fullScreen}
      onClick={onClick}
    />
  );
}

export function PictureButtons(props: PictureButtonsProps) {
  return (
    <>
      <Control icon="camera" label={TEXTS.screenshot} class="control-shot" onClick={props.onScreenshot} />
      {canPictureInPicture() ? (
        <Control
          icon="window"
          label={TEXTS.smallWindow}
          class="control-pip"
          onClick={props.onPictureInPicture}
        />
      ) : null}
      <Control icon="help" label={TEXTS.help} class="wide-only" onClick={props.onHelp} />
      <FullscreenControl onClick={props.onFullscreen} />
    </>
  );
}

interface EdgeButtonProps {
  /** The newest picture is shown. */
  readonly isLive: boolean;
  readonly label: string;
  readonly onClick: () => void;
}

/** Whether the newest picture is shown; pressed, it is. */
export function EdgeButton({ isLive, label, onClick }: EdgeButtonProps) {
  return (
    <button
      type="button"
      class="live-button inline-row text-s extrabold text-white nowrap pill gap-40"
      data-live={isLive ? '' : undefined}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      <i class="booking-dot" />
      {TEXTS.live}
    </button>
  );
}

/** The level for a moment after it was changed by key. */
export function VolumeMeter({ shown }: { shown: boolean }) {
  const level = muted.value ? 0 : volume.value;
  return (
    <div
      class="meter hstack absolute layer-3 no-pointer pill gap-75"
      data-shown={shown ? '' : undefined}
      aria-hidden="true"
    >
      <Icon name={level === 0 ? 'silent' : 'sound'} />
      <span class="progress block-level">
        <span class="progress-fill" style={{ '--part': level }} />
      </span>
      <b class="numbers">{Math.round(level * 100)}</b>
    </div>
  );
}

/** Browsers start sound only after a touch; this is the thing to touch. */
export function SoundButton({ sound }: { sound: SoundOutput }) {
  if (!sound.silenced.value) return null;
  return (
    <button
      type="button"
      class="sound-button inline-row absolute text-l extrabold nowrap pill gap-75"
      onClick={() => sound.toggleMute()}
    >
      <Icon name="silent" />
      {TEXTS.unmute}
    </button>
  );
}
