/** Epoch ms of the broadcast. */
export interface TimeSpan {
  from: number;
  to: number;
}
