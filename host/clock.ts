/** The machine's two clocks (`wire/times.ts`). Times by the broadcast's clock are `BroadcastMs` (`arib/time.ts`). */
import { type MonotonicMs, monotonicMs, type WallMs, wallMs } from '../wire/times.ts';

export { type MonotonicMs, monotonicMs, type WallMs, wallMs };

export type WallClock = () => WallMs;
export type MonotonicClock = () => MonotonicMs;

export const systemWallClock: WallClock = () => Date.now() as WallMs;
export const systemMonotonicClock: MonotonicClock = () => performance.now() as MonotonicMs;
