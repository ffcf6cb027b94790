/** A mark of a programme title, such as 再 or 新, as it is shown. */

export type MarkTone = 'fresh' | 'last' | 'again' | 'live' | 'plain';

export interface Mark {
  /** What the badge shows, one to four characters. */
  readonly face: string;
  /** What a screen reader says and a tooltip shows. */
  readonly label: string;
  readonly tone: MarkTone;
}
