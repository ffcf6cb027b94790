/**
 * Messages for the viewers' cards: ECM and EMM sections, ARIB STD-B25 Part 1, 3.2.3 and 3.2.4. Their contents
 * are random: the streams are sent in the clear, as behind a tuner that descrambles.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { Random } from '../random.ts';
import { ByteWriter } from './bytes.ts';
import { longSection } from './section.ts';

/** Interval of key changes. */
const KEY_MS = 2_000;
const VERSIONS = 32;
/** Bytes of a message after its three unencrypted ones. */
const ECM_SEALED = 141;
const EMM_SEALED = 160;
const PROTOCOL = 0x00;
const BROADCASTER_GROUP = 1;
const WORK_KEY = 0x01;
const EMM_KEY = 'emm';

function sealed(words: readonly (string | number)[], count: number): Uint8Array {
  const random = new Random(...words);
  return Uint8Array.from({ length: count }, () => random.below(0x100));
}

/** The message with the keys of a moment and of the next one. */
export function ecmSection(streamId: number, pid: Pid, at: BroadcastMs): Uint8Array {
  const period = Math.floor(at / KEY_MS);
  const body = new ByteWriter()
    .u8(PROTOCOL)
    .u8(BROADCASTER_GROUP)
    .u8(WORK_KEY)
    .bytes(sealed(['ecm', streamId, pid, period], ECM_SEALED));
  const header = { tableId: 0x82, extension: 0, version: period % VERSIONS, number: 0, lastNumber: 0 };
  return longSection(header, body.done());
}

/** One of the messages that are sent in turn to all viewers' cards. */
export function emmSection(networkId: number, turn: number): Uint8Array {
  const random = new Random(EMM_KEY, networkId, turn);
  const body = new ByteWriter();
  // card_ID of 6 bytes, the length of the rest, protocol, broadcaster group, content for the card.
  for (let i = 0; i < 6; i++) body.u8(random.below(0x100));
  body.counted8(
    new ByteWriter()
      .u8(PROTOCOL)
      .u8(BROADCASTER_GROUP)
      .bytes(sealed([EMM_KEY, networkId, turn, 'body'], EMM_SEALED))
      .done(),
  );
  const header = { tableId: 0x84, extension: 0, version: turn % VERSIONS, number: 0, lastNumber: 0 };
  return longSection(header, body.done());
}

/** Bytes of a message of the terrestrial content protection: about one section of maximum length. */
const PROTECTION_SEALED = 4_000;

/** Management of the terrestrial content protection's receivers, without card addresses. */
export function protectionEmmSection(networkId: number, turn: number): Uint8Array {
  const header = { tableId: 0x85, extension: 0, version: turn % VERSIONS, number: 0, lastNumber: 0 };
  return longSection(header, sealed(['protection', networkId, turn], PROTECTION_SEALED));
}
