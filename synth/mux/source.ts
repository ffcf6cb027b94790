/** The interface from which the multiplex takes packets. */

export interface PacketSource {
  /** Unwrapped 90 kHz time at which the next packet should be sent. */
  readonly due: number;
  /** Restarts with the first packet that is due at `ticks` or later. */
  seek(ticks: number): void;
  /**
   * Writes the next packet to `out` at byte `at` and advances. @param system the unwrapped 27 MHz time at
   * which that packet's first byte is sent
   */
  emit(out: Uint8Array, at: number, system: number): void;
}
