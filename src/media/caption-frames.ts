/** Converts values of the reader `caption` to frames, for stations and recorded files. */
import type { Pts90k } from '../../arib/time.ts';
import type { CaptionReaderValue } from '../reception/caption-reader.ts';
import type { CaptionFrame, CaptionTrackFrame } from './frame.ts';

type Languages = CaptionTrackFrame['languages'];

export class CaptionFrames {
  /** Key: whether the text is superimposed. */
  readonly #tracks = new Map<boolean, Languages>();

  take(value: CaptionReaderValue): (CaptionFrame | CaptionTrackFrame)[] {
    switch (value.kind) {
      case 'announced':
        return [
          ...this.#announced(false, value.captions, value.time),
          ...this.#announced(true, value.superimpose, value.time),
        ];
      case 'languages': {
        const { superimpose, time } = value;
        const languages = value.languages.map(({ index, code }) => ({ index, code }));
        this.#tracks.set(superimpose, languages);
        return [{ kind: 'captionTrack', superimpose, languages, time }];
      }
      case 'page': {
        const { superimpose, language, time, json } = value;
        return [{ kind: 'caption', superimpose, language, time, json }];
      }
    }
  }

  /** The languages follow with the management data, which is not repeated while the stream continues. */
  #announced(superimpose: boolean, isThere: boolean, time: Pts90k | undefined): CaptionTrackFrame[] {
    const known = this.#tracks.get(superimpose) ?? null;
    if (isThere === (known !== null)) return [];
    const languages: Languages = isThere ? [] : null;
    this.#tracks.set(superimpose, languages);
    return [{ kind: 'captionTrack', superimpose, languages, ...(time === undefined ? {} : { time }) }];
  }
}
