/** A browser's side of web push: keys of a subscription, and decryption (RFC 8291, RFC 8188). */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

export interface PushReceiver {
  /** As `PushSubscription.toJSON()` gives them. */
  readonly keys: { p256dh: string; auth: string };
  /** @throws Error where it is not for this receiver */
  decrypt(body: Uint8Array): string;
}

export function pushReceiver(): PushReceiver {
  const own = createECDH('prime256v1');
  own.generateKeys();
  const auth = randomBytes(16);
  return {
    keys: { p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') },
    decrypt: (body) => {
      const data = Buffer.from(body);
      const salt = data.subarray(0, 16);
      const sender = data.subarray(21, 21 + Number(data[20]));
      const cipher = data.subarray(21 + sender.length);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
      const ikm = Buffer.from(hkdfSync('sha256', own.computeSecret(sender), auth, info, 32));
      const key = Buffer.from(hkdfSync('sha256', ikm, salt, 'Content-Encoding: aes128gcm\0', 16));
      const nonce = Buffer.from(hkdfSync('sha256', ikm, salt, 'Content-Encoding: nonce\0', 12));
      const decipher = createDecipheriv('aes-128-gcm', key, nonce);
      decipher.setAuthTag(cipher.subarray(-16));
      const plain = Buffer.concat([decipher.update(cipher.subarray(0, -16)), decipher.final()]);
      return plain.subarray(0, plain.lastIndexOf(2)).toString();
    },
  };
}
