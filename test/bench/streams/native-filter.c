/*
 * The least that a native filter does: packets of chosen PIDs are copied together, whatever the chunks' ends. Framing is
 * taken for granted, tables are not rewritten, nothing is counted. For test/bench/filter.ts.
 */
#include <stdint.h>
#include <string.h>

enum { PACKET = 188, PIDS = 8192 };

static uint8_t kept[PIDS];
static uint8_t carry[PACKET];
static int32_t carried;

void reset(const uint8_t *pids) {
  memcpy(kept, pids, PIDS);
  carried = 0;
}

static int32_t take(const uint8_t *packet, uint8_t *out) {
  if (!kept[(packet[1] & 0x1f) << 8 | packet[2]]) return 0;
  memcpy(out, packet, PACKET);
  return PACKET;
}

/* Octets written to `out`, which has room for `length` and a packet. */
int32_t filter(const uint8_t *bytes, int32_t length, uint8_t *out) {
  int32_t at = 0, made = 0;
  if (carried > 0) {
    at = PACKET - carried;
    if (at > length) at = length;
    memcpy(carry + carried, bytes, at);
    carried += at;
    if (carried < PACKET) return 0;
    made += take(carry, out);
    carried = 0;
  }
  for (; at + PACKET <= length; at += PACKET) made += take(bytes + at, out + made);
  carried = length - at;
  memcpy(carry, bytes + at, carried);
  return made;
}
