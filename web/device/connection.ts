/** Whether the service can be reached, by the last state of the event stream (`query/events.ts`). */
import { signal } from '@preact/signals';

/** `refused`: the service responds, but this device is no longer authorised. */
type Connection = 'connecting' | 'open' | 'lost' | 'refused';
export const connection = signal<Connection>('connecting');
