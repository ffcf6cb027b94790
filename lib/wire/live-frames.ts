/**
 * The live socket (`GET /api/live/socket`): one connection for video, audio, captions and control. Every message is
 * one binary frame: a channel (1 octet), a time of 90 kHz (8 octets, big-endian) and the payload. Separate from
 * `live.ts`, so that the browser's bundle does not include its validators.
 */

export const LIVE_SOCKET_PATH = '/api/live/socket';

/**
 * First octet of a frame. All times of a session have one scale: that of its fragments, or for packets the
 * broadcast's PTS.
 */
export const LIVE_CHANNEL = {
  /** Initialisation segment (ftyp and moov); time 0. */
  init: 0x00,
  /** Media segment (moof and mdat) with video and audio. */
  fragment: 0x01,
  /** Original transport stream packets of one station; time 0, no initialisation segment. */
  packets: 0x02,
  /** Caption page as JSON; replaces the previous page, empty runs clear it. */
  caption: 0x22,
  /** The same for superimposed text, independent of caption pages. */
  superimpose: 0x23,
  /** Message of the data broadcast as JSON; time 0. */
  data: 0x30,
  /** Control as JSON, in both directions; time 0. */
  control: 0x40,
} as const;

/** Octets before the payload. */
export const LIVE_HEADER_BYTES = 9;

/** One message of the live socket. @param time 90 kHz */
export function liveFrame(channel: number, time: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(LIVE_HEADER_BYTES + payload.length);
  bytes[0] = channel;
  new DataView(bytes.buffer).setBigUint64(1, BigInt(Math.max(0, Math.round(time))));
  bytes.set(payload, LIVE_HEADER_BYTES);
  return bytes;
}
