/** Recording the present programme from the player: its state and the button's action. */
import type { Station } from '../../lib/wire/api.ts';
import { openReservation } from '../navigation/router.ts';
import { reservationOf } from '../query/reservations.ts';
import { busy, cancel, isBusy, recordNow, stationKey } from '../reservations/actions.ts';
import { Icon } from '../ui/icon.tsx';
import { RECORD_STATES, type RecordState } from '../words/record-state.ts';
import { splitTitle } from '../words/title.ts';

/** The reservations take precedence; the station list is the fallback until they are loaded. */
function kindOf(program: Station['now']): RecordState['kind'] {
  const item = reservationOf(program?.id);
  if (item?.state === 'conflict') return 'conflict';
  if (item?.state === 'recording' || item?.state === 'scheduled') return item.state;
  if (item !== undefined || program === null) return 'none';
  return program.recording ? 'recording' : program.reserved ? 'scheduled' : 'none';
}

export function recordState(station: Station | undefined): RecordState {
  const program = station?.now ?? null;
  const kind = kindOf(program);
  const item = reservationOf(program?.id);
  const waits =
    isBusy(program?.id, item?.id) || (station !== undefined && busy.value.has(stationKey(station.id)));
  return { kind, ...RECORD_STATES[kind], waits };
}

/** Records, cancels, or opens what asks before it stops. */
export function pressRecord(station: Station | undefined): void {
  if (station === undefined) return;
  const program = station.now;
  const item = reservationOf(program?.id);
  const title = program === null ? station.name : splitTitle(program.name).title;
  if (item?.state === 'recording' || item?.state === 'conflict') openReservation(item.id);
  else if (item?.state === 'scheduled') void cancel({ id: item.id, title, state: item.state });
  else void recordNow(station.id, title);
}

/** Under the picture of an upright phone, where there is room for words. */
export function RecordBelow({ station }: { station: Station }) {
  const state = recordState(station);
  return (
    <button
      type="button"
      class={`button button-small below-record ${state.kind === 'none' ? 'button-record' : state.kind === 'recording' ? 'button-stop' : ''}`}
      aria-disabled={state.waits}
      onClick={() => pressRecord(station)}
    >
      <Icon name={state.kind === 'recording' ? 'stop' : 'record'} />
      {state.label}
    </button>
  );
}
