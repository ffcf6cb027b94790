/** Headers and extensions of sequence, group and picture (ISO/IEC 13818-2, 6.2.2 and 6.2.3). */
import { bits, take } from './bits.as';
import { blocks, setDefaultInterMatrix, setDefaultIntraMatrix, takeMatrix } from './blocks.as';
import { picture } from './picture.as';

export namespace sequence {
  /** A sequence header and its extension were read: pictures can be decoded. */
  export let isKnown: bool = false;
  export let width: i32 = 0;
  export let height: i32 = 0;
  /** aspect_ratio_information: 1 square samples, 2 4:3, 3 16:9, 4 2.21:1. */
  export let aspect: i32 = 0;
  /** frame_rate_code, Table 6-4. */
  export let frameRate: i32 = 0;
  export let isProgressive: bool = false;
  export let isLowDelay: bool = false;
  /** display_horizontal_size and display_vertical_size; 0: not sent. */
  export let displayWidth: i32 = 0;
  export let displayHeight: i32 = 0;
  /** matrix_coefficients, Table 6-9; default: BT.709. */
  export let matrix: i32 = 1;
  /** frame_centre_offset of the picture display extension, sixteenths of a sample. */
  export let centreX: i32 = 0;
  export let centreY: i32 = 0;
  /** closed_gop of the group: pictures before its first I picture do not refer to earlier ones. */
  export let isClosed: bool = false;
}

/** Values of a sequence header, until its extension confirms that it is MPEG-2. */
let headerWidth: i32 = 0;
let headerHeight: i32 = 0;

export function sequenceHeader(): void {
  headerWidth = take(12);
  headerHeight = take(12);
  sequence.aspect = take(4);
  sequence.frameRate = take(4);
  // bit_rate, marker, vbv_buffer_size, constrained_parameters_flag.
  bits.position += 18 + 1 + 10 + 1;
  if (take(1) !== 0) takeMatrix(true);
  else setDefaultIntraMatrix();
  if (take(1) !== 0) takeMatrix(false);
  else setDefaultInterMatrix();
}

export function groupHeader(): void {
  bits.position += 25;
  sequence.isClosed = take(1) !== 0;
}

/** Resets values that extensions set again if they apply. */
export function pictureHeader(): void {
  picture.temporalReference = take(10);
  picture.type = take(3);
}

/** @returns whether the size or the structure of the frames changed */
function sequenceExtension(): bool {
  // profile_and_level_indication.
  bits.position += 8;
  const isProgressive = take(1) !== 0;
  const chroma = take(2);
  const width = headerWidth | (take(2) << 12);
  const height = headerHeight | (take(2) << 12);
  // bit_rate_extension, marker, vbv_buffer_size_extension.
  bits.position += 12 + 1 + 8;
  sequence.isLowDelay = take(1) !== 0;
  // The main profile only has 4:2:0.
  if (chroma !== 1) {
    sequence.isKnown = false;
    return false;
  }
  const isSame =
    width === sequence.width && height === sequence.height && isProgressive === sequence.isProgressive;
  if (isSame && sequence.isKnown) return false;
  sequence.width = width;
  sequence.height = height;
  sequence.isProgressive = isProgressive;
  sequence.displayWidth = 0;
  sequence.displayHeight = 0;
  sequence.matrix = 1;
  sequence.centreX = 0;
  sequence.centreY = 0;
  sequence.isKnown = true;
  return true;
}

function sequenceDisplayExtension(): void {
  // video_format.
  bits.position += 3;
  if (take(1) !== 0) {
    // colour_primaries, transfer_characteristics.
    bits.position += 16;
    sequence.matrix = take(8);
  }
  sequence.displayWidth = take(14);
  bits.position += 1;
  sequence.displayHeight = take(14);
}

function quantMatrixExtension(): void {
  if (take(1) !== 0) takeMatrix(true);
  if (take(1) !== 0) takeMatrix(false);
}

function pictureDisplayExtension(): void {
  sequence.centreX = (take(16) << 16) >> 16;
  bits.position += 1;
  sequence.centreY = (take(16) << 16) >> 16;
}

/** 1 to 9; forbidden or unused values give 1. */
function range(): i32 {
  const code = take(4);
  return code > 0 && code < 10 ? code : 1;
}

/** @returns whether the picture is alternately scanned */
function pictureCodingExtension(): bool {
  picture.rangeForwardX = range();
  picture.rangeForwardY = range();
  picture.rangeBackwardX = range();
  picture.rangeBackwardY = range();
  blocks.dcPrecision = take(2);
  picture.structure = take(2);
  picture.isTopFirst = take(1) !== 0;
  picture.isFramePredicted = take(1) !== 0;
  picture.hasConcealmentVectors = take(1) !== 0;
  blocks.isNonLinear = take(1) !== 0;
  blocks.isB15 = take(1) !== 0;
  const isAlternate = take(1) !== 0;
  picture.isRepeated = take(1) !== 0;
  // chroma_420_type.
  bits.position += 1;
  picture.isProgressive = take(1) !== 0;
  return isAlternate;
}

export const EXTENSION_NONE: i32 = 0;
export const EXTENSION_SIZE: i32 = 1;
/** A picture coding extension, and its scan. */
export const EXTENSION_PICTURE: i32 = 2;
export const EXTENSION_PICTURE_ALTERNATE: i32 = 3;

/** Reads an extension, 6.2.2.2. @returns what it changed */
export function extension(): i32 {
  switch (take(4)) {
    case 1:
      return sequenceExtension() ? EXTENSION_SIZE : EXTENSION_NONE;
    case 2:
      sequenceDisplayExtension();
      return EXTENSION_NONE;
    case 3:
      quantMatrixExtension();
      return EXTENSION_NONE;
    case 7:
      pictureDisplayExtension();
      return EXTENSION_NONE;
    case 8:
      return pictureCodingExtension() ? EXTENSION_PICTURE_ALTERNATE : EXTENSION_PICTURE;
    default:
      return EXTENSION_NONE;
  }
}
