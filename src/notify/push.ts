/**
 * Web push messages: encrypted for the browser (RFC 8291, with the content encoding of RFC 8188), signed with the key of this
 * service (VAPID, RFC 8292).
 */
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from 'node:crypto';
import type { PublicRequest } from '../../lib/host/public-fetch.ts';
import type { PushMessage } from '../../lib/wire/notifications.ts';
import { messageText, type WebhookMessage } from './webhook-formats.ts';

/** Base64url: an uncompressed point of P-256, and its scalar. */
export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

const CURVE = 'prime256v1';

export function makePushKeys(): PushKeys {
  const keys = createECDH(CURVE);
  keys.generateKeys();
  // A scalar with leading zeros is shorter.
  const privateKey = Buffer.concat([Buffer.alloc(32), keys.getPrivateKey()]).subarray(-32);
  return { publicKey: keys.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') };
}

/** Push services accept 4,096 octets with encryption; this leaves room for all of them. */
const MAX_BYTES = 3_000;
const RECORD_SIZE = 4_096;
/** Seconds: how long a push service keeps a message, and a signature is valid (at most a day). */
const DAY_S = 86_400;
const VALID_S = DAY_S / 2;

/**
 * @param target `keys`: as stored, JSON of p256dh and auth
 * @param own `contact`: whom a push service may tell about problems, https: or mailto:
 * @param nowMs epoch ms
 * @throws Error for keys that no browser makes
 */
export function pushRequest(
  message: WebhookMessage,
  target: { url: string; keys: string },
  own: PushKeys & { contact: string },
  nowMs: number,
): PublicRequest & { url: URL } {
  const url = new URL(target.url);
  const { p256dh, auth } = JSON.parse(target.keys) as { p256dh: string; auth: string };
  const body = encrypted(
    Buffer.from(JSON.stringify(shortened(message))),
    Buffer.from(p256dh, 'base64url'),
    Buffer.from(auth, 'base64url'),
  );
  const headers = {
    authorization: `vapid t=${signature(url.origin, own, nowMs)}, k=${own.publicKey}`,
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
    ttl: String(message.isUrgent ? 2 * DAY_S : DAY_S),
    urgency: message.isPrompt ? 'high' : 'normal',
  };
  return { url, method: 'POST', headers, body };
}

function shortened(message: WebhookMessage): PushMessage {
  const { title, path, id, single } = message;
  let body = messageText(message);
  while (Buffer.byteLength(body) > MAX_BYTES) body = `${[...body].slice(0, -100).join('')}…`;
  const { id: notice = null, actions = [] } = single ?? {};
  return { title, body, path, tag: id, notice, actions };
}

/** One record: salt, record size, length and value of the sender's key, ciphertext with its tag. */
function encrypted(plain: Buffer, receiver: Buffer, auth: Buffer): Uint8Array {
  const sender = createECDH(CURVE);
  const senderKey = sender.generateKeys();
  const salt = randomBytes(16);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, senderKey]);
  const ikm = derived(auth, sender.computeSecret(receiver), info, 32);
  const key = derived(salt, ikm, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(salt, ikm, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // 2: the last record.
  const content = Buffer.concat([cipher.update(plain), cipher.update(Buffer.of(2)), cipher.final()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_SIZE);
  return Buffer.concat([salt, size, Buffer.of(senderKey.length), senderKey, content, cipher.getAuthTag()]);
}

function derived(salt: Buffer, ikm: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', ikm, salt, info, length));
}

/** A JWT (ES256) for one push service. */
function signature(
  audience: string,
  { publicKey, privateKey, contact }: PushKeys & { contact: string },
  nowMs: number,
) {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { aud: audience, exp: Math.floor(nowMs / 1000) + VALID_S, sub: contact };
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((one) => one.toString('base64url'));
  const key = createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', d: privateKey, x: x ?? '', y: y ?? '' },
    format: 'jwk',
  });
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
