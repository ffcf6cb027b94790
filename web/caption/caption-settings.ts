/**
 * How one device shows captions: a value, stored by its caller. A value from storage or from the household's default
 * (`captionStyle`) is validated field by field, so that the valid fields of an old or damaged one still apply.
 */
import {
  CAPTION_FONTS,
  CAPTION_POSITIONS,
  type CaptionFont,
  type CaptionPosition,
} from '../../lib/wire/vocabulary.ts';

export interface CaptionSettings {
  readonly visible: boolean;
  /** Times the size of the broadcast. */
  readonly size: number;
  /** Of the background behind the text: 0 none, 1 opaque; null: as broadcast. */
  readonly background: number | null;
  /** Of the whole caption, text included. */
  readonly opacity: number;
  readonly ruby: boolean;
  /** Letters of the caption font, or the device's own. */
  readonly font: CaptionFont;
  /** Where the block of text stands: as broadcast, or moved to an edge of the picture. */
  readonly position: CaptionPosition;
}

export const DEFAULT_CAPTION_SETTINGS: CaptionSettings = {
  visible: true,
  size: 1,
  background: null,
  opacity: 1,
  ruby: true,
  font: 'rounded',
  position: 'broadcast',
};

/** Sizes that a viewer can choose. */
export const CAPTION_SIZES = [0.6, 0.8, 1, 1.25, 1.5] as const;
const SMALLEST = 0.5;
const LARGEST = 2;
const LEAST_OPACITY = 0.2;

function numberWithin(value: unknown, least: number, most: number): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Math.min(most, Math.max(least, value));
}

function truth(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The settings in a stored value; missing ones are taken from `otherwise`. */
export function readCaptionSettings(
  stored: unknown,
  otherwise: CaptionSettings = DEFAULT_CAPTION_SETTINGS,
): CaptionSettings {
  if (typeof stored !== 'object' || stored === null) return otherwise;
  const fields = stored as Readonly<Record<string, unknown>>;
  const background = fields.background === null ? null : numberWithin(fields.background, 0, 1);
  return {
    visible: truth(fields.visible) ?? otherwise.visible,
    size: numberWithin(fields.size, SMALLEST, LARGEST) ?? otherwise.size,
    background: background === undefined ? otherwise.background : background,
    opacity: numberWithin(fields.opacity, LEAST_OPACITY, 1) ?? otherwise.opacity,
    ruby: truth(fields.ruby) ?? otherwise.ruby,
    font: CAPTION_FONTS.find((one) => one === fields.font) ?? otherwise.font,
    position: CAPTION_POSITIONS.find((one) => one === fields.position) ?? otherwise.position,
  };
}
