/** A recording and its station, as stored. */
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { NewRecording } from '../../src/model/recording.ts';

const START = broadcastMs(1_700_000_000_000);
const END = broadcastMs(START + 60_000);
const STATION = 3_260_809_216;

export const STATION_ROW = `
  INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
  VALUES (${STATION}, 'GR', 32608, 9216, 'T27', '試験テレビ', 1, 1, 0)`;

export const NEW: NewRecording = {
  reservationId: null,
  ruleId: null,
  programId: null,
  stationId: STATION as StationId,
  serviceName: '試験テレビ',
  name: '番組',
  description: '',
  extended: { 出演: '誰か' },
  genres: [{ lv1: 7, lv2: 0 }],
  audios: [],
  videoType: 'mpeg2',
  videoResolution: '1080i',
  isFree: true,
  startAt: START,
  endAt: END,
  closeAt: broadcastMs(END + 15_000),
  wantedFrom: null,
  series: null,
  encode: 'none',
  keepTs: true,
  commercials: null,
};
