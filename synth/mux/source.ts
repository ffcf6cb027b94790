/** What the multiplex takes packets from. */

export interface PacketSource {
  /** Unwrapped 90 kHz time at which the next packet wants to leave. */
  readonly due: number;
  /** Starts over with the first packet that is due at `ticks` or later. */
  seek(ticks: number): void;
  /**
   * Writes the next packet to `out` at byte `at` and advances.
   * `system` is the unwrapped 27 MHz time at which that packet's first byte leaves.
   */
  emit(out: Uint8Array, at: number, system: number): void;
}
