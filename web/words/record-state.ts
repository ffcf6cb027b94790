/** What the record button of the player says: whether the programme on the air is booked or being recorded. */

export interface RecordState {
  readonly kind: 'none' | 'scheduled' | 'conflict' | 'recording';
  readonly label: string;
  /** The present state; empty when there is nothing to show. */
  readonly words: string;
  readonly waits: boolean;
}

export const RECORD_STATES = {
  none: { label: '録画する', words: '' },
  scheduled: { label: '予約を取り消す', words: '録画予約済み' },
  conflict: { label: '録画できない理由', words: '録画できません' },
  recording: { label: '録画を停止', words: '録画中' },
} as const;
