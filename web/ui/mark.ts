/** A mark of a programme title, such as 再 or 新, as it is shown. */

export type MarkTone = 'fresh' | 'last' | 'again' | 'live' | 'plain';

export interface Mark {
  /** The badge's text, one to four characters. */
  readonly face: string;
  /** Text for screen readers and the tooltip. */
  readonly label: string;
  readonly tone: MarkTone;
}
