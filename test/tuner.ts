/** A tuner as listed by the agent: idle, without a rank. */
import type { BroadcastType } from '../lib/arib/ids.ts';
import type { Tuner } from '../lib/wire/agent.ts';

export function tunerOf(types: BroadcastType[], over: Partial<Tuner> = {}): Tuner {
  return {
    id: 'x',
    name: '',
    driver: 'fake',
    device: '',
    types,
    disabled: false,
    lnb: false,
    rank: 0,
    state: 'idle',
    tuned: null,
    users: [],
    signal: null,
    stats: null,
    descrambled: false,
    error: null,
    ...over,
  };
}
