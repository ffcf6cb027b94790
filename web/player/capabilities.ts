/** Capabilities of this browser for the player. Nothing here needs a secure context. */

interface ManagedSource {
  ManagedMediaSource?: typeof MediaSource;
}

/** The ordinary media source, else the managed one (iPhone), else undefined. */
export function mediaSourceClass(): typeof MediaSource | undefined {
  return globalThis.MediaSource ?? (globalThis as ManagedSource).ManagedMediaSource;
}

/** A managed media source refuses to open while remote playback is possible. */
export function isManaged(source: typeof MediaSource): boolean {
  return source !== globalThis.MediaSource;
}

/** Main profile, level 4.0, 8 bit with Opus: what the service encodes. */
const AV1_SAMPLE = 'video/mp4; codecs="av01.0.08M.08,opus"';

export function canPlayAv1(): boolean {
  return mediaSourceClass()?.isTypeSupported(AV1_SAMPLE) ?? false;
}

export function canPictureInPicture(): boolean {
  return document.pictureInPictureEnabled === true;
}
