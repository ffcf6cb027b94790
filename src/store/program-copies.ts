/**
 * SQL for programmes of sub-channels that repeat their main station. The event group descriptor says so
 * (`model/main-station.ts`); some broadcasters do not send it and repeat name and times instead.
 */

/**
 * The lowest listed station of the same terrestrial network with a programme of the same name, start and end below the
 * row's own; null if there is none. A terrestrial network is one broadcaster (ARIB TR-B14 Vol. 7), while stations that
 * share a satellite network are strangers and may close down under the same name at the same time. Costs one look-up
 * in an index for each lower station of the network.
 * @param p alias of a row of `programs`
 * @param also SQL: what the main station's row, `m`, must fulfil beside
 */
export const sameOnMain = (
  p: string,
  also = 'TRUE',
): string => `(SELECT min(ms.id) FROM stations AS ms CROSS JOIN programs AS m
  WHERE ms.id >= ${p}.station_id / 100000 * 100000 AND ms.id < ${p}.station_id AND ms.type = 'GR' AND ms.hidden = 0
    AND m.station_id = ms.id AND m.start_at = ${p}.start_at AND m.end_at = ${p}.end_at AND m.hidden = 0
    AND m.name = ${p}.name AND m.name <> '' AND ${also})`;

/**
 * Whether a listed main station has the programme of a row in the guide, by the event group or by name and times.
 * Same parameters.
 */
export const isCopy = (
  p: string,
  also = 'TRUE',
): string => `(${sameOnMain(p, also)} IS NOT NULL OR (${p}.groups <> '[]'
  AND json_valid(${p}.groups) AND EXISTS (
    SELECT 1 FROM json_each(${p}.groups) AS g CROSS JOIN json_each(g.value, '$.events') AS e
      CROSS JOIN programs AS m ON m.id = ((e.value ->> 'networkId') * 100000 + (e.value ->> 'serviceId')) * 100000
        + (e.value ->> 'eventId')
      JOIN stations AS ms ON ms.id = m.station_id
    WHERE g.value ->> 'type' = 'shared' AND m.station_id < ${p}.station_id
      AND m.station_id / 100000 = ${p}.station_id / 100000 AND m.end_at = ${p}.end_at
      AND m.hidden = 0 AND ms.hidden = 0 AND ${also})))`;
